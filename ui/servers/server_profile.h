// SPDX-License-Identifier: PostgreSQL
// A server as the user knows it: how to reach it, and how careful to be with it.
#pragma once

#include <QColor>
#include <QString>

#include "core/options/connection_options.h"

namespace gantry::ui {

/// What its pages begin with, as a sweep found best; 0 or empty: as advised.
struct ServerDefaults {
    int dumpJobs = 0;
    QString dumpFormat;       ///< as -F takes it
    QString dumpCompression;  ///< as -Z takes it
    int restoreJobs = 0;
    int vacuumJobs = 0;

    friend bool operator==(const ServerDefaults&, const ServerDefaults&) = default;
};

/// What is empty is left to libpq, but for the database, which is "postgres" then (or the
/// service's). Never holds a password.
struct ServerProfile {
    QString id;    ///< stays the same when all else is changed
    QString name;  ///< for people
    QString host, port, database, user;
    QString sslMode;
    QString service;  ///< of pg_service.conf
    QColor color;     ///< the tag; invalid: none
    bool production = false;
    bool scratch = false;  ///< a throwaway server of this machine; not stored
    QString version;       ///< as last seen, "17.11"; empty: not yet
    ServerDefaults defaults;

    friend bool operator==(const ServerProfile&, const ServerProfile&) = default;
};

/// How to reach `database` there, or the profile's own one if it is empty. Without password.
options::ConnectionOptions connectionTo(const ServerProfile& server, const QString& database = {});

}  // namespace gantry::ui
