// SPDX-License-Identifier: PostgreSQL
#include "core/pg/client_tools.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::pg;
namespace fs = std::filesystem;

namespace {

void writeTool(const fs::path& path, const std::string& script) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
}

void writeTool(const fs::path& folder, const std::string& name, const std::string& version) {
    writeTool(folder / name, "echo '" + name + " (PostgreSQL) " + version + "'");
}

Installation made(int major, const std::string& version, const std::string& folder,
                  std::initializer_list<std::string> tools) {
    Installation installation;
    installation.binFolder = folder;
    installation.major = major;
    installation.version = version;
    for (const std::string& tool : tools) {
        installation.tools.emplace(tool, fs::path(folder) / tool);
    }
    return installation;
}

}  // namespace

TEST_CASE("a version is read from what the programs say") {
    CHECK(parseVersion("pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)") == "15.14");
    CHECK(parseVersion("postgres (PostgreSQL) 18.4\n") == "18.4");
    CHECK(parseVersion("psql (PostgreSQL) 19beta1") == "19beta1");
    CHECK(parseVersion("pg_dump (EnterpriseDB) 15.2").empty());
}

TEST_CASE("folders are inspected for programs and their version") {
    const test::TemporaryFolder folder;
    writeTool(folder / "a", "pg_dump", "15.14 (Debian 15.14-0+deb12u1)");
    writeTool(folder / "a", "psql", "15.14");
    writeTool(folder / "b/bin", "postgres", "18.4");
    writeTool(folder / "b/bin", "initdb", "18.4");
    writeTool(folder / "c/pg_dump", "echo 'libpq.so.5 is missing' >&2; exit 127");
    std::ofstream(folder / "pg_dump") << "not executable";
    fs::create_directory_symlink(folder / "a", folder / "again");

    const std::vector<Installation> found =
        inspectFolders({folder / "a", folder.path(), folder / "again", folder / "b", folder / "c",
                        folder / "nowhere"});
    REQUIRE(found.size() == 3);
    CHECK(found[0].major == 15);
    CHECK(found[0].version == "15.14");
    CHECK(found[0].versionText == "pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)");
    CHECK(found[0].has("pg_dump"));
    CHECK(found[0].has("psql"));
    CHECK_FALSE(found[0].isServer());
    CHECK(found[1].binFolder == folder / "b/bin");
    CHECK(found[1].major == 18);
    CHECK(found[1].isServer());
    CHECK(found[2].major == 0);
    CHECK(found[2].problem == "pg_dump ended with exit code 127: libpq.so.5 is missing");
}

TEST_CASE("a script that chooses among versions is not a program of one") {
    const test::TemporaryFolder folder;
    writeTool(folder / "share/pg_wrapper", "echo 'pg_dump (PostgreSQL) 15.1'");
    fs::create_directories(folder / "bin");
    fs::create_symlink(folder / "share/pg_wrapper", folder / "bin/pg_dump");
    CHECK(inspectFolders({folder / "bin"}).empty());
}

TEST_CASE("a named folder is looked at alone") {
    const test::TemporaryFolder folder;
    writeTool(folder.path(), "pg_dump", "16.2");
    const std::vector<Installation> found = findInstallations(folder.path());
    REQUIRE(found.size() == 1);
    CHECK(found[0].version == "16.2");

    const test::TemporaryFolder empty;
    try {
        findInstallations(empty.path());
        FAIL("it found something");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Preflight);
        CHECK(error.info().describe() ==
              empty.path().string() +
                  ": no PostgreSQL programs are in this folder. Name the folder that holds "
                  "pg_dump, or name none to have the usual places searched.");
    }
}

TEST_CASE("the oldest program that is new enough serves a server") {
    const std::vector<Installation> installations{
        made(13, "13.2", "/a", {"pg_dump"}), made(18, "18.4", "/d", {"pg_dump"}),
        made(16, "16.1", "/b", {"psql"}), made(17, "17.5", "/c", {"pg_dump"})};
    CHECK(chooseForServer(installations, 15).path == "/c/pg_dump");
    CHECK(chooseForServer(installations, 13).path == "/a/pg_dump");
    CHECK(chooseForServer(installations, 18).major == 18);
    CHECK(chooseForServer(installations, 16, "psql").path == "/b/psql");
}

TEST_CASE("no program that is new enough: what was found where") {
    std::vector<Installation> installations{made(0, "", "/x", {"pg_dump"}),
                                            made(15, "15.14", "/a", {"pg_dump"}),
                                            made(18, "18.4", "/b", {"psql"})};
    installations[0].problem = "pg_dump ended with exit code 127";
    try {
        chooseForServer(installations, 17);
        FAIL("it found one");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Preflight);
        CHECK(error.info().object == "pg_dump");
        CHECK(error.info().message ==
              "the server is version 17, and no pg_dump of version 17 or newer was found on this "
              "machine; found: one that does not run (pg_dump ended with exit code 127) in /x, "
              "15.14 in /a");
        CHECK(error.info().hint.ends_with(
            "If it is installed in an unusual place, name its folder with --pg-bindir."));
    }
    try {
        chooseForServer({}, 17);
        FAIL("it found one");
    } catch (const Error& error) {
        CHECK(error.info().message.ends_with("found: none"));
    }
}

TEST_CASE("an option may ask for a newer program than the server does") {
    const std::vector<Installation> installations{made(15, "15.14", "/a", {"pg_dump"}),
                                                  made(17, "17.5", "/b", {"pg_dump"})};
    CHECK(chooseForServer(installations, 15, "pg_dump", {17, "--filter"}).major == 17);
    CHECK(chooseForServer(installations, 16, "pg_dump", {14, "--extension"}).major == 17);
    try {
        chooseForServer(installations, 15, "pg_dump", {18, "--no-policies"});
        FAIL("it found one");
    } catch (const Error& error) {
        CHECK(error.info().message ==
              "--no-policies came with version 18, and no pg_dump of version 18 or newer was found "
              "on this machine; found: 15.14 in /a, 17.5 in /b");
    }
}

TEST_CASE("a server needs both initdb and postgres, the newest is taken") {
    const std::vector<Installation> installations{
        made(15, "15.14", "/a", {"pg_dump", "initdb", "postgres"}),
        made(16, "16.3", "/b", {"initdb", "postgres"}), made(18, "18.4", "/c", {"initdb"})};
    CHECK(newestServer(installations).binFolder == "/b");
    CHECK_THROWS_AS(newestServer({installations[2]}), Error);
}

TEST_CASE("the package to install is named as the system names it") {
    CHECK(installHint("NAME=\"Debian\"\nID=debian\n", 18, false) ==
          "Install the package postgresql-client-18 (from apt.postgresql.org if the distribution "
          "does not have it).");
    CHECK(installHint("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", 17, true) ==
          "Install the package postgresql-17 (from apt.postgresql.org if the distribution does "
          "not have it).");
    CHECK(installHint("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", 18, true) ==
          "Install the package postgresql18-server (from yum.postgresql.org if the distribution "
          "does not have it).");
    CHECK(installHint("ID=alpine", 17, false) == "Install the package postgresql17-client.");
    CHECK(installHint("", 18, false) == "Install them with: brew install postgresql@18.");
    CHECK(installHint("ID=nixos", 18, false) ==
          "Install the PostgreSQL 18 client programs of your distribution.");
}
