// SPDX-License-Identifier: PostgreSQL
#include "core/restore/entry_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

[[noreturn]] void refuseLine(const std::filesystem::path& file, int line, std::string problem,
                             std::string wayOut) {
    throw Error(ErrorKind::Usage, std::move(problem), fmt::format("{}:{}", file.string(), line),
                std::move(wayOut));
}

enum class Quotes {
    Plain,         ///< characters like any other
    HideComments,  ///< what is in them begins no comment
};

/// Where the line ends: at no line's end within quotes. npos if they are never closed.
std::size_t endOfLine(std::string_view text, char comment, Quotes quotes) {
    bool quoted = false;
    bool inComment = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n' && !quoted) return i;
        if (quotes == Quotes::Plain || inComment) continue;
        if (text[i] == '"') quoted = !quoted;
        inComment = text[i] == comment && !quoted;
    }
    return quoted ? std::string_view::npos : text.size();
}

std::string_view withoutComment(std::string_view line, char comment, Quotes quotes) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quotes == Quotes::HideComments) quoted = !quoted;
        if (line[i] == comment && !quoted) return line.substr(0, i);
    }
    return line;
}

/// Calls `use` with each line, its comment taken off, and its number.
void forEachLine(const std::filesystem::path& path, char comment, Quotes quotes,
                 const std::function<void(std::string_view, int)>& use) {
    const File file = File::openForRead(path);
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    text.resize(file.readAt(0, std::as_writable_bytes(std::span(text))));
    std::string_view rest = text;
    for (int number = 1; !rest.empty();) {
        const std::size_t end = endOfLine(rest, comment, quotes);
        if (end == std::string_view::npos) {
            refuseLine(path, number, "a quotation mark is never closed",
                       "Close it; one within a name is doubled.");
        }
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string_view content = trimmed(withoutComment(line, comment, quotes));
        if (!content.empty()) use(content, number);
        number += 1 + static_cast<int>(std::count(line.begin(), line.end(), '\n'));
    }
}

/// The first word, taken off `text`.
std::string_view takeWord(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

/// Blanks as archives have them in the names of functions: "f ( a,b )" is "f(a, b)".
std::string tidied(std::string_view name) {
    constexpr std::string_view kMarks = ",.()";
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (kBlanks.find(name[i]) == std::string_view::npos) {
            text += name[i];
            if (name[i] == ',') text += ' ';
            continue;
        }
        const std::size_t next = std::min(name.find_first_not_of(kBlanks, i), name.size() - 1);
        const bool besideMark = text.empty() || text.back() == ' ' ||
                                kMarks.find(text.back()) != std::string_view::npos ||
                                kMarks.find(name[next]) != std::string_view::npos;
        if (!besideMark) text += ' ';
    }
    return text;
}

/// "Name" in quotes stands for itself, quotes within doubled.
std::string unquoted(std::string_view name) {
    if (name.size() < 2 || name.front() != '"' || name.back() != '"') return tidied(name);
    std::string text;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] == '"' && i + 2 < name.size() && name[i + 1] == '"') ++i;
        text += name[i];
    }
    return text;
}

std::vector<std::string>* listFor(std::string_view action, std::string_view kind,
                                  options::RestoreSelection& s) {
    if (action == "include") {
        if (kind == "schema") return &s.schemas;
        if (kind == "table") return &s.tables;
        if (kind == "index") return &s.indexes;
        if (kind == "function") return &s.functions;
        if (kind == "trigger") return &s.triggers;
    }
    if (action == "exclude") {
        if (kind == "schema") return &s.excludeSchemas;
        if (kind == "table_data") return &s.excludeTableData;
    }
    return nullptr;
}

}  // namespace

std::vector<DumpId> readEntryList(const std::filesystem::path& file) {
    std::vector<DumpId> ids;
    forEachLine(file, ';', Quotes::Plain, [&](std::string_view line, int number) {
        int32_t id = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
        if (error != std::errc() || id <= 0) {
            refuseLine(file, number, "the line does not begin with an entry's number",
                       "Make the list with gantryctl list PATH, and put a semicolon before what is "
                       "not wanted.");
        }
        ids.push_back(DumpId{id});
    });
    return ids;
}

void readFilter(const std::filesystem::path& file, options::RestoreSelection& selection) {
    forEachLine(file, '#', Quotes::HideComments, [&](std::string_view line, int number) {
        // As pg_restore, which does not tell capitals from small letters here.
        const std::string action = lowered(takeWord(line));
        const std::string kind = lowered(takeWord(line));
        std::vector<std::string>* const list = listFor(action, kind, selection);
        if (list == nullptr) {
            refuseLine(file, number, fmt::format("\"{} {}\" is not known here", action, kind),
                       "A restore can include schema, table, index, function and trigger, and "
                       "exclude schema and table_data.");
        }
        if (line.empty()) refuseLine(file, number, "the name is missing", "Add it to the line.");
        list->push_back(unquoted(line));
    });
}

}  // namespace gantry::restore
