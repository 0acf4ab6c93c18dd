// SPDX-License-Identifier: PostgreSQL
// gantryctl on a terminal: what it draws, what it asks.
#include <libpq-fe.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <memory>
#include <thread>

#include "app/headless/quantity.h"
#include "tests/server/headless/terminal_session.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// A session of somebody else.
class Session {
public:
    explicit Session(const Cluster& cluster)
        : connection_(PQconnectdb(cluster.conninfo().c_str()), PQfinish) {}
    void execute(const char* sql) const {
        const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection_.get(), sql),
                                                                    PQclear);
        INFO(PQresultErrorMessage(result.get()));
        REQUIRE(PQresultStatus(result.get()) == PGRES_COMMAND_OK);
    }

private:
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

std::vector<std::string> dump(const Cluster& cluster, const std::string& conninfo,
                              const fs::path& target, std::vector<std::string> further = {}) {
    std::vector<std::string> words{gantryctl().string(), "dump", "-d", conninfo, "-f"};
    words.insert(words.end(), {target.string(), "--no-sync", "--pg-bindir"});
    words.push_back(cluster.programs().binFolder.string());
    words.insert(words.end(), further.begin(), further.end());
    return words;
}

/// The lines that were drawn, without what controls the cursor and the colour.
std::vector<std::string> drawnLines(const std::string& output) {
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (output[i] == '\x1b') {
            while (i < output.size() && std::isalpha(static_cast<unsigned char>(output[i])) == 0)
                ++i;
        } else if (output[i] == '\r' || output[i] == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += output[i];
        }
    }
    return lines;
}

long sessionsOf(const Cluster& cluster) {
    return std::stol(cluster.value(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'gantry%'"));
}

/// Role "keeper" has to say its password; all others go on as before.
void wantPassword(Cluster& cluster) {
    cluster.execute("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'open sesame'");
    const fs::path path = cluster.dataFolder() / "pg_hba.conf";
    std::string rules;
    std::getline(std::ifstream(path), rules, '\0');
    std::ofstream(path) << "local all keeper scram-sha-256\n" << rules;
    cluster.configure({});
    cluster.execute("SELECT pg_reload_conf()");
}

std::string conninfoOf(const Cluster& cluster, const std::string& user) {
    return "host=" + cluster.socketFolder().string() + " port=" + std::to_string(cluster.port()) +
           " user=" + user + " dbname=postgres";
}

}  // namespace

TEST_CASE("a run is drawn as a block within the terminal, and taken away at its end") {
    Cluster cluster;
    cluster.execute("CREATE TABLE t AS SELECT g, md5(g::text) FROM generate_series(1, 200000) g");
    const TemporaryFolder folder;
    for (const int columns : {24, 80, 200}) {
        CAPTURE(columns);
        const fs::path target = folder / std::to_string(columns);
        TerminalSession session(dump(cluster, cluster.conninfo(), target), {}, columns);
        REQUIRE(session.waitForEnd() == 0);
        const std::string& output = session.output();
        const std::size_t summary = output.find("The dump of \"postgres\" is complete.");
        REQUIRE(summary != std::string::npos);
        const std::string drawn = output.substr(0, summary);
        CHECK_THAT(drawn, ContainsSubstring("%"));
        if (columns >= 80) CHECK_THAT(drawn, ContainsSubstring("\x1b[1m"));
        const std::size_t gone = drawn.rfind("\x1b[J");
        REQUIRE(gone != std::string::npos);
        const std::string behind = drawn.substr(gone + 3);
        CHECK((behind.empty() || behind.find(" advised: ") != std::string::npos));  // a notice
        for (const std::string& line : drawnLines(drawn)) {
            CAPTURE(line);
            if (line.find(" advised: ") != std::string::npos) continue;  // a notice is no block
            CHECK(headless::columnsOf(line) < static_cast<std::size_t>(columns));
        }
        CHECK(fs::exists(target / "toc.dat"));
    }
}

TEST_CASE("no colour where it is not wanted, nothing drawn where it cannot be") {
    Cluster cluster;
    cluster.execute("CREATE TABLE t AS SELECT g FROM generate_series(1, 100000) g");
    const TemporaryFolder folder;
    TerminalSession plain(dump(cluster, cluster.conninfo(), folder / "plain"), {{"NO_COLOR", "1"}});
    CHECK(plain.waitForEnd() == 0);
    CHECK(plain.output().find("\x1b[1m") == std::string::npos);
    CHECK(plain.output().find("\x1b[2m") == std::string::npos);
    TerminalSession dumb(dump(cluster, cluster.conninfo(), folder / "dumb"), {{"TERM", "dumb"}});
    CHECK(dumb.waitForEnd() == 0);
    CHECK(dumb.output().find('\x1b') == std::string::npos);
    TerminalSession ascii(dump(cluster, cluster.conninfo(), folder / "ascii"), {{"LC_ALL", "C"}});
    CHECK(ascii.waitForEnd() == 0);
    for (const char c : ascii.output()) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("who waits for a lock says so, ends with Ctrl-C, and goes on when it is free") {
    Cluster cluster;
    cluster.execute("CREATE TABLE t AS SELECT g FROM generate_series(1, 1000) g");
    const TemporaryFolder folder;
    const fs::path target = folder / "archive";
    const Session other(cluster);
    other.execute("BEGIN");
    other.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
    {
        TerminalSession session(dump(cluster, cluster.conninfo(), target));
        session.waitFor("waits for a lock: public.t, session ");
        session.interrupt();
        CHECK(session.waitForEnd() == 130);
        CHECK_THAT(session.output(), ContainsSubstring("gantryctl: cancelled\r\n"));
        CHECK(fs::is_empty(folder.path()));
        CHECK(sessionsOf(cluster) == 0);
    }
    {
        // Where nothing is redrawn, it is told once.
        TerminalSession session(dump(cluster, cluster.conninfo(), target), {{"TERM", "dumb"}});
        session.waitFor("waits for a lock: public.t, session ");
        std::this_thread::sleep_for(2500ms);
        other.execute("COMMIT");
        CHECK(session.waitForEnd() == 0);
        const std::string& output = session.output();
        CHECK(output.find("waits for a lock") == output.rfind("waits for a lock"));
        CHECK_THAT(output, ContainsSubstring("The dump of \"postgres\" is complete.\r\n"
                                             "  Holds:    1 table, 1,000 rows\r\n"));
    }
}

TEST_CASE("a password is asked for on the terminal, without being shown") {
    Cluster cluster;
    wantPassword(cluster);
    const TemporaryFolder folder;
    const std::string conninfo = conninfoOf(cluster, "keeper");
    const auto run = [&](const std::string& keys, std::vector<std::string> further = {}) {
        fs::remove_all(folder / "a");
        TerminalSession session(dump(cluster, conninfo, folder / "a", std::move(further)));
        session.waitFor("Password: ");
        session.type(keys);
        const int code = session.waitForEnd();
        CHECK(session.output().find("sesame") == std::string::npos);
        return std::pair(code, session.output());
    };
    CHECK(run("open sesame\n").first == 0);
    CHECK(run("open sesame\n", {"-W"}).first == 0);
    const auto [wrong, text] = run("sesame\n");
    CHECK(wrong == 2);
    CHECK_THAT(text, ContainsSubstring("password authentication failed for user \"keeper\""));
    CHECK_THAT(text, ContainsSubstring("Check user and password"));
    CHECK(run("open\x03").first == 130);
    CHECK_FALSE(fs::exists(folder / "a"));

    // -w never asks.
    TerminalSession never(dump(cluster, conninfo, folder / "a", {"-w"}));
    CHECK(never.waitForEnd() == 2);
    CHECK(never.output().find("Password:") == std::string::npos);
}

TEST_CASE("what a connection string says holds against the environment, for pg_dump too") {
    ClusterOptions settings;
    settings.tcp = true;
    const Cluster cluster(settings);
    const TemporaryFolder folder;
    const auto dumpWith = [&](const std::string& conninfo,
                              const std::map<std::string, std::string>& environment) {
        fs::remove_all(folder / "a");
        return runTool(dump(cluster, conninfo, folder / "a"), environment);
    };
    for (const auto& [variable, value, parameter] :
         {std::array{"PGSSLMODE", "require", "sslmode=prefer"},
          std::array{"PGCHANNELBINDING", "require", "channel_binding=prefer"},
          std::array{"PGTARGETSESSIONATTRS", "standby", "target_session_attrs=any"},
          std::array{"PGUSER", "nobody_here", "user=postgres"}}) {
        CAPTURE(variable);
        const ToolResult result =
            dumpWith(cluster.tcpConninfo() + " " + parameter, {{variable, value}});
        INFO(result.describe());
        CHECK(result.exitCode == 0);
    }
    CHECK(dumpWith(cluster.tcpConninfo(), {{"PGSSLMODE", "require"}}).exitCode == 2);
}

TEST_CASE("passwords and connections come from where libpq finds them") {
    Cluster cluster;
    wantPassword(cluster);
    cluster.execute("CREATE TABLE t AS SELECT g FROM generate_series(1, 10) g");
    const TemporaryFolder folder;
    const std::string conninfo = conninfoOf(cluster, "keeper");
    const auto run = [&](std::vector<std::string> words,
                         const std::map<std::string, std::string>& environment) {
        fs::remove_all(folder / "a");
        words.insert(words.begin(), {gantryctl().string(), "dump"});
        words.insert(words.end(), {"-f", (folder / "a").string(), "--no-sync", "--pg-bindir"});
        words.push_back(cluster.programs().binFolder.string());
        return runTool(words, environment);
    };
    CHECK(run({"-d", conninfo}, {{"PGPASSWORD", "open sesame"}}).exitCode == 0);
    CHECK(run({"-d", conninfo + " password='open sesame'"}, {}).exitCode == 0);
    CHECK(run({conninfo}, {{"PGPASSWORD", "wrong"}}).exitCode == 2);

    const fs::path passFile = folder / "pass";
    std::ofstream(passFile) << "*:*:*:keeper:open sesame\n";
    fs::permissions(passFile, fs::perms::owner_read | fs::perms::owner_write);
    const std::map<std::string, std::string> pass{{"PGPASSFILE", passFile.string()}};
    CHECK(run({"-d", conninfo}, pass).exitCode == 0);

    std::ofstream(folder / "services")
        << "[vault]\nhost=" << cluster.socketFolder().string() << "\nport=" << cluster.port()
        << "\nuser=keeper\ndbname=postgres\npassword=open sesame\n";
    const std::string services = (folder / "services").string();
    CHECK(run({"-d", "service=vault"}, {{"PGSERVICEFILE", services}}).exitCode == 0);
    CHECK(run({}, {{"PGSERVICEFILE", services}, {"PGSERVICE", "vault"}}).exitCode == 0);
    const ToolResult missing = run({"-d", "service=none"}, {{"PGSERVICEFILE", services}});
    CHECK(missing.exitCode == 2);
    CHECK(missing.errors == "gantryctl: definition of service \"none\" not found\n");

    std::string host;
    for (const char c : cluster.socketFolder().string())
        host += c == '/' ? "%2F" : std::string(1, c);
    const ToolResult uri = run({"postgresql://keeper:open%20sesame@" + host + ":" +
                                std::to_string(cluster.port()) + "/postgres"},
                               {});
    INFO(uri.describe());
    CHECK(uri.exitCode == 0);
    CHECK_THAT(uri.output, ContainsSubstring("1 table, 10 rows"));
    CHECK(uri.output.find("sesame") == std::string::npos);

    std::map<std::string, std::string> variables = cluster.environment();
    CHECK(run({"-h", cluster.socketFolder().string(), "-p", std::to_string(cluster.port()), "-U",
               "postgres", "postgres"},
              {})
              .exitCode == 0);
    CHECK(run({}, variables).exitCode == 0);
}
