// SPDX-License-Identifier: PostgreSQL
// Scripts rendered from archives are pg_restore's, line for line.
#include "core/archive/script.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <map>
#include <sstream>

#include "core/archive/archive_reader.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/byte_sources.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::archive;
namespace test = gantry::test;

namespace {

constexpr int kOwnerByKind = 16;  // before, ALTER TABLE gave views and sequences their owners

struct Case {
    std::string name;
    std::vector<std::string> dump;     ///< arguments of pg_dump
    std::vector<std::string> restore;  ///< arguments of pg_restore
    void (*set)(ScriptOptions&);       ///< the same for renderScript
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"plain", {}, {}, [](ScriptOptions&) {}},
        {"clean", {}, {"--clean"}, [](ScriptOptions& o) { o.clean = true; }},
        {"clean, if it exists",
         {},
         {"--clean", "--if-exists"},
         [](ScriptOptions& o) { o.clean = o.ifExists = true; }},
        {"create", {}, {"--create"}, [](ScriptOptions& o) { o.create = true; }},
        {"create and clean",
         {},
         {"--create", "--clean", "--if-exists"},
         [](ScriptOptions& o) { o.create = o.clean = o.ifExists = true; }},
        {"no owner", {}, {"--no-owner"}, [](ScriptOptions& o) { o.noOwner = true; }},
        {"session authorization",
         {},
         {"--use-set-session-authorization"},
         [](ScriptOptions& o) { o.useSetSessionAuthorization = true; }},
        {"session authorization and clean",
         {},
         {"--use-set-session-authorization", "--clean"},
         [](ScriptOptions& o) { o.useSetSessionAuthorization = o.clean = true; }},
        {"no tablespaces",
         {},
         {"--no-tablespaces"},
         [](ScriptOptions& o) { o.noTablespaces = true; }},
        {"row security",
         {},
         {"--enable-row-security"},
         [](ScriptOptions& o) { o.enableRowSecurity = true; }},
        {"no privileges", {"--no-privileges"}, {}, [](ScriptOptions&) {}},
        {"schema only", {"--schema-only"}, {}, [](ScriptOptions&) {}},
        {"data only", {"--data-only"}, {"--data-only"}, [](ScriptOptions&) {}},
        {"data only, triggers off",
         {"--data-only"},
         {"--data-only", "--disable-triggers"},
         [](ScriptOptions& o) { o.disableTriggers = true; }},
        {"triggers off, heeded with data alone",
         {},
         {"--disable-triggers"},
         [](ScriptOptions& o) { o.disableTriggers = true; }},
        {"data only, triggers off as a superuser",
         {"--data-only"},
         {"--data-only", "--disable-triggers", "--use-set-session-authorization"},
         [](ScriptOptions& o) { o.disableTriggers = o.useSetSessionAuthorization = true; }},
        {"inserts", {"--inserts"}, {}, [](ScriptOptions&) {}},
    };
    return all;
}

/// What may differ: versions in comments, keys of \restrict, how large objects are written (which
/// is the plain writer's part), and before 16 how an owner is set.
std::string comparable(std::string script, int major) {
    constexpr std::string_view kObjects = "BEGIN;\n\nSELECT pg_catalog.lo_open(";
    constexpr std::string_view kEnd = "COMMIT;\n\n";
    for (std::size_t at; (at = script.find(kObjects)) != std::string::npos;) {
        script.erase(at, script.find(kEnd, at) + kEnd.size() - at);
    }
    std::istringstream lines(script);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("\\restrict ") || line.starts_with("\\unrestrict ")) {
            line = line.substr(0, line.find(' '));
        }
        if (line.starts_with("-- Dumped ")) continue;
        for (const std::string kind :
             {"ALTER VIEW ", "ALTER MATERIALIZED VIEW ", "ALTER SEQUENCE "}) {
            if (major < kOwnerByKind && line.starts_with(kind)) {
                line.replace(0, kind.size(), "ALTER TABLE ");
            }
        }
        text += line + "\n";
    }
    return text;
}

std::string render(const std::filesystem::path& archive, const ScriptOptions& options) {
    const auto reader = openArchive(archive);
    std::map<DumpId, const DataMember*> rows;
    for (const DataMember& member : reader->members()) {
        if (!member.largeObject) rows.emplace(member.entry, &member);
    }
    std::string script;
    renderScript(reader->toc(), options, [&](const ScriptPiece& piece) {
        script += piece.text;
        if (piece.dataOf == nullptr || !rows.contains(piece.dataOf->dumpId)) return;
        script += test::readAll(*reader->openData(*rows.at(piece.dataOf->dumpId)));
    });
    return script;
}

/// The first lines that differ, with the lines before them; empty if none does.
std::string firstDifference(const std::string& ours, const std::string& stock) {
    std::istringstream a(ours);
    std::istringstream b(stock);
    std::string before;
    for (int number = 1;; ++number) {
        std::string lineA;
        std::string lineB;
        const bool moreA = static_cast<bool>(std::getline(a, lineA));
        const bool moreB = static_cast<bool>(std::getline(b, lineB));
        if (!moreA && !moreB) return {};
        if (moreA != moreB || lineA != lineB) {
            return fmt::format("line {}\n{}  ours:  {}\n  stock: {}", number, before,
                               moreA ? lineA : "(end)", moreB ? lineB : "(end)");
        }
        before += lineA + "\n";
        if (before.size() > 400) before.erase(0, before.size() - 400);
    }
}

}  // namespace

TEST_CASE("a script is pg_restore's of the same archive") {
    const int major = GENERATE(15, 16, 17, 18);
    CAPTURE(major);
    const test::ServerPrograms tools = test::requireClientTools(major);
    const test::Cluster cluster(major);
    cluster.createDatabase("every");
    test::loadEveryObject(cluster, "every");
    // Megabytes make it slow, and are the same in every script.
    cluster.execute("DROP TABLE every.wide_rows; DELETE FROM pg_catalog.pg_largeobject", "every");
    const test::TemporaryFolder folder;

    std::map<std::vector<std::string>, std::filesystem::path> archives;
    for (const Case& each : cases()) {
        std::filesystem::path& archive = archives[each.dump];
        if (archive.empty()) {
            archive = folder / fmt::format("{}.dump", archives.size());
            std::vector<std::string> command = {tools.tool("pg_dump").string(), "-Fc", "-Z0", "-f",
                                                archive.string()};
            command.insert(command.end(), each.dump.begin(), each.dump.end());
            test::runToolOk(command, cluster.environment("every"));
        }
        ScriptOptions options;
        each.set(options);
        options.restrictKey = "key";
        const std::string ours = comparable(render(archive, options), major);
        std::vector<std::string> command = {tools.tool("pg_restore").string(), "-f", "-"};
        command.insert(command.end(), each.restore.begin(), each.restore.end());
        command.push_back(archive.string());
        const std::string stock = comparable(test::runToolOk(command), major);
        INFO(each.name << ": " << firstDifference(ours, stock));
        CHECK((ours == stock));
    }
}
