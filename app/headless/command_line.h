// SPDX-License-Identifier: PostgreSQL
// argv of one command against its option table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/options/dump_table.h"
#include "core/options/option.h"

namespace gantry::headless {

/// What a command takes.
struct CommandSyntax {
    std::string_view name;      ///< "dump", "scratch start"
    std::string_view purpose;   ///< one sentence
    std::string_view operands;  ///< for the usage line: "[DBNAME]", "PATH"; empty: none
    std::size_t fewestOperands = 0;
    std::size_t mostOperands = 0;
    std::vector<options::Option> table;  ///< bound to the structs that the values go to
    std::vector<options::UnsupportedOption> unsupported;
    std::string_view notes;  ///< below the options in the help; may be empty
};

struct ParsedLine {
    bool help = false;
    std::vector<std::string> operands;
    std::vector<std::string> problems;  ///< all at once, each a sentence or two
};

/// Sets the structs behind the table. As with getopt: letters can be bundled and take their value
/// attached or as the next word, long names with = or as the next word, "--" ends the options.
ParsedLine parseCommandLine(const CommandSyntax& syntax, const std::vector<std::string>& words);

/// How many characters have to be added, removed or changed to make one of the other.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The command's help text, wrapped at `width` columns.
std::string renderCommandHelp(const CommandSyntax& syntax, std::size_t width);

}  // namespace gantry::headless
