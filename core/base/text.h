// SPDX-License-Identifier: PostgreSQL
// Small questions about text.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gantry {

inline bool isOneOf(std::string_view text, std::span<const std::string_view> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}
inline bool isOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
    return isOneOf(text, std::span(list.begin(), list.size()));
}

/// Empty where there is none; valid as long as `text`.
inline std::string_view viewOf(const std::optional<std::string>& text) {
    return text ? std::string_view(*text) : std::string_view();
}

/// A to Z as small letters, whatever the locale.
inline std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

/// "a", "a and b", "a, b and c".
inline std::string enumerate(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace gantry
