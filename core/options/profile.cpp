// SPDX-License-Identifier: PostgreSQL
#include "core/options/profile.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"

namespace gantry::options {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProfileVersion = 1;

Json toJson(const Option& option, const std::vector<std::string>& values) {
    switch (option.kind) {
        case OptionKind::Flag:
            return true;
        case OptionKind::List:
            return values;
        case OptionKind::Number:
            return std::stol(values.front());
        case OptionKind::Text:
            break;
    }
    return values.front();
}

[[noreturn]] void refuse(const std::string& object, const std::string& message) {
    throw Error(ErrorKind::Format, message, object,
                "The profile was made by a newer version, or edited by hand.");
}

void setFrom(const Option& option, const Json& value) {
    switch (option.kind) {
        case OptionKind::Flag:
            if (!value.is_boolean()) refuse(option.dashed(), "the profile must say true or false");
            if (value.get<bool>()) option.set("");
            return;
        case OptionKind::List:
            if (!value.is_array()) refuse(option.dashed(), "the profile must hold a list");
            for (const Json& element : value) {
                if (!element.is_string()) refuse(option.dashed(), "the list must hold texts");
                option.set(element.get_ref<const std::string&>());
            }
            return;
        case OptionKind::Number:
            if (!value.is_number_integer()) {
                refuse(option.dashed(), "the profile must hold a whole number");
            }
            option.set(value.dump());
            return;
        case OptionKind::Text:
            if (!value.is_string()) refuse(option.dashed(), "the profile must hold a text");
            option.set(value.get_ref<const std::string&>());
            return;
    }
}

}  // namespace

std::string toProfile(const DumpOptions& options) {
    DumpOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    Json values = Json::object();
    for (const Option& option : dumpTable(shown)) {
        const std::vector<std::string> set = option.get();
        if (!set.empty()) values[std::string(option.name)] = toJson(option, set);
    }
    const Json profile{
        {"gantry_profile", kProfileVersion}, {"operation", "dump"}, {"options", values}};
    constexpr int kIndent = 2;
    // A name may hold any bytes; what is not UTF-8 is replaced rather than refused.
    return profile.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

DumpOptions dumpOptionsFromProfile(std::string_view json) {
    const Json profile = Json::parse(json, nullptr, false);
    if (!profile.is_object() || !profile.contains("gantry_profile")) {
        refuse({}, "this is not a saved profile");
    }
    if (profile["gantry_profile"] != kProfileVersion) {
        refuse({}, fmt::format("profile version {} is not known here",
                               profile["gantry_profile"].dump()));
    }
    if (profile.value("operation", Json()) != "dump") {
        refuse({}, "the profile is not for a dump");
    }
    DumpOptions options;
    const std::vector<Option> table = dumpTable(options);
    const Json values = profile.value("options", Json::object());
    for (const auto& [name, value] : values.items()) {
        const Option* option = findOption(table, name);
        if (option == nullptr) refuse("--" + name, "there is no such option");
        setFrom(*option, value);
    }
    return options;
}

}  // namespace gantry::options
