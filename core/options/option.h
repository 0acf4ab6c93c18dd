// SPDX-License-Identifier: PostgreSQL
// One row of the option table: all that command line, help, profile, form and validation need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::options {

enum class OptionKind {
    Flag,    ///< given or not
    Text,    ///< one value, the last one counts
    Number,  ///< one value, a whole number
    List,    ///< may be given several times; the order is kept
};

/// The headings under which help and forms show options, in this order.
enum class OptionGroup {
    Connection,
    Output,
    Sweep,
    Speed,
    Objects,
    Parts,
    Tables,
    Work,
    Script,
    Target,
    Session,
    Run
};
std::string_view title(OptionGroup group);

/// Since when pg_dump has an option, if ever.
struct PgDumpNote {
    static constexpr int kNever = -1;
    int since = kNever;   ///< major version; 0: every version that can dump a supported server
    bool handed = false;  ///< decides what is in pg_dump's table of contents
};

/// Declared once, bound to the member of the struct that holds its value: set() and get() work on
/// that very struct, which must outlive the row.
struct Option {
    std::string_view name;  ///< without dashes
    char letter = 0;        ///< 0: none
    OptionKind kind = OptionKind::Flag;
    OptionGroup group = OptionGroup::Run;
    std::string_view placeholder;           ///< of the value, for help; empty for a flag
    std::string_view help;                  ///< a phrase in lower case without a full stop
    std::string_view standard;              ///< what holds if it is not given; empty: nothing
    std::vector<std::string_view> aliases;  ///< further long names, not shown
    PgDumpNote pgDump;

    /// Takes one value as text ("" for a flag); a list grows. Throws Error{Usage} that names the
    /// option.
    std::function<void(std::string_view)> set;
    /// The values as text if they differ from the standard; a set flag has the one value "".
    std::function<std::vector<std::string>()> get;

    std::string dashed() const { return "--" + std::string(name); }

    Option since(int pgDumpMajor) &&;  ///< pg_dump has it, and need not be told
    Option handed(int since = 0) &&;   ///< pg_dump has it, and must be told
    Option otherwise(std::string_view text) &&;
    Option alias(std::string_view text) &&;
};

/// What a row is called: name, letter ('\0': none), placeholder (empty for a flag), help.
struct OptionName {
    std::string_view name;
    char letter = 0;
    std::string_view placeholder;
    std::string_view help;
};

Option flagOption(OptionGroup group, OptionName name, bool& target);
Option textOption(OptionGroup group, OptionName name, std::string& target);
Option pathOption(OptionGroup group, OptionName name, std::filesystem::path& target);
Option listOption(OptionGroup group, OptionName name, std::vector<std::string>& target);
Option pathsOption(OptionGroup group, OptionName name, std::vector<std::filesystem::path>& target);
Option numberOption(OptionGroup group, OptionName name, std::optional<int>& target);
/// A count that may be "auto", which is the same as not giving it.
Option countOption(OptionGroup group, OptionName name, std::optional<uint32_t>& target);

/// The row with this long name or alias; nullptr if there is none.
const Option* findOption(const std::vector<Option>& table, std::string_view name);

/// The fewest arguments that set what the table's struct holds, letters where there are any:
/// {"-n", "public", "--lock-wait-timeout=5s"}.
std::vector<std::string> toArguments(const std::vector<Option>& table);

/// As toArguments(), for one row.
void appendArguments(const Option& option, std::vector<std::string>& arguments);

/// The table as readable help, grouped, wrapped at `width` columns.
std::string renderHelp(const std::vector<Option>& table, std::size_t width);

/// Wraps text at spaces, every line but the first indented.
std::string wrapText(std::string_view text, std::size_t width, std::size_t indent);

/// Appends `rows` to `table`.
void addRows(std::vector<Option>& table, std::vector<Option> rows);

}  // namespace gantry::options
