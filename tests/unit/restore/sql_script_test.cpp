// SPDX-License-Identifier: PostgreSQL
// Scripts as streams: rows end where psql would end them, and what was cut off is seen.
#include "core/restore/sql_script.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/restore/script_commands.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::restore;
using gantry::test::TemporaryFolder;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// Statements, commands and rows in brackets, one behind the other; or the error.
std::string readAll(const std::string& text) {
    const TemporaryFolder folder;
    write(folder / "s.sql", text);
    SqlScript script(folder / "s.sql");
    std::string all;
    try {
        while (const auto piece = script.next()) {
            all += piece->text;
            if (!piece->copiesIn) continue;
            all += '[';
            script.readRows([&](std::span<const std::byte> rows) { all += textOf(rows); });
            all += ']';
        }
    } catch (const Error& error) {
        return error.info().describe();
    }
    return all;
}

std::string readCommand(ScriptCommands& commands, const std::string& text) {
    try {
        const auto to = commands.read({.kind = SqlPiece::Kind::Command, .text = text}, "s, line 1");
        return to ? to->database + "/" + to->user : "nothing";
    } catch (const Error& error) {
        return error.info().message;
    }
}

}  // namespace

TEST_CASE("rows behind COPY end at the line of a backslash and a period") {
    CHECK(readAll("COPY t FROM stdin;\n1\n\\.x\n2\\.\n\\.\nSELECT 1;") ==
          "COPY t FROM stdin;[1\n\\.x\n2\\.\n]SELECT 1;");
    CHECK(readAll("COPY t FROM stdin; \r\n\\.\r\nSELECT 1;") == "COPY t FROM stdin;[]SELECT 1;");
    CHECK(readAll("COPY t FROM stdin;\n\\N\n\\.") == "COPY t FROM stdin;[\\N\n]");
    // Rows are handed on in pieces: their end may lie anywhere in one.
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    for (std::size_t size = kPiece - 30; size < kPiece + 2; ++size) {
        const std::string rows = std::string(size, 'x') + "\n";
        REQUIRE(readAll("COPY t FROM stdin;\n" + rows + "\\.\nSELECT 1;") ==
                "COPY t FROM stdin;[" + rows + "]SELECT 1;");
    }
}

TEST_CASE("a script that was cut off is not whole") {
    CHECK(readAll("SELECT 1;\nCOPY t FROM stdin;\n1\n2\n") ==
          "s.sql, line 2: the script ends within the rows of this COPY: the line \\. is missing. "
          "The script was cut off: get the whole of it.");
    CHECK(readAll("COPY t FROM stdin;").starts_with("s.sql, line 1: the script ends within the"));
    CHECK(readAll("SELECT 1;\n\nSELECT 'a\n")
              .starts_with("s.sql, line 3: the script ends in the middle of a statement."));
    CHECK(readAll("--\n-- PostgreSQL database dump\n--\n\nSELECT 1;\n")
              .starts_with("s.sql, line 6: the comment that ends every dump is missing."));
    CHECK(readAll("--\n-- PostgreSQL database cluster dump\n--\nSELECT 1;\n"
                  "-- PostgreSQL database dump complete\n")
              .starts_with("s.sql, line 6: the comment that ends every dump is missing."));
    CHECK(readAll("--\n-- PostgreSQL database dump\n--\nSELECT 1;\n"
                  "-- PostgreSQL database dump complete\n\n") == "SELECT 1;");
    CHECK(readAll("COPY t FROM stdin; SELECT 1;\n\\.\n") ==
          "s.sql, line 1: something stands behind COPY … FROM stdin on its line. Put it on a line "
          "behind the rows.");
    CHECK(readAll("\xEF\xBB\xBFSELECT 1") == "SELECT 1");
}

TEST_CASE("a script is told from an archive by what it holds") {
    const TemporaryFolder folder;
    write(folder / "script", "SELECT 1;\n");
    write(folder / "archive", "PGDMP\1\20");
    write(folder / "binary", std::string("SELECT\0", 7));
    write(folder / "empty", "");
    CHECK(isScript(folder / "script"));
    CHECK_FALSE(isScript(folder / "archive"));
    CHECK_FALSE(isScript(folder / "binary"));
    CHECK_FALSE(isScript(folder / "empty"));
    CHECK_FALSE(isScript(folder.path()));
}

TEST_CASE("of psql's commands a script may connect and restrict, and nothing else") {
    ScriptCommands commands;
    CHECK(readCommand(commands, "\\connect other") == "other/");
    CHECK(readCommand(commands, "\\c \"Odd \"\"name\" bob - -") == "Odd \"name/bob");
    CHECK(readCommand(commands, "\\connect - alice") == "/alice");
    CHECK(readCommand(commands, "\\connect -reuse-previous=on \"dbname='a b\\\\c\\''\"") ==
          "a b\\c'/");
    CHECK(readCommand(commands, "\\encoding SQL_ASCII") == "nothing");
    CHECK(readCommand(commands, "\\encoding SJIS") == "\\encoding with anything but SQL_ASCII");
    CHECK(readCommand(commands, "\\connect db user elsewhere") ==
          "\\connect names a server: a script may choose database and user, nothing else");
    CHECK(readCommand(commands, "\\connect -reuse-previous=on host=elsewhere") ==
          "\\connect sets host: a script may choose database and user, nothing else");
    CHECK(readCommand(commands, "\\connect -reuse-previous=off x") ==
          "\\connect -reuse-previous=off may lead to another server");
    CHECK(readCommand(commands, "\\connect `rm x`") == "\\connect holds what psql would expand");
    CHECK(readCommand(commands, "\\connect :db") == "\\connect holds what psql would expand");
    CHECK(readCommand(commands, "\\! rm x") ==
          "\\! is a command of psql that a script may not give: only \\connect, \\restrict and "
          "\\unrestrict are carried out");
    CHECK(readCommand(commands, "\\.").starts_with("\\. is a command of psql that a script"));

    CHECK(readCommand(commands, "\\unrestrict k") == "\\unrestrict without the key of \\restrict");
    CHECK(readCommand(commands, "\\restrict k1") == "nothing");
    CHECK(readCommand(commands, "\\connect other") ==
          "\\connect between \\restrict and \\unrestrict");
    CHECK(readCommand(commands, "\\unrestrict k2") == "\\unrestrict without the key of \\restrict");
    CHECK(readCommand(commands, "\\unrestrict k1") == "nothing");
    CHECK(readCommand(commands, "\\connect other") == "other/");
}
