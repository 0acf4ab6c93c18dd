// SPDX-License-Identifier: PostgreSQL
#include "core/restore/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "core/archive/entry_statements.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/pg/name_pattern.h"
#include "core/restore/entry_list.h"

namespace gantry::restore {
namespace {

using archive::Section;
using archive::TocEntry;
using options::RestoreContent;
using options::RestoreSelection;

/// psql's patterns of tables whose rows stay behind; a name as it is written counts, too.
class ExcludedRows {
public:
    ExcludedRows(const archive::Toc& toc, const std::vector<std::string>& patterns) {
        for (const std::string& text : patterns) {
            const auto isIt = [&text](const TocEntry& e) {
                return e.description() == "TABLE DATA" &&
                       (text == e.name() || text == e.qualifiedName());
            };
            if (std::any_of(toc.entries.begin(), toc.entries.end(), isIt)) {
                patterns_.push_back({.text = text, .schema = {}, .name = {}});
                continue;
            }
            constexpr int kSchemaAndName = 2;
            const pg::NamePattern parts = pg::parseNamePattern(text, kSchemaAndName + 1);
            Pattern pattern{.text = text, .schema = {}, .name = {}};
            if (parts.database && parts.database != toc.databaseName) {
                patterns_.push_back(std::move(pattern));  // of another one: without effect
                continue;
            }
            try {
                pattern.name = std::regex(parts.name);
                if (parts.schema) pattern.schema = std::regex(*parts.schema);
            } catch (const std::regex_error&) {
                throw Error(ErrorKind::Usage, "it is no pattern of names", text,
                            "Put names with special characters in double quotes.");
            }
            patterns_.push_back(std::move(pattern));
        }
    }
    bool has(const TocEntry& rows) {
        const std::string name(rows.name());
        const std::string schema(viewOf(rows.namespaceName));
        bool found = false;
        for (Pattern& p : patterns_) {
            const bool hit = p.text == name || p.text == rows.qualifiedName() ||
                             (p.name && std::regex_match(name, *p.name) &&
                              (!p.schema || std::regex_match(schema, *p.schema)));
            p.met = p.met || hit;
            found = found || hit;
        }
        return found;
    }
    void addUnmet(std::vector<std::string>& into) const {
        for (const Pattern& p : patterns_) {
            if (!p.met) into.push_back("--exclude-table-data=" + p.text);
        }
    }

private:
    struct Pattern {
        std::string text;
        std::optional<std::regex> schema;
        std::optional<std::regex> name;  ///< empty: what is called exactly so
        bool met = false;
    };
    std::vector<Pattern> patterns_;
};

bool isOfItsOwn(const TocEntry& entry) {
    return !isOneOf(entry.description(),
                    {"ACL", "COMMENT", "SECURITY LABEL", "TABLE DATA", "SEQUENCE SET",
                     "MATERIALIZED VIEW DATA", "STATISTICS DATA", "DEFAULT"});
}

/// " (it has function \"f(integer)\")": what somebody may have meant who named what is not there.
std::string meantBy(const archive::Toc& toc, std::string_view name) {
    constexpr std::size_t kMost = 3;
    const std::string wanted = lowered(name);
    std::vector<std::string> near;
    for (const TocEntry& entry : toc.entries) {
        const std::string tag = lowered(entry.name());
        // Functions bear their arguments; triggers, constraints and the like follow their table.
        if (tag != wanted && !tag.starts_with(wanted + "(") && !tag.ends_with(" " + wanted))
            continue;
        if (!isOfItsOwn(entry)) continue;
        near.push_back(fmt::format("{} \"{}\"", lowered(entry.description()), entry.name()));
        if (near.size() == kMost) break;
    }
    return near.empty() ? "" : fmt::format(" (it has {})", fmt::join(near, ", "));
}

/// WantedNames to include of one kind, with a note of which were met.
class WantedNames {
public:
    WantedNames(std::string_view kind, const std::vector<std::string>& names) : kind_(kind) {
        for (const std::string& name : names) met_.emplace(name, false);
    }
    bool empty() const { return met_.empty(); }
    bool has(std::string_view name) {
        const auto found = met_.find(name);
        if (found == met_.end()) return false;
        found->second = true;
        return true;
    }
    void addUnmet(std::string_view option, std::vector<std::string>& into) const {
        for (const auto& [name, met] : met_) {
            if (!met) into.push_back(fmt::format("{}={}", option, name));
        }
    }
    void addUnmatched(const archive::Toc& toc, std::vector<std::string>& into) const {
        for (const auto& [name, met] : met_) {
            if (!met) into.push_back(fmt::format("{} \"{}\"{}", kind_, name, meantBy(toc, name)));
        }
    }

private:
    std::string_view kind_;
    std::map<std::string, bool, std::less<>> met_;
};

class Chooser {
public:
    Chooser(const archive::Toc& toc, const options::RestoreOptions& options)
        : toc_(toc),
          content_(options.content),
          selection_(withFilters(options.selection)),
          excludedRows_(toc, selection_.excludeTableData),
          schemas_("schema", selection_.schemas),
          excludedSchemas_("schema", selection_.excludeSchemas),
          tables_("table", selection_.tables),
          indexes_("index", selection_.indexes),
          functions_("function", selection_.functions),
          triggers_("trigger", selection_.triggers) {}

    Choice run() {
        Choice choice;
        orderEntries(choice.order);
        Section section = Section::PreData;
        for (const TocEntry* entry : choice.order) {
            if (entry->section != Section::None) section = entry->section;
            const Wanted wanted = decide(*entry, section);
            if (wanted.any()) kept_.insert(entry->dumpId);
            if (wanted.definition) choice.dataOnly = false;
            choice.wanted.push_back(wanted);
        }
        for (const WantedNames* names : {&schemas_, &tables_, &indexes_, &functions_, &triggers_}) {
            names->addUnmatched(toc_, choice.unmatched);
        }
        excludedSchemas_.addUnmet("--exclude-schema", choice.unmetExclusions);
        excludedRows_.addUnmet(choice.unmetExclusions);
        return choice;
    }

private:
    static RestoreSelection withFilters(RestoreSelection selection) {
        for (const auto& file : selection.filterFiles) readFilter(file, selection);
        return selection;
    }

    // With a list, what it names comes last, in its order; the rest stays before it, unwanted.
    void orderEntries(std::vector<const TocEntry*>& order) {
        for (const TocEntry& entry : toc_.entries) order.push_back(&entry);
        if (selection_.listFile.empty()) return;
        listed_.emplace();
        std::vector<const TocEntry*> last;
        for (const DumpId id : readEntryList(selection_.listFile)) {
            const TocEntry* entry = toc_.find(id);
            if (entry == nullptr) {
                throw Error(ErrorKind::Usage, fmt::format("the archive has no entry {}", id.value),
                            selection_.listFile.string(),
                            "Make the list of this archive: gantryctl list PATH.");
            }
            if (listed_->insert(id).second) last.push_back(entry);
        }
        std::erase_if(order,
                      [&](const TocEntry* entry) { return listed_->contains(entry->dumpId); });
        order.insert(order.end(), last.begin(), last.end());
    }

    Wanted decide(const TocEntry& entry, Section section) {
        const std::string_view desc = entry.description();
        // The session's settings come from these; they are no work.
        if (isOneOf(desc, {"ENCODING", "STDSTRINGS", "SEARCHPATH"})) return {};
        if (isOneOf(desc, {"DATABASE", "DATABASE PROPERTIES"})) {
            return {.definition = content_.create};
        }
        if (isObsolete(entry) || isLeftOut(entry) || !isInSection(section) || !isListed(entry) ||
            !isSelected(entry)) {
            return {};
        }
        if (desc == "STATISTICS DATA") return {.statistics = content_.wantsStatistics()};
        return partsOf(entry);
    }

    static bool isObsolete(const TocEntry& entry) {
        return entry.description() == "<Init>" && entry.name() == "Max OID";
    }

    /// The --no-… options.
    bool isLeftOut(const TocEntry& entry) const {
        const std::string_view desc = entry.description();
        const RestoreContent& c = content_;
        const bool comment = desc == "COMMENT";
        const bool label = desc == "SECURITY LABEL";
        const auto isAbout = [&](std::string_view kind) { return entry.name().starts_with(kind); };
        if (c.noPrivileges && isOneOf(desc, {"ACL", "ACL LANGUAGE", "DEFAULT ACL"})) return true;
        if (c.noComments && comment) return true;
        if (c.noSecurityLabels && label) return true;
        if (c.noPolicies &&
            (isOneOf(desc, {"POLICY", "ROW SECURITY"}) || (comment && isAbout("POLICY")))) {
            return true;
        }
        if (c.noPublications &&
            (desc.starts_with("PUBLICATION") || ((comment || label) && isAbout("PUBLICATION")))) {
            return true;
        }
        return c.noSubscriptions && (desc.starts_with("SUBSCRIPTION") ||
                                     ((comment || label) && isAbout("SUBSCRIPTION")));
    }

    bool isInSection(Section section) const {
        if (content_.sections.empty()) return true;
        const std::string_view name = section == Section::PreData ? "pre-data"
                                      : section == Section::Data  ? "data"
                                                                  : "post-data";
        return std::find(content_.sections.begin(), content_.sections.end(), name) !=
               content_.sections.end();
    }

    bool isListed(const TocEntry& entry) const {
        return !listed_ || listed_->contains(entry.dumpId);
    }

    bool isSelected(const TocEntry& entry) {
        const std::string_view desc = entry.description();
        if (isOneOf(desc, {"ACL", "COMMENT", "SECURITY LABEL"})) {
            if (entry.name().starts_with("DATABASE ")) return content_.create;
            const bool selective = !selection_.schemas.empty() ||
                                   !selection_.excludeSchemas.empty() || selection_.byKind();
            return !selective || hasKeptParent(entry);
        }
        const std::string schema = entry.namespaceName.value_or("");
        if (!schemas_.empty() && (schema.empty() || !schemas_.has(schema))) return false;
        if (!schema.empty() && excludedSchemas_.has(schema)) return false;
        return !selection_.byKind() || isSelectedByKind(entry);
    }

    /// What is attached to an object comes along with it. A column's privileges also depend on the
    /// table's, which is no parent.
    bool hasKeptParent(const TocEntry& entry) const {
        return std::any_of(entry.dependencies.begin(), entry.dependencies.end(), [&](DumpId id) {
            if (!kept_.contains(id)) return false;
            const TocEntry* parent = toc_.find(id);
            return parent != nullptr && parent->description() != "ACL";
        });
    }

    bool isSelectedByKind(const TocEntry& entry) {
        const std::string_view desc = entry.description();
        if (isOneOf(desc, {"TABLE", "TABLE DATA", "VIEW", "FOREIGN TABLE", "MATERIALIZED VIEW",
                           "MATERIALIZED VIEW DATA", "SEQUENCE", "SEQUENCE SET"})) {
            return tables_.has(entry.name());
        }
        if (desc == "INDEX") return indexes_.has(entry.name());
        if (isOneOf(desc, {"FUNCTION", "AGGREGATE", "PROCEDURE"})) {
            return functions_.has(entry.name());
        }
        if (desc == "STATISTICS DATA") return isAboutSelected(entry);
        return desc == "TRIGGER" && triggers_.has(entry.name());
    }

    /// Statistics go by the name of their table or index, even where that itself stays out.
    bool isAboutSelected(const TocEntry& statistics) {
        return std::any_of(
            statistics.dependencies.begin(), statistics.dependencies.end(), [&](DumpId id) {
                const TocEntry* parent = toc_.find(id);
                return parent != nullptr &&
                       isOneOf(parent->description(),
                               {"TABLE", "VIEW", "FOREIGN TABLE", "MATERIALIZED VIEW", "INDEX"}) &&
                       isSelectedByKind(*parent);
            });
    }

    Wanted partsOf(const TocEntry& entry) {
        const std::string_view desc = entry.description();
        Wanted wanted{.definition = true, .data = true};
        if (!entry.hadDumper) {
            const bool ofLargeObject = isOneOf(desc, {"ACL", "COMMENT", "SECURITY LABEL"}) &&
                                       entry.name().starts_with("LARGE OBJECT");
            const bool isData =
                ofLargeObject || isOneOf(desc, {"SEQUENCE SET", "BLOB", "BLOB METADATA"});
            wanted = {.definition = !isData, .data = isData};
        }
        if (!entry.defn || entry.defn->empty() || archive::isViaRoot(entry)) {
            wanted.definition = false;
        }
        wanted.data = wanted.data && content_.wantsData() && !isDataExcluded(entry);
        wanted.definition = wanted.definition && content_.wantsSchema();
        return wanted;
    }

    bool isDataExcluded(const TocEntry& entry) {
        return entry.description() == "TABLE DATA" && excludedRows_.has(entry);
    }

    const archive::Toc& toc_;
    const RestoreContent& content_;
    const RestoreSelection selection_;
    ExcludedRows excludedRows_;
    WantedNames schemas_;
    WantedNames excludedSchemas_;
    WantedNames tables_;
    WantedNames indexes_;
    WantedNames functions_;
    WantedNames triggers_;
    std::optional<std::set<DumpId>> listed_;
    std::set<DumpId> kept_;
};

}  // namespace

Choice choose(const archive::Toc& toc, const options::RestoreOptions& options) {
    return Chooser(toc, options).run();
}

}  // namespace gantry::restore
