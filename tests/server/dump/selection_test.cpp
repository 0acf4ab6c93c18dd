// SPDX-License-Identifier: PostgreSQL
// pg_dump's options select here what they select there: contents, scripts and plain texts compared.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/server/dump/round_trip.h"
#include "tests/server/dump/script_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry::test;
namespace fs = std::filesystem;

namespace {

struct Choice {
    std::vector<std::string> arguments;
    int since = 0;  ///< the first pg_dump that has the option
};

using Arguments = std::vector<std::string>;

const std::vector<Choice> kChoices{
    {{}},
    {{"-n", "one"}},
    {{"-n", "o*", "-n", "two"}},
    {{"-N", "one"}},
    {{"-n", "one", "-n", "(two|ext)", "-N", "t?o"}},
    {{"-t", "plain"}},
    {{"-t", "*.plain"}},
    {{"-t", "one.(plain|view|matview|counter)"}},
    {{"-t", "\"Three \"\"3\"\"\".\"Mixed.Case\""}},
    {{"-t", "one.*", "-T", "one.plain?"}},
    {{"-t", "two.parent"}},
    {{"-t", "two.parted*", "-n", "one"}},
    {{"-T", "one.p*", "-T", "no_columns"}},
    {{"--exclude-table-data=one.plain*"}},
    {{"--exclude-table-data=two.par*", "-n", "two"}},
    {{"-t", "ext.config_*"}},
    {{"-n", "ext"}},
    {{"-n", "one", "-b"}},
    {{"-B"}},
    {{"-s"}},
    {{"-s", "-b"}},
    {{"-a"}},
    {{"-a", "-t", "one.plain*", "--disable-triggers"}},
    {{"-a", "-n", "two", "--disable-triggers", "--use-set-session-authorization"}},
    {{"--disable-triggers"}},
    {{"--section=data", "--disable-triggers"}},
    {{"--section=pre-data"}},
    {{"--section=data"}},
    {{"--section=pre-data", "--section=post-data"}},
    {{"-O", "-x"}},
    {{"--no-owner", "--use-set-session-authorization"}},
    {{"--use-set-session-authorization"}},
    {{"--no-comments", "--no-publications", "--no-subscriptions", "--no-security-labels"}},
    {{"--no-unlogged-table-data"}},
    {{"--no-tablespaces", "--quote-all-identifiers"}},
    {{"--disable-dollar-quoting"}},
    {{"--create"}},
    {{"--create", "--clean"}},
    {{"--clean", "--if-exists"}},
    {{"--create", "--clean", "--if-exists", "-O"}},
    {{"--role=selection_reader"}},
    {{"--strict-names", "-n", "one", "-t", "public.plain"}},
    {{"--load-via-partition-root"}},
    {{"--enable-row-security", "-n", "one"}},
    {{"--enable-row-security", "--role=selection_limited", "-t", "one.plain"}},
    {{"--extra-float-digits=0"}},
    {{"--lock-wait-timeout=5s"}},
    {{"--serializable-deferrable"}},
    {{"--encoding=LATIN1"}},
    {{"-e", "gantry_config"}, 14},
    {{"-e", "plpgsql", "-n", "one"}, 14},
    {{"--no-toast-compression"}, 14},
    {{"--no-table-access-method"}, 15},
    {{"--table-and-children=two.parent"}, 16},
    {{"--table-and-children=two.parted"}, 16},
    {{"--exclude-table-and-children=two.par*"}, 16},
    {{"--exclude-table-data-and-children=two.par*"}, 16},
    {{"--exclude-extension=gantry_config"}, 17},
    {{"--filter=FILTER"}, 17},
    {{"--statistics"}, 18},
    {{"--statistics-only"}, 18},
    {{"--no-statistics"}, 18},
    {{"--statistics", "--no-schema"}, 18},
    {{"--no-data"}, 18},
    {{"--no-schema"}, 18},
    {{"--no-schema", "--disable-triggers"}, 18},
    {{"--no-data", "--sequence-data"}, 18},
    {{"--no-policies"}, 18},
};

/// What `pg_restore -l` lists, without the numbers of entries.
std::vector<std::string> contents(const ServerPrograms& tools, const fs::path& archive) {
    std::istringstream lines(
        runToolOk({tools.tool("pg_restore").string(), "-l", archive.string()}));
    std::vector<std::string> entries;
    for (std::string line; std::getline(lines, line);) {
        static const std::regex number("^[0-9]+; ");
        if (!line.starts_with(";")) entries.push_back(std::regex_replace(line, number, ""));
    }
    return entries;
}

std::vector<std::string> script(const ServerPrograms& tools, const fs::path& archive,
                                const Arguments& arguments) {
    Arguments command{tools.tool("pg_restore").string(), "-f", "-", archive.string()};
    // What only changes the text is not in the archive.
    for (const std::string& argument : arguments) {
        if (argument == "--create" || argument == "--clean" || argument == "--if-exists") {
            command.push_back(argument);
        }
    }
    return comparableScript(runToolOk(command));
}

class Selections {
public:
    explicit Selections(int major) : cluster_(major), tools_(clientToolsFor(major)) {
        installTestExtension(cluster_);
        cluster_.createDatabase("source");
        loadFile(cluster_, "source", testData("selection.sql"));
        std::ofstream(folder_ / "filter") << "# a comment\n"
                                             "include table two.parted*\n"
                                             "exclude table_data two.parted_low\n"
                                             "include table_and_children \"two\".parent\n"
                                             "exclude table one.parted_high_x\n";
    }

    int pgDumpMajor() const { return tools_.major; }

    void compare(const Arguments& chosen) {
        const Arguments arguments = withFilter(chosen);
        dumpBoth("-Fc", arguments);
        const fs::path ours = folder_ / "ours-Fc";
        const fs::path theirs = folder_ / "theirs-Fc";
        CHECK(scriptDifference(contents(tools_, theirs), contents(tools_, ours)) == "");
        CHECK(scriptDifference(script(tools_, theirs, arguments),
                               script(tools_, ours, arguments)) == "");
        dumpBoth("-Fp", arguments);
        CHECK(scriptDifference(comparableScript(readScript(folder_ / "theirs-Fp")),
                               comparableScript(readScript(folder_ / "ours-Fp"))) == "");
    }

private:
    void dumpBoth(const std::string& format, const Arguments& arguments) {
        run({tools_.tool("pg_dump").string(), format, "-Z0"}, arguments,
            folder_ / ("theirs" + format));
        run({gantryctl().string(), "dump", "-j2", "--no-progress", "--overwrite", "-Znone",
             "--pg-bindir=" + tools_.binFolder.string(), format},
            arguments, folder_ / ("ours" + format));
    }

    void run(Arguments command, const Arguments& arguments, const fs::path& output) {
        command.insert(command.end(), arguments.begin(), arguments.end());
        command.insert(command.end(), {"--no-sync", "-f", output.string()});
        runToolOk(command, cluster_.environment("source"));
    }

    Arguments withFilter(Arguments arguments) const {
        for (std::string& argument : arguments) {
            if (argument == "--filter=FILTER")
                argument = "--filter=" + (folder_ / "filter").string();
        }
        return arguments;
    }

    const Cluster cluster_;
    const ServerPrograms tools_;
    const TemporaryFolder folder_;
};

void compareAll(int serverMajor) {
    Selections selections(serverMajor);
    for (const Choice& choice : kChoices) {
        if (choice.since > selections.pgDumpMajor()) continue;
        CAPTURE(serverMajor, fmt::format("{}", fmt::join(choice.arguments, " ")));
        selections.compare(choice.arguments);
    }
}

}  // namespace

TEST_CASE("pg_dump's options select what they select there, on the newest version", "[dump]") {
    compareAll(18);
}

TEST_CASE("pg_dump's options select what they select there, on older versions", "[dump][.wide]") {
    for (const int major : {12, 15, 16, 17}) compareAll(major);
}
