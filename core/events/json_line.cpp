// SPDX-License-Identifier: PostgreSQL
#include "core/events/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace gantry::events {
namespace {

bool standsForItself(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void JsonLine::begin(std::string_view key) {
    if (!text_.empty()) text_ += ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
}

void JsonLine::appendQuoted(std::string_view text) {
    if (!std::all_of(text.begin(), text.end(), standsForItself)) {
        text_ +=
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return;
    }
    text_ += '"';
    text_ += text;
    text_ += '"';
}

void JsonLine::put(std::string_view key, std::string_view text) {
    begin(key);
    appendQuoted(text);
}

void JsonLine::put(std::string_view key, bool value) {
    begin(key);
    text_ += value ? "true" : "false";
}

void JsonLine::put(std::string_view key, double value) {
    begin(key);
    if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(text_), "{}", value);
    } else {
        text_ += "null";
    }
}

void JsonLine::put(std::string_view key, const JsonLine& object) {
    begin(key);
    append(object);
}

void JsonLine::put(std::string_view key, const std::map<std::string, std::string>& texts) {
    JsonLine object;
    for (const auto& [name, text] : texts) {
        if (!object.text_.empty()) object.text_ += ',';
        object.appendQuoted(name);
        object.text_ += ':';
        object.appendQuoted(text);
    }
    put(key, object);
}

}  // namespace gantry::events
