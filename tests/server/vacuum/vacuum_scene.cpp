// SPDX-License-Identifier: PostgreSQL
#include "tests/server/vacuum/vacuum_scene.h"

#include <fmt/format.h>

#include "core/vacuum/vacuum.h"

namespace gantry::test {

ClusterOptions quietServer(int major) {
    ClusterOptions options;
    options.major = major;
    options.settings = {"autovacuum = off", "min_parallel_index_scan_size = 0",
                        "max_parallel_workers = 8"};
    if (major == 10) options.settings.pop_back();
    return options;
}

void makeDirty(const Cluster& cluster, const std::string& database, const std::string& name,
               int rows) {
    cluster.execute(
        fmt::format("CREATE TABLE {0}(id int PRIMARY KEY, a int, b int, pad text);"
                    "INSERT INTO {0} SELECT g, hashint4(g), hashint4(g * 7), repeat('x', 60)"
                    " FROM generate_series(1, {1}) g;"
                    "CREATE INDEX {0}_a ON {0}(a); CREATE INDEX {0}_b ON {0}(b)",
                    name, rows),
        database);
    cluster.execute("VACUUM ANALYZE " + name, database);
    cluster.execute(fmt::format("DELETE FROM {} WHERE id % 10 = 0", name), database);
}

options::VacuumOptions vacuumOptions(const Cluster& cluster, const std::string& database) {
    options::VacuumOptions options;
    options.connection = cluster.connection(database);
    options.jobs = 2;
    return options;
}

void slowDown(options::VacuumOptions& options) {
    options.costDelay = 20;
    options.costLimit = 20;
}

EventRecord& runVacuum(const options::VacuumOptions& options, EventRecord& events,
                       run::RunControl* control) {
    vacuum::vacuum(options, events, {}, control);
    return events;
}

std::vector<std::string> vacuumCommand(const Cluster& cluster, const std::string& database,
                                       const std::vector<std::string>& more) {
    std::vector<std::string> words{gantryctl().string(),
                                   "vacuum",
                                   "--no-progress",
                                   "-h",
                                   cluster.socketFolder().string(),
                                   "-p",
                                   std::to_string(cluster.port()),
                                   "-U",
                                   "postgres"};
    if (!database.empty()) words.insert(words.end(), {"-d", database});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<std::string> noticesOf(const EventRecord& events) {
    std::vector<std::string> all;
    for (const auto& notice : events.all<events::Notice>()) all.push_back(notice.message);
    return all;
}

std::string noticeThatBegins(const EventRecord& events, const std::string& begin) {
    for (const std::string& message : noticesOf(events)) {
        if (message.starts_with(begin)) return message;
    }
    return {};
}

}  // namespace gantry::test
