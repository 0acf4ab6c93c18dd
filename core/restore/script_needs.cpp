// SPDX-License-Identifier: PostgreSQL
#include "core/restore/script_needs.h"

#include <algorithm>
#include <optional>

namespace gantry::restore {
namespace {

constexpr std::size_t kShown = 60;
constexpr std::string_view kIfNotExists = "IF NOT EXISTS ";
constexpr std::string_view kIfExists = "IF EXISTS ";

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

/// A name, with its schema if it has one, as it is spelled; takes it off.
std::string_view takeName(std::string_view& text) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (!quoted && (text[end] == ' ' || text[end] == ';' || text[end] == '(' ||
                        text[end] == '\n' || text[end] == ',')) {
            break;
        }
    }
    const std::string_view name = text.substr(0, end);
    text.remove_prefix(end);
    return name;
}

/// Without the quotes.
std::string plain(std::string_view name) {
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] != '"') {
            text += name[i];
        } else if (quoted && i + 1 < name.size() && name[i + 1] == '"') {
            text += name[++i];
        } else {
            quoted = !quoted;
        }
    }
    return text;
}

std::string heading(std::string_view statement) {
    statement = statement.substr(0, statement.find_first_of(";\n("));
    if (statement.size() <= kShown) return std::string(statement);
    std::size_t size = kShown;
    while (size > 0 && (static_cast<unsigned char>(statement[size]) & 0xC0U) == 0x80U) --size;
    return std::string(statement.substr(0, size)) + "…";
}

/// "TABLE public.t" of "ALTER TABLE public.t OWNER TO alice;".
std::string ownedObject(std::string_view statement) {
    take(statement, "ALTER ");
    return std::string(statement.substr(0, statement.find(" OWNER TO ")));
}

/// The value of "SET name = value;".
std::optional<std::string> valueOf(std::string_view statement, std::string_view name) {
    if (!take(statement, "SET ") || !take(statement, name) || !take(statement, " = ")) return {};
    if (take(statement, "'")) return std::string(statement.substr(0, statement.find('\'')));
    return plain(takeName(statement));
}

}  // namespace

void ScriptNeeds::add(std::string_view statement) {
    const std::size_t begin = statement.find_first_not_of(" \n\t\r");
    if (begin == std::string_view::npos) return;
    statement.remove_prefix(begin);
    if (statement.starts_with("SET ")) {
        addSetting(statement);
    } else if (statement.starts_with("CREATE ")) {
        addCreated(statement);
    } else if (statement.starts_with("DROP ")) {
        for (const std::string_view kind :
             {"TABLE ", "VIEW ", "MATERIALIZED VIEW ", "SEQUENCE ", "FOREIGN TABLE "}) {
            std::string_view rest = statement.substr(std::string_view("DROP ").size());
            if (!take(rest, kind)) continue;
            take(rest, kIfExists);
            dropped_.insert(plain(takeName(rest)));
        }
    }
    addRoles(statement);
}

void ScriptNeeds::addSetting(std::string_view statement) {
    if (const auto name = valueOf(statement, "default_tablespace"); name && !name->empty()) {
        found_.tablespaces[*name].push_back("what follows " + heading(statement));
    }
    if (const auto encoding = valueOf(statement, "client_encoding"); encoding && !elsewhere_) {
        found_.encoding = *encoding;
    }
}

void ScriptNeeds::addCreated(std::string_view statement) {
    std::string_view rest = statement.substr(std::string_view("CREATE ").size());
    take(rest, "UNLOGGED ");
    if (take(rest, "EXTENSION ")) {
        take(rest, kIfNotExists);
        const std::string_view name = takeName(rest);
        found_.extensions[plain(name)].push_back("EXTENSION " + plain(name));
    } else if (take(rest, "ROLE ") || take(rest, "USER ")) {
        roles_.insert(plain(takeName(rest)));
    } else if (take(rest, "TABLESPACE ")) {
        tablespaces_.insert(plain(takeName(rest)));
    } else if (elsewhere_) {
        return;
    } else if (take(rest, "SCHEMA ")) {
        if (!rest.starts_with(kIfNotExists)) found_.newSchemas.push_back(plain(takeName(rest)));
    } else if (take(rest, "TABLE ") || take(rest, "VIEW ") || take(rest, "MATERIALIZED VIEW ") ||
               take(rest, "FOREIGN TABLE ") || take(rest, "SEQUENCE ")) {
        if (rest.starts_with(kIfNotExists)) return;
        std::string name = plain(takeName(rest));
        if (!dropped_.contains(name)) found_.newRelations.push_back(std::move(name));
    }
}

void ScriptNeeds::addRoles(std::string_view statement) {
    const bool owns =
        statement.starts_with("ALTER ") && statement.find(" OWNER TO ") != std::string_view::npos;
    const bool grants = statement.starts_with("GRANT ") || statement.starts_with("REVOKE ") ||
                        statement.starts_with("ALTER DEFAULT PRIVILEGES ") ||
                        statement.starts_with("CREATE POLICY ") ||
                        statement.starts_with("CREATE USER MAPPING ") ||
                        statement.starts_with("SET SESSION AUTHORIZATION ");
    if (!owns && !grants) return;
    for (const std::string& role : rolesNamedIn(statement)) {
        auto& names = owns ? found_.owners[role] : found_.grantees[role];
        names.push_back(owns ? ownedObject(statement) : heading(statement));
    }
}

ArchiveNeeds ScriptNeeds::needs() const {
    ArchiveNeeds needs = found_;
    needs.isScript = true;
    for (const std::string& role : roles_) {
        needs.owners.erase(role);
        needs.grantees.erase(role);
    }
    for (const std::string& tablespace : tablespaces_) needs.tablespaces.erase(tablespace);
    return needs;
}

}  // namespace gantry::restore
