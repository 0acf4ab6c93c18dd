// SPDX-License-Identifier: PostgreSQL
// Definitions as pg_dump words them, read from left to right.
#pragma once

#include <string>
#include <string_view>

namespace gantry::restore {

/// Names may be quoted and qualified. What is handed out lives as long as the text.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) { skipBlanks(); }

    /// False, and nothing is taken, if the text goes on otherwise.
    bool take(std::string_view words);
    /// An identifier as written, with its schema if it has one; empty if there is none.
    std::string_view name();
    /// "(…)" with whatever is within, parentheses and quotes in pairs; empty if there is none.
    std::string_view parentheses();
    /// Up to the next comma outside of parentheses and quotes, which is taken too, or to the end.
    std::string_view item();
    /// Up to the semicolon that ends the statement, quotes respected; empty if none does.
    std::string_view restOfStatement();
    std::string_view rest() const { return text_; }

private:
    std::string_view cut(std::size_t end);
    void skipBlanks();

    std::string_view text_;
};

/// "$$" or "$tag$" if the text begins with it; else empty.
std::string_view dollarQuote(std::string_view text);

/// The definition with all that stands within quotes, of whatever kind, written over: what is found
/// in it is SQL, and stands at the same place.
std::string withoutQuoted(std::string_view definition);

}  // namespace gantry::restore
