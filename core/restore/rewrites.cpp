// SPDX-License-Identifier: PostgreSQL
#include "core/restore/rewrites.h"

#include <fmt/format.h>

#include <string_view>

#include "core/restore/definition_words.h"

namespace gantry::restore {
namespace {

struct Head {
    std::string_view table;
    std::string_view constraint;
    bool only = false;
};

/// "ALTER TABLE [ONLY] table ADD CONSTRAINT name"
std::optional<Head> takeHead(Words& words) {
    Head head;
    if (!words.take("ALTER TABLE ")) return std::nullopt;
    head.only = words.take("ONLY ");
    head.table = words.name();
    if (!words.take("ADD CONSTRAINT ")) return std::nullopt;
    head.constraint = words.name();
    if (head.table.empty() || head.constraint.empty()) return std::nullopt;
    return head;
}

}  // namespace

std::optional<KeyInTwoSteps> splitKey(const std::string& definition) {
    Words words(definition);
    const auto head = takeHead(words);
    // Without ONLY it goes for partitions as well, whose keys are no indexes of their own.
    if (!head || !head->only) return std::nullopt;
    const bool primary = words.take("PRIMARY KEY ");
    if (!primary && !words.take("UNIQUE ")) return std::nullopt;
    const std::string_view nulls = words.take("NULLS NOT DISTINCT ") ? " NULLS NOT DISTINCT" : "";
    const std::string_view columns = words.parentheses();
    if (columns.empty() || columns.find("WITHOUT OVERLAPS") != std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view include;
    if (words.take("INCLUDE ")) {
        include = words.parentheses();
        if (include.empty()) return std::nullopt;
    }
    std::string_view storage;
    if (words.take("WITH ")) {
        storage = words.parentheses();
        if (storage.empty()) return std::nullopt;
    }
    const std::string_view timing = words.restOfStatement();
    if (!timing.empty() && !timing.starts_with("DEFERRABLE")) return std::nullopt;

    KeyInTwoSteps steps;
    steps.index = head->constraint;
    steps.buildIndex = fmt::format("CREATE UNIQUE INDEX {} ON {} USING btree {}", head->constraint,
                                   head->table, columns);
    if (!include.empty()) steps.buildIndex += fmt::format(" INCLUDE {}", include);
    steps.buildIndex += nulls;
    if (!storage.empty()) steps.buildIndex += fmt::format(" WITH {}", storage);
    steps.buildIndex += ";\n\n";
    steps.attach =
        fmt::format("ALTER TABLE ONLY {}\n    ADD CONSTRAINT {} {} USING INDEX {}{}{};\n\n",
                    head->table, head->constraint, primary ? "PRIMARY KEY" : "UNIQUE",
                    head->constraint, timing.empty() ? "" : " ", timing);
    steps.attach += words.rest();
    return steps;
}

std::optional<ForeignKeyInTwoSteps> splitForeignKey(const std::string& definition) {
    Words words(definition);
    const auto head = takeHead(words);
    if (!head || !head->only || !words.rest().starts_with("FOREIGN KEY ")) return std::nullopt;
    const std::string_view body = words.restOfStatement();
    if (body.empty() || body.ends_with(" NOT VALID") || body.ends_with(" NOT ENFORCED") ||
        !words.rest().empty()) {
        return std::nullopt;
    }
    return ForeignKeyInTwoSteps{
        .add = fmt::format("ALTER TABLE ONLY {}\n    ADD CONSTRAINT {} {} NOT VALID;\n\n",
                           head->table, head->constraint, body),
        .validate = fmt::format("ALTER TABLE ONLY {} VALIDATE CONSTRAINT {};\n\n", head->table,
                                head->constraint),
        .drop = fmt::format("ALTER TABLE ONLY {} DROP CONSTRAINT {};\n\n", head->table,
                            head->constraint)};
}

}  // namespace gantry::restore
