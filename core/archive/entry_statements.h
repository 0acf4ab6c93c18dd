// SPDX-License-Identifier: PostgreSQL
// The statements that restore the entries of an archive, as pg_restore sends or prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/toc.h"

namespace gantry::archive {

/// pg_restore's options that change statements, not the choice of entries.
struct ScriptOptions {
    bool create = false;  ///< -C
    bool clean = false;   ///< -c
    bool ifExists = false;
    bool noOwner = false;  ///< -O
    bool noTablespaces = false;
    bool noTableAccessMethod = false;
    bool useSetSessionAuthorization = false;
    bool disableTriggers = false;  ///< heeded where nothing but data is restored
    bool enableRowSecurity = false;
    bool quoteAllIdentifiers = false;  ///< of those that are not in the contents ready-made
    std::string restrictKey;           ///< for \restrict; empty: none is written
};

/// The order in which pg_restore goes over the contents three times.
enum class Pass { Main, Acl, PostAcl };
Pass passOf(const TocEntry& entry);

/// The database itself, which is created or left alone before all else.
bool isOfDatabase(const TocEntry& entry);

/// Rows of a partition that come in by way of the table that is divided.
bool isViaRoot(const TocEntry& entry);

/// Each element is sent by itself, the server running it as one transaction if none is open; it
/// ends with a semicolon and the empty lines that a script has behind it.
using Statements = std::vector<std::string>;

/// One session's view of an archive: it remembers what the session has been told (schema,
/// tablespace, access method, user) and says only what changes. `toc` must outlive it.
class EntryStatements {
public:
    EntryStatements(const Toc& toc, const ScriptOptions& options);

    /// What a session begins with, as one text. `serverMajor`: of the server that will run it;
    /// settings that it does not know are left out.
    std::string settings(int serverMajor) const;

    /// Makes the session fit for the entry: user, schema, tablespace, access method.
    void prepare(const TocEntry& entry, Statements& out);
    /// Creates the entry's object and gives it its owner. Throws Error{Format} for a kind of object
    /// whose owner nobody knows how to set.
    void define(const TocEntry& entry, Statements& out);
    /// The first half of that; the second.
    void create(const TocEntry& entry, Statements& out);
    void giveOwner(const TocEntry& entry, Statements& out);
    /// Drops the entry's object: prepare() is included, as far as a drop needs it.
    void drop(const TocEntry& entry, Statements& out);
    /// The same as far as rows need it that are about to be loaded: user, schema.
    void prepareRows(const TocEntry& entry, Statements& out);
    /// As whom objects are made and rows loaded.
    void becomeOwner(const TocEntry& entry, Statements& out);
    /// Whoever restores, again.
    void becomeOneself(Statements& out);
    /// Around the loading of rows. An empty `superuser`: whoever restores.
    void disableTriggers(const TocEntry& entry, std::string_view superuser, Statements& out);
    void enableTriggers(const TocEntry& entry, std::string_view superuser, Statements& out);

    /// A new session, or one that has been told other things.
    void forget();
    /// After drops: the schema is said again.
    void forgetSchema() { schema_.reset(); }

private:
    void becomeUser(std::string_view user, Statements& out);
    void selectSchema(const TocEntry& entry, Statements& out);
    void selectTablespace(const TocEntry& entry, Statements& out);
    void selectAccessMethod(const TocEntry& entry, Statements& out);
    std::string definition(const TocEntry& entry) const;
    std::string ownership(const TocEntry& entry) const;
    std::string objectDescription(const TocEntry& entry) const;
    std::string grantPerObject(const TocEntry& acl) const;
    std::string identifier(std::string_view name) const;
    std::string qualified(const TocEntry& entry) const;

    const Toc& toc_;
    const ScriptOptions options_;
    std::string_view encoding_;
    std::optional<std::string> searchPath_;
    bool standardStrings_ = true;
    std::optional<std::string> user_;
    std::optional<std::string> schema_;
    std::optional<std::string> tablespace_;
    std::optional<std::string> accessMethod_;
};

}  // namespace gantry::archive
