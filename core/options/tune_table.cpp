// SPDX-License-Identifier: PostgreSQL
#include "core/options/tune_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/base/error.h"
#include "core/options/dump_table.h"

namespace gantry::options {
namespace {

using Group = OptionGroup;
using Words = std::vector<std::string>;

/// "zstd:3,long" is one word, since no codec is called "long".
Words wordsOf(std::string_view list) {
    Words words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        std::string word(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (word == "long" && !words.empty()) {
            words.back() += "," + word;
        } else {
            words.push_back(std::move(word));
        }
    }
    return words;
}

template <class Value>
std::string joined(const std::vector<Value>& values, std::string (*print)(const Value&)) {
    std::string text;
    for (const Value& value : values) text += (text.empty() ? "" : ",") + print(value);
    return text;
}

/// A row whose value is a list with commas; the last one given counts.
template <class Value>
Option commaOption(OptionName name, std::vector<Value>& target, Value (*parse)(const std::string&),
                   std::string (*print)(const Value&)) {
    Option row;
    row.name = name.name;
    row.letter = name.letter;
    row.placeholder = name.placeholder;
    row.help = name.help;
    row.kind = OptionKind::Text;
    row.group = Group::Sweep;
    row.set = [&target, parse, name = name.name](std::string_view text) {
        std::vector<Value> values;
        for (const std::string& word : wordsOf(text)) {
            Value value = parse(word);
            if (std::find(values.begin(), values.end(), value) == values.end()) {
                values.push_back(std::move(value));
            }
        }
        if (values.empty()) {
            throw Error(ErrorKind::Usage, "the list is empty", "--" + std::string(name));
        }
        target = std::move(values);
    };
    row.get = [&target, print] { return target.empty() ? Words{} : Words{joined(target, print)}; };
    return row;
}

uint32_t parseJobs(const std::string& word) {
    uint32_t jobs = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), jobs);
    if (error == std::errc() && end == word.data() + word.size()) return jobs;
    throw Error(ErrorKind::Usage, fmt::format("\"{}\" is not a number of jobs", word), "--jobs",
                "Give numbers with commas between them, as in 1,2,4,8.");
}

/// A row with one of a few words as its value.
template <class Value>
Option choiceOption(Group group, OptionName name, std::optional<Value>& target,
                    std::vector<Value> choices) {
    Option row;
    row.name = name.name;
    row.letter = name.letter;
    row.placeholder = name.placeholder;
    row.help = name.help;
    row.kind = OptionKind::Text;
    row.group = group;
    row.set = [&target, choices, row](std::string_view text) {
        for (const Value choice : choices) {
            if (toString(choice) != text) continue;
            target = choice;
            return;
        }
        throw Error(ErrorKind::Usage, fmt::format("\"{}\" is none of {}", text, row.placeholder),
                    row.dashed());
    };
    row.get = [&target] { return target ? Words{std::string(toString(*target))} : Words{}; };
    return row;
}

void addSweep(std::vector<Option>& table, TuneOptions& o) {
    table.push_back(choiceOption<TuneOperation>(
        Group::Sweep, {"for", 0, "dump|restore|vacuum", "what to measure"}, o.operation,
        {TuneOperation::Dump, TuneOperation::Restore, TuneOperation::Vacuum}));
    table.push_back(commaOption<uint32_t>({"jobs", 'j', "LIST", "with so many jobs, as in 1,2,4,8"},
                                          o.jobs, parseJobs,
                                          [](const uint32_t& n) { return std::to_string(n); })
                        .otherwise("1, 2, 4, … up to twice the cores"));
    table.push_back(commaOption<io::Compression>(
                        {"compress", 'Z', "LIST", "of a dump, with each of these codecs"},
                        o.compressions,
                        [](const std::string& word) { return io::parseCompression(word); },
                        [](const io::Compression& c) { return io::toString(c); })
                        .otherwise("auto"));
    table.push_back(commaOption<archive::Format>(
                        {"format", 'F', "d,c,t,p", "of a dump, in each of these formats"},
                        o.formats, [](const std::string& word) { return parseFormat(word); },
                        [](const archive::Format& f) { return std::string(1, formatLetter(f)); })
                        .otherwise("directory"));
    table.push_back(choiceOption<TuneTarget>(
        Group::Sweep,
        {"to", 0, "nowhere|disk",
         "of a dump: whether what is read is let go, or written (otherwise: nowhere, unless "
         "formats are compared)"},
        o.target, {TuneTarget::Nowhere, TuneTarget::Disk}));
    addRows(
        table,
        {
            flagOption(Group::Sweep,
                       {"copy", 0, "",
                        "of a vacuum: of a copy of the database, in which a tenth of all rows is "
                        "replaced before each"},
                       o.copy),
            flagOption(Group::Sweep,
                       {"in-place", 0, "",
                        "of a vacuum: of the tables themselves, each time reading every page"},
                       o.inPlace),
            flagOption(Group::Sweep,
                       {"scratch", 0, "",
                        "restore, or copy, into a throwaway server instead of the given one"},
                       o.scratch),
            pathOption(Group::Sweep,
                       {"folder", 0, "DIR", "where archives are while they are needed"}, o.folder)
                .otherwise("the folder for temporary files"),
            numberOption(Group::Sweep, {"rounds", 0, "N", "how often each is measured"}, o.rounds)
                .otherwise("3"),
            textOption(Group::Sweep,
                       {"budget", 0, "TIME",
                        "begin no measurement that will not be done in TIME (2m, 90s, 1h)"},
                       o.budget),
            flagOption(Group::Sweep,
                       {"everything", 0, "", "go on even when it is clear which is best"},
                       o.everything),
        });
}

}  // namespace

std::string_view toString(TuneOperation operation) {
    switch (operation) {
        case TuneOperation::Dump:
            return "dump";
        case TuneOperation::Restore:
            return "restore";
        case TuneOperation::Vacuum:
            return "vacuum";
    }
    return "";
}

std::string_view toString(TuneTarget target) {
    return target == TuneTarget::Nowhere ? "nowhere" : "disk";
}

std::vector<uint32_t> usualJobs(uint32_t cores) {
    std::vector<uint32_t> jobs;
    for (uint32_t count = 1; count <= std::max(2 * cores, 2U); count *= 2) jobs.push_back(count);
    return jobs;
}

std::vector<Option> tuneTable(TuneOptions& o) {
    std::vector<Option> table = connectionTable(o.connection);
    addSweep(table, o);
    addRows(
        table,
        {
            listOption(Group::Objects, {"schema", 'n', "NAME", "only what is in this schema"},
                       o.schemas),
            listOption(Group::Objects, {"table", 't', "NAME", "only this table"}, o.tables),
            pathOption(Group::Run, {"pg-bindir", 0, "DIR", "the folder with the pg_dump to use"},
                       o.clientToolsFolder)
                .otherwise("the oldest on this machine that is new enough"),
        });
    return table;
}

}  // namespace gantry::options
