// SPDX-License-Identifier: PostgreSQL
#include "core/archive/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>

#include "core/archive/identifier.h"

namespace gantry::archive {
namespace {

constexpr int kTransactionTimeoutServer = 17;

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

std::string_view view(const std::optional<std::string>& text) {
    return text ? std::string_view(*text) : std::string_view();
}

/// A name for a comment line: without line ends, "-" where there is none.
std::string oneLine(const std::optional<std::string>& text, bool hyphen) {
    if (!text) return hyphen ? "-" : "";
    std::string line = *text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\r', ' ');
    return line;
}

std::string literal(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') quoted += '\'';
        quoted += c;
    }
    return quoted + "'";
}

int majorOf(const std::optional<std::string>& version) {
    int major = 0;
    const std::string_view text = view(version);
    std::from_chars(text.data(), text.data() + text.size(), major);
    return major;
}

/// The order in which pg_restore goes over the contents three times.
enum class Pass { Main, Acl, PostAcl };

Pass passOf(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (isOneOf(desc, {"ACL", "ACL LANGUAGE", "DEFAULT ACL"})) return Pass::Acl;
    if (isOneOf(desc, {"EVENT TRIGGER", "MATERIALIZED VIEW DATA"})) return Pass::PostAcl;
    if (isOneOf(desc, {"COMMENT", "SECURITY LABEL"}) &&
        entry.name().starts_with("EVENT TRIGGER ")) {
        return Pass::PostAcl;
    }
    if (desc == "STATISTICS DATA" && entry.section == Section::PostData) return Pass::PostAcl;
    return Pass::Main;
}

/// DROP with IF EXISTS put in where the statement takes it.
std::string withIfExists(const TocEntry& entry) {
    constexpr std::string_view kAlterTable = "ALTER TABLE";
    const std::string_view desc = entry.description();
    std::string_view statement = view(entry.dropStmt);
    std::string text;
    if (statement.starts_with(kAlterTable)) {
        text = "ALTER TABLE IF EXISTS";
        statement.remove_prefix(kAlterTable.size());
    }
    if (isOneOf(desc, {"DEFAULT", "DATABASE PROPERTIES"}) ||
        statement.starts_with("CREATE OR REPLACE VIEW")) {
        return text.append(statement);
    }
    const std::string mark = isOneOf(desc, {"CONSTRAINT", "CHECK CONSTRAINT", "FK CONSTRAINT"})
                                 ? "DROP CONSTRAINT"
                                 : "DROP " + std::string(desc);
    const std::size_t at = statement.find(mark);
    if (at == std::string_view::npos) return text.append(statement);
    text.append(statement.substr(0, at)).append(mark).append(" IF EXISTS");
    return text.append(statement.substr(at + mark.size()));
}

class Renderer {
public:
    Renderer(const Toc& toc, const ScriptOptions& options) : toc_(toc), options_(options) {
        for (const TocEntry& entry : toc.entries) {
            if (entry.description() == "ENCODING") encoding_ = view(entry.defn);
            if (entry.description() == "STDSTRINGS") {
                standardStrings_ = view(entry.defn).find("'off'") == std::string_view::npos;
            }
            if (entry.description() == "SEARCHPATH") searchPath_ = entry.defn;
        }
    }

    std::vector<ScriptPiece> render() {
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
            }
        }
        text_ += "--\n-- PostgreSQL database dump complete\n--\n\n";
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\unrestrict {}\n\n", options_.restrictKey);
        }
        pieces_.push_back({std::move(text_), std::nullopt});
        return std::move(pieces_);
    }

private:
    bool isWanted(const TocEntry& entry) const {
        const std::string_view desc = entry.description();
        if (isOneOf(desc, {"ENCODING", "STDSTRINGS", "SEARCHPATH"})) return false;
        if (isOneOf(desc, {"DATABASE", "DATABASE PROPERTIES"})) return options_.create;
        // What belongs to the database as a whole goes with its creation.
        const bool ofDatabase = isOneOf(desc, {"ACL", "COMMENT", "SECURITY LABEL"}) &&
                                entry.name().starts_with("DATABASE ");
        return !ofDatabase || options_.create;
    }

    void fixedState() {
        text_ +=
            "SET statement_timeout = 0;\nSET lock_timeout = 0;\n"
            "SET idle_in_transaction_session_timeout = 0;\n";
        // Older servers do not know it; a dump of one of them is meant for one of them.
        if (majorOf(toc_.serverVersion) >= kTransactionTimeoutServer) {
            text_ += "SET transaction_timeout = 0;\n";
        }
        text_ += encoding_;
        text_ +=
            fmt::format("SET standard_conforming_strings = {};\n", standardStrings_ ? "on" : "off");
        text_ += searchPath_.value_or("");
        text_ +=
            "SET check_function_bodies = false;\nSET xmloption = content;\n"
            "SET client_min_messages = warning;\n";
        if (!standardStrings_) text_ += "SET escape_string_warning = off;\n";
        text_ += options_.enableRowSecurity ? "SET row_security = on;\n\n"
                                            : "SET row_security = off;\n\n";
    }

    void dropAll() {
        for (auto entry = toc_.entries.rbegin(); entry != toc_.entries.rend(); ++entry) {
            const bool isDatabase =
                isOneOf(entry->description(), {"DATABASE", "DATABASE PROPERTIES"});
            if (options_.create && !isDatabase) continue;
            if (!isWanted(*entry) || !entry->dropStmt) continue;
            becomeOwner(*entry);
            selectSchema(*entry);
            drop(*entry);
        }
        schema_.reset();
    }

    void drop(const TocEntry& entry) {
        const std::string_view statement = view(entry.dropStmt);
        if (entry.description() == "BLOB METADATA") {
            if (options_.ifExists) {
                perObject(entry,
                          "SELECT pg_catalog.lo_unlink(oid) FROM "
                          "pg_catalog.pg_largeobject_metadata WHERE oid = '",
                          "'");
            } else {
                perObject(entry, "SELECT pg_catalog.lo_unlink('", "')");
            }
        } else if (!options_.ifExists || statement.starts_with("--") || statement.empty()) {
            text_ += statement;
        } else if (entry.description() == "BLOB") {
            text_ += fmt::format(
                "SELECT pg_catalog.lo_unlink(oid) FROM pg_catalog.pg_largeobject_metadata "
                "WHERE oid = '{}';\n",
                entry.catalogOid.value);
        } else {
            text_ += withIfExists(entry);
        }
    }

    void restore(const TocEntry& entry) {
        if (entry.hadDumper) {
            restoreData(entry);
            return;
        }
        if (view(entry.defn).empty()) return;
        printEntry(entry, entry.description() == "STATISTICS DATA" ? "Statistics for " : "");
        if (isOneOf(entry.description(), {"DATABASE", "DATABASE PROPERTIES"})) {
            connectTo(entry.name());
        }
    }

    void restoreData(const TocEntry& entry) {
        printEntry(entry, "Data for ");
        if (entry.description() == "BLOBS") {
            pieces_.push_back({std::exchange(text_, {}), entry.dumpId});
            return;
        }
        const std::string table =
            identifier(view(entry.namespaceName)) + "." + identifier(entry.name());
        if (options_.disableTriggers) {
            becomeUser({});
            text_ += fmt::format("ALTER TABLE {} DISABLE TRIGGER ALL;\n\n", table);
            becomeOwner(entry);
        }
        text_ += view(entry.copyStmt);
        pieces_.push_back({std::exchange(text_, {}), entry.dumpId});
        if (options_.disableTriggers) {
            becomeUser({});
            text_ += fmt::format("ALTER TABLE {} ENABLE TRIGGER ALL;\n\n", table);
        }
    }

    void printEntry(const TocEntry& entry, std::string_view prefix) {
        becomeOwner(entry);
        selectSchema(entry);
        selectTablespace(entry);
        const bool partitioned = entry.relkind == 'p';
        if (!partitioned) selectAccessMethod(entry);
        printHeader(entry, prefix);
        printDefinition(entry);
        printOwner(entry);
        if (partitioned && !options_.noTableAccessMethod && entry.tableAccessMethod) {
            text_ += fmt::format("ALTER TABLE {}.{} SET ACCESS METHOD {};\n\n",
                                 identifier(view(entry.namespaceName)), identifier(entry.name()),
                                 identifier(*entry.tableAccessMethod));
        }
        // An ACL may hold SET SESSION AUTHORIZATION of its own.
        if (passOf(entry) == Pass::Acl) user_.reset();
    }

    void printHeader(const TocEntry& entry, std::string_view prefix) {
        text_ += fmt::format("--\n-- {}Name: {}; Type: {}; Schema: {}; Owner: {}", prefix,
                             oneLine(entry.tag, false), entry.description(),
                             oneLine(entry.namespaceName, true),
                             options_.noOwner ? "-" : oneLine(entry.owner, true));
        if (!view(entry.tablespace).empty() && !options_.noTablespaces) {
            text_ += "; Tablespace: " + oneLine(entry.tablespace, false);
        }
        text_ += "\n--\n\n";
    }

    void printDefinition(const TocEntry& entry) {
        const std::string_view defn = view(entry.defn);
        const std::string_view desc = entry.description();
        if (options_.noOwner && desc == "SCHEMA" && !defn.starts_with("--")) {
            text_ += fmt::format("CREATE SCHEMA {};\n\n\n", identifier(entry.name()));
        } else if (desc == "BLOB METADATA") {
            perObject(entry, "SELECT pg_catalog.lo_create('", "')");
        } else if (desc == "ACL" && entry.name().starts_with("LARGE OBJECTS")) {
            grantPerObject(entry);
        } else if (!defn.empty()) {
            text_.append(defn).append("\n\n");
        }
    }

    void printOwner(const TocEntry& entry) {
        // A comment stands for the creation of "public": its owner has to be set in any case.
        const bool commentOnly =
            entry.description() == "SCHEMA" && view(entry.defn).starts_with("--");
        if (options_.noOwner || (options_.useSetSessionAuthorization && !commentOnly)) return;
        if (view(entry.owner).empty() || view(entry.dropStmt).empty()) return;
        const std::string owner = identifier(*entry.owner);
        if (entry.description() == "BLOB METADATA") {
            perObject(entry, "ALTER LARGE OBJECT ", " OWNER TO " + owner);
            return;
        }
        if (const std::string object = objectDescription(entry); !object.empty()) {
            text_ += fmt::format("ALTER {} OWNER TO {};\n\n", object, owner);
        }
    }

    /// The object as ALTER … OWNER names it; empty if its kind has no owner of its own.
    std::string objectDescription(const TocEntry& entry) const {
        const std::string_view desc = entry.description();
        if (isOneOf(desc, {"COLLATION",
                           "CONVERSION",
                           "DOMAIN",
                           "FOREIGN TABLE",
                           "MATERIALIZED VIEW",
                           "SEQUENCE",
                           "STATISTICS",
                           "TABLE",
                           "TEXT SEARCH DICTIONARY",
                           "TEXT SEARCH CONFIGURATION",
                           "TYPE",
                           "VIEW",
                           "DATABASE",
                           "PROCEDURAL LANGUAGE",
                           "SCHEMA",
                           "EVENT TRIGGER",
                           "FOREIGN DATA WRAPPER",
                           "SERVER",
                           "PUBLICATION",
                           "SUBSCRIPTION"})) {
            std::string text = std::string(desc) + " ";
            if (!view(entry.namespaceName).empty()) {
                text += identifier(*entry.namespaceName) + ".";
            }
            return text + identifier(entry.name());
        }
        if (desc == "BLOB") return fmt::format("LARGE OBJECT {}", entry.name());
        if (isOneOf(desc, {"AGGREGATE", "FUNCTION", "OPERATOR", "OPERATOR CLASS", "OPERATOR FAMILY",
                           "PROCEDURE"})) {
            // Arguments and access method stand in the DROP statement, behind "DROP ".
            std::string_view text = view(entry.dropStmt);
            text.remove_prefix(std::min<std::size_t>(5, text.size()));
            while (text.ends_with('\n') || text.ends_with(';')) text.remove_suffix(1);
            return std::string(text);
        }
        return {};
    }

    /// One statement for each object of a BLOB METADATA entry, whose definition is lines of OIDs.
    void perObject(const TocEntry& metadata, std::string_view before, std::string_view behind) {
        std::string_view lines = view(metadata.defn);
        for (std::size_t end; (end = lines.find('\n')) != std::string_view::npos;) {
            text_.append(before).append(lines.substr(0, end)).append(behind).append(";\n");
            lines.remove_prefix(end + 1);
        }
        text_ += "\n";
    }

    /// The ACL of a group is written for its first object; it goes for each.
    void grantPerObject(const TocEntry& acl) {
        constexpr std::string_view kMark = "LARGE OBJECT ";
        const TocEntry* metadata =
            acl.dependencies.empty() ? nullptr : toc_.find(acl.dependencies.front());
        if (metadata == nullptr) return;
        const std::string_view text = view(acl.defn);
        std::string before;
        std::size_t begin = 0;
        std::size_t behind = 0;
        bool quoted = false;
        for (std::size_t at = 0; at < text.size();) {
            if (text[at] == '"') quoted = !quoted;
            if (!quoted && text.substr(at).starts_with(kMark)) {
                at += kMark.size();
                before = text.substr(begin, at - begin);
                while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
                behind = at;
            } else if (!quoted && text[at] == ';') {
                perObject(*metadata, before, text.substr(behind, at - behind));
                ++at;
                while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
                begin = at;
            } else {
                ++at;
            }
        }
    }

    void becomeOwner(const TocEntry& entry) {
        if (options_.noOwner || !options_.useSetSessionAuthorization) return;
        becomeUser(std::string(view(entry.owner)));
    }

    /// Only the user who began, a superuser one hopes, may disable constraint triggers.
    void becomeUser(const std::string& user) {
        if (user_ == user) return;
        user_ = user;
        text_ += user.empty() ? "SET SESSION AUTHORIZATION DEFAULT;\n\n"
                              : fmt::format("SET SESSION AUTHORIZATION {};\n\n", literal(user));
    }

    std::string identifier(std::string_view name) const {
        return options_.quoteAllIdentifiers ? quotedIdentifier(name) : formatIdentifier(name);
    }

    /// Archives before 1.13 rely on a search_path for each entry.
    void selectSchema(const TocEntry& entry) {
        if (searchPath_ || view(entry.namespaceName).empty()) return;
        if (schema_ == *entry.namespaceName) return;
        schema_ = *entry.namespaceName;
        text_ += fmt::format("SET search_path = {}{};\n\n", identifier(*schema_),
                             *schema_ == "pg_catalog" ? "" : ", pg_catalog");
    }

    void selectTablespace(const TocEntry& entry) {
        if (options_.noTablespaces || !entry.tablespace || tablespace_ == entry.tablespace) return;
        tablespace_ = entry.tablespace;
        text_ += fmt::format("SET default_tablespace = {};\n\n",
                             tablespace_->empty() ? "''" : identifier(*tablespace_));
    }

    void selectAccessMethod(const TocEntry& entry) {
        if (options_.noTableAccessMethod || view(entry.tableAccessMethod).empty()) return;
        if (accessMethod_ == entry.tableAccessMethod) return;
        accessMethod_ = entry.tableAccessMethod;
        text_ +=
            fmt::format("SET default_table_access_method = {};\n\n", identifier(*accessMethod_));
    }

    void connectTo(std::string_view database) {
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
            text_ += fmt::format("\\connect -reuse-previous=on {}\n",
                                 identifier("dbname='" + value + "'"));
        }
        if (!options_.restrictKey.empty()) {
            text_ += fmt::format("\\restrict {}\n", options_.restrictKey);
        }
        text_ += "\n";
        user_.reset();
        schema_.reset();
        tablespace_.reset();
        accessMethod_.reset();
        fixedState();
    }

    const Toc& toc_;
    const ScriptOptions& options_;
    std::string_view encoding_;
    bool standardStrings_ = true;
    std::optional<std::string> searchPath_;

    std::string text_;
    std::vector<ScriptPiece> pieces_;
    // What the script's session has been told.
    std::optional<std::string> user_;
    std::optional<std::string> schema_;
    std::optional<std::string> tablespace_;
    std::optional<std::string> accessMethod_;
};

}  // namespace

std::vector<ScriptPiece> renderScript(const Toc& toc, const ScriptOptions& options) {
    return Renderer(toc, options).render();
}

}  // namespace gantry::archive
