// SPDX-License-Identifier: PostgreSQL
// A JSON object written at once, field by field: a run of thousands of tables has as many events,
// and its server wants the processor meanwhile.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>

namespace gantry::events {

/// Fields stand in the order in which they are put; keys are plain ASCII.
class JsonLine {
public:
    /// Bytes that are no UTF-8 are replaced.
    void put(std::string_view key, std::string_view text);
    void put(std::string_view key, const char* text) { put(key, std::string_view(text)); }
    void put(std::string_view key, bool value);
    /// null for what is no number.
    void put(std::string_view key, double value);
    void put(std::string_view key, std::integral auto value) {
        begin(key);
        append(value);
    }
    void put(std::string_view key, const JsonLine& object);
    void put(std::string_view key, const std::map<std::string, std::string>& texts);
    /// A list, of what `make` makes of each item: a number or an object.
    template <class Items, class Make>
    void putList(std::string_view key, const Items& items, Make make) {
        begin(key);
        text_ += '[';
        bool first = true;
        for (const auto& item : items) {
            if (!first) text_ += ',';
            first = false;
            append(make(item));
        }
        text_ += ']';
    }

    std::string text() const { return "{" + text_ + "}"; }

private:
    void begin(std::string_view key);
    void append(const JsonLine& object) { text_ += '{' + object.text_ + '}'; }
    void append(std::integral auto value) { text_ += std::to_string(value); }
    void appendQuoted(std::string_view text);

    std::string text_;  ///< without the braces
};

}  // namespace gantry::events
