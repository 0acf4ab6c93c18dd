// SPDX-License-Identifier: PostgreSQL
#include "core/archive/entry_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/identifier.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry::archive {
namespace {

constexpr int kTransactionTimeoutServer = 17;

std::string literal(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') quoted += '\'';
        quoted += c;
    }
    return quoted + "'";
}

/// DROP with IF EXISTS put in where the statement takes it.
std::string withIfExists(const TocEntry& entry) {
    constexpr std::string_view kAlterTable = "ALTER TABLE";
    const std::string_view desc = entry.description();
    std::string_view statement = viewOf(entry.dropStmt);
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

/// One statement for each object of a BLOB METADATA entry, whose definition is lines of OIDs.
std::string perObject(const TocEntry& metadata, std::string_view before, std::string_view behind) {
    std::string text;
    std::string_view lines = viewOf(metadata.defn);
    for (std::size_t end; (end = lines.find('\n')) != std::string_view::npos;) {
        text.append(before).append(lines.substr(0, end)).append(behind).append(";\n");
        lines.remove_prefix(end + 1);
    }
    return text + "\n";
}

std::string dropStatement(const TocEntry& entry, bool ifExists) {
    const std::string_view statement = viewOf(entry.dropStmt);
    if (entry.description() == "BLOB METADATA") {
        if (!ifExists) return perObject(entry, "SELECT pg_catalog.lo_unlink('", "')");
        return perObject(entry,
                         "SELECT pg_catalog.lo_unlink(oid) FROM "
                         "pg_catalog.pg_largeobject_metadata WHERE oid = '",
                         "'");
    }
    if (!ifExists || statement.starts_with("--") || statement.empty()) {
        return std::string(statement);
    }
    if (entry.description() == "BLOB") {
        return fmt::format(
            "SELECT pg_catalog.lo_unlink(oid) FROM pg_catalog.pg_largeobject_metadata "
            "WHERE oid = '{}';\n",
            entry.catalogOid.value);
    }
    return withIfExists(entry);
}

void put(Statements& out, std::string statement) {
    if (!statement.empty()) out.push_back(std::move(statement));
}

}  // namespace

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

bool isOfDatabase(const TocEntry& entry) {
    return isOneOf(entry.description(), {"DATABASE", "DATABASE PROPERTIES"});
}

bool isViaRoot(const TocEntry& entry) {
    return entry.defn && entry.defn->starts_with("-- load via partition root ");
}

EntryStatements::EntryStatements(const Toc& toc, const ScriptOptions& options)
    : toc_(toc), options_(options) {
    for (const TocEntry& entry : toc.entries) {
        if (entry.description() == "ENCODING") encoding_ = viewOf(entry.defn);
        if (entry.description() == "STDSTRINGS") {
            standardStrings_ = viewOf(entry.defn).find("'off'") == std::string_view::npos;
        }
        if (entry.description() == "SEARCHPATH") searchPath_ = entry.defn;
    }
}

std::string EntryStatements::settings(int serverMajor) const {
    std::string text =
        "SET statement_timeout = 0;\nSET lock_timeout = 0;\n"
        "SET idle_in_transaction_session_timeout = 0;\n";
    if (serverMajor >= kTransactionTimeoutServer) text += "SET transaction_timeout = 0;\n";
    text += encoding_;
    text += fmt::format("SET standard_conforming_strings = {};\n", standardStrings_ ? "on" : "off");
    text += searchPath_.value_or("");
    text +=
        "SET check_function_bodies = false;\nSET xmloption = content;\n"
        "SET client_min_messages = warning;\n";
    if (!standardStrings_) text += "SET escape_string_warning = off;\n";
    text +=
        options_.enableRowSecurity ? "SET row_security = on;\n\n" : "SET row_security = off;\n\n";
    return text;
}

void EntryStatements::prepare(const TocEntry& entry, Statements& out) {
    prepareRows(entry, out);
    selectTablespace(entry, out);
    if (entry.relkind != 'p') selectAccessMethod(entry, out);
}

void EntryStatements::prepareRows(const TocEntry& entry, Statements& out) {
    becomeOwner(entry, out);
    selectSchema(entry, out);
}

void EntryStatements::define(const TocEntry& entry, Statements& out) {
    create(entry, out);
    giveOwner(entry, out);
    if (entry.relkind == 'p' && !options_.noTableAccessMethod && entry.tableAccessMethod) {
        put(out, fmt::format("ALTER TABLE {} SET ACCESS METHOD {};\n\n", qualified(entry),
                             identifier(*entry.tableAccessMethod)));
    }
    // An ACL may hold SET SESSION AUTHORIZATION of its own.
    if (passOf(entry) == Pass::Acl) user_.reset();
}

void EntryStatements::create(const TocEntry& entry, Statements& out) {
    put(out, definition(entry));
}

void EntryStatements::giveOwner(const TocEntry& entry, Statements& out) {
    put(out, ownership(entry));
}

void EntryStatements::drop(const TocEntry& entry, Statements& out) {
    prepareRows(entry, out);
    put(out, dropStatement(entry, options_.ifExists));
}

void EntryStatements::disableTriggers(const TocEntry& entry, std::string_view superuser,
                                      Statements& out) {
    becomeUser(superuser, out);
    put(out, fmt::format("ALTER TABLE {} DISABLE TRIGGER ALL;\n\n", qualified(entry)));
}

void EntryStatements::enableTriggers(const TocEntry& entry, std::string_view superuser,
                                     Statements& out) {
    becomeUser(superuser, out);
    put(out, fmt::format("ALTER TABLE {} ENABLE TRIGGER ALL;\n\n", qualified(entry)));
}

void EntryStatements::forget() {
    user_.reset();
    schema_.reset();
    tablespace_.reset();
    accessMethod_.reset();
}

std::string EntryStatements::definition(const TocEntry& entry) const {
    const std::string_view defn = viewOf(entry.defn);
    const std::string_view desc = entry.description();
    if (options_.noOwner && desc == "SCHEMA" && !defn.starts_with("--")) {
        return fmt::format("CREATE SCHEMA {};\n\n\n", identifier(entry.name()));
    }
    if (desc == "BLOB METADATA") return perObject(entry, "SELECT pg_catalog.lo_create('", "')");
    if (desc == "ACL" && entry.name().starts_with("LARGE OBJECTS")) return grantPerObject(entry);
    return defn.empty() ? std::string() : std::string(defn) + "\n\n";
}

std::string EntryStatements::ownership(const TocEntry& entry) const {
    // A comment stands for the creation of "public": its owner has to be set in any case.
    const bool commentOnly =
        entry.description() == "SCHEMA" && viewOf(entry.defn).starts_with("--");
    if (options_.noOwner || (options_.useSetSessionAuthorization && !commentOnly)) return {};
    if (viewOf(entry.owner).empty() || viewOf(entry.dropStmt).empty()) return {};
    const std::string owner = identifier(*entry.owner);
    if (entry.description() == "BLOB METADATA") {
        return perObject(entry, "ALTER LARGE OBJECT ", " OWNER TO " + owner);
    }
    const std::string object = objectDescription(entry);
    return object.empty() ? std::string() : fmt::format("ALTER {} OWNER TO {};\n\n", object, owner);
}

/// The object as ALTER … OWNER names it; empty if its kind has no owner of its own.
std::string EntryStatements::objectDescription(const TocEntry& entry) const {
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
        if (!viewOf(entry.namespaceName).empty()) {
            text += identifier(*entry.namespaceName) + ".";
        }
        return text + identifier(entry.name());
    }
    if (desc == "BLOB") return fmt::format("LARGE OBJECT {}", entry.name());
    if (isOneOf(desc, {"AGGREGATE", "FUNCTION", "OPERATOR", "OPERATOR CLASS", "OPERATOR FAMILY",
                       "PROCEDURE"})) {
        // Arguments and access method stand in the DROP statement, behind "DROP ".
        std::string_view text = viewOf(entry.dropStmt);
        text.remove_prefix(std::min<std::size_t>(5, text.size()));
        while (text.ends_with('\n') || text.ends_with(';')) text.remove_suffix(1);
        return std::string(text);
    }
    if (isOneOf(desc, {"CAST", "CHECK CONSTRAINT", "CONSTRAINT", "DATABASE PROPERTIES", "DEFAULT",
                       "FK CONSTRAINT", "INDEX", "RULE", "TRIGGER", "ROW SECURITY", "POLICY",
                       "USER MAPPING"})) {
        return {};
    }
    throw Error(ErrorKind::Format,
                fmt::format("there is no known way to set the owner of a {}", desc),
                entry.qualifiedName(),
                "Leave owners out (--no-owner), or restore the archive with "
                "pg_restore of the version that wrote it.");
}

std::string EntryStatements::identifier(std::string_view name) const {
    return options_.quoteAllIdentifiers ? quotedIdentifier(name) : formatIdentifier(name);
}

std::string EntryStatements::qualified(const TocEntry& entry) const {
    return identifier(viewOf(entry.namespaceName)) + "." + identifier(entry.name());
}

/// The ACL of a group is written for its first object; it goes for each.
std::string EntryStatements::grantPerObject(const TocEntry& acl) const {
    constexpr std::string_view kMark = "LARGE OBJECT ";
    const TocEntry* metadata =
        acl.dependencies.empty() ? nullptr : toc_.find(acl.dependencies.front());
    if (metadata == nullptr) return {};
    const std::string_view text = viewOf(acl.defn);
    std::string statements;
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
            statements += perObject(*metadata, before, text.substr(behind, at - behind));
            ++at;
            while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
            begin = at;
        } else {
            ++at;
        }
    }
    return statements;
}

void EntryStatements::becomeOwner(const TocEntry& entry, Statements& out) {
    if (options_.noOwner || !options_.useSetSessionAuthorization) return;
    becomeUser(viewOf(entry.owner), out);
}

void EntryStatements::becomeOneself(Statements& out) {
    if (!options_.noOwner && options_.useSetSessionAuthorization) becomeUser({}, out);
}

/// An empty name: whoever runs the statements.
void EntryStatements::becomeUser(std::string_view user, Statements& out) {
    if (user_ == user) return;
    user_ = user;
    put(out,
        fmt::format("SET SESSION AUTHORIZATION {};\n\n", user.empty() ? "DEFAULT" : literal(user)));
}

/// Archives before 1.13 rely on a search_path for each entry.
void EntryStatements::selectSchema(const TocEntry& entry, Statements& out) {
    if (searchPath_ || viewOf(entry.namespaceName).empty()) return;
    if (schema_ == *entry.namespaceName) return;
    schema_ = *entry.namespaceName;
    put(out, fmt::format("SET search_path = {}{};\n\n", identifier(*schema_),
                         *schema_ == "pg_catalog" ? "" : ", pg_catalog"));
}

void EntryStatements::selectTablespace(const TocEntry& entry, Statements& out) {
    if (options_.noTablespaces || !entry.tablespace || tablespace_ == entry.tablespace) return;
    tablespace_ = entry.tablespace;
    put(out, fmt::format("SET default_tablespace = {};\n\n",
                         tablespace_->empty() ? "''" : identifier(*tablespace_)));
}

void EntryStatements::selectAccessMethod(const TocEntry& entry, Statements& out) {
    if (options_.noTableAccessMethod || viewOf(entry.tableAccessMethod).empty()) return;
    if (accessMethod_ == entry.tableAccessMethod) return;
    accessMethod_ = entry.tableAccessMethod;
    put(out, fmt::format("SET default_table_access_method = {};\n\n", identifier(*accessMethod_)));
}

}  // namespace gantry::archive
