// SPDX-License-Identifier: PostgreSQL
// Archives of every writer, in every format, into servers 15 to 18: what comes back is the same, as
// far as the server knows it.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <set>

#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

namespace {

constexpr int kNewest = 18;
constexpr std::pair<const char*, Format> kFormats[] = {
    {"d", Format::Directory}, {"c", Format::Custom}, {"t", Format::Tar}};

/// Restores with three jobs, small tables taking every way that large ones do; what was told.
EventRecord& restoreInto(const Cluster& cluster, const std::string& database,
                         const fs::path& archive, EventRecord& events) {
    options::RestoreOptions options;
    options.connection = cluster.connection(database);
    options.archive = archive;
    options.jobs = 3;
    options.worthSharing = 64 << 10;
    options.failedList = archive.parent_path() / "failed.list";
    restore::restore(options, events, {});
    return events;
}

/// Objects that could not be restored, with the reasons.
std::vector<std::string> failures(const EventRecord& events) {
    std::vector<std::string> found;
    for (const auto& ignored : events.all<events::ErrorIgnored>()) {
        found.push_back(ignored.error.describe());
    }
    return found;
}

void checkSame(const Cluster& cluster, const fs::path& archive) {
    CAPTURE(archive.string());
    cluster.createDatabase("target");
    EventRecord events;
    restoreInto(cluster, "target", archive, events);
    CHECK(failures(events).empty());
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"),
                      clientToolsFor(kNewest)) == "");
    dropDatabase(cluster, "target");
}

/// Lines of compare-databases about contents that both sides have, but for what failed.
std::string contentsThatDiffer(const std::string& text, const std::set<std::string>& failed) {
    std::string found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const std::string name = line.substr(0, line.find(':'));
        const bool told = std::any_of(failed.begin(), failed.end(), [&](const std::string& object) {
            return name.ends_with(" " + object);
        });
        if (!told && line.find(": only on the left") == std::string::npos &&
            !line.starts_with("differences: ")) {
            found += line + "\n";
        }
        begin = end + 1;
    }
    return found;
}

}  // namespace

TEST_CASE("every writer's archives come back on every server from 15 on", "[restore][.wide]") {
    const int server = GENERATE(15, 16, 17, 18);
    CAPTURE(server);
    const Cluster cluster(server);
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");
    const TemporaryFolder folder;
    for (const auto& [letter, format] : kFormats) {
        for (int writer = server; writer <= kNewest; ++writer) {
            const fs::path path = folder / fmt::format("pg_dump{}-{}", writer, letter);
            writeStock(cluster, requireClientTools(writer), letter, path);
            checkSame(cluster, path);
            fs::remove_all(path);
        }
        const fs::path ours = folder / fmt::format("ours-{}", letter);
        runDump(dumpOptions(cluster, "source", ours, format,
                            format == Format::Tar ? "none" : "gzip:1"));
        checkSame(cluster, ours);
        fs::remove_all(ours);
    }
    dropDatabase(cluster, "source");
}

TEST_CASE("a newer server's archive comes back on an older one as far as that knows it",
          "[restore][.wide]") {
    const auto [newer, older] = GENERATE(table<int, int>({{18, 17}, {18, 16}, {18, 15}, {17, 15}}));
    CAPTURE(newer, older);
    const Cluster from(newer);
    from.createDatabase("source");
    loadEveryObject(from, "source");
    const Cluster into(older);
    installTestExtension(into);
    loadFile(into, "postgres", testData("every_object/00_roles.sql"));
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    writeStock(from, clientToolsFor(newer), "d", path, {"-Z", "0"});
    into.createDatabase("target");
    EventRecord events;
    restoreInto(into, "target", path, events);

    // What fails was said before, or needs what failed.
    std::string said;
    for (const auto& notice : events.all<events::Notice>()) said += notice.message + "\n";
    INFO(said);
    for (const std::string& failure : failures(events)) UNSCOPED_INFO(failure);
    std::set<std::string> failed;
    for (const auto& ignored : events.all<events::ErrorIgnored>()) {
        const bool foretold = said.find(ignored.error.object) != std::string::npos;
        failed.insert(ignored.error.object);
        // It needs something that failed, or holds a value that the server's types do not know.
        const std::string& state = ignored.error.sqlState;
        const bool follows = state == "42P01" || state == "42703" || state == "42704" ||
                             state == "42883" || state.starts_with("22");
        INFO(ignored.error.describe());
        CHECK((foretold || follows));
    }
    // Whatever is there is the same.
    CHECK(contentsThatDiffer(differences(from.conninfo("source"), into.conninfo("target"),
                                         clientToolsFor(newer), {"--no-definitions"}),
                             failed) == "");
}

TEST_CASE("rows as INSERT statements come back as pg_restore brings them", "[restore]") {
    const Cluster cluster(kNewest);
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");
    const TemporaryFolder folder;
    const ServerPrograms tools = clientToolsFor(kNewest);
    writeStock(cluster, tools, "c", folder / "a", {"--inserts"});
    // A number is no literal there: "-0" loses its sign, with whatever program it is restored.
    test::restore(cluster, "stock", folder / "a", Format::Custom, tools);
    cluster.createDatabase("target");
    EventRecord events;
    restoreInto(cluster, "target", folder / "a", events);
    CHECK(failures(events).empty());
    CHECK(differences(cluster.conninfo("stock"), cluster.conninfo("target"), tools) == "");
    dropDatabase(cluster, "target");
    dropDatabase(cluster, "stock");
    dropDatabase(cluster, "source");
}
