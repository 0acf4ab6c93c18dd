// SPDX-License-Identifier: PostgreSQL
#include "core/options/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/error.h"

namespace gantry::options {
namespace {

Option makeRow(OptionGroup group, const OptionName& name, OptionKind kind) {
    Option row;
    row.name = name.name;
    row.letter = name.letter;
    row.placeholder = name.placeholder;
    row.help = name.help;
    row.group = group;
    row.kind = kind;
    return row;
}

template <class Number>
Number parseNumber(std::string_view option, std::string_view text, std::string_view expected) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw Error(ErrorKind::Usage, fmt::format("\"{}\" is not {}", text, expected),
                    "--" + std::string(option));
    }
    return value;
}

void requireValue(std::string_view option, std::string_view text) {
    if (text.empty()) {
        throw Error(ErrorKind::Usage, "the value is empty", "--" + std::string(option));
    }
}

}  // namespace

std::string_view title(OptionGroup group) {
    switch (group) {
        case OptionGroup::Connection:
            return "Connection";
        case OptionGroup::Output:
            return "Output";
        case OptionGroup::Sweep:
            return "What is measured";
        case OptionGroup::Speed:
            return "Speed";
        case OptionGroup::Objects:
            return "Which objects (may be given several times; PATTERN as in psql)";
        case OptionGroup::Parts:
            return "Which parts of them";
        case OptionGroup::Tables:
            return "Which tables (may be given several times)";
        case OptionGroup::Work:
            return "What is done to them";
        case OptionGroup::Script:
            return "How the script restores (plain format; with the others, pg_restore decides)";
        case OptionGroup::Target:
            return "How it is restored";
        case OptionGroup::Session:
            return "How it is read and written down";
        case OptionGroup::Run:
            return "This run";
    }
    return "";
}

Option Option::since(int pgDumpMajor) && {
    pgDump.since = pgDumpMajor;
    return std::move(*this);
}

Option Option::handed(int sinceMajor) && {
    pgDump.since = sinceMajor;
    pgDump.handed = true;
    return std::move(*this);
}

Option Option::otherwise(std::string_view text) && {
    standard = text;
    return std::move(*this);
}

Option Option::alias(std::string_view text) && {
    aliases.push_back(text);
    return std::move(*this);
}

Option flagOption(OptionGroup group, OptionName name, bool& target) {
    Option row = makeRow(group, name, OptionKind::Flag);
    row.set = [&target](std::string_view) { target = true; };
    row.get = [&target] {
        return target ? std::vector<std::string>{""} : std::vector<std::string>{};
    };
    return row;
}

Option textOption(OptionGroup group, OptionName name, std::string& target) {
    Option row = makeRow(group, name, OptionKind::Text);
    row.set = [&target, name = name.name](std::string_view text) {
        requireValue(name, text);
        target = text;
    };
    row.get = [&target] {
        return target.empty() ? std::vector<std::string>{} : std::vector<std::string>{target};
    };
    return row;
}

Option pathOption(OptionGroup group, OptionName name, std::filesystem::path& target) {
    Option row = makeRow(group, name, OptionKind::Text);
    row.set = [&target, name = name.name](std::string_view text) {
        requireValue(name, text);
        target = text;
    };
    row.get = [&target] {
        return target.empty() ? std::vector<std::string>{}
                              : std::vector<std::string>{target.string()};
    };
    return row;
}

Option listOption(OptionGroup group, OptionName name, std::vector<std::string>& target) {
    Option row = makeRow(group, name, OptionKind::List);
    row.set = [&target](std::string_view text) { target.emplace_back(text); };
    row.get = [&target] { return target; };
    return row;
}

Option pathsOption(OptionGroup group, OptionName name, std::vector<std::filesystem::path>& target) {
    Option row = makeRow(group, name, OptionKind::List);
    row.set = [&target, name = name.name](std::string_view text) {
        requireValue(name, text);
        target.emplace_back(text);
    };
    row.get = [&target] {
        std::vector<std::string> values;
        for (const std::filesystem::path& path : target) values.push_back(path.string());
        return values;
    };
    return row;
}

Option numberOption(OptionGroup group, OptionName name, std::optional<int>& target) {
    Option row = makeRow(group, name, OptionKind::Number);
    row.set = [&target, name = name.name](std::string_view text) {
        target = parseNumber<int>(name, text, "a whole number");
    };
    row.get = [&target] {
        return target ? std::vector<std::string>{std::to_string(*target)}
                      : std::vector<std::string>{};
    };
    return row;
}

Option countOption(OptionGroup group, OptionName name, std::optional<uint32_t>& target) {
    Option row = makeRow(group, name, OptionKind::Number);
    row.standard = "auto";
    row.set = [&target, name = name.name](std::string_view text) {
        if (text == "auto") {
            target.reset();
        } else {
            target = parseNumber<uint32_t>(name, text, "a whole number or \"auto\"");
        }
    };
    row.get = [&target] {
        return target ? std::vector<std::string>{std::to_string(*target)}
                      : std::vector<std::string>{};
    };
    return row;
}

const Option* findOption(const std::vector<Option>& table, std::string_view name) {
    for (const Option& option : table) {
        if (option.name == name ||
            std::find(option.aliases.begin(), option.aliases.end(), name) != option.aliases.end()) {
            return &option;
        }
    }
    return nullptr;
}

void appendArguments(const Option& option, std::vector<std::string>& arguments) {
    for (const std::string& value : option.get()) {
        if (option.letter != 0) {
            arguments.push_back(std::string("-") + option.letter);
            if (option.kind != OptionKind::Flag) arguments.push_back(value);
        } else if (option.kind == OptionKind::Flag) {
            arguments.push_back(option.dashed());
        } else {
            arguments.push_back(option.dashed() + "=" + value);
        }
    }
}

std::vector<std::string> toArguments(const std::vector<Option>& table) {
    std::vector<std::string> arguments;
    for (const Option& option : table) appendArguments(option, arguments);
    return arguments;
}

std::string wrapText(std::string_view text, std::size_t width, std::size_t indent) {
    std::string wrapped;
    std::size_t column = indent;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if (column > indent && column + 1 + word.size() > width) {
            wrapped += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            wrapped += ' ';
            ++column;
        }
        wrapped += word;
        column += word.size();
    }
    return wrapped;
}

std::string renderHelp(const std::vector<Option>& table, std::size_t width) {
    constexpr std::size_t kHelpColumn = 34;
    std::string text;
    std::vector<OptionGroup> groups;
    for (const Option& option : table) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    std::sort(groups.begin(), groups.end());
    for (const OptionGroup group : groups) {
        text += fmt::format("\n{}\n", title(group));
        for (const Option& option : table) {
            if (option.group != group) continue;
            std::string names =
                option.letter != 0 ? fmt::format("  -{}, ", option.letter) : "      ";
            names += option.dashed();
            if (!option.placeholder.empty()) names += fmt::format("={}", option.placeholder);
            if (names.size() + 2 > kHelpColumn) {
                names += '\n' + std::string(kHelpColumn, ' ');
            } else {
                names.resize(kHelpColumn, ' ');
            }
            std::string help(option.help);
            if (!option.standard.empty()) help += fmt::format(" (otherwise: {})", option.standard);
            text += names + wrapText(help, width, kHelpColumn) + '\n';
        }
    }
    return text;
}

void addRows(std::vector<Option>& table, std::vector<Option> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(table));
}

}  // namespace gantry::options
