// SPDX-License-Identifier: PostgreSQL
// Statements are cut where psql would cut them, wherever reading happens to stop.
#include "core/restore/statement_splitter.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace gantry::restore;

namespace {

using Texts = std::vector<std::string>;

/// Cut into pieces of this size on its way in.
std::vector<SqlPiece> pieces(StatementSplitter splitter, const std::string& text,
                             std::size_t size) {
    std::vector<SqlPiece> found;
    const auto takeAll = [&] {
        while (auto piece = splitter.next()) found.push_back(std::move(*piece));
    };
    for (std::size_t at = 0; at < text.size(); at += size) {
        splitter.add(std::string_view(text).substr(at, size));
        takeAll();
    }
    splitter.finish();
    takeAll();
    CHECK(splitter.isAtEnd());
    return found;
}

/// The same for every size of pieces, or else what came out for the first that differs.
Texts split(const std::string& text, const StatementSplitter& splitter = StatementSplitter(true)) {
    const auto texts = [&](std::size_t size) {
        Texts found;
        for (SqlPiece& piece : pieces(splitter, text, size)) found.push_back(std::move(piece.text));
        return found;
    };
    const Texts whole = texts(text.size());
    for (std::size_t size = 1; size < text.size(); ++size) {
        if (Texts other = texts(size); other != whole) return other;
    }
    return whole;
}

}  // namespace

TEST_CASE("statements end at semicolons outside of quotes") {
    CHECK(split("INSERT INTO t VALUES (1, 'a;b', 'it''s; so');\n"
                "INSERT INTO \"t;\"\"x\" VALUES (E'back\\'slash;\\\\', 'plain\\');\n\n") ==
          Texts{"INSERT INTO t VALUES (1, 'a;b', 'it''s; so');",
                "INSERT INTO \"t;\"\"x\" VALUES (E'back\\'slash;\\\\', 'plain\\');"});
    CHECK(split(";;SELECT (1;2);SELECT 3") == Texts{"SELECT (1;2);", "SELECT 3"});
    CHECK(split("").empty());
}

TEST_CASE("dollars quote, but not within names and not as parameters") {
    CHECK(split("DO $$ a; 'b $x$ $$;SELECT 1;") == Texts{"DO $$ a; 'b $x$ $$;", "SELECT 1;"});
    CHECK(split("DO $f$ $$;$g$; $f$;SELECT $1;") == Texts{"DO $f$ $$;$g$; $f$;", "SELECT $1;"});
    CHECK(split("SELECT a$b$c;SELECT d$b$;") == Texts{"SELECT a$b$c;", "SELECT d$b$;"});
    CHECK(split("SELECT $ü$;$ü$;") == Texts{"SELECT $ü$;$ü$;"});
}

TEST_CASE("comments hide what is in them, and nest") {
    CHECK(split("-- one;\n/* two; /* 'three */ \"; */ SELECT 1 -- ;'\n + 2;") ==
          Texts{"SELECT 1 -- ;'\n + 2;"});
    CHECK(split("SELECT 1 /* ; */ - 2 / 3;") == Texts{"SELECT 1 /* ; */ - 2 / 3;"});
    CHECK(split("SELECT '/*'; SELECT 1 */* ; */2;") ==
          Texts{"SELECT '/*';", "SELECT 1 */* ; */2;"});
    CHECK(split("SELECT 1;\n-- the end") == Texts{"SELECT 1;"});
}

TEST_CASE("backslashes escape where the session says so") {
    CHECK(split("SELECT 'a\\';SELECT e'b\\';c';") == Texts{"SELECT 'a\\';", "SELECT e'b\\';c';"});
    // A literal goes on behind a line end, with the same rules.
    CHECK(split("SELECT E'a' -- c\n 'b\\';c';") == Texts{"SELECT E'a' -- c\n 'b\\';c';"});
    CHECK(split("SELECT E'a' 'b\\';") == Texts{"SELECT E'a' 'b\\';"});
    CHECK(split("SELECT one'b\\';") == Texts{"SELECT one'b\\';"});
    StatementSplitter old(true);
    old.setStandardStrings(false);
    CHECK(split("SELECT 'a\\';b', B'1', X'\\';", old) == Texts{"SELECT 'a\\';b', B'1', X'\\';"});
}

TEST_CASE("a function's body between BEGIN ATOMIC and END is one with it") {
    const std::string body =
        "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; "
        "SELECT CASE WHEN true THEN 2 END; END;";
    CHECK(split(body + "BEGIN;COMMIT;") == Texts{body, "BEGIN;", "COMMIT;"});
    CHECK(split("CREATE PROCEDURE p() begin atomic; end;") ==
          Texts{"CREATE PROCEDURE p() begin atomic; end;"});
    CHECK(split("CREATE FUNCTION begin() RETURNS int RETURN 1;SELECT 2;") ==
          Texts{"CREATE FUNCTION begin() RETURNS int RETURN 1;", "SELECT 2;"});
}

TEST_CASE("characters whose later bytes look like quotes do not end anything") {
    StatementSplitter splitter(true);
    splitter.setEncoding("SJIS");
    // 0x83 0x5C is one character; its second byte is that of a backslash.
    CHECK(split("SELECT E'\x83\x5C';SELECT \x83\x5C;", splitter) ==
          Texts{"SELECT E'\x83\x5C';", "SELECT \x83\x5C;"});
    splitter.setEncoding("UTF8");
    CHECK(split("SELECT E'\x83\\'';SELECT 1;", splitter) ==
          Texts{"SELECT E'\x83\\'';", "SELECT 1;"});
}

TEST_CASE("commands, lines, and statements that copy are told") {
    const std::string text =
        "-- head\n\\restrict a b\n\nSELECT\n1;\nCOPY t (a) FROM stdin;SELECT 1 \\g x";
    const auto found = pieces(StatementSplitter(true), text, 7);
    REQUIRE(found.size() == 4);
    CHECK(found[0].kind == SqlPiece::Kind::Command);
    CHECK(found[0].text == "\\restrict a b");
    CHECK(found[0].line == 2);
    CHECK_FALSE(found[0].cutsIn);
    CHECK(found[1].line == 4);
    CHECK_FALSE(found[1].copiesIn);
    CHECK(found[2].line == 6);
    CHECK(found[2].copiesIn);
    CHECK(found[3].text == "\\g x");
    CHECK(found[3].cutsIn);
    const auto notIn = pieces(StatementSplitter(true), "COPY (SELECT 1 FROM stdin) TO stdout;", 99);
    CHECK_FALSE(notIn.at(0).copiesIn);
    CHECK(split("SELECT 'a' \\b;", StatementSplitter()) == Texts{"SELECT 'a' \\b;"});
}

TEST_CASE("an end inside a statement is seen") {
    for (const std::string text :
         {"INSERT INTO t VALUES ('a;", "DO $a$ ;", "SELECT (1", "SELECT \"a", "SELECT 1 /* ",
          "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1;"}) {
        CAPTURE(text);
        StatementSplitter splitter;
        splitter.add(text);
        splitter.finish();
        CHECK_FALSE(splitter.next());
        CHECK(splitter.isOpen());
        CHECK_FALSE(splitter.isAtEnd());
    }
    StatementSplitter splitter;
    splitter.add("\n SELECT 1");
    CHECK_FALSE(splitter.next());
    CHECK_FALSE(splitter.isAtEnd());
    CHECK(splitter.line() == 2);
    splitter.add(";");
    CHECK(splitter.next()->text == "SELECT 1;");
    CHECK(splitter.isAtEnd());
}
