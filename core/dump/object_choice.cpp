// SPDX-License-Identifier: PostgreSQL
#include "core/dump/object_choice.h"

#include <algorithm>
#include <set>

namespace gantry::dump {
namespace {

/// Letters that patterns neither fold nor give a meaning.
bool isPlain(std::string_view name) {
    return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                                std::string_view::npos;
}

void addExact(std::vector<std::string>& patterns, const std::string& schema,
              const std::vector<std::string>& names) {
    for (const std::string& name : names) patterns.push_back(exactPattern(schema, name));
}

void addExact(std::vector<std::string>& patterns, const std::vector<std::string>& names) {
    for (const std::string& name : names) patterns.push_back(exactPattern(name));
}

using Names = std::vector<std::string>;

/// The names of a pattern that matches them alone.
std::optional<Names> readPattern(std::string_view pattern) {
    Names names(1);
    while (!pattern.empty()) {
        if (pattern.front() == '.') {
            names.emplace_back();
            pattern.remove_prefix(1);
        } else if (pattern.front() == '"') {
            const std::size_t end = pattern.find('"', 1);
            if (end == std::string_view::npos) return std::nullopt;
            names.back() += pattern.substr(1, end - 1);
            pattern.remove_prefix(end + 1);
            if (pattern.starts_with('"')) names.back() += '"';  // doubled: the quotes go on
        } else if (isPlain(pattern.substr(0, 1))) {
            names.back() += pattern.front();
            pattern.remove_prefix(1);
        } else {
            return std::nullopt;
        }
    }
    return names;
}

std::optional<std::set<Names>> readPatterns(const std::vector<std::string>& patterns,
                                            std::size_t parts) {
    std::set<Names> read;
    for (const std::string& pattern : patterns) {
        const auto names = readPattern(pattern);
        if (!names || names->size() != parts) return std::nullopt;
        read.insert(*names);
    }
    return read;
}

/// The database but for what is left.
ChosenOptions sayWithout(const ObjectChoice& choice) {
    ChosenOptions chosen;
    options::Selection& s = chosen.selection;
    for (const SchemaChoice& schema : choice.schemas) {
        if (schema.nothing) {
            s.excludeSchemas.push_back(exactPattern(schema.name));
            continue;
        }
        addExact(s.excludeTables, schema.name, schema.left);
        addExact(s.excludeTableData, schema.name, schema.definitionOnly);
    }
    addExact(s.excludeExtensions, choice.extensionsLeft);
    chosen.noLargeObjects = choice.hasLargeObjects && !choice.largeObjects;
    const bool all = s.excludeSchemas.empty() && s.excludeTables.empty() &&
                     s.excludeTableData.empty() && s.excludeExtensions.empty() &&
                     !chosen.noLargeObjects;
    chosen.form = all ? ChoiceForm::Everything : ChoiceForm::Without;
    return chosen;
}

/// Nothing but what is taken. Extensions and large objects come along only if they are named.
ChosenOptions sayOnly(const ObjectChoice& choice) {
    ChosenOptions chosen;
    options::Selection& s = chosen.selection;
    const auto& schemas = choice.schemas;
    const bool wholeSchemas = std::any_of(schemas.begin(), schemas.end(),
                                          [](const SchemaChoice& schema) { return schema.whole; });
    for (const SchemaChoice& schema : schemas) {
        if (schema.nothing) continue;
        if (wholeSchemas) {
            s.schemas.push_back(exactPattern(schema.name));
            addExact(s.excludeTables, schema.name, schema.left);
        } else {
            addExact(s.tables, schema.name, schema.taken);
        }
        addExact(s.excludeTableData, schema.name, schema.definitionOnly);
    }
    addExact(s.extensions, choice.extensionsTaken);
    const bool objects = !s.schemas.empty() || !s.tables.empty() || !s.extensions.empty();
    if (!objects) return {.form = ChoiceForm::Nothing, .selection = {}};
    chosen.form = s.tables.empty() ? ChoiceForm::Schemas : ChoiceForm::Relations;
    chosen.largeObjects = choice.hasLargeObjects && choice.largeObjects;
    return chosen;
}

}  // namespace

void ChosenOptions::apply(options::DumpOptions& options) const {
    options::Selection& s = options.selection;
    s.schemas = selection.schemas;
    s.excludeSchemas = selection.excludeSchemas;
    s.tables = selection.tables;
    s.excludeTables = selection.excludeTables;
    s.excludeTableData = selection.excludeTableData;
    s.extensions = selection.extensions;
    s.excludeExtensions = selection.excludeExtensions;
    options.content.largeObjects = largeObjects;
    options.content.noLargeObjects = noLargeObjects;
}

ChosenOptions toOptions(const ObjectChoice& choice) {
    return choice.databaseWide ? sayWithout(choice) : sayOnly(choice);
}

std::optional<ObjectChoice> toChoice(const options::DumpOptions& options, const ObjectChoice& all) {
    const options::Selection& s = options.selection;
    const bool other = !s.tablesAndChildren.empty() || !s.excludeTablesAndChildren.empty() ||
                       !s.excludeTableDataAndChildren.empty() || !s.filterFiles.empty();
    const auto schemas = readPatterns(s.schemas, 1);
    const auto leftSchemas = readPatterns(s.excludeSchemas, 1);
    const auto tables = readPatterns(s.tables, 2);
    const auto leftTables = readPatterns(s.excludeTables, 2);
    const auto withoutRows = readPatterns(s.excludeTableData, 2);
    const auto extensions = readPatterns(s.extensions, 1);
    const auto leftExtensions = readPatterns(s.excludeExtensions, 1);
    if (other || !schemas || !leftSchemas || !tables || !leftTables || !withoutRows ||
        !extensions || !leftExtensions) {
        return std::nullopt;
    }
    ObjectChoice choice;
    choice.hasLargeObjects = all.hasLargeObjects;
    choice.databaseWide = schemas->empty() && tables->empty() && extensions->empty();
    choice.largeObjects =
        choice.databaseWide ? !options.content.noLargeObjects : options.content.largeObjects;
    for (const std::string& name : all.extensionsTaken) {
        const bool taken =
            choice.databaseWide ? !leftExtensions->contains({name}) : extensions->contains({name});
        (taken ? choice.extensionsTaken : choice.extensionsLeft).push_back(name);
    }
    for (const SchemaChoice& schema : all.schemas) {
        SchemaChoice chosen{.name = schema.name};
        const bool named = choice.databaseWide ? !leftSchemas->contains({schema.name})
                                               : schemas->contains({schema.name});
        for (const std::string& name : schema.taken) {
            const Names full{schema.name, name};
            const bool taken =
                tables->empty() ? named && !leftTables->contains(full) : tables->contains(full);
            (taken ? chosen.taken : chosen.left).push_back(name);
            if (taken && withoutRows->contains(full)) chosen.definitionOnly.push_back(name);
        }
        chosen.whole = named && tables->empty() && chosen.left.empty();
        chosen.nothing = !chosen.whole && chosen.taken.empty();
        choice.schemas.push_back(std::move(chosen));
    }
    return choice;
}

std::string exactPattern(std::string_view name) {
    if (isPlain(name)) return std::string(name);
    std::string pattern = "\"";
    for (const char c : name) {
        if (c == '"') pattern += '"';
        pattern += c;
    }
    return pattern + '"';
}

std::string exactPattern(std::string_view schema, std::string_view name) {
    return exactPattern(schema) + "." + exactPattern(name);
}

}  // namespace gantry::dump
