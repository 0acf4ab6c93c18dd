// SPDX-License-Identifier: PostgreSQL
#include "core/restore/definition_words.h"

#include <algorithm>

namespace gantry::restore {
namespace {

std::size_t closingQuote(std::string_view text, std::size_t open, char quote) {
    return text.find(quote, open + 1);  // a doubled quote opens at once again
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

}  // namespace gantry::restore
