// SPDX-License-Identifier: PostgreSQL
#include "core/dump/copy_statement.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/pg/connection.h"

namespace gantry::dump {
namespace {

std::string columnList(const std::vector<std::string>& columns) {
    std::string list;
    for (const std::string& column : columns) {
        if (!list.empty()) list += ", ";
        list += pg::quoteIdentifier(column);
    }
    return list;
}

/// Reads one identifier at `at`, quoted or not, and moves behind it.
std::string takeIdentifier(std::string_view text, std::size_t& at) {
    std::string name;
    if (at < text.size() && text[at] == '"') {
        for (++at; at < text.size(); ++at) {
            if (text[at] == '"') {
                ++at;
                if (at >= text.size() || text[at] != '"') break;
            }
            name += text[at];
        }
    } else {
        while (at < text.size() && std::string_view(" ,.()").find(text[at]) == text.npos) {
            name += text[at++];
        }
    }
    return name;
}

}  // namespace

std::string copyWhole(std::string_view qualifiedName, const std::vector<std::string>& columns,
                      bool throughQuery, std::string_view condition) {
    const std::string list = columnList(columns);
    if (throughQuery || !condition.empty()) {
        return fmt::format("COPY (SELECT {} FROM {} {}) TO STDOUT", list, qualifiedName, condition);
    }
    if (columns.empty()) return fmt::format("COPY {} TO STDOUT", qualifiedName);
    return fmt::format("COPY {} ({}) TO STDOUT", qualifiedName, list);
}

std::string copyRange(std::string_view qualifiedName, const std::vector<std::string>& columns,
                      const BlockRange& range) {
    std::string sql = fmt::format("COPY (SELECT {} FROM ONLY {} WHERE ctid >= '({},0)'::tid",
                                  columnList(columns), qualifiedName, range.begin);
    if (!range.last) sql += fmt::format(" AND ctid < '({},0)'::tid", range.end);
    return sql + ") TO STDOUT";
}

std::vector<std::string> columnsOfCopyStatement(std::string_view statement) {
    constexpr std::string_view kStart = "COPY ";
    const auto malformed = [&] {
        return Error(ErrorKind::Format, "not a COPY statement as pg_dump writes it",
                     std::string(statement));
    };
    if (!statement.starts_with(kStart)) throw malformed();
    std::size_t at = kStart.size();
    (void)takeIdentifier(statement, at);
    if (at < statement.size() && statement[at] == '.') (void)takeIdentifier(statement, ++at);
    while (at < statement.size() && statement[at] == ' ') ++at;
    std::vector<std::string> columns;
    if (at < statement.size() && statement[at] == '(') {
        ++at;
        while (at < statement.size() && statement[at] != ')') {
            columns.push_back(takeIdentifier(statement, at));
            while (at < statement.size() && (statement[at] == ',' || statement[at] == ' ')) ++at;
        }
        if (at >= statement.size()) throw malformed();
        ++at;
        while (at < statement.size() && statement[at] == ' ') ++at;
    }
    if (!statement.substr(at).starts_with("FROM stdin")) throw malformed();
    return columns;
}

}  // namespace gantry::dump
