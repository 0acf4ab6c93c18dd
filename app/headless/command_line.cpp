// SPDX-License-Identifier: PostgreSQL
#include "app/headless/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/error.h"

namespace gantry::headless {
namespace {

using options::Option;
using options::OptionKind;

std::string cliNames(std::string_view name, char letter,
                     const std::vector<std::string_view>& aliases) {
    std::string names = letter != 0 ? fmt::format("-{},", letter) : std::string();
    names += fmt::format("--{}", name);
    for (const std::string_view alias : aliases) names += fmt::format(",--{}", alias);
    return names;
}

void setOption(const Option& option, const std::string& value, std::vector<std::string>& problems) {
    try {
        option.set(value);
    } catch (const Error& error) {
        // Parsers of values do not know which option they serve.
        ErrorInfo info = error.info();
        info.object = option.dashed();
        problems.push_back(info.describe());
    }
}

void addOption(CLI::App& app, const Option& option, std::vector<std::string>& problems) {
    const std::string names = cliNames(option.name, option.letter, option.aliases);
    if (option.kind == OptionKind::Flag) {
        app.add_flag_callback(names, [&option, &problems] { setOption(option, "", problems); })
            ->disable_flag_override();
        return;
    }
    // One value each time, so that an operand after it stays an operand.
    app.add_option(names,
                   [&option, &problems](const CLI::results_t& values) {
                       for (const std::string& value : values) setOption(option, value, problems);
                       return true;
                   })
        ->type_name(std::string(option.placeholder))
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void addUnsupported(CLI::App& app, const options::UnsupportedOption& option,
                    std::vector<std::string>& problems) {
    const std::string names = cliNames(option.name, option.letter, {});
    const auto refuse = [&option, &problems] {
        problems.push_back(
            fmt::format("--{} is not supported by Gantry. {}", option.name, option.reason));
    };
    if (option.takesValue) {
        app.add_option(names,
                       [refuse](const CLI::results_t&) {
                           refuse();
                           return true;
                       })
            ->expected(1)
            ->allow_extra_args(false);
    } else {
        app.add_flag_callback(names, refuse);
    }
}

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[b.size()];
}

namespace {

std::string suggest(const std::vector<Option>& table, std::string_view word) {
    constexpr std::size_t kFarthest = 3;
    word = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    word = word.substr(0, word.find('='));
    if (word.size() < 2) return {};
    std::string_view best;
    std::size_t bestDistance = kFarthest;
    for (const Option& option : table) {
        if (option.name.starts_with(word)) return fmt::format(" Did you mean --{}?", option.name);
        const std::size_t distance = editDistance(word, option.name);
        if (distance < bestDistance && distance < word.size()) {
            best = option.name;
            bestDistance = distance;
        }
    }
    return best.empty() ? std::string() : fmt::format(" Did you mean --{}?", best);
}

std::string describeParseError(const CLI::ParseError& error) {
    const std::string text = error.what();
    if (error.get_name() == "ArgumentMismatch") {
        constexpr std::string_view kFlagWithValue = " was given a disallowed flag override";
        if (const std::size_t at = text.find(kFlagWithValue); at != std::string::npos) {
            return fmt::format("--{} takes no value.", text.substr(0, at));
        }
        return fmt::format("{} needs a value.", text.substr(0, text.find(':')));
    }
    return text;
}

/// "--name=", whose value is empty: the parser would take the next word for it.
std::vector<std::string> withEmptyValues(const std::vector<std::string>& words) {
    std::vector<std::string> apart;
    bool operands = false;
    for (const std::string& word : words) {
        operands = operands || word == "--";
        if (!operands && word.size() > 3 && word.starts_with("--") && word.ends_with('=') &&
            word.find('=') == word.size() - 1) {
            apart.push_back(word.substr(0, word.size() - 1));
            apart.emplace_back();
        } else {
            apart.push_back(word);
        }
    }
    return apart;
}

}  // namespace

ParsedLine parseCommandLine(const CommandSyntax& syntax, const std::vector<std::string>& words) {
    ParsedLine line;
    CLI::App app;
    app.set_help_flag("");
    app.allow_extras();
    app.add_flag("-?,--help", line.help);
    for (const Option& option : syntax.table) addOption(app, option, line.problems);
    for (const auto& option : syntax.unsupported) addUnsupported(app, option, line.problems);
    app.add_option("operand", line.operands)->allow_extra_args();
    try {
        const std::vector<std::string> apart = withEmptyValues(words);
        app.parse(std::vector<std::string>(apart.rbegin(), apart.rend()));
    } catch (const CLI::ParseError& error) {
        line.problems.push_back(describeParseError(error));
        return line;
    }
    for (const std::string& word : app.remaining()) {
        if (word == "--") continue;
        line.problems.push_back(
            fmt::format("There is no option {}.{}", word, suggest(syntax.table, word)));
    }
    if (line.help) return line;
    if (line.operands.size() > syntax.mostOperands) {
        line.problems.push_back(
            fmt::format("\"{}\" is one word too many.", line.operands[syntax.mostOperands]));
    }
    if (line.operands.size() < syntax.fewestOperands) {
        line.problems.push_back(fmt::format("{} is missing.", syntax.operands));
    }
    return line;
}

std::string renderCommandHelp(const CommandSyntax& syntax, std::size_t width) {
    std::string text = options::wrapText(syntax.purpose, width, 0) + "\n\n";
    text += fmt::format("Usage: gantryctl {}", syntax.name);
    if (!syntax.table.empty()) text += " [OPTION]...";
    if (!syntax.operands.empty()) text += fmt::format(" {}", syntax.operands);
    text += '\n' + options::renderHelp(syntax.table, width);
    text += "\n  -?, --help                      print this\n";
    if (!syntax.notes.empty())
        text += fmt::format("\n{}\n", options::wrapText(syntax.notes, width, 0));
    return text;
}

}  // namespace gantry::headless
