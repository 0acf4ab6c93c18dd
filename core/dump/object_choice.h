// SPDX-License-Identifier: PostgreSQL
// Objects chosen one by one, as the shortest options that select exactly these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/dump_options.h"

namespace gantry::dump {

/// What of one schema is taken. `whole` and `nothing` exclude each other.
struct SchemaChoice {
    std::string name;
    bool whole = false;    ///< every relation, whatever else it holds; `left` is empty
    bool nothing = false;  ///< `taken` is empty
    std::vector<std::string> taken = {};
    std::vector<std::string> left = {};
    std::vector<std::string> definitionOnly = {};  ///< among the taken (or the whole schema's)
};

/// What of a database is taken.
struct ObjectChoice {
    std::vector<SchemaChoice> schemas;
    std::vector<std::string> extensionsTaken;
    std::vector<std::string> extensionsLeft;
    bool hasLargeObjects = false;
    bool largeObjects = true;
    /// What belongs to no schema: publications, event triggers, casts, languages, foreign servers.
    bool databaseWide = true;
};

/// How the choice can be said, which decides what comes along with it.
enum class ChoiceForm {
    Everything,  ///< no option at all
    Without,     ///< the database but for what is named
    Schemas,     ///< these schemas with all that is in them, and nothing of the database's own
    Relations,   ///< these relations alone: no schema, no function or type that they use
    Nothing,     ///< nothing that can be dumped; `selection` is empty
};

struct ChosenOptions {
    ChoiceForm form = ChoiceForm::Everything;
    options::Selection selection = {};
    bool largeObjects = false;    ///< -b
    bool noLargeObjects = false;  ///< -B

    /// Replaces what `options` says by name about schemas, relations and extensions, and large
    /// objects.
    void apply(options::DumpOptions& options) const;
};

/// A choice of some relations of a schema takes the rest of it (functions, types, sequences) along
/// unless the whole choice is nothing but relations.
ChosenOptions toOptions(const ObjectChoice& choice);

/// The other way round: what these options choose of `all`, a choice of everything. Empty if they
/// say it by patterns that match more than one name, or by options that toOptions() never gives.
std::optional<ObjectChoice> toChoice(const options::DumpOptions& options, const ObjectChoice& all);

/// A pattern that matches this name alone.
std::string exactPattern(std::string_view name);
std::string exactPattern(std::string_view schema, std::string_view name);

}  // namespace gantry::dump
