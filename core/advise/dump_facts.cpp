// SPDX-License-Identifier: PostgreSQL
#include "core/advise/dump_facts.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/base/processor_load.h"
#include "core/dump/catalog.h"
#include "core/dump/large_object_list.h"
#include "core/pg/connection_room.h"
#include "core/pg/environment.h"

namespace gantry::advise {
namespace {

/// A loopback address may be a tunnel's; a backend among this machine's processes is proof. Where
/// the system does not show processes as files, a socket without an address is.
bool runsHere(pg::Connection& connection) {
    if (std::filesystem::exists("/proc/self/comm")) {
        std::ifstream name("/proc/" + std::to_string(connection.backendPid()) + "/comm");
        std::string command;
        return std::getline(name, command) && command.starts_with("postgres");
    }
    return connection.query("SELECT pg_catalog.inet_server_addr() IS NULL").boolean(0, 0);
}

}  // namespace

DumpSurroundings collectSurroundings(pg::Connection& connection) {
    DumpSurroundings found;
    found.serverMajor = connection.serverMajor();
    found.localCores = usableProcessors();
    found.sameMachine = runsHere(connection);
    if (found.sameMachine) found.serverCores = found.localCores;
    found.freeConnections = pg::connectionsLeft(connection);
    found.server = connection.server();
    found.cluster = pg::systemIdentifier(connection);
    return found;
}

DumpWorkload collectWorkload(pg::Connection& connection, const options::DumpOptions& options) {
    DumpWorkload work;
    const std::vector<dump::LockTarget> targets = dump::listLockTargets(connection, options);
    work.relations = targets.size();
    const options::Content& content = options.content;
    if (content.schemaOnly || content.statisticsOnly || content.noData) return work;

    const std::vector<Oid> without = dump::listExcludedData(connection, options);
    const std::set<Oid> excluded(without.begin(), without.end());
    std::vector<Oid> wanted;
    for (const dump::LockTarget& target : targets) {
        if (!excluded.contains(target.oid)) wanted.push_back(target.oid);
    }
    for (const dump::TableFacts& table : dump::readTableFacts(connection, wanted)) {
        if (table.unlogged && content.noUnloggedTableData) continue;
        work.tables.push_back({.object = table.displayName(),
                               .heapBlocks = table.heapBlocks,
                               .bytes = table.bytes(),
                               .divisible = table.relkind == 'r' && table.heapAccessMethod &&
                                            !table.columns.empty()});
    }
    const bool selective = !options.selection.schemas.empty() || !options.selection.tables.empty();
    if (content.noLargeObjects || (selective && !content.largeObjects)) return work;
    work.largeObjects =
        connection.query("SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata")
            .number(0, 0);
    if (work.largeObjects > 0) work.largeObjectBytes = dump::largeObjectBytes(connection);
    return work;
}

}  // namespace gantry::advise
