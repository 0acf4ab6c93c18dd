// SPDX-License-Identifier: PostgreSQL
#include "core/restore/server_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "core/archive/identifier.h"
#include "core/restore/archive_needs.h"
#include "core/restore/definition_words.h"
#include "core/restore/restore_plan.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;
using NamesOf = std::vector<std::string>;

constexpr int kStatisticsCalls = 18;
constexpr int kNotNullOfTables = 18;
constexpr int kMaintainPrivilege = 17;
constexpr int kPartitionedAccessMethod = 17;
constexpr int kLocaleProviders = 15;
constexpr int kCompressionMethods = 14;
constexpr int kLocaleOfDatabase = 13;
constexpr int kParallelStreaming = 16;

/// An option of CREATE SUBSCRIPTION or CREATE PUBLICATION, and the first server that has it.
struct SinceOption {
    std::string_view name;
    int since;
};
constexpr SinceOption kReplicationOptions[] = {{"binary", 14},
                                               {"streaming", 14},
                                               {"two_phase", 15},
                                               {"disable_on_error", 15},
                                               {"password_required", 16},
                                               {"run_as_owner", 16},
                                               {"origin", 16},
                                               {"failover", 17},
                                               {"publish_via_partition_root", 13},
                                               {"publish_generated_columns", 18}};

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Calls `change` for each line; what it returns stays. Line ends within quotes end none.
std::string eachLine(std::string_view text,
                     const std::function<std::string(std::string_view)>& change) {
    const std::string bare = withoutQuoted(text);
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(bare.find('\n', at), text.size() - 1) + 1;
        result += change(text.substr(at, end - at));
        at = end;
    }
    return result;
}

/// A generated column, nothing behind its expression saying that it is stored.
bool hasVirtualColumn(std::string_view definition) {
    constexpr std::string_view kGenerated = " GENERATED ALWAYS AS ";
    for (std::size_t at = 0; (at = definition.find(kGenerated, at)) != std::string_view::npos;) {
        at += kGenerated.size();
        Words words(definition.substr(at));
        if (!words.parentheses().empty() && !words.take("STORED")) return true;
    }
    return false;
}

/// "[CONSTRAINT name] NOT NULL column [NO INHERIT]", a line of CREATE TABLE.
struct NotNull {
    std::string constraint;  ///< "CONSTRAINT name ", or empty
    std::string column;      ///< empty: the line is something else
    bool inherits = true;
};

NotNull notNullOfTable(std::string_view line) {
    if (!line.starts_with("    ")) return {};
    NotNull found;
    Words words(line);
    if (words.take("CONSTRAINT ")) found.constraint = fmt::format("CONSTRAINT {} ", words.name());
    if (!words.take("NOT NULL ")) return {};
    found.column = words.name();
    found.inherits = !words.take("NO INHERIT");
    return found;
}

/// Servers before 18 know NOT NULL of columns alone, which children inherit in any case.
struct OlderTable {
    std::string text;     ///< CREATE TABLE as they take it
    bool checks = false;  ///< NOT NULL that is not inherited is a check in it
};

OlderTable withNotNullOfColumns(const TocEntry& table, std::string_view text) {
    OlderTable older;
    std::string after;
    const auto check = [&](std::string_view column) {
        older.checks = true;
        return fmt::format("CHECK (({} IS NOT NULL)) NO INHERIT", column);
    };
    older.text = eachLine(text, [&](std::string_view line) {
        const std::string_view end = line.ends_with(",\n") ? ",\n" : "\n";
        if (const NotNull found = notNullOfTable(line); !found.column.empty()) {
            if (!found.inherits) {
                return fmt::format("    {}{}{}", found.constraint, check(found.column), end);
            }
            after += fmt::format("ALTER TABLE ONLY {}.{} ALTER COLUMN {} SET NOT NULL;\n",
                                 archive::formatIdentifier(table.namespaceName.value_or("")),
                                 archive::formatIdentifier(table.name()), found.column);
            return std::string();
        }
        constexpr std::string_view kOfColumn = "NOT NULL NO INHERIT";
        std::string_view kept = line.substr(0, line.size() - end.size());
        if (!line.starts_with("    ") || !kept.ends_with(kOfColumn)) return std::string(line);
        kept.remove_suffix(kOfColumn.size());
        return fmt::format("{}{}{}", kept, check(Words(line).name()), end);
    });
    // The last line of a list has no comma behind it.
    const std::size_t last = withoutQuoted(older.text).find(",\n)");
    if (!after.empty() && last != std::string::npos) older.text.erase(last, 1);
    older.text += after;
    return older;
}

/// What fails on servers before `since`, found in definitions of these kinds, without what is
/// quoted in them.
struct Feature {
    int since;
    std::string_view name;
    std::function<bool(const TocEntry&, std::string_view definition)> isUsed;
};

const std::vector<Feature>& features() {
    const auto words = [](std::string_view description, std::string_view text) {
        return [=](const TocEntry& entry, std::string_view definition) {
            return entry.description() == description && has(definition, text);
        };
    };
    static const std::vector<Feature> all{
        {18, "virtual generated columns",
         [](const TocEntry& e, std::string_view text) {
             return e.description() == "TABLE" && hasVirtualColumn(text);
         }},
        {18, "NOT NULL that is not validated",
         [](const TocEntry& e, std::string_view text) {
             return has(e.description(), "CONSTRAINT") && has(text, " NOT NULL ") &&
                    has(text, " NOT VALID");
         }},
        {18, "foreign keys of partitioned tables that are not validated",
         [](const TocEntry& e, std::string_view text) {
             return e.description() == "FK CONSTRAINT" && has(text, " NOT VALID") &&
                    !text.starts_with("ALTER TABLE ONLY ");
         }},
        {18, "default privileges for large objects", words("DEFAULT ACL", " ON LARGE OBJECTS ")},
        {18, "constraints WITHOUT OVERLAPS", words("CONSTRAINT", " WITHOUT OVERLAPS")},
        {18, "foreign keys over periods", words("FK CONSTRAINT", " PERIOD ")},
        {18, "constraints that are not enforced",
         [](const TocEntry& e, std::string_view text) {
             return has(e.description(), "CONSTRAINT") && has(text, " NOT ENFORCED");
         }},
        {17, "event triggers on login", words("EVENT TRIGGER", "ON login")},
        {17, "the locale provider \"builtin\"",
         [](const TocEntry& e, std::string_view text) {
             return (e.description() == "COLLATION" && has(text, "provider = builtin")) ||
                    (e.description() == "DATABASE" && has(text, "LOCALE_PROVIDER = builtin"));
         }},
        {16, "rules of ICU collations", words("COLLATION", ", rules = ")},
        {15, "databases with ICU locales", words("DATABASE", "LOCALE_PROVIDER = icu")},
        {15, "NULLS NOT DISTINCT",
         [](const TocEntry& e, std::string_view text) {
             return (e.description() == "INDEX" || e.description() == "CONSTRAINT") &&
                    has(text, " NULLS NOT DISTINCT");
         }},
        {15, "views with the rights of whoever asks", words("VIEW", "security_invoker=")},
        {15, "publications of whole schemas",
         [](const TocEntry& e, std::string_view) {
             return e.description() == "PUBLICATION TABLES IN SCHEMA";
         }},
        {14, "functions with an SQL-standard body",
         [](const TocEntry& e, std::string_view text) {
             return (e.description() == "FUNCTION" || e.description() == "PROCEDURE") &&
                    has(text, "\n    BEGIN ATOMIC\n");
         }},
    };
    return all;
}

/// GRANT and REVOKE without MAINTAIN; a statement of it alone goes.
std::string withoutMaintain(std::string_view text) {
    return eachLine(text, [](std::string_view line) -> std::string {
        std::string said(line);
        const std::string bare = withoutQuoted(line);
        const std::size_t verb = std::min(bare.find("GRANT "), bare.find("REVOKE "));
        const std::size_t end = verb == std::string::npos ? verb : bare.find(" ON ", verb);
        if (end == std::string::npos) return said;
        for (const std::string_view part : {",MAINTAIN", "MAINTAIN,"}) {
            const std::size_t at = bare.find(part, verb);
            if (at < end) return said.erase(at, part.size());
        }
        return bare.substr(verb, end - verb).ends_with(" MAINTAIN") ? std::string() : said;
    });
}

/// CREATE SUBSCRIPTION or PUBLICATION without the options that the server does not have.
std::string withoutOptions(std::string text, int serverMajor) {
    const std::size_t with = withoutQuoted(text).find(" WITH (");
    if (with == std::string::npos) return text;
    for (const SinceOption& option : kReplicationOptions) {
        if (serverMajor >= option.since) continue;
        const std::string bare = withoutQuoted(text);
        const std::string before = fmt::format(", {} = ", option.name);
        const std::size_t at = bare.find(before, with);
        if (at == std::string::npos) continue;
        text.erase(at, bare.find_first_of(",)", at + before.size()) - at);
    }
    constexpr std::string_view kParallel = "streaming = parallel";
    const std::size_t at = withoutQuoted(text).find(kParallel, with);
    if (serverMajor < kParallelStreaming && at != std::string::npos) {
        text.replace(at, kParallel.size(), "streaming = on");
    }
    return text;
}

/// CREATE DATABASE as servers before 15 and 13 take it.
std::string plainDatabase(std::string text, int serverMajor) {
    constexpr std::string_view kProvider = " LOCALE_PROVIDER = libc";
    constexpr std::string_view kLocale = " LOCALE = ";
    if (const std::size_t at = withoutQuoted(text).find(kProvider); at != std::string::npos) {
        text.erase(at, kProvider.size());
    }
    const std::size_t at = withoutQuoted(text).find(kLocale);
    if (serverMajor >= kLocaleOfDatabase || at == std::string::npos) return text;
    const std::size_t value = at + kLocale.size();
    const std::string locale = text.substr(value, text.find('\'', value + 1) + 1 - value);
    return text.replace(at, kLocale.size() + locale.size(),
                        fmt::format(" LC_COLLATE = {} LC_CTYPE = {}", locale, locale));
}

std::string withoutCompression(std::string_view text) {
    return eachLine(text, [](std::string_view line) {
        const bool drop =
            line.starts_with("ALTER TABLE ONLY ") && has(withoutQuoted(line), " SET COMPRESSION ");
        return drop ? std::string() : std::string(line);
    });
}

class Gatekeeper {
public:
    Gatekeeper(int serverMajor, Choice& choice) : major_(serverMajor), choice_(choice) {}

    ServerGates run() {
        for (std::size_t i = 0; i < choice_.order.size(); ++i) {
            if (choice_.wanted[i].any()) visit(i);
        }
        tell();
        return std::move(gates_);
    }

private:
    void visit(std::size_t i) {
        const TocEntry& entry = *choice_.order[i];
        const std::string_view desc = entry.description();
        if (desc == "STATISTICS DATA") {
            if (major_ >= kStatisticsCalls) return;
            choice_.wanted[i] = {};
            statistics_.push_back(entry.qualifiedName());
            return;
        }
        const std::string text = entry.defn.value_or("");
        if (text.empty()) return;
        const std::string bare = withoutQuoted(text);
        for (const Feature& feature : features()) {
            if (major_ < feature.since && feature.isUsed(entry, bare)) {
                failing_[&feature].push_back(displayName(entry));
            }
        }
        reword(i, desc, text);
    }

    void reword(std::size_t i, std::string_view desc, const std::string& text) {
        std::string said = text;
        NamesOf* told = nullptr;
        if (major_ < kMaintainPrivilege && (desc == "ACL" || desc == "DEFAULT ACL")) {
            said = withoutMaintain(text);
            told = &maintain_;
        } else if (desc == "SUBSCRIPTION" || desc == "PUBLICATION") {
            said = withoutOptions(text, major_);
            told = &options_;
        } else if (major_ < kLocaleProviders && desc == "DATABASE") {
            said = plainDatabase(text, major_);
        } else if (major_ < kNotNullOfTables && desc == "TABLE") {
            OlderTable older = withNotNullOfColumns(*choice_.order[i], text);
            said = std::move(older.text);
            if (older.checks) checks_.push_back(displayName(*choice_.order[i]));
            if (major_ < kCompressionMethods) {
                const std::string plain = withoutCompression(said);
                if (plain != said) told = &compression_;
                said = plain;
            }
        }
        const TocEntry& entry = *choice_.order[i];
        const bool method = major_ < kPartitionedAccessMethod && entry.relkind == 'p' &&
                            !entry.tableAccessMethod.value_or("").empty();
        if (said == text && !method) return;
        if (said != text && told != nullptr) told->push_back(displayName(entry));
        gates_.reworded.push_back(entry);
        gates_.reworded.back().defn = said;
        if (method) {
            gates_.reworded.back().tableAccessMethod.reset();
            methods_.push_back(displayName(entry));
        }
        choice_.order[i] = &gates_.reworded.back();
    }

    void tell() {
        const auto left = [&](const NamesOf& names, std::string what, std::string remedy = {}) {
            if (names.empty()) return;
            gates_.gated.push_back({fmt::format("Server {} does not know {}: left out of {}.",
                                                major_, what, nameObjects(names)),
                                    std::move(remedy), false});
        };
        const auto since = [](std::string_view what, int version) {
            return fmt::format("{} (from {} on)", what, version);
        };
        left(statistics_, since("how to take statistics", kStatisticsCalls),
             "Gather them there: --analyze.");
        left(maintain_, since("the privilege MAINTAIN", kMaintainPrivilege));
        left(options_, "some options of publications and subscriptions");
        left(methods_, since("access methods of partitioned tables", kPartitionedAccessMethod));
        left(compression_, since("compression methods of columns", kCompressionMethods));
        if (!checks_.empty()) {
            gates_.gated.push_back(
                {fmt::format("Server {} does not know NOT NULL that is not inherited (from 18 on): "
                             "a check in {}.",
                             major_, nameObjects(checks_)),
                 {},
                 false});
        }
        for (const Feature& feature : features()) {
            const auto found = failing_.find(&feature);
            if (found == failing_.end()) continue;
            gates_.gated.push_back(
                {fmt::format("Server {} does not know {} (from {} on): {} will fail.", major_,
                             feature.name, feature.since, nameObjects(found->second)),
                 fmt::format("Use a server {} or later, or do without.", feature.since), true});
        }
    }

    const int major_;
    Choice& choice_;
    ServerGates gates_;
    std::map<const Feature*, NamesOf> failing_;
    NamesOf statistics_;
    NamesOf maintain_;
    NamesOf options_;
    NamesOf methods_;
    NamesOf compression_;
    NamesOf checks_;
};

}  // namespace

ServerGates gateFor(int serverMajor, Choice& choice) {
    return Gatekeeper(serverMajor, choice).run();
}

int majorOf(const std::optional<std::string>& version) {
    int major = 0;
    const std::string_view text = version ? std::string_view(*version) : std::string_view();
    std::from_chars(text.data(), text.data() + text.size(), major);
    return major;
}

}  // namespace gantry::restore
