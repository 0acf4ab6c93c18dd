// SPDX-License-Identifier: PostgreSQL
#include "core/restore/preflight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/archive/archive_reader.h"
#include "core/archive/identifier.h"
#include "core/base/format.h"
#include "core/base/processor_load.h"
#include "core/base/text.h"
#include "core/pg/session.h"

namespace gantry::restore {
namespace {

using Severity = FindingSeverity;
using Names = std::vector<std::string>;

constexpr uint32_t kMostAutomaticJobs = 8;

/// Of the server's own roles, which differ between versions; nobody can make one.
bool isPredefined(const std::string& role) { return role.starts_with("pg_"); }

class Judge {
public:
    Judge(const ArchiveNeeds& needs, const TargetFacts& facts,
          const options::RestoreOptions& options, uint32_t jobs)
        : needs_(needs), facts_(facts), options_(options), jobs_(jobs) {}

    std::vector<Finding> run() {
        if (facts_.standby) {
            add(Severity::Blocker, "The server is a standby, which takes nothing.",
                "Connect to its primary.");
        } else if (facts_.readsOnly) {
            add(Severity::Warning,
                "Transactions here are read-only (default_transaction_read_only): nothing can be "
                "made, unless a script switches that off itself.",
                "Reset it for the database or the role, or give PGOPTIONS='-c "
                "default_transaction_read_only=off'.");
        }
        checkUser();
        if (facts_.userExists && facts_.mayBecomeUser) {
            checkDatabase();
            checkRoles();
            checkSchemas();
            checkExtensions();
            checkStorage();
            checkLocales();
            checkEncoding();
            checkRights();
            checkObjects();
        }
        checkConnections();
        checkDisk();
        std::stable_sort(
            findings_.begin(), findings_.end(),
            [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
        return std::move(findings_);
    }

private:
    void add(Severity severity, std::string what, std::string remedy) {
        findings_.push_back({severity, std::move(what), std::move(remedy)});
    }
    /// A statement of the archive that will fail: an end to the run if that is to stop at the
    /// first.
    void fails(std::string what, std::string remedy) {
        add(options_.stopsAtFirstError() ? Severity::Blocker : Severity::Warning, std::move(what),
            std::move(remedy));
    }

    /// A script runs as it stands: of the ways out only those that need no option remain.
    std::string remedy(std::string statement, std::string_view orOption) const {
        if (!needs_.isScript) return statement + std::string(orOption);
        return statement.ends_with(';') ? statement : statement + ".";
    }

    void checkUser() {
        const std::string user = archive::formatIdentifier(facts_.user);
        if (!facts_.userExists) {
            add(Severity::Blocker, fmt::format("The role {} of --role does not exist.", user),
                fmt::format("CREATE ROLE {}; or another --role.", user));
        } else if (!facts_.mayBecomeUser) {
            add(Severity::Blocker,
                fmt::format("The connection's user is no member of the role {} of --role.", user),
                fmt::format("GRANT {} TO the user, or connect as another (-U).", user));
        }
    }

    void checkDatabase() {
        if (!facts_.mayCreateDatabases) {
            const std::string user = archive::formatIdentifier(facts_.user);
            if (options_.refresh) {
                findings_.push_back(mayNotRefresh(facts_.user));
            } else if (options_.newDatabase || !needs_.database.empty()) {
                add(Severity::Blocker,
                    fmt::format("The role {} may not create databases{}.", facts_.user,
                                needs_.database.empty()
                                    ? ""
                                    : fmt::format(": {} cannot be made",
                                                  archive::formatIdentifier(needs_.database))),
                    fmt::format("ALTER ROLE {} CREATEDB; or restore into a database that is there "
                                "(--dbname{}).",
                                user, needs_.database.empty() ? "" : " without --create"));
            }
        }
        if (needs_.database.empty()) return;
        const std::string name = archive::formatIdentifier(needs_.database);
        if (!facts_.databases.contains(needs_.database)) {
            if (options_.content.clean && !options_.content.ifExists) {
                fails(fmt::format("There is no database {} to drop.", name), "Add --if-exists.");
            }
            return;
        }
        if (!options_.content.clean) {
            add(Severity::Blocker, fmt::format("The database {} exists already.", name),
                "Add --clean to drop it first, or leave --create out and name it with -d.");
        } else if (facts_.database == needs_.database) {
            add(Severity::Blocker,
                fmt::format("The database {} cannot be dropped: the restore is connected to it.",
                            name),
                "Connect to another first: -d postgres.");
        } else if (facts_.sessionsThere > 0) {
            add(Severity::Blocker,
                fmt::format("The database {} cannot be dropped: {} in it.", name,
                            facts_.sessionsThere == 1
                                ? "a session is"
                                : fmt::format("{} sessions are", facts_.sessionsThere)),
                fmt::format("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname "
                            "= '{}'; ends them.",
                            needs_.database));
        }
    }

    void checkRoles() {
        const Names missing = missingRoles(needs_, facts_);
        const bool made = options_.content.createRoles && !needs_.isScript;
        if (made && !missing.empty()) {
            Names names;
            for (const std::string& role : missing) {
                names.push_back(archive::formatIdentifier(role));
            }
            const std::string are = names.size() == 1
                                        ? fmt::format("The role {} is", names.front())
                                        : fmt::format("The roles {} are", enumerate(names));
            if (facts_.mayCreateRoles) {
                add(Severity::Note,
                    fmt::format("{} missing: the restore makes {}, without LOGIN.", are,
                                names.size() == 1 ? "it" : "them"),
                    {});
            } else {
                fails(fmt::format("{} missing, and {} may not create roles.", are, facts_.user),
                      fmt::format("ALTER ROLE {} CREATEROLE;",
                                  archive::formatIdentifier(facts_.user)));
            }
        }
        const auto isMade = [&](const std::string& role) {
            return made && std::find(missing.begin(), missing.end(), role) != missing.end();
        };
        for (const auto& [role, names] : needs_.owners) {
            if (isMade(role)) continue;
            const std::string name = archive::formatIdentifier(role);
            if (!facts_.roles.contains(role)) {
                fails(fmt::format("The role {} is missing: it cannot be made the owner of {}.",
                                  name, nameObjects(names)),
                      remedyForMissing(role, "or leave owners out with --no-owner."));
            } else if (!facts_.superuser && !facts_.ownRoles.contains(role)) {
                fails(fmt::format("{} may not give {} to the role {}.", facts_.user,
                                  nameObjects(names), name),
                      remedy(fmt::format("GRANT {} TO {};", name,
                                         archive::formatIdentifier(facts_.user)),
                             " or leave owners out with --no-owner."));
            }
        }
        for (const auto& [role, names] : needs_.grantees) {
            if (facts_.roles.contains(role) || isMade(role)) continue;
            fails(fmt::format("The role {} is missing, which the statements for {} name: they will "
                              "fail as a whole.",
                              archive::formatIdentifier(role), nameObjects(names)),
                  remedyForMissing(role, wayAround(names)));
        }
    }

    static std::string_view wayAround(const Names& objects) {
        const auto isPolicy = [](const std::string& name) { return name.starts_with("POLICY "); };
        const auto policies = std::count_if(objects.begin(), objects.end(), isPolicy);
        if (policies == 0) return "or leave privileges out with --no-privileges.";
        if (policies == static_cast<std::ptrdiff_t>(objects.size())) {
            return "or leave policies out with --no-policies.";
        }
        return "or leave privileges and policies out with --no-privileges and --no-policies.";
    }

    std::string remedyForMissing(const std::string& role, std::string_view orWithout) const {
        if (isPredefined(role)) {
            return needs_.isScript
                       ? "Restore into a server that has it."
                       : fmt::format("Restore into a server that has it, {}", orWithout);
        }
        const std::string_view orMake =
            facts_.mayCreateRoles ? " let the restore make it with --create-roles," : "";
        return remedy(fmt::format("CREATE ROLE {};", archive::formatIdentifier(role)),
                      fmt::format("{} {}", orMake, orWithout));
    }

    void checkSchemas() {
        const Names missing = missingSchemas(needs_, facts_);
        if (missing.empty()) return;
        Names names;
        Names statements;
        Names objects;
        for (const std::string& schema : missing) {
            names.push_back(archive::formatIdentifier(schema));
            statements.push_back(fmt::format("CREATE SCHEMA {};", names.back()));
            const Names& there = needs_.schemas.at(schema);
            objects.insert(objects.end(), there.begin(), there.end());
        }
        const bool one = missing.size() == 1;
        const std::string are = one ? fmt::format("The schema {} is", names.front())
                                    : fmt::format("The schemas {} are", enumerate(names));
        if (options_.content.createSchemas) {
            add(Severity::Note,
                fmt::format("{} missing: the restore makes {}.", are, one ? "it" : "them"), {});
            return;
        }
        fails(fmt::format("{} missing: {} cannot be created.", are, nameObjects(objects)),
              fmt::format("{} or let the restore make {} with --create-schemas.",
                          fmt::join(statements, " "), one ? "it" : "them"));
    }

    void checkExtensions() {
        for (const auto& [name, names] : needs_.extensions) {
            const auto found = facts_.extensions.find(name);
            if (found == facts_.extensions.end()) {
                fails(fmt::format("The extension {} is not available on the server: it and what "
                                  "depends on it will be missing.",
                                  name),
                      "Install the package that has it on the server's machine.");
                continue;
            }
            const TargetFacts::Extension& extension = found->second;
            const auto wanted = needs_.extensionVersions.find(name);
            if (wanted != needs_.extensionVersions.end() &&
                !extension.versions.contains(wanted->second)) {
                fails(fmt::format("The extension {} is available in version {}, not in {}.", name,
                                  extension.version, wanted->second),
                      fmt::format("Install the package with version {}.", wanted->second));
            }
            if (!extension.installed && extension.needsSuperuser && !facts_.superuser) {
                fails(fmt::format("Only a superuser may create the extension {}; {} is none.", name,
                                  facts_.user),
                      fmt::format("Have a superuser run CREATE EXTENSION {}; in the database "
                                  "first.",
                                  archive::formatIdentifier(name)));
            }
        }
    }

    void checkStorage() {
        for (const auto& [name, names] : needs_.tablespaces) {
            if (facts_.tablespaces.contains(name)) continue;
            fails(fmt::format("The tablespace {} is missing: {} cannot be created in it.", name,
                              nameObjects(names)),
                  remedy(fmt::format("CREATE TABLESPACE {} LOCATION '…';",
                                     archive::formatIdentifier(name)),
                         " or --no-tablespaces."));
        }
        for (const auto& [name, names] : needs_.accessMethods) {
            if (facts_.accessMethods.contains(name)) continue;
            fails(
                fmt::format("The table access method {} is missing: {} cannot be created with it.",
                            name, nameObjects(names)),
                "Install the extension that has it, or use --no-table-access-method.");
        }
    }

    void checkLocales() {
        if (needs_.database.empty()) {
            for (const auto& [name, names] : needs_.collations) {
                if (facts_.collations.contains(name)) continue;
                fails(fmt::format("The collation \"{}\" is missing: {} cannot be created.", name,
                                  nameObjects(names)),
                      "Install the locale on the server's machine, then SELECT "
                      "pg_import_system_collations('pg_catalog');");
            }
        }
        for (const auto& [name, names] : needs_.libcLocales) {
            if (name == "C" || name == "POSIX" || name.empty() ||
                facts_.libcLocales.contains(plainLocale(name))) {
                continue;
            }
            add(Severity::Warning,
                fmt::format("The server's machine does not seem to have the locale {}: {} cannot "
                            "be created then.",
                            name, nameObjects(names)),
                "Install the locale there and restart the server.");
        }
        if (!needs_.icuObjects.empty() && !facts_.hasIcu) {
            fails(fmt::format("The server was built without ICU: {} cannot be created.",
                              nameObjects(needs_.icuObjects.begin()->second)),
                  "Use a server with ICU.");
        }
    }

    void checkEncoding() {
        if (!needs_.database.empty() || needs_.encoding.empty() ||
            needs_.encoding == facts_.encoding) {
            return;
        }
        const std::string remedy = fmt::format(
            "Restore into a database that was made with TEMPLATE template0 ENCODING '{}'.",
            needs_.encoding);
        if (!facts_.encodingConverts) {
            add(Severity::Blocker,
                fmt::format("The archive is in {}, the database in {}, and there is no conversion.",
                            needs_.encoding, facts_.encoding),
                remedy);
        } else if (facts_.encoding == "SQL_ASCII") {
            add(Severity::Warning,
                fmt::format("The archive is in {}, the database in SQL_ASCII: the bytes are stored "
                            "as they are, and nobody will know what they mean.",
                            needs_.encoding),
                remedy);
        } else if (needs_.encoding == "SQL_ASCII") {
            add(Severity::Warning,
                fmt::format(
                    "The archive is in SQL_ASCII, the database in {}: tables with bytes that "
                    "are none of its characters will fail.",
                    facts_.encoding),
                remedy);
        } else if (facts_.encoding != "UTF8") {  // which has all characters
            add(Severity::Warning,
                fmt::format("The archive is in {}, the database in {}: tables with characters that "
                            "{} does not have will fail.",
                            needs_.encoding, facts_.encoding, facts_.encoding),
                remedy);
        }
    }

    void checkRights() {
        if (facts_.superuser) return;
        if (!needs_.superuserObjects.empty()) {
            fails(fmt::format("Only a superuser may create {}; {} is none.",
                              nameObjects(needs_.superuserObjects), facts_.user),
                  "Restore as a superuser (-U).");
        }
        if (needs_.disablesTriggers && options_.superuser.empty()) {
            fails(fmt::format("Only a superuser may disable triggers; {} is none.", facts_.user),
                  "Restore as a superuser (-U), or leave --disable-triggers out.");
        }
        if (options_.content.useSetSessionAuthorization && !options_.content.noOwner) {
            fails(fmt::format("Only a superuser may set the session's user; {} is none.",
                              facts_.user),
                  "Leave --use-set-session-authorization out, or use --no-owner.");
        }
        if (!needs_.database.empty()) return;
        const std::string database = archive::formatIdentifier(facts_.database);
        const std::string user = archive::formatIdentifier(facts_.user);
        Names schemas = needs_.newSchemas;
        if (options_.content.createSchemas) {
            const Names missing = missingSchemas(needs_, facts_);
            schemas.insert(schemas.end(), missing.begin(), missing.end());
        }
        if (!facts_.mayCreateSchemas && !schemas.empty()) {
            fails(fmt::format("{} may not create {} in the database {}.", facts_.user,
                              nameObjects(schemas, "schema", "schemas"), database),
                  fmt::format("GRANT CREATE ON DATABASE {} TO {};", database, user));
        }
        const bool usesPublic =
            std::any_of(needs_.newRelations.begin(), needs_.newRelations.end(),
                        [](const std::string& name) { return name.starts_with("public."); });
        if (usesPublic && !facts_.mayUsePublic) {
            fails(fmt::format("{} may not create anything in the schema public.", facts_.user),
                  fmt::format("GRANT CREATE ON SCHEMA public TO {};", user));
        }
    }

    void checkObjects() {
        if (!needs_.database.empty()) return;  // a new one
        Names there;
        Names absent;
        for (const std::string& name : needs_.newRelations) {
            (facts_.relations.contains(name) ? there : absent).push_back(name);
        }
        if (!options_.content.clean && !there.empty()) {
            fails(fmt::format("The database {} holds {} that the archive has too: they cannot be "
                              "created, and rows will be added to those that they hold.",
                              facts_.database, nameObjects(there, "relation", "relations")),
                  remedy("Restore into an empty database",
                         ", drop them first with --clean --if-exists, or leave their rows out with "
                         "--no-data-for-failed-tables."));
        } else if (!options_.content.clean && !facts_.relations.empty() &&
                   !needs_.newRelations.empty()) {
            add(Severity::Note,
                fmt::format("The database {} is not empty: it holds {} {}.", facts_.database,
                            formatCount(facts_.relations.size()),
                            facts_.relations.size() == 1 ? "relation" : "relations"),
                {});
        }
        if (options_.content.clean && !options_.content.ifExists && !absent.empty()) {
            fails(fmt::format("There is nothing to drop of {}.",
                              nameObjects(absent, "relation", "relations")),
                  "Add --if-exists.");
        }
        checkFilledTables();
    }

    void checkFilledTables() {
        Names missing;
        Names filled;
        for (const std::string& name : needs_.filledTables) {
            const auto found = facts_.relations.find(name);
            if (found == facts_.relations.end()) {
                missing.push_back(name);
            } else if (found->second) {
                filled.push_back(name);
            }
        }
        if (!missing.empty()) {
            fails(fmt::format("Rows are restored alone, and the database {} lacks {}.",
                              facts_.database, nameObjects(missing, "table", "tables")),
                  "Restore the definitions first (--schema-only), or together with the rows.");
        }
        if (!filled.empty()) {
            add(Severity::Warning,
                fmt::format("{} may hold rows already: those of the archive are added to them.",
                            nameObjects(filled, "table", "tables")),
                "TRUNCATE them first, if they are to hold the archive's rows alone.");
        }
    }

    void checkConnections() {
        // The coordinator has one as well.
        const uint64_t needed = uint64_t{jobs_} + 1;
        // The one that asks is closed before they are opened.
        const uint64_t free = facts_.freeConnections + 1;
        if (free >= needed) return;
        add(free < 2 ? Severity::Blocker : Severity::Warning,
            fmt::format("{} workers and a coordinator need {} connections, the server has {} left.",
                        jobs_, needed, free),
            free < 2 ? "End other sessions, or raise max_connections."
                     : fmt::format("Use -j {}, or raise max_connections.", free - 1));
    }

    void checkDisk() {
        if (!facts_.freeDisk || *facts_.freeDisk >= needs_.bytes) return;
        add(Severity::Warning,
            fmt::format("The archive holds about {} of rows, and the disk of {} has {} left: it "
                        "will probably be full before the end.",
                        formatBytes(needs_.bytes), facts_.dataFolder,
                        formatBytes(*facts_.freeDisk)),
            "Make room there, or leave tables out (--exclude-table-data).");
    }

    const ArchiveNeeds& needs_;
    const TargetFacts& facts_;
    const options::RestoreOptions& options_;
    const uint32_t jobs_;
    std::vector<Finding> findings_;
};

}  // namespace

std::string_view toString(FindingSeverity severity) {
    switch (severity) {
        case Severity::Blocker:
            return "blocker";
        case Severity::Warning:
            return "warning";
        case Severity::Note:
            return "note";
    }
    return "note";
}

uint32_t jobsFor(const options::RestoreOptions& options) {
    if (!options.jobs && (options.singleTransaction || options.transactionSize)) return 1;
    return options.jobs.value_or(std::clamp(usableProcessors(), 1U, kMostAutomaticJobs));
}

std::vector<std::string> missingSchemas(const ArchiveNeeds& needs, const TargetFacts& facts) {
    const std::set<std::string> fresh{"public"};
    const std::set<std::string>& there = needs.database.empty() ? facts.schemas : fresh;
    Names missing;
    for (const auto& [schema, objects] : needs.schemas) {
        if (!there.contains(schema)) missing.push_back(schema);
    }
    return missing;
}

std::vector<std::string> missingRoles(const ArchiveNeeds& needs, const TargetFacts& facts) {
    std::set<std::string> missing;
    for (const ArchiveNeeds::ByName* roles : {&needs.owners, &needs.grantees}) {
        for (const auto& [role, objects] : *roles) {
            if (!facts.roles.contains(role) && !isPredefined(role)) missing.insert(role);
        }
    }
    return {missing.begin(), missing.end()};
}

std::vector<Finding> judge(const ArchiveNeeds& needs, const TargetFacts& facts,
                           const options::RestoreOptions& options, uint32_t jobs) {
    return Judge(needs, facts, options, jobs).run();
}

namespace {

/// --refresh makes a database like the one that it replaces, or, if there is none, in the archive's
/// encoding. A check or a dry run is connected to the old one, or to one beside it. The new one is
/// its maker's own.
void becomeNew(TargetFacts& facts, const ArchiveNeeds& needs,
               const options::RestoreOptions& options) {
    if (!options.refresh && !options.newDatabase) return;
    facts.mayCreateSchemas = facts.mayUsePublic = true;
    facts.readsOnly = false;
    facts.relations.clear();
    facts.schemas = {"public"};
    for (auto& [name, extension] : facts.extensions) extension.installed = name == "plpgsql";
    if (options.refresh && (facts.database == "postgres" || facts.database == "template1")) {
        facts.encoding = needs.encoding.empty() ? facts.encoding : needs.encoding;
        facts.encodingConverts = true;
    }
}

/// What the server is too old for.
void addGated(const archive::Toc& toc, const TargetFacts& facts, const ServerGates& gates,
              const options::RestoreOptions& options, std::vector<Finding>& findings) {
    if (majorOf(toc.serverVersion) > facts.serverMajor) {
        findings.push_back({Severity::Note,
                            fmt::format("The archive comes from a server {}, this one is {}: what "
                                        "it does not know is left out, or fails.",
                                        majorOf(toc.serverVersion), facts.serverVersion),
                            {}});
    }
    for (const Gated& gated : gates.gated) {
        const Severity failing =
            options.stopsAtFirstError() ? Severity::Blocker : Severity::Warning;
        findings.push_back({gated.fails ? failing : Severity::Warning, gated.what, gated.remedy});
    }
}

}  // namespace

Preflight lookFirst(const archive::Toc& toc, Choice& choice, const DataSizes& sizes,
                    const options::RestoreOptions& options, const std::stop_token& stop) {
    Preflight seen;
    const ArchiveNeeds needs = needsOf(choice, sizes, toc, options);
    std::optional<pg::Connection> connection;
    try {
        connection.emplace(pg::Connection::open(options.connection, "gantry restore: check", stop));
    } catch (const Error& error) {
        seen.findings.push_back(missingDatabase(error, needs, options.connection.database));
        return seen;
    }
    pg::liftTimeLimits(*connection);
    TargetFacts facts = lookAtTarget(*connection, needs, options.role);
    becomeNew(facts, needs, options);
    for (const auto& [name, holdsRows] : facts.relations) seen.relations.insert(name);
    seen.missingSchemas = missingSchemas(needs, facts);
    seen.missingRoles = missingRoles(needs, facts);
    seen.superuser = facts.superuser;
    seen.gates = gateFor(facts.serverMajor, choice);
    seen.findings = judge(needs, facts, options, jobsFor(options));
    addGated(toc, facts, seen.gates, options, seen.findings);
    std::stable_sort(seen.findings.begin(), seen.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return seen;
}

Finding missingDatabase(const Error& error, const ArchiveNeeds& needs, const std::string& name) {
    // libpq tells it in words alone.
    const std::string& message = error.info().message;
    if (error.kind() != ErrorKind::Connection || message.find("database \"") == std::string::npos ||
        message.find("does not exist") == std::string::npos) {
        throw Error(error.info());
    }
    if (!needs.database.empty()) {
        return {Severity::Blocker, message + ".",
                "With --create, -d names a database that is there: -d postgres."};
    }
    return {Severity::Blocker, message + ".",
            name.find_first_of("=:") == std::string::npos
                ? fmt::format("CREATE DATABASE {} TEMPLATE template0; or let --create make the "
                              "archive's own (with -d postgres).",
                              archive::formatIdentifier(name))
                : "Create it from template0, or let --create make the archive's own."};
}

std::vector<Finding> lookFirst(const ArchiveNeeds& needs, pg::Connection& connection,
                               const options::RestoreOptions& options) {
    TargetFacts facts = lookAtTarget(connection, needs, options.role);
    becomeNew(facts, needs, options);
    // The connection that it runs on is open already.
    return judge(needs, facts, options, 0);
}

Finding mayNotRefresh(const std::string& role) {
    return {Severity::Blocker,
            fmt::format("The role {} may not create databases, and --refresh makes one.", role),
            fmt::format("ALTER ROLE {} CREATEDB; or restore into a database that is there "
                        "(--dbname).",
                        archive::formatIdentifier(role))};
}

void refuseIfBlocked(const std::vector<Finding>& findings) {
    if (findings.empty() || findings.front().severity != Severity::Blocker) return;
    const auto blockers =
        std::count_if(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::Blocker; });
    std::string remedy = findings.front().remedy;
    if (blockers > 1) {
        remedy +=
            fmt::format(" Of {} such obstacles this is the first; --check tells all.", blockers);
    }
    std::string what = findings.front().what;
    if (what.ends_with('.')) what.pop_back();
    throw Error(ErrorKind::Preflight, std::move(what), {}, std::move(remedy));
}

void tell(const std::vector<Finding>& findings, events::EventSink& events) {
    for (const Finding& finding : findings) {
        const bool note = finding.severity == Severity::Note;
        events.post(events::Notice{
            .severity = note ? events::Severity::Info : events::Severity::Warning,
            .message = finding.what + (finding.remedy.empty() ? "" : " " + finding.remedy)});
    }
}

}  // namespace gantry::restore
