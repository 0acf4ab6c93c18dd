// SPDX-License-Identifier: PostgreSQL
#include "core/restore/refresh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libpq-fe.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include "core/archive/archive_reader.h"
#include "core/base/error.h"
#include "core/pg/session.h"
#include "core/pg/sql_state.h"
#include "core/restore/preflight.h"
#include "core/restore/restore_session.h"
#include "core/restore/sql_script.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kUnderWay = "gantryctl restore --refresh fills this database";
constexpr std::size_t kLongestName = 63;
constexpr int kRenameAttempts = 3;

/// A database option taken apart: its name, and how to connect without it.
struct NamedDatabase {
    std::string name;
    std::string conninfo;  ///< may be empty
};

NamedDatabase takeApart(const std::string& database) {
    if (database.find('=') == std::string::npos && database.find("://") == std::string::npos) {
        return {database, {}};
    }
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
        PQconninfoParse(database.c_str(), nullptr), PQconninfoFree);
    NamedDatabase found;
    for (const PQconninfoOption* o = parsed.get(); o != nullptr && o->keyword != nullptr; ++o) {
        if (o->val == nullptr) continue;
        if (std::string_view(o->keyword) == "dbname") {
            found.name = o->val;
        } else {
            found.conninfo += fmt::format("{}={} ", o->keyword, pg::quoteConninfoValue(o->val));
        }
    }
    if (!found.name.empty()) return found;
    throw Error(ErrorKind::Preflight, "--refresh needs the name of the database", "--dbname",
                "Add dbname=NAME to the connection string.");
}

/// Cut so that the suffix fits, between two characters.
std::string withSuffix(std::string name, const std::string& suffix) {
    std::size_t size = std::min(name.size(), kLongestName - suffix.size());
    while (size < name.size() && size > 0 &&
           (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) {
        --size;
    }
    name.resize(size);
    return name + suffix;
}

std::string dateNow() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    const std::size_t size = std::strftime(text, sizeof text, "%Y%m%d_%H%M%S", &local);
    return {text, size};
}

pg::Connection openSession(const options::ConnectionOptions& options, const std::stop_token& stop) {
    pg::Connection made = pg::Connection::open(options, "gantry restore: refresh", stop);
    pg::liftTimeLimits(made);
    return made;
}

/// As identifiers.
std::vector<std::string> subscriptionsIn(pg::Connection& connection, const std::string& database) {
    const pg::Result found = connection.query(
        "SELECT subname FROM pg_catalog.pg_subscription s JOIN pg_catalog.pg_database d"
        " ON d.oid = s.subdbid WHERE d.datname = $1 ORDER BY 1",
        {database});
    std::vector<std::string> names;
    for (int i = 0; i < found.rows(); ++i) names.push_back(pg::quoteIdentifier(found.text(i, 0)));
    return names;
}

/// Its slot is that of the subscription that it was copied from, and stays.
std::string dropSubscription(const std::string& name) {
    return fmt::format(
        "ALTER SUBSCRIPTION {0} DISABLE; ALTER SUBSCRIPTION {0} SET (slot_name = NONE);"
        " DROP SUBSCRIPTION {0};",
        name);
}

/// For whoever gets rid of the database by hand.
std::string howToDrop(pg::Connection& connection, const std::string& database) {
    const std::string drop = fmt::format("DROP DATABASE {};", pg::quoteIdentifier(database));
    std::string within;
    for (const std::string& name : subscriptionsIn(connection, database)) {
        within += dropSubscription(name) + " ";
    }
    return within.empty() ? drop : fmt::format("in it {}then, from another, {}", within, drop);
}

/// Processes of the server's own end without being told.
void endSessions(pg::Connection& connection, const std::string& database) {
    connection.query(
        "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
        " WHERE datname = $1 AND usename IS NOT NULL AND pid <> pg_catalog.pg_backend_pid()",
        {database});
}

/// Of what the archive holds, for a database that has no predecessor.
std::string encodingOf(const std::filesystem::path& path) {
    if (isScript(path)) return {};
    const auto reader = archive::openArchive(path);
    for (const archive::TocEntry& entry : reader->toc().entries) {
        if (entry.description() != "ENCODING") continue;
        const std::string text = entry.defn.value_or("");
        const std::size_t begin = text.find('\'');
        const std::size_t end = text.rfind('\'');
        if (begin < end) return text.substr(begin + 1, end - begin - 1);
    }
    return {};
}

}  // namespace

void Refresh::Sink::post(events::Payload payload) {
    if (auto* started = std::get_if<events::RunStarted>(&payload)) {
        started->database = refresh_.name_;
        started->options["refresh"] = refresh_.name_;
    }
    events_.post(std::move(payload));
}

Refresh::Refresh(const options::RestoreOptions& options, events::EventSink& events,
                 std::stop_token stop)
    : options_(options),
      events_(events),
      stop_(std::move(stop)),
      name_(takeApart(options.connection.database).name) {
    pg::Connection connection = connect(stop_);
    chooseNames(connection);
    beside_ = options_.connection;
    beside_.password = connection.password();
    beside_.database = connection.conninfoWithoutSecrets();
    old_ = readProperties(connection, name_);
    tellLeftovers(connection);
    if (!old_) return;
    const bool ended = options_.terminateSessions && preparedOnOld(connection).empty();
    if (const std::string sessions = sessionsOnOld(connection); !ended && !sessions.empty()) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format("\"{}\" is in use ({}); it can be swapped only once nobody is "
                                   "connected to it. --terminate-sessions ends who still is.",
                                   name_, sessions)});
    }
}

Refresh::~Refresh() { discard(); }

pg::Connection Refresh::connect(const std::stop_token& stop) const {
    if (!beside_.database.empty()) return openSession(beside_, stop);
    options::ConnectionOptions there = options_.connection;
    const std::string conninfo = takeApart(options_.connection.database).conninfo;
    const auto open = [&](const std::string& database) {
        there.database = conninfo + "dbname=" + pg::quoteConninfoValue(database);
        return openSession(there, stop);
    };
    if (name_ == "postgres") return open("template1");
    try {
        return open("postgres");
    } catch (const Error& error) {
        if (error.info().message.find("does not exist") == std::string::npos) throw;
    }
    return open("template1");
}

void Refresh::chooseNames(pg::Connection& connection) {
    const std::string date = dateNow();
    std::string suffix = date;
    for (int number = 2;; ++number) {
        newName_ = withSuffix(name_, "_new_" + suffix);
        oldName_ = withSuffix(name_, "_" + suffix);
        const pg::Result taken = connection.query(
            "SELECT FROM pg_catalog.pg_database WHERE datname IN ($1, $2)", {newName_, oldName_});
        if (taken.rows() == 0) return;
        suffix = fmt::format("{}_{}", date, number);  // refreshed in this second already
    }
}

void Refresh::tellLeftovers(pg::Connection& connection) {
    const pg::Result left = connection.query(
        "SELECT datname FROM pg_catalog.pg_database WHERE"
        " pg_catalog.shobj_description(oid, 'pg_database') = $1 AND NOT EXISTS (SELECT FROM"
        " pg_catalog.pg_stat_activity a WHERE a.datid = pg_database.oid) ORDER BY 1",
        {std::string(kUnderWay)});
    for (int i = 0; i < left.rows(); ++i) {
        events_.post(
            events::Notice{.severity = events::Severity::Warning,
                           .message = fmt::format("An earlier refresh left a database behind: {}",
                                                  howToDrop(connection, left.string(i, 0)))});
    }
}

options::RestoreOptions Refresh::begin() {
    options::RestoreOptions inner = options_;
    if (options_.dryRun) {
        if (!old_) inner.connection = beside_;
        return inner;
    }
    inner.connection = beside_;
    pg::Connection connection = connect(stop_);
    requireRights(connection);
    make(connection);
    if (old_) tryProperties(connection);
    inner.connection.database += " dbname=" + pg::quoteConninfoValue(newName_);
    return inner;
}

void Refresh::requireRights(pg::Connection& connection) const {
    const pg::Result me = connection.query(
        "SELECT current_user, rolsuper OR rolcreatedb, (SELECT pg_catalog.pg_has_role(datdba,"
        " 'USAGE') FROM pg_catalog.pg_database WHERE datname = $1)"
        " FROM pg_catalog.pg_roles WHERE rolname = current_user",
        {name_});
    const std::string user = me.string(0, 0);
    if (!me.boolean(0, 1)) refuseIfBlocked({mayNotRefresh(user)});
    if (!old_ || me.boolean(0, 2)) return;
    throw Error(
        ErrorKind::Preflight,
        fmt::format("{} may not rename \"{}\", which belongs to {}", user, name_, old_->owner), {},
        fmt::format("Refresh as {} or as a superuser (-U).", old_->owner));
}

void Refresh::make(pg::Connection& connection) {
    DatabaseProperties properties = old_.value_or(DatabaseProperties{});
    if (!old_) properties.encoding = encodingOf(options_.archive);
    const std::string statement = createDatabaseLike(properties, newName_);
    try {
        connection.execute(statement);
    } catch (const Error& error) {
        if (error.info().sqlState != pg::sql_state::kInsufficientPrivilege) throw;
        refuse(statement, error);
    }
    made_ = true;
    markUnderWay(connection);
}

/// What could not be carried over at the end is better known before the rows are loaded.
void Refresh::tryProperties(pg::Connection& connection) const {
    const std::vector<std::string> asOfOld = applyProperties(*old_, name_);
    const std::vector<std::string> statements = applyProperties(*old_, newName_);
    connection.execute("BEGIN");
    for (std::size_t i = 0; i < statements.size(); ++i) {
        try {
            connection.execute(statements[i]);
        } catch (const Error& error) {
            if (!isOfStatement(error)) throw;
            connection.execute("ROLLBACK");
            refuse(asOfOld[i], error);
        }
    }
    connection.execute("ROLLBACK");
}

void Refresh::refuse(const std::string& statement, const Error& error) const {
    throw Error(ErrorKind::Preflight,
                fmt::format("no database like \"{}\" can be made: {} ({})", name_,
                            error.info().message, statement),
                {},
                fmt::format("Refresh as a superuser (-U) or as a role that may do that, or take it "
                            "from \"{}\" first.",
                            name_));
}

void Refresh::swap(const events::RunFinished& totals) {
    if (!made_) return;
    if (totals.outcome != events::Outcome::Clean) {
        throw Error(ErrorKind::Server,
                    fmt::format("the restore had errors, so the new database does not take the "
                                "place of \"{}\", which is as it was",
                                name_),
                    {}, "Mend what the errors name and refresh again.");
    }
    pg::Connection connection = connect(stop_);
    connection.execute("BEGIN");
    for (const std::string& statement :
         applyProperties(old_.value_or(DatabaseProperties{}), newName_)) {
        connection.execute(statement);
    }
    connection.execute("COMMIT");
    for (int attempt = 1;; ++attempt) {
        try {
            rename(connection);
            break;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Server) throw;
            connection.execute("ROLLBACK");
            if (error.info().sqlState != pg::sql_state::kObjectInUse) throw;
            if (options_.terminateSessions && attempt < kRenameAttempts) continue;
            const std::string sessions = sessionsOnOld(connection);
            made_ = false;  // it is whole: nobody wants to wait for it once more
            throw Error(ErrorKind::Server,
                        fmt::format("\"{}\" is in use ({}) and was not swapped", name_, sessions),
                        {},
                        fmt::format("It is as it was. The new database is whole; once nobody uses "
                                    "the old one: {}",
                                    statementsOfSwap()));
        }
    }
    made_ = false;
    if (!old_) return;
    if (options_.dropOld) {
        dropOld(connection);
    } else {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("The old database is kept as \"{}\".", oldName_)});
    }
}

void Refresh::rename(pg::Connection& connection) {
    // Only our own sessions know the new one.
    endSessions(connection, newName_);
    connection.execute("BEGIN");
    if (old_) {
        if (options_.terminateSessions) endSessions(connection, name_);
        connection.execute(fmt::format("ALTER DATABASE {} RENAME TO {}", pg::quoteIdentifier(name_),
                                       pg::quoteIdentifier(oldName_)));
    }
    connection.execute(fmt::format("ALTER DATABASE {} RENAME TO {}", pg::quoteIdentifier(newName_),
                                   pg::quoteIdentifier(name_)));
    const int32_t backend = connection.backendPid();
    try {
        connection.commit();
    } catch (const Error& error) {
        if (error.info().connectionUsable || isStillNew(connection, backend)) throw;
    }
}

/// Asked on a new connection, where no answer came to the commit.
bool Refresh::isStillNew(pg::Connection& connection, int32_t backend) {
    try {
        connection = connect({});
        // It may still wait for us, or be at its commit, which it then finishes.
        connection.query(
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
            " WHERE pid = $1 AND application_name = $2",
            {std::to_string(backend), connection.applicationName()});
        waitForRename(connection);
        return connection.query("SELECT FROM pg_catalog.pg_database WHERE datname = $1", {newName_})
                   .rows() > 0;
    } catch (const Error& error) {
        made_ = false;  // nothing is dropped that may be in use
        throw Error(
            ErrorKind::Connection,
            fmt::format("no answer came to the commit of the swap, and none when asked again "
                        "({}): whether \"{}\" is the new database is not known",
                        error.info().message, name_),
            {},
            fmt::format("It is if there is no \"{}\" anymore. If there is, the new one is whole, "
                        "and once nobody uses the old one: {}",
                        newName_, statementsOfSwap()));
    }
}

/// Whoever renames a database has it for himself.
void Refresh::waitForRename(pg::Connection& connection) const {
    try {
        markUnderWay(connection);
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;  // it has another name by now
    }
}

void Refresh::markUnderWay(pg::Connection& connection) const {
    connection.execute(fmt::format("COMMENT ON DATABASE {} IS {}", pg::quoteIdentifier(newName_),
                                   pg::quoteLiteral(kUnderWay)));
}

void Refresh::dropOld(pg::Connection& connection) {
    try {
        if (old_->isTemplate) {
            connection.execute(
                fmt::format("ALTER DATABASE {} IS_TEMPLATE false", pg::quoteIdentifier(oldName_)));
        }
        connection.execute("DROP DATABASE " + pg::quoteIdentifier(oldName_));
    } catch (const Error& error) {
        // The swap stands. What was broken off may have left half a database.
        const std::string old = pg::quoteIdentifier(oldName_);
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = isOfStatement(error)
                           ? fmt::format("The old database could not be dropped and is kept as {}: "
                                         "{}",
                                         old, error.info().message)
                           : fmt::format("The old database is {} now and was not dropped to its "
                                         "end ({}). Do it yourself: DROP DATABASE {};",
                                         old, error.info().message, old)});
    }
}

void Refresh::discard() {
    if (!std::exchange(made_, false)) return;
    try {
        // Whoever stopped the run wants this done all the same.
        pg::Connection connection = connect({});
        if (old_ && old_->isTemplate) {
            connection.execute(
                fmt::format("ALTER DATABASE {} IS_TEMPLATE false", pg::quoteIdentifier(newName_)));
        }
        dropSubscriptions(connection);
        for (int attempt = 1;; ++attempt) {
            endSessions(connection, newName_);
            try {
                connection.execute("DROP DATABASE " + pg::quoteIdentifier(newName_));
                return;
            } catch (const Error& error) {
                if (error.info().sqlState != pg::sql_state::kObjectInUse ||
                    attempt == kRenameAttempts)
                    throw;
            }
        }
    } catch (const std::exception& error) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format(
                "The new database could not be dropped ({}). Do it yourself: DROP DATABASE {};",
                error.what(), pg::quoteIdentifier(newName_))});
    }
}

/// They keep their database from being dropped.
void Refresh::dropSubscriptions(pg::Connection& connection) const {
    const std::vector<std::string> names = subscriptionsIn(connection, newName_);
    if (names.empty()) return;
    options::ConnectionOptions there = beside_;
    there.database += " dbname=" + pg::quoteConninfoValue(newName_);
    pg::Connection within = openSession(there, {});
    for (const std::string& name : names) within.execute(dropSubscription(name));
}

std::string Refresh::sessionsOnOld(pg::Connection& connection) const {
    const pg::Result row = connection.query(
        "SELECT pg_catalog.count(*), pg_catalog.string_agg(DISTINCT usename || CASE WHEN"
        " application_name <> '' THEN ' with ' || application_name ELSE '' END, ', ')"
        " FROM pg_catalog.pg_stat_activity WHERE datname = $1 AND usename IS NOT NULL"
        // Of other users' sessions not everybody is told more.
        " AND coalesce(backend_type, 'client backend') IN ('client backend', 'walsender')",
        {name_});
    std::vector<std::string> users;
    if (const uint64_t count = row.number(0, 0); count > 0) {
        users.push_back(
            fmt::format("{} session{}: {}", count, count == 1 ? "" : "s", row.text(0, 1)));
    }
    for (const std::string& transaction : preparedOnOld(connection)) {
        users.push_back(
            fmt::format("prepared transaction {0}: COMMIT PREPARED {0} or ROLLBACK "
                        "PREPARED {0} ends it",
                        pg::quoteLiteral(transaction)));
    }
    return fmt::format("{}", fmt::join(users, "; "));
}

std::vector<std::string> Refresh::preparedOnOld(pg::Connection& connection) const {
    const pg::Result found = connection.query(
        "SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = $1 ORDER BY 1", {name_});
    std::vector<std::string> names;
    for (int i = 0; i < found.rows(); ++i) names.push_back(found.string(i, 0));
    return names;
}

std::string Refresh::statementsOfSwap() const {
    return fmt::format("ALTER DATABASE {0} RENAME TO {1}; ALTER DATABASE {2} RENAME TO {0};",
                       pg::quoteIdentifier(name_), pg::quoteIdentifier(oldName_),
                       pg::quoteIdentifier(newName_));
}

}  // namespace gantry::restore
