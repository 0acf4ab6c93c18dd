// SPDX-License-Identifier: PostgreSQL
#include "core/restore/script_commands.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>
#include <vector>

#include "core/base/error.h"

namespace gantry::restore {
namespace {

using CommandWords = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& place, std::string message) {
    throw Error(ErrorKind::Format, std::move(message), place,
                "Take it out, or run the script with psql if you trust whoever wrote it.");
}

/// CommandWords as psql takes them here: "…" with doubled quotes, '…' with doubled quotes, the rest
/// as it stands. Empty if it holds what psql would replace by something else.
std::optional<CommandWords> splitWords(std::string_view text) {
    CommandWords words;
    bool inWord = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\r') {
            inWord = false;
            continue;
        }
        if (c == '`' || c == '\\' || (c == ':' && !inWord)) return std::nullopt;
        if (!inWord) words.emplace_back();
        inWord = true;
        if (c != '"' && c != '\'') {
            words.back() += c;
            continue;
        }
        for (++i;; ++i) {
            if (i >= text.size() || (c == '\'' && text[i] == '\\')) return std::nullopt;
            if (text[i] == c && (i + 1 == text.size() || text[i + 1] != c)) break;
            if (text[i] == c) ++i;
            words.back() += text[i];
        }
    }
    return words;
}

/// Database and user out of a connection string; anything else in it is refused.
ConnectCommand readConninfo(const std::string& text, const std::string& place) {
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
        PQconninfoParse(text.c_str(), nullptr), PQconninfoFree);
    if (!parsed) refuse(place, "\\connect has a connection string that cannot be read");
    ConnectCommand command;
    for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        const std::string_view keyword = option->keyword;
        if (keyword == "dbname") {
            command.database = option->val;
        } else if (keyword == "user") {
            command.user = option->val;
        } else {
            refuse(place, fmt::format("\\connect sets {}: a script may choose database and user, "
                                      "nothing else",
                                      keyword));
        }
    }
    return command;
}

ConnectCommand readConnect(CommandWords words, const std::string& place) {
    constexpr std::string_view kReuse = "-reuse-previous=";
    if (!words.empty() && words.front().starts_with(kReuse)) {
        if (words.front() != std::string(kReuse) + "on") {
            refuse(place, fmt::format("\\connect {} may lead to another server", words.front()));
        }
        words.erase(words.begin());
    }
    for (std::string& word : words) {
        if (word == "-") word.clear();
    }
    if (words.empty()) return {};
    const std::string& first = words.front();
    if (first.find('=') != std::string::npos || first.find("://") != std::string::npos) {
        return readConninfo(first, place);
    }
    for (std::size_t i = 2; i < words.size(); ++i) {
        if (!words[i].empty()) {
            refuse(place,
                   "\\connect names a server: a script may choose database and user, "
                   "nothing else");
        }
    }
    return {.database = first, .user = words.size() > 1 ? words[1] : ""};
}

}  // namespace

std::optional<ConnectCommand> ScriptCommands::read(const SqlPiece& piece,
                                                   const std::string& place) {
    const std::string_view text = std::string_view(piece.text).substr(1);
    const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
    const std::string_view name = text.substr(0, end);
    const auto words = splitWords(text.substr(end));
    const bool known = name == "connect" || name == "c" || name == "restrict" ||
                       name == "unrestrict" || name == "encoding";
    if (!known) {
        refuse(place, fmt::format("\\{} is a command of psql that a script may not give: only "
                                  "\\connect, \\restrict and \\unrestrict are carried out",
                                  name));
    }
    if (piece.cutsIn) refuse(place, fmt::format("\\{} in the middle of a statement", name));
    if (!words) refuse(place, fmt::format("\\{} holds what psql would expand", name));
    if (name == "unrestrict") {
        if (!restrictedBy_ || *words != CommandWords{*restrictedBy_}) {
            refuse(place, "\\unrestrict without the key of \\restrict");
        }
        restrictedBy_.reset();
        return std::nullopt;
    }
    if (restrictedBy_) {
        refuse(place, fmt::format("\\{} between \\restrict and \\unrestrict", name));
    }
    if (name == "restrict") {
        if (words->size() != 1) refuse(place, "\\restrict without a key");
        restrictedBy_ = words->front();
        return std::nullopt;
    }
    if (name == "encoding") {
        // Bytes go to the server as they stand; this asks for nothing else.
        if (*words == CommandWords{"SQL_ASCII"}) return std::nullopt;
        refuse(place, "\\encoding with anything but SQL_ASCII");
    }
    return readConnect(*words, place);
}

}  // namespace gantry::restore
