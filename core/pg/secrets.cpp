// SPDX-License-Identifier: PostgreSQL
#include "core/pg/secrets.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace gantry::pg {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kWord = "password";
constexpr std::string_view kScheme = "://";

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool beginsWithWord(std::string_view text, std::size_t at) {
    if (text.size() - at < kWord.size()) return false;
    return std::equal(
        kWord.begin(), kWord.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
        [](char word, char c) { return word == std::tolower(static_cast<unsigned char>(c)); });
}

std::size_t skipSpaces(std::string_view text, std::size_t at) {
    while (at < text.size() && isSpace(text[at])) ++at;
    return at;
}

/// Between quotes of one or, within a literal, of two characters.
Range quoted(std::string_view text, std::size_t at) {
    const std::string_view quote = text.substr(at, 2) == "''" ? "''" : "'";
    const std::size_t begin = at + quote.size();
    std::size_t end = begin;
    while (end < text.size() && text.substr(end, quote.size()) != quote) {
        end += text[end] == '\\' ? 2U : 1U;
    }
    // A quote that is doubled is part of the value.
    while (quote.size() == 1 && text.substr(end, 2) == "''") {
        end = std::min(text.find('\'', end + 2), text.size());
    }
    return {begin, std::min(end, text.size())};
}

/// What stands behind the word as its value.
std::optional<Range> valueBehind(std::string_view text, std::size_t at) {
    if (at < text.size() && text[at] == '"') ++at;
    at = skipSpaces(text, at);
    const bool assigned = at < text.size() && text[at] == '=';
    if (assigned) at = skipSpaces(text, at + 1);
    if (at + 1 < text.size() && (text[at] == 'E' || text[at] == 'e') && text[at + 1] == '\'') ++at;
    if (at >= text.size()) return std::nullopt;
    if (text[at] == '\'') return quoted(text, at);
    if (!assigned) return std::nullopt;
    const std::size_t end = text.find_first_of(" \t\n';,)", at);
    return Range{at, std::min(end, text.size())};
}

/// The password of "://user:password@".
std::optional<Range> passwordOfUrl(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_of("@/ \n'", at), text.size());
    const std::size_t colon = text.find(':', at);
    if (colon >= end || (end < text.size() && text[end] != '@')) return std::nullopt;
    return Range{colon + 1, end};
}

}  // namespace

std::string withoutSecrets(std::string_view statement) {
    std::string shown;
    std::size_t done = 0;
    const auto mask = [&](const Range& secret) {
        shown += statement.substr(done, secret.begin - done);
        shown += kMask;
        done = secret.end;
    };
    for (std::size_t at = 0; at < statement.size(); ++at) {
        if (at < done) continue;
        std::optional<Range> secret;
        if (beginsWithWord(statement, at)) {
            secret = valueBehind(statement, at + kWord.size());
        } else if (statement.substr(at, kScheme.size()) == kScheme) {
            secret = passwordOfUrl(statement, at + kScheme.size());
        }
        if (secret) mask(*secret);
    }
    shown += statement.substr(done);
    return shown;
}

}  // namespace gantry::pg
