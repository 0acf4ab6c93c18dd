// SPDX-License-Identifier: PostgreSQL
#include "core/restore/archive_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/restore/definition_words.h"
#include "core/restore/restore_plan.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

/// A word of SQL; comments are none, and what blanks or other signs lie between is not told.
struct Token {
    enum class Kind { Word, Name, Text, Sign } kind = Kind::Sign;
    std::string text;     ///< a word in upper case, a quoted name or literal without its quotes
    std::string name;     ///< as an identifier
    bool inside = false;  ///< of parentheses
};

bool isWordCharacter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view sql) : sql_(sql) {}

    std::vector<Token> run() {
        while (at_ < sql_.size()) {
            const char c = sql_[at_];
            const std::string_view rest = sql_.substr(at_);
            if (rest.starts_with("--")) {
                at_ = std::min(sql_.find('\n', at_), sql_.size());
            } else if (rest.starts_with("/*")) {
                at_ = std::min(sql_.find("*/", at_ + 2), sql_.size() - 2) + 2;
            } else if (c == '"' || c == '\'') {
                takeQuoted(c);
            } else if (const std::string_view tag = dollarQuote(rest); !tag.empty()) {
                const std::size_t begin = at_ + tag.size();
                const std::size_t end = std::min(sql_.find(tag, begin), sql_.size());
                add(Token::Kind::Text, std::string(sql_.substr(begin, end - begin)));
                at_ = std::min(end + tag.size(), sql_.size());
            } else if (isWordCharacter(c)) {
                takeWord();
            } else {
                takeSign(c);
            }
        }
        return std::move(found_);
    }

private:
    void add(Token::Kind kind, std::string text) {
        std::string name = text;
        found_.push_back({kind, std::move(text), std::move(name), depth_ > 0});
    }
    void takeQuoted(char quote) {
        std::string text;
        for (++at_; at_ < sql_.size(); ++at_) {
            if (sql_[at_] == quote && !sql_.substr(++at_).starts_with(quote)) break;
            text += sql_[at_];
        }
        add(quote == '"' ? Token::Kind::Name : Token::Kind::Text, std::move(text));
    }
    void takeWord() {
        const std::size_t begin = at_;
        while (at_ < sql_.size() && isWordCharacter(sql_[at_])) ++at_;
        add(Token::Kind::Word, std::string(sql_.substr(begin, at_ - begin)));
        for (char& c : found_.back().text) {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    void takeSign(char c) {
        ++at_;
        if (c == '(') ++depth_;
        if (c == ')') --depth_;
        if (c == ',' || c == ';' || c == '.') add(Token::Kind::Sign, std::string(1, c));
    }

    const std::string_view sql_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<Token> found_;
};

std::vector<Token> tokens(std::string_view sql) { return Tokenizer(sql).run(); }

std::vector<Token> tokensOutside(std::string_view sql) {
    std::vector<Token> found = tokens(sql);
    std::erase_if(found, [](const Token& token) { return token.inside; });
    return found;
}

class RoleFinder {
public:
    explicit RoleFinder(std::string_view sql) : tokens_(tokensOutside(sql)) {}

    std::vector<std::string> run() {
        bool atStart = true;
        bool grants = false;
        bool defaults = false;
        while (at_ < tokens_.size()) {
            if (atStart) {
                defaults = takeWords({"ALTER", "DEFAULT", "PRIVILEGES"});
                const bool other = !defaults && takeOther();
                grants = !other && (defaults || isWord("GRANT") || isWord("REVOKE") ||
                                    takeWords({"CREATE", "POLICY"}));
                atStart = false;
                if (other) continue;
            }
            if (at_ >= tokens_.size()) break;
            if (takeWords({"OWNER", "TO"})) {
                takeNames();
                continue;
            }
            if (tokens_[at_].text == ";" && tokens_[at_].kind == Token::Kind::Sign) atStart = true;
            const bool namesFollow = (grants && (isWord("TO") || isWord("FROM"))) ||
                                     (defaults && (isWord("ROLE") || isWord("USER")));
            ++at_;
            if (namesFollow) takeNames();
        }
        return std::move(roles_);
    }

private:
    bool isWord(std::string_view word) const { return isWordAt(at_, word); }
    bool isWordAt(std::size_t at, std::string_view word) const {
        return at < tokens_.size() && tokens_[at].kind == Token::Kind::Word &&
               tokens_[at].text == word;
    }
    bool takeWords(std::initializer_list<std::string_view> words) {
        std::size_t at = at_;
        for (const std::string_view word : words) {
            if (!isWordAt(at++, word)) return false;
        }
        at_ = at;
        return true;
    }
    bool takeOther() {
        if (!takeWords({"SET", "SESSION", "AUTHORIZATION"}) &&
            !takeWords({"CREATE", "USER", "MAPPING", "FOR"}) && !takeWords({"ALTER", "ROLE"})) {
            return false;
        }
        takeNames();
        return true;
    }
    void takeNames() {
        do {
            if (isWord("GROUP")) ++at_;
            if (at_ == tokens_.size() || tokens_[at_].kind == Token::Kind::Sign) return;
            const Token& token = tokens_[at_++];
            const bool reserved = token.kind == Token::Kind::Word &&
                                  isOneOf(token.text, {"PUBLIC", "DEFAULT", "CURRENT_USER",
                                                       "CURRENT_ROLE", "SESSION_USER", "USER"});
            if (!reserved && std::find(roles_.begin(), roles_.end(), token.name) == roles_.end()) {
                roles_.push_back(token.name);
            }
        } while (at_ < tokens_.size() && tokens_[at_].text == "," && ++at_ < tokens_.size());
    }

    const std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> roles_;
};

/// "name = 'value'" in a definition.
std::optional<std::string> settingIn(std::string_view definition, std::string_view name) {
    const std::string before = std::string(name) + " = ";
    std::size_t at = definition.find(before);
    if (at == std::string_view::npos) return std::nullopt;
    at += before.size();
    const bool quoted = definition.substr(at).starts_with('\'');
    at += quoted ? 1 : 0;
    const std::size_t end = definition.find_first_of(quoted ? "'" : " ,;)", at);
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(definition.substr(at, end - at));
}

/// What only a superuser may create, whatever else he may do.
bool needsSuperuser(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    const std::string_view defn = viewOf(entry.defn);
    const auto has = [&](std::string_view text) {
        return defn.find(text) != std::string_view::npos;
    };
    if (isOneOf(desc, {"EVENT TRIGGER", "FOREIGN DATA WRAPPER", "OPERATOR CLASS", "OPERATOR FAMILY",
                       "ACCESS METHOD", "TEXT SEARCH PARSER", "TEXT SEARCH TEMPLATE"})) {
        return true;
    }
    if (isOneOf(desc, {"FUNCTION", "PROCEDURE"})) {
        return has("\n    LANGUAGE c ") || has("\n    LANGUAGE internal ");
    }
    if (desc == "TYPE") return has("\n    INPUT = ");
    return desc == "PUBLICATION" && has(" FOR ALL TABLES");
}

class Gatherer {
public:
    Gatherer(ArchiveNeeds& needs, const options::RestoreOptions& options)
        : needs_(needs), content_(options.content) {}

    void add(const TocEntry& entry, const Wanted& wanted) {
        const std::string_view desc = entry.description();
        if (desc == "TABLE DATA") return;
        const std::string name = displayName(entry);
        const std::string_view defn = viewOf(entry.defn);
        if (isOneOf(desc, {"ACL", "ACL LANGUAGE", "DEFAULT ACL", "POLICY", "USER MAPPING",
                           "DATABASE PROPERTIES"})) {
            for (const std::string& role : rolesNamedIn(defn)) {
                needs_.grantees[role].push_back(name);
            }
        }
        if (!wanted.definition && !entry.description().starts_with("BLOB")) return;
        addOwner(entry, name);
        if (wanted.definition) addSchema(entry, name);
        if (desc == "EXTENSION") addExtension(entry, name);
        if (!content_.noTablespaces && !viewOf(entry.tablespace).empty()) {
            needs_.tablespaces[*entry.tablespace].push_back(name);
        }
        const std::string_view method = viewOf(entry.tableAccessMethod);
        if (!content_.noTableAccessMethod && !method.empty() && method != "heap") {
            needs_.accessMethods[*entry.tableAccessMethod].push_back(name);
        }
        if (needsSuperuser(entry)) needs_.superuserObjects.push_back(name);
        addLocales(entry, name);
        addCollations(defn, name);
        if (desc == "SCHEMA" && !defn.starts_with("--")) {
            needs_.newSchemas.emplace_back(entry.name());
        }
        if (isOneOf(desc, {"TABLE", "VIEW", "MATERIALIZED VIEW", "FOREIGN TABLE", "SEQUENCE"}) &&
            !defn.empty()) {
            needs_.newRelations.push_back(entry.qualifiedName());
        }
    }

private:
    void addOwner(const TocEntry& entry, const std::string& name) {
        if (content_.noOwner || viewOf(entry.owner).empty() || viewOf(entry.dropStmt).empty())
            return;
        // These have no owner of their own to be set.
        if (isOneOf(entry.description(),
                    {"CAST", "CHECK CONSTRAINT", "CONSTRAINT", "DATABASE PROPERTIES", "DEFAULT",
                     "FK CONSTRAINT", "INDEX", "RULE", "TRIGGER", "ROW SECURITY", "POLICY",
                     "USER MAPPING", "EXTENSION"})) {
            return;
        }
        needs_.owners[*entry.owner].push_back(name);
    }

    /// Privileges and comments only follow their objects.
    void addSchema(const TocEntry& entry, const std::string& name) {
        const std::string_view schema = viewOf(entry.namespaceName);
        if (entry.section == archive::Section::None || schema.empty() ||
            schema.starts_with("pg_") || schema == "information_schema") {
            return;
        }
        needs_.schemas[*entry.namespaceName].push_back(name);
    }

    void addExtension(const TocEntry& entry, const std::string& name) {
        const std::string extension(entry.name());
        needs_.extensions[extension].push_back(name);
        constexpr std::string_view kVersion = " VERSION '";
        const std::string_view defn = viewOf(entry.defn);
        const std::size_t at = defn.find(kVersion);
        if (at == std::string_view::npos) return;
        const std::string_view rest = defn.substr(at + kVersion.size());
        needs_.extensionVersions[extension] = rest.substr(0, rest.find('\''));
    }

    void addLocales(const TocEntry& entry, const std::string& name) {
        const bool database = entry.description() == "DATABASE";
        if (!database && entry.description() != "COLLATION") return;
        const std::string_view defn = viewOf(entry.defn);
        const auto provider = settingIn(defn, database ? "LOCALE_PROVIDER" : "provider");
        if (provider == "icu") needs_.icuObjects["icu"].push_back(name);
        if (!database && provider && provider != "libc") return;
        for (const char* key :
             {"LOCALE", "LC_COLLATE", "LC_CTYPE", "locale", "lc_collate", "lc_ctype"}) {
            const auto locale = settingIn(defn, key);
            if (locale) needs_.libcLocales[*locale].push_back(name);
        }
    }

    void addCollations(std::string_view defn, const std::string& name) {
        if (defn.find("COLLATE ") == std::string_view::npos) return;
        const std::vector<Token> all = tokens(defn);
        const auto is = [&](std::size_t at, Token::Kind kind, std::string_view text) {
            return at < all.size() && all[at].kind == kind && all[at].text == text;
        };
        std::set<std::string_view> seen;
        for (std::size_t at = 0; at < all.size();) {
            if (!is(at++, Token::Kind::Word, "COLLATE")) continue;
            // Where the server itself wrote it, pg_catalog is left out; other schemas never are.
            if (is(at, Token::Kind::Word, "PG_CATALOG") && is(at + 1, Token::Kind::Sign, ".")) {
                at += 2;
            }
            if (at == all.size() || all[at].kind != Token::Kind::Name) continue;
            if (is(at + 1, Token::Kind::Sign, ".")) continue;
            if (seen.insert(all[at].text).second) {
                needs_.collations[all[at].text].push_back(name);
            }
        }
    }

    ArchiveNeeds& needs_;
    const options::RestoreContent& content_;
};

/// True if this restore makes the table, itself or with an extension: what the archive does not
/// define belongs to one, but it does not say to which.
bool isMade(const TocEntry& rows, const std::set<DumpId>& defined, const archive::Toc& toc) {
    bool isDefinedSomewhere = false;
    for (const DumpId id : rows.dependencies) {
        const TocEntry* parent = toc.find(id);
        if (parent == nullptr || parent->description() != "TABLE") continue;
        if (defined.contains(id)) return true;
        isDefinedSomewhere = true;
    }
    return !isDefinedSomewhere &&
           std::any_of(toc.entries.begin(), toc.entries.end(), [&](const TocEntry& entry) {
               return entry.description() == "EXTENSION" && defined.contains(entry.dumpId);
           });
}

/// Takes out what the choice makes itself. A schema that the archive does not define at all may be
/// made by one of its extensions.
void leaveOutOwnSchemas(ArchiveNeeds& needs, const archive::Toc& toc) {
    for (const std::string& schema : needs.newSchemas) needs.schemas.erase(schema);
    if (needs.extensions.empty()) return;
    std::set<std::string_view> defined;
    for (const TocEntry& entry : toc.entries) {
        if (entry.description() == "SCHEMA") defined.insert(entry.name());
    }
    std::erase_if(needs.schemas, [&](const auto& schema) {
        return schema.first != "public" && !defined.contains(schema.first);
    });
}

}  // namespace

std::string nameObjects(const std::vector<std::string>& names, std::string_view one,
                        std::string_view many) {
    return fmt::format("{} {} ({})", formatCount(names.size()), names.size() == 1 ? one : many,
                       firstFew(names));
}

std::vector<std::string> rolesNamedIn(std::string_view statements) {
    return RoleFinder(statements).run();
}

ArchiveNeeds needsOf(const Choice& choice, const DataSizes& sizes, const archive::Toc& toc,
                     const options::RestoreOptions& options) {
    ArchiveNeeds needs;
    needs.disablesTriggers = options.content.disableTriggers && choice.dataOnly;
    Gatherer gatherer(needs, options);
    std::set<DumpId> defined;
    std::vector<std::string> brought;
    for (std::size_t i = 0; i < choice.order.size(); ++i) {
        const TocEntry& entry = *choice.order[i];
        if (entry.description() == "ENCODING") {
            needs.encoding = settingIn(viewOf(entry.defn), "client_encoding").value_or("");
        }
        if (!choice.wanted[i].any()) continue;
        if (entry.description() == "DATABASE") needs.database = entry.name();
        if (choice.wanted[i].definition) {
            defined.insert(entry.dumpId);
            if (entry.description() == "ACCESS METHOD") brought.emplace_back(entry.name());
        }
        gatherer.add(entry, choice.wanted[i]);
        if (!choice.wanted[i].data || !entry.hadDumper) continue;
        needs.bytes += sizeOf(sizes, entry.dumpId).bytes;
        if (entry.description() == "TABLE DATA" && !isMade(entry, defined, toc)) {
            needs.filledTables.push_back(entry.qualifiedName());
        }
    }
    leaveOutOwnSchemas(needs, toc);
    for (const std::string& method : brought) needs.accessMethods.erase(method);
    return needs;
}

}  // namespace gantry::restore
