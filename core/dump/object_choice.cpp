// SPDX-License-Identifier: PostgreSQL
#include "core/dump/object_choice.h"

#include <algorithm>

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
