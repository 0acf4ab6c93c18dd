// SPDX-License-Identifier: PostgreSQL
#include "tests/server/dump/round_trip.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "core/archive/file_source.h"
#include "core/archive/script_file.h"
#include "core/dump/dump.h"
#include "core/io/compression.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

/// A page: every larger table is divided.
constexpr uint64_t kSmallestChunk = 8192;

}  // namespace

fs::path testData(const fs::path& name) { return fs::path(GANTRY_TEST_DATA_FOLDER) / name; }

ServerPrograms clientToolsFor(int serverMajor) {
    for (const ServerPrograms& programs : installedServers()) {
        if (programs.major >= serverMajor && programs.hasClientTools) return programs;
    }
    throw std::runtime_error(fmt::format("no client programs for server {}", serverMajor));
}

void installTestExtension(const Cluster& cluster) {
    const fs::path target =
        fs::path(cluster.value("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'")) /
        "extension";
    for (const char* name : {"gantry_config.control", "gantry_config--1.0.sql"}) {
        if (!fs::exists(target / name)) {
            fs::copy_file(testData("extension") / name, target / name);
        }
    }
}

void loadEveryObject(const Cluster& cluster, const std::string& database) {
    runToolOk({testData("load-every-object").string(), cluster.conninfo(database)},
              {{"PSQL", clientToolsFor(cluster.major()).tool("psql").string()}});
}

void loadFile(const Cluster& cluster, const std::string& database, const fs::path& file,
              const std::string& encoding) {
    runToolOk({clientToolsFor(cluster.major()).tool("psql").string(), "-Xqo", "/dev/null", "-v",
               "ON_ERROR_STOP=1", "-f", file.string(), cluster.conninfo(database)},
              {{"PGCLIENTENCODING", encoding}});
}

void EventRecord::post(events::Payload payload) {
    const std::lock_guard lock(mutex_);
    payloads_.push_back(std::move(payload));
}

std::size_t EventRecord::tableSpans() const {
    std::size_t spans = 0;
    for (const events::TaskStarted& started : all<events::TaskStarted>()) {
        if (started.kind == plan::TaskKind::TableData) ++spans;
    }
    return spans;
}

options::DumpOptions dumpOptions(const Cluster& cluster, const std::string& database,
                                 const fs::path& output, archive::Format format,
                                 const std::string& compression) {
    options::DumpOptions options;
    options.connection = cluster.connection(database);
    options.output = output;
    options.format = format;
    if (!compression.empty()) options.compression = io::parseCompression(compression);
    options.jobs = 2;
    options.compressJobs = 2;
    options.smallestChunk = kSmallestChunk;
    options.divideAlways = true;
    options.noSync = true;
    options.clientToolsFolder = clientToolsFor(cluster.major()).binFolder;
    return options;
}

EventRecord& runDump(const options::DumpOptions& options, EventRecord& events) {
    dump::dump(options, events, {});
    return events;
}

void runDump(const options::DumpOptions& options) {
    EventRecord events;
    runDump(options, events);
}

void restore(const Cluster& target, const std::string& database, const fs::path& archive,
             archive::Format format, const ServerPrograms& tools,
             const std::vector<std::string>& arguments, const std::string& databaseExtra) {
    target.createDatabase(database, databaseExtra);
    std::vector<std::string> command;
    const TemporaryFolder folder;
    if (format == archive::Format::Plain) {
        const fs::path script = folder / "script.sql";
        std::ofstream(script, std::ios::binary) << readScript(archive);
        command = {tools.tool("psql").string(),
                   "-Xq",
                   "-o",
                   "/dev/null",
                   "-v",
                   "ON_ERROR_STOP=1",
                   "-d",
                   target.conninfo(database),
                   "-f",
                   script.string()};
    } else {
        command = {tools.tool("pg_restore").string(), "-e", "-d", target.conninfo(database),
                   archive.string()};
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ToolResult result = runTool(command);
    // Subscriptions that do not connect are warned of.
    const bool quiet = format == archive::Format::Plain || result.errors.empty();
    if (result.exitCode != 0 || !quiet) {
        throw std::runtime_error(result.describe());
    }
}

void writeStock(const Cluster& cluster, const ServerPrograms& tools, const std::string& letter,
                const fs::path& path, const std::vector<std::string>& more) {
    std::vector<std::string> words{
        tools.tool("pg_dump").string(), "-F" + letter, "-f", path.string(), "-d",
        cluster.conninfo("source")};
    words.insert(words.end(), more.begin(), more.end());
    runToolOk(words);
}

std::string readScript(const fs::path& path) {
    const auto script = archive::openScript(std::make_shared<const File>(File::openForRead(path)));
    return archive::readAll(*script, std::size_t{1} << 30, path.string());
}

std::string differences(const std::string& left, const std::string& right,
                        const ServerPrograms& tools, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{testData("compare-databases").string(),
                                     "--psql",
                                     tools.tool("psql").string(),
                                     "--pg-dump",
                                     tools.tool("pg_dump").string(),
                                     left,
                                     right};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ToolResult result = runTool(command);
    if (result.exitCode == 0) return {};
    return result.output + result.errors;
}

void dropDatabase(const Cluster& cluster, const std::string& database) {
    for (const auto& row :
         cluster.rows("SELECT format('%I', subname) FROM pg_subscription s JOIN pg_database d"
                      " ON d.oid = s.subdbid WHERE d.datname = current_database()",
                      database)) {
        cluster.execute("ALTER SUBSCRIPTION " + *row[0] + " SET (slot_name = NONE)", database);
        cluster.execute("DROP SUBSCRIPTION " + *row[0], database);
    }
    cluster.execute("DROP DATABASE " + database);
}

}  // namespace gantry::test
