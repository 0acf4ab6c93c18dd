// SPDX-License-Identifier: PostgreSQL
#include "core/restore/rewrites.h"

#include <fmt/format.h>

#include <string_view>

namespace gantry::restore {
namespace {

/// Reads a definition word by word; names may be quoted and qualified.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) { skipBlanks(); }

    bool take(std::string_view words) {
        if (!text_.starts_with(words)) return false;
        text_.remove_prefix(words.size());
        skipBlanks();
        return true;
    }

    /// An identifier as written, with its schema if it has one; empty if there is none.
    std::string_view name() {
        std::size_t end = 0;
        while (end < text_.size()) {
            if (text_[end] == '"') {
                const std::size_t close = closingQuote(text_, end, '"');
                if (close == std::string_view::npos) return {};
                end = close + 1;
            } else if (std::string_view(" \t\n();,").find(text_[end]) != std::string_view::npos) {
                break;
            } else {
                ++end;
            }
        }
        return cut(end);
    }

    /// "(…)" with whatever is within, parentheses and quotes in pairs.
    std::string_view parentheses() {
        if (!text_.starts_with('(')) return {};
        int depth = 0;
        for (std::size_t at = 0; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '"' || c == '\'') {
                at = closingQuote(text_, at, c);
                if (at == std::string_view::npos) return {};
            } else if (c == '(') {
                ++depth;
            } else if (c == ')' && --depth == 0) {
                return cut(at + 1);
            }
        }
        return {};
    }

    /// Up to the semicolon that ends the statement, quotes and parentheses respected.
    std::string_view restOfStatement() {
        for (std::size_t at = 0; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '"' || c == '\'') {
                at = closingQuote(text_, at, c);
                if (at == std::string_view::npos) break;
            } else if (c == ';') {
                const std::string_view statement = text_.substr(0, at);
                text_.remove_prefix(at + 1);
                skipBlanks();
                return statement;
            }
        }
        return {};
    }

    std::string_view rest() const { return text_; }

private:
    static std::size_t closingQuote(std::string_view text, std::size_t open, char quote) {
        return text.find(quote, open + 1);  // a doubled quote opens at once again
    }
    std::string_view cut(std::size_t end) {
        const std::string_view part = text_.substr(0, end);
        text_.remove_prefix(end);
        skipBlanks();
        return part;
    }
    void skipBlanks() {
        const std::size_t next = text_.find_first_not_of(" \t\n");
        text_.remove_prefix(next == std::string_view::npos ? text_.size() : next);
    }

    std::string_view text_;
};

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
