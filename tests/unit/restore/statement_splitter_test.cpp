// SPDX-License-Identifier: PostgreSQL
// INSERT commands, whatever lies within their literals, cut wherever reading happens to stop.
#include "core/restore/statement_splitter.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace gantry::restore;

namespace {

std::vector<std::string> split(const std::string& text, std::size_t piece) {
    StatementSplitter splitter;
    std::vector<std::string> statements;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        splitter.add(std::string_view(text).substr(at, piece));
        while (auto statement = splitter.next()) statements.push_back(std::move(*statement));
    }
    CHECK(splitter.isAtEnd());
    return statements;
}

}  // namespace

TEST_CASE("statements end at semicolons outside of quotes, however they arrive") {
    const std::vector<std::string> expected{
        "INSERT INTO t VALUES (1, 'a;b', 'it''s; so');",
        "\nINSERT INTO \"t;\"\"x\" VALUES (E'back\\'slash;\\\\', 'plain\\');",
        "\nINSERT INTO t VALUES (NULL);",
    };
    std::string text;
    for (const std::string& statement : expected) text += statement;
    text += "\n\n";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        CAPTURE(piece);
        CHECK(split(text, piece) == expected);
    }
}

TEST_CASE("an end inside a statement is seen") {
    StatementSplitter splitter;
    splitter.add("INSERT INTO t VALUES ('a;");
    CHECK_FALSE(splitter.next());
    CHECK_FALSE(splitter.isAtEnd());
    splitter.add("');");
    CHECK(splitter.next() == "INSERT INTO t VALUES ('a;');");
    CHECK(splitter.isAtEnd());
    splitter.add("SELECT 1");
    CHECK_FALSE(splitter.next());
    CHECK_FALSE(splitter.isAtEnd());
}
