// SPDX-License-Identifier: PostgreSQL
#include "core/restore/definition_words.h"

#include <algorithm>
#include <cctype>

namespace gantry::restore {
namespace {

constexpr char kQuoted = '_';

std::size_t closingQuote(std::string_view text, std::size_t open, char quote) {
    return text.find(quote, open + 1);  // a doubled quote opens at once again
}

bool isTagCharacter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

}  // namespace

bool Words::take(std::string_view words) {
    if (!text_.starts_with(words)) return false;
    text_.remove_prefix(words.size());
    skipBlanks();
    return true;
}

std::string_view Words::name() {
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

std::string_view Words::parentheses() {
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

std::string_view Words::item() {
    int depth = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
        const char c = text_[at];
        if (c == '"' || c == '\'') {
            at = std::min(closingQuote(text_, at, c), text_.size());
        } else if (c == '(') {
            ++depth;
        } else if (c == ')') {
            --depth;
        } else if (c == ',' && depth == 0) {
            const std::string_view item = cut(at);
            (void)take(",");
            return item;
        }
    }
    return cut(text_.size());
}

std::string_view Words::restOfStatement() {
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

std::string_view Words::cut(std::size_t end) {
    const std::string_view part = text_.substr(0, end);
    text_.remove_prefix(end);
    skipBlanks();
    return part;
}

void Words::skipBlanks() {
    const std::size_t next = text_.find_first_not_of(" \t\n");
    text_.remove_prefix(next == std::string_view::npos ? text_.size() : next);
}

std::string_view dollarQuote(std::string_view text) {
    if (!text.starts_with('$')) return {};
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + 1, text.end(), isTagCharacter) - text.begin());
    if (end == text.size() || text[end] != '$') return {};
    return std::isdigit(static_cast<unsigned char>(text[1])) != 0 ? std::string_view()
                                                                  : text.substr(0, end + 1);
}

std::string withoutQuoted(std::string_view definition) {
    std::string text(definition);
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        std::size_t begin = at + 1;
        std::size_t end = begin;
        if (c == '"' || c == '\'') {
            end = closingQuote(definition, at, c);
        } else if (c == '$' && (at == 0 || !isTagCharacter(definition[at - 1]))) {
            const std::string_view quote = dollarQuote(definition.substr(at));
            if (quote.empty()) continue;
            begin = at + quote.size();
            end = definition.find(quote, begin);
        } else {
            continue;
        }
        end = std::min(end, text.size());
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.begin() + static_cast<std::ptrdiff_t>(end), kQuoted);
        at = end + (begin - at) - 1;  // the last character of the closing quote
    }
    return text;
}

}  // namespace gantry::restore
