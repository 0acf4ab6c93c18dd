// SPDX-License-Identifier: PostgreSQL
#include "core/options/profile.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/restore_table.h"
#include "core/options/vacuum_table.h"

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

Json profileOf(std::string_view operation, const std::vector<Option>& table) {
    Json values = Json::object();
    for (const Option& option : table) {
        const std::vector<std::string> set = option.get();
        if (!set.empty()) values[std::string(option.name)] = toJson(option, set);
    }
    return {{"gantry_profile", kProfileVersion}, {"operation", operation}, {"options", values}};
}

std::string print(const Json& profile) {
    constexpr int kIndent = 2;
    // A name may hold any bytes; what is not UTF-8 is replaced rather than refused.
    return profile.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parseProfile(std::string_view json) {
    Json profile = Json::parse(json, nullptr, false);
    if (!profile.is_object() || !profile.contains("gantry_profile")) {
        refuse({}, "this is not a saved profile");
    }
    if (profile["gantry_profile"] != kProfileVersion) {
        refuse({}, fmt::format("profile version {} is not known here",
                               profile["gantry_profile"].dump()));
    }
    return profile;
}

Json parseProfile(std::string_view json, std::string_view operation) {
    Json profile = parseProfile(json);
    if (profile.value("operation", Json()) != operation) {
        refuse({}, fmt::format("the profile is not for a {}", operation));
    }
    return profile;
}

void setAll(const std::vector<Option>& table, const Json& profile) {
    const Json values = profile.value("options", Json::object());
    for (const auto& [name, value] : values.items()) {
        const Option* option = findOption(table, name);
        if (option == nullptr) refuse("--" + name, "there is no such option");
        setFrom(*option, value);
    }
}

}  // namespace

std::string toProfile(const DumpOptions& options) {
    DumpOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    return print(profileOf("dump", dumpTable(shown)));
}

std::string toProfile(const RestoreOptions& options) {
    RestoreOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    Json profile = profileOf("restore", restoreTable(shown));
    profile["archive"] = options.archive.string();
    return print(profile);
}

std::string toProfile(const VacuumOptions& options) {
    VacuumOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    shown.maintenanceDatabase = withoutPassword(options.maintenanceDatabase);
    return print(profileOf("vacuum", vacuumTable(shown)));
}

std::string operationOfProfile(std::string_view json) {
    const Json operation = parseProfile(json).value("operation", Json());
    if (operation != "dump" && operation != "restore" && operation != "vacuum") {
        refuse({}, "the profile is for no dump, restore or vacuum");
    }
    return operation.get<std::string>();
}

DumpOptions dumpOptionsFromProfile(std::string_view json) {
    const Json profile = parseProfile(json, "dump");
    DumpOptions options;
    setAll(dumpTable(options), profile);
    return options;
}

VacuumOptions vacuumOptionsFromProfile(std::string_view json) {
    const Json profile = parseProfile(json, "vacuum");
    VacuumOptions options;
    setAll(vacuumTable(options), profile);
    return options;
}

RestoreOptions restoreOptionsFromProfile(std::string_view json) {
    const Json profile = parseProfile(json, "restore");
    RestoreOptions options;
    setAll(restoreTable(options), profile);
    const Json archive = profile.value("archive", Json(""));
    if (!archive.is_string()) refuse("archive", "the profile must hold a text");
    options.archive = archive.get_ref<const std::string&>();
    return options;
}

}  // namespace gantry::options
