// SPDX-License-Identifier: PostgreSQL
// What the tests of vacuums share: tables with dead rows, runs, and what they told.
#pragma once

#include <string>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/run/run_control.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/cluster.h"

namespace gantry::test {

/// A server without autovacuum, in which helpers take the smallest index.
ClusterOptions quietServer(int major = 0);

/// Table `name` of so many rows with three indexes; every tenth row is dead.
void makeDirty(const Cluster& cluster, const std::string& database, const std::string& name,
               int rows);

options::VacuumOptions vacuumOptions(const Cluster& cluster, const std::string& database);
/// So slow that what goes on can be seen.
void slowDown(options::VacuumOptions& options);

EventRecord& runVacuum(const options::VacuumOptions& options, EventRecord& events,
                       run::RunControl* control = nullptr);

/// gantryctl's words for a vacuum over the cluster's socket, without progress.
std::vector<std::string> vacuumCommand(const Cluster& cluster, const std::string& database,
                                       const std::vector<std::string>& more = {});

/// Messages of notices, in order.
std::vector<std::string> noticesOf(const EventRecord& events);
/// The first that begins so; empty if none does.
std::string noticeThatBegins(const EventRecord& events, const std::string& begin);

}  // namespace gantry::test
