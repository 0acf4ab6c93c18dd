// SPDX-License-Identifier: PostgreSQL
#include "core/pg/name_pattern.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/error.h"
#include "core/pg/connection.h"

namespace gantry::pg {
namespace {

constexpr std::string_view kRegexSpecial = "|*+?()[]{}.^$\\";
constexpr int kVersion12 = 120000;

struct Part {
    std::string regex;
    std::string literal;
};

/// Outside quotes: letters fold to lower case, * and ? are wildcards, dots part names, $ is
/// literal. Inside quotes everything is literal, and "" is a quote.
std::vector<Part> splitParts(std::string_view text) {
    std::vector<Part> parts(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        Part& part = parts.back();
        if (c == '"') {
            if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
                part.regex += '"';
                part.literal += '"';
                ++i;
            } else {
                quoted = !quoted;
            }
            continue;
        }
        const bool upper = c >= 'A' && c <= 'Z';
        if (!quoted && upper) {
            const char lower = static_cast<char>(c - 'A' + 'a');
            part.regex += lower;
            part.literal += lower;
            continue;
        }
        part.literal += c;
        if (quoted) {
            if (kRegexSpecial.find(c) != std::string_view::npos) part.regex += '\\';
            part.regex += c;
        } else if (c == '*') {
            part.regex += ".*";
        } else if (c == '?') {
            part.regex += '.';
        } else if (c == '.') {
            part.literal.pop_back();
            parts.emplace_back();
        } else if (c == '$') {
            part.regex += "\\$";
        } else if (c == '[' && i + 1 < text.size() && text[i + 1] == ']') {
            part.regex += "\\[";  // "[]" as in array types is meant literally
        } else {
            part.regex += c;
        }
    }
    return parts;
}

std::string anchored(const std::string& regex) { return "^(" + regex + ")$"; }

}  // namespace

NamePattern parseNamePattern(std::string_view text, int maxParts) {
    std::vector<Part> parts = splitParts(text);
    if (parts.size() > static_cast<std::size_t>(maxParts)) {
        throw Error(ErrorKind::Usage, "improper qualified name (too many dotted names)",
                    std::string(text), "Quote names that hold a dot.");
    }
    NamePattern pattern;
    pattern.name = anchored(parts.back().regex);
    parts.pop_back();
    // For schemas (two parts at most) what stands in front is the database.
    const bool schemasOnly = maxParts == 2;
    if (!parts.empty() && !schemasOnly) {
        pattern.schema = anchored(parts.back().regex);
        parts.pop_back();
    }
    if (!parts.empty()) pattern.database = parts.back().literal;
    return pattern;
}

std::string matchCondition(const NamePattern& pattern, std::string_view schemaColumn,
                           std::string_view nameColumn, std::string_view visibility,
                           int serverVersion) {
    // Names compare in "C" from 12 on; a match under the database's collation is what pg_dump asks.
    const std::string_view collation =
        serverVersion >= kVersion12 ? " COLLATE pg_catalog.default" : "";
    const auto match = [&](std::string_view column, const std::string& regex) {
        if (regex == "^(.*)$") return std::string("true");
        return fmt::format("{} OPERATOR(pg_catalog.~) {}{}", column, quoteLiteral(regex),
                           collation);
    };
    std::string condition = match(nameColumn, pattern.name);
    if (pattern.schema) {
        condition += " AND " + match(schemaColumn, *pattern.schema);
    } else if (!visibility.empty()) {
        condition += fmt::format(" AND {}", visibility);
    }
    if (pattern.database) {
        condition += " AND pg_catalog.current_database() = " + quoteLiteral(*pattern.database);
    }
    return "(" + condition + ")";
}

}  // namespace gantry::pg
