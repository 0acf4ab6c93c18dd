// SPDX-License-Identifier: PostgreSQL
// A database made anew beside the one in use, which it replaces only when it is whole.
//
//   NAME             serves all the time
//   NAME_new_DATE    is filled; takes the name at the end, in one transaction in which
//   NAME_DATE        the old one gets this name
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/events/event.h"
#include "core/options/restore_options.h"
#include "core/pg/connection.h"
#include "core/restore/database_properties.h"

namespace gantry::restore {

/// One thread at a time, but for the sink.
class Refresh {
public:
    /// Connects beside the database. Throws Error{Preflight} for what cannot be done at all.
    Refresh(const options::RestoreOptions& options, events::EventSink& events,
            std::stop_token stop);
    ~Refresh();  ///< discards
    Refresh(const Refresh&) = delete;
    Refresh& operator=(const Refresh&) = delete;

    /// Makes the new database; the options to restore into it with. A dry run makes none and looks
    /// at the old one, or, where there is none, at the one beside it.
    options::RestoreOptions begin();
    /// Where the restore is to post: what it says of its database is said of the one that is
    /// refreshed.
    events::EventSink& sink() { return sink_; }

    /// Once the restore is through: gives the new database the name. Throws, leaving the old one
    /// as it was, if the restore had errors, or if sessions on the old one do not go away (the new
    /// one is kept then, the hint says how to use it).
    void swap(const events::RunFinished& totals);
    /// Drops the new database if it did not take the name and is not to be kept. Does not throw: a
    /// notice says if it could not.
    void discard();

private:
    class Sink final : public events::EventSink {
    public:
        Sink(const Refresh& refresh, events::EventSink& events)
            : refresh_(refresh), events_(events) {}
        void post(events::Payload payload) override;

    private:
        const Refresh& refresh_;
        events::EventSink& events_;
    };

    pg::Connection connect(const std::stop_token& stop) const;
    void chooseNames(pg::Connection& connection);
    void tellLeftovers(pg::Connection& connection);
    void requireRights(pg::Connection& connection) const;
    void make(pg::Connection& connection);
    void tryProperties(pg::Connection& connection) const;
    [[noreturn]] void refuse(const std::string& statement, const Error& error) const;
    void markUnderWay(pg::Connection& connection) const;
    void rename(pg::Connection& connection);
    bool isStillNew(pg::Connection& connection, int32_t backend);
    void waitForRename(pg::Connection& connection) const;
    void dropOld(pg::Connection& connection);
    void dropSubscriptions(pg::Connection& connection) const;
    std::string sessionsOnOld(pg::Connection& connection) const;
    std::vector<std::string> preparedOnOld(pg::Connection& connection) const;
    std::string statementsOfSwap() const;

    const options::RestoreOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    Sink sink_{*this, events_};
    std::string name_;
    std::string newName_;
    std::string oldName_;  ///< that the old one gets
    std::optional<DatabaseProperties> old_;
    options::ConnectionOptions beside_;  ///< a database that is not renamed
    bool made_ = false;
};

}  // namespace gantry::restore
