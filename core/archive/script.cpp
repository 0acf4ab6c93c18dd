// SPDX-License-Identifier: PostgreSQL
#include "core/archive/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>
#include <utility>

#include "core/archive/identifier.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kTextAtOnce = std::size_t{1} << 20;  // of text without data

/// A name for a comment line: without line ends, "-" where there is none.
std::string oneLine(const std::optional<std::string>& text, bool hyphen) {
    if (!text) return hyphen ? "-" : "";
    std::string line = *text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\r', ' ');
    return line;
}

int majorOf(const std::optional<std::string>& version) {
    int major = 0;
    const std::string_view text = viewOf(version);
    std::from_chars(text.data(), text.data() + text.size(), major);
    return major;
}

/// False for what a data-only dump holds: rows, sequences' values, large objects with all theirs.
bool isSchema(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (entry.hadDumper || viewOf(entry.defn).empty()) return false;
    if (isOneOf(desc, {"SEQUENCE SET", "BLOB", "BLOB METADATA", "STATISTICS DATA"})) return false;
    return !isOneOf(desc, {"ACL", "COMMENT", "SECURITY LABEL"}) ||
           !entry.name().starts_with("LARGE OBJECT");
}

class Renderer {
public:
    Renderer(const Toc& toc, const ScriptOptions& options, const PutScriptPiece& put)
        : toc_(toc), options_(options), put_(put), session_(toc, options) {
        for (const TocEntry& entry : toc.entries) {
            if (isWanted(entry) && !isOfDatabase(entry) && isSchema(entry)) isDataOnly_ = false;
        }
    }

    void render() {
        text_ = "--\n-- PostgreSQL database dump\n--\n\n";
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\restrict {}\n\n", options_.restrictKey);
        }
        if (toc_.serverVersion) {
            text_ += fmt::format("-- Dumped from database version {}\n", *toc_.serverVersion);
        }
        if (toc_.dumpVersion) {
            text_ += fmt::format("-- Dumped by pg_dump version {}\n", *toc_.dumpVersion);
        }
        text_ += "\n";
        fixedState();
        if (options_.clean) dropAll();
        for (const Pass pass : {Pass::Main, Pass::Acl, Pass::PostAcl}) {
            for (const TocEntry& entry : toc_.entries) {
                if (isWanted(entry) && passOf(entry) == pass) restore(entry);
                if (text_.size() < kTextAtOnce) continue;
                put_({.text = text_});
                text_.clear();
            }
        }
        text_ += "--\n-- PostgreSQL database dump complete\n--\n\n";
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\unrestrict {}\n\n", options_.restrictKey);
        }
        put_({.text = std::move(text_)});
    }

private:
    bool isWanted(const TocEntry& entry) const {
        const std::string_view desc = entry.description();
        if (isOneOf(desc, {"ENCODING", "STDSTRINGS", "SEARCHPATH"})) return false;
        if (isOfDatabase(entry)) return options_.create;
        // What belongs to the database as a whole goes with its creation.
        const bool ofDatabase = isOneOf(desc, {"ACL", "COMMENT", "SECURITY LABEL"}) &&
                                entry.name().starts_with("DATABASE ");
        return !ofDatabase || options_.create;
    }

    // A dump of an older server is meant for one of its kind.
    void fixedState() { text_ += session_.settings(majorOf(toc_.serverVersion)); }

    /// Appends what `say` puts out.
    void append(const std::function<void(Statements&)>& say) {
        Statements statements;
        say(statements);
        for (const std::string& statement : statements) text_ += statement;
    }

    void dropAll() {
        for (auto entry = toc_.entries.rbegin(); entry != toc_.entries.rend(); ++entry) {
            if (options_.create && !isOfDatabase(*entry)) continue;
            if (!isWanted(*entry) || !entry->dropStmt) continue;
            append([&](Statements& out) { session_.drop(*entry, out); });
        }
        session_.forgetSchema();
    }

    void restore(const TocEntry& entry) {
        if (entry.hadDumper) {
            restoreData(entry);
            return;
        }
        if (viewOf(entry.defn).empty()) return;
        printEntry(entry, entry.description() == "STATISTICS DATA" ? "Statistics for " : "");
        if (isOfDatabase(entry)) connectTo(entry.name());
    }

    void restoreData(const TocEntry& entry) {
        printEntry(entry, "Data for ");
        if (entry.description() == "BLOBS") {
            put_({std::exchange(text_, {}), &entry});
            return;
        }
        const bool disableTriggers = options_.disableTriggers && isDataOnly_;
        // Only a superuser may: whoever runs the script, not the table's owner.
        if (disableTriggers) {
            append([&](Statements& out) { session_.disableTriggers(entry, {}, out); });
        }
        append([&](Statements& out) { session_.becomeOwner(entry, out); });
        text_ += viewOf(entry.copyStmt);
        put_({std::exchange(text_, {}), &entry});
        if (disableTriggers) {
            append([&](Statements& out) { session_.enableTriggers(entry, {}, out); });
        }
    }

    void printEntry(const TocEntry& entry, std::string_view prefix) {
        append([&](Statements& out) { session_.prepare(entry, out); });
        printHeader(entry, prefix);
        append([&](Statements& out) { session_.define(entry, out); });
    }

    void printHeader(const TocEntry& entry, std::string_view prefix) {
        text_ += fmt::format("--\n-- {}Name: {}; Type: {}; Schema: {}; Owner: {}", prefix,
                             oneLine(entry.tag, false), entry.description(),
                             oneLine(entry.namespaceName, true),
                             options_.noOwner ? "-" : oneLine(entry.owner, true));
        if (!viewOf(entry.tablespace).empty() && !options_.noTablespaces) {
            text_ += "; Tablespace: " + oneLine(entry.tablespace, false);
        }
        text_ += "\n--\n\n";
    }

    std::string identifier(std::string_view name) const {
        return options_.quoteAllIdentifiers ? quotedIdentifier(name) : formatIdentifier(name);
    }

    void connectTo(std::string_view database) {
        // psql has no way to write such a name behind \\connect.
        if (database.find_first_of("\r\n") != std::string_view::npos) {
            throw Error(ErrorKind::Usage, "the database's name contains a line end",
                        oneLine(std::string(database), false),
                        "Dump it without --create, and restore into a database made by hand.");
        }
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\unrestrict {}\n", options_.restrictKey);
        }
        const bool simple = std::all_of(database.begin(), database.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_' || c == '.';
        });
        if (simple) {
            text_ += fmt::format("\\connect {}\n", identifier(database));
        } else {
            // As a conninfo string in quotes; both kinds of quote are escaped in turn.
            std::string value;
            for (const char c : database) {
                if (c == '\'' || c == '\\') value += '\\';
                value += c;
            }
            // The name's encoding is not known: psql must pass its bytes on as they are.
            text_ += fmt::format("\\encoding SQL_ASCII\n\\connect -reuse-previous=on {}\n",
                                 identifier("dbname='" + value + "'"));
        }
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\restrict {}\n", options_.restrictKey);
        }
        text_ += "\n";
        session_.forget();
        fixedState();
    }

    const Toc& toc_;
    const ScriptOptions& options_;
    const PutScriptPiece& put_;
    EntryStatements session_;
    bool isDataOnly_ = true;
    std::string text_;
};

}  // namespace

void renderScript(const Toc& toc, const ScriptOptions& options, const PutScriptPiece& put) {
    Renderer(toc, options, put).render();
}

}  // namespace gantry::archive
