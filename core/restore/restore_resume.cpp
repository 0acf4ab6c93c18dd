// SPDX-License-Identifier: PostgreSQL
// Taking up a restore that was interrupted: what its record says is done is left out, what it may
// have half-made is cleared or recognised.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/archive/identifier.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/history/history.h"
#include "core/restore/restore_run.h"
#include "core/restore/row_source.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::seconds kPatience{30};
/// What is told of a commit may be a little later than the commit.
constexpr std::chrono::seconds kMargin{2};

[[noreturn]] void refuse(const std::filesystem::path& record, std::string message) {
    throw Error(ErrorKind::Preflight, std::move(message), record.string(),
                "Give the record of the restore that is to be finished, or restore anew into an "
                "empty database.");
}

/// The record of the last restore of this archive into this database.
std::filesystem::path latestRecord(const events::Identity& wanted, const std::stop_token& stop) {
    history::History history(history::usualFolder());
    history.settle(stop);
    const std::optional<history::PastRun> found = history.latestRestore(wanted);
    if (found) return history.logOf(*found);
    throw Error(ErrorKind::Preflight,
                "the history knows no restore of this archive into this database", "--resume last",
                "Name the record that it left with --resume FILE, or restore anew into an empty "
                "database.");
}

/// Of a column or expression of type xid. Transaction numbers go round.
std::string isSince(std::string_view xid, uint64_t first) {
    return fmt::format(
        "({0}::pg_catalog.text::pg_catalog.int8 > 2 AND"
        " (({0}::pg_catalog.text::pg_catalog.int8 - {1}) & 4294967295) < 2147483648)",
        xid, first);
}

/// What pg_dump has created once the rows are there.
bool hindersRows(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    return desc == "TRIGGER" || desc == "CONSTRAINT" || desc == "CHECK CONSTRAINT" ||
           desc == "FK CONSTRAINT";
}

/// What nobody changes of a table is the description of its system columns.
std::set<std::string> tablesMadeSince(pg::Connection& connection, uint64_t first) {
    const pg::Result found = connection.query(
        fmt::format("SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
                    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                    " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = -1"
                    " WHERE c.relkind IN ('r', 'p') AND {}",
                    isSince("a.xmin", first)));
    std::set<std::string> names;
    for (int row = 0; row < found.rows(); ++row) names.insert(found.string(row, 0));
    return names;
}

/// Or more: then another run has finished the table since, and users may have gone on with it.
bool holdsAllRows(pg::Connection& connection, const std::string& table,
                  const archive::ArchiveReader& reader, const archive::DataMember& member) {
    const uint64_t there =
        connection.query(fmt::format("SELECT pg_catalog.count(*) FROM ONLY {}", table))
            .number(0, 0);
    try {
        return there >= countRows(reader, member);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Format) throw;
        return true;  // nobody knows; whoever comes to load it tells the damage
    }
}

}  // namespace

uint64_t RestoreRun::rowsSinceEarlierRun(pg::Connection& connection,
                                         const std::string& table) const {
    return connection
        .query(
            fmt::format("SELECT pg_catalog.count(*) FROM ONLY {0} t WHERE {1} AND t.xmin <> ALL "
                        "(SELECT a.xmin"
                        " FROM pg_catalog.pg_attribute a WHERE a.attrelid = $1::pg_catalog.regclass"
                        " AND a.attnum = -1)",
                        table, isSince("t.xmin", earlier_->firstTransaction)),
            {table})
        .number(0, 0);
}

/// A crash empties what is unlogged: its rows, and what must not be there when they come again.
std::set<DumpId> RestoreRun::unloggedContents(pg::Connection& connection) const {
    const pg::Result found = connection.query(
        "SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relpersistence = 'u'");
    std::set<std::string> names;
    for (int row = 0; row < found.rows(); ++row) names.insert(found.string(row, 0));
    std::set<DumpId> tables;
    std::set<DumpId> contents;
    for (const TocEntry& entry : reader_->toc().entries) {
        const std::string_view desc = entry.description();
        if (desc == "TABLE" && names.contains(entry.qualifiedName())) tables.insert(entry.dumpId);
        if ((desc == "TABLE DATA" || desc == "SEQUENCE SET") &&
            names.contains(entry.qualifiedName())) {
            contents.insert(entry.dumpId);
        }
    }
    for (const TocEntry& entry : reader_->toc().entries) {
        if (hindersRows(entry) &&
            std::any_of(entry.dependencies.begin(), entry.dependencies.end(),
                        [&](DumpId id) { return tables.contains(id) || contents.contains(id); })) {
            contents.insert(entry.dumpId);
        }
    }
    return contents;
}

events::Identity RestoreRun::identify() {
    pg::Connection& connection = coordinator_->connection();
    const uint64_t next =
        connection.query("SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())")
            .number(0, 0);
    return {.archive = archiveIdentity(*reader_),
            .database = databaseIdentity(connection),
            .incarnation = serverIncarnation(connection),
            .firstTransaction = earlier_ ? earlier_->firstTransaction : next};
}

void RestoreRun::takeUpEarlierRun() {
    if (options_.resume.empty()) return;
    if (options_.content.create) connectToCreated();
    const events::Identity wanted = identify();
    const std::filesystem::path record =
        options_.resume == "last" ? latestRecord(wanted, stop_) : options_.resume;
    earlier_ = readEarlierRun(record);
    if (earlier_->archive != wanted.archive) {
        refuse(record,
               fmt::format("the record is of another archive than {}", options_.archive.string()));
    }
    pg::Connection& connection = coordinator_->connection();
    if (earlier_->database != wanted.database) {
        refuse(record, fmt::format("the record is of another database than this \"{}\"",
                                   connection.databaseName()));
    }
    // With synchronous_commit off the WAL writer brings a commit to the disk after three rounds.
    const pg::Result server = connection.query(
        "SELECT 3 * setting::pg_catalog.int8 FROM pg_catalog.pg_settings"
        " WHERE name = 'wal_writer_delay'");
    const Duration asynchronous = std::chrono::milliseconds(server.number(0, 0)) + kMargin;
    serverRestarted_ = wanted.incarnation != earlier_->incarnation;
    std::set<DumpId> standing = earlier_->standing(serverRestarted_, asynchronous);
    if (serverRestarted_) {
        for (const DumpId id : unloggedContents(connection)) standing.erase(id);
    }
    for (const std::set<DumpId>& group : loadedViaRoots(reader_->toc())) {
        const auto stands = [&](DumpId id) { return standing.contains(id); };
        if (std::all_of(group.begin(), group.end(), stands)) continue;
        for (const DumpId id : group) standing.erase(id);
    }
    std::vector<const TocEntry*> kept;
    for (std::size_t i = 0; i < choice_.order.size(); ++i) {
        if (!standing.contains(choice_.order[i]->dumpId)) continue;
        kept.push_back(choice_.order[i]);
        choice_.wanted[i] = {};
    }
    for (const TocEntry* entry : kept) ledger_.created(*entry);
    resumed_ = std::move(kept);
}

void RestoreRun::beginRecord() {
    if (spansEntries()) return;  // nobody records what of it is committed
    if (earlier_) {
        endEarlierSessions();
        makeDurable();
        // A later run that resumes this one reads nothing else; so before this is told, it is of no
        // use to that.
        postDone(resumed_);
    }
    events_.post(identify());
    if (!earlier_) return;
    earlierTables_ = tablesMadeSince(coordinator_->connection(), earlier_->firstTransaction);
    if (serverRestarted_) dropDoubtful();
    emptyUnfinishedTables();
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format("{} of {} entries of the archive stand already.",
                               formatCount(resumed_.size()), formatCount(choice_.order.size()))});
}

/// Their client is gone, but a statement under way goes on to its end.
void RestoreRun::endEarlierSessions() {
    std::string pids;
    for (const int32_t pid : earlier_->backends) pids += fmt::format(",{}", pid);
    if (pids.empty()) return;
    const std::string sessions = fmt::format(
        "FROM pg_catalog.pg_stat_activity WHERE datname = pg_catalog.current_database()"
        " AND application_name LIKE 'gantry restore: %' AND pid IN ({})"
        " AND pid <> pg_catalog.pg_backend_pid()",
        pids.substr(1));
    const auto began = std::chrono::steady_clock::now();
    while (coordinator_->connection()
               .query("SELECT pg_catalog.pg_terminate_backend(pid) " + sessions)
               .rows() > 0) {
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        if (std::chrono::steady_clock::now() - began > kPatience) {
            throw Error(ErrorKind::Server, "a session of the interrupted restore does not end",
                        coordinator_->connection().databaseName(),
                        "Look for it in pg_stat_activity, then resume again.");
        }
        std::this_thread::sleep_for(kPoll);
    }
}

/// After a restart of the server, constraints and triggers may stand whose record does not count:
/// where rows come again, they go first. Most are not there, and what cannot be dropped is told by
/// the rows.
void RestoreRun::dropDoubtful() {
    for (std::size_t i = choice_.order.size(); i-- > 0;) {
        const TocEntry& entry = *choice_.order[i];
        if (!choice_.wanted[i].any() || !hindersRows(entry)) continue;
        archive::Statements statements;
        coordinator_->statements().drop(entry, statements);
        (void)coordinator_->run(entry, statements, [](const TocEntry&, const Error&) {});
    }
    coordinator_->statements().forgetSchema();
    coordinator_->becomeOneself();
}

/// Rows whose commit the record does not tell of are loaded once more, so none of them may stay.
void RestoreRun::emptyUnfinishedTables() {
    pg::Connection& connection = coordinator_->connection();
    std::set<DumpId> ours;  // and none that an extension made, with rows of its own
    for (const TocEntry& entry : reader_->toc().entries) {
        if (entry.description() == "TABLE" && earlierTables_.contains(entry.qualifiedName())) {
            ours.insert(entry.dumpId);
        }
    }
    for (std::size_t i = 0; i < choice_.order.size(); ++i) {
        const TocEntry& entry = *choice_.order[i];
        if (!choice_.wanted[i].data || !entry.hadDumper || entry.description() != "TABLE DATA" ||
            std::none_of(entry.dependencies.begin(), entry.dependencies.end(),
                         [&](DumpId id) { return ours.contains(id); })) {
            continue;
        }
        const std::string table = archive::formatIdentifier(entry.namespaceName.value_or("")) +
                                  "." + archive::formatIdentifier(entry.name());
        const pg::Result filled =
            connection.query(fmt::format("SELECT EXISTS (SELECT FROM ONLY {})", table));
        if (!filled.boolean(0, 0)) continue;
        const auto members = members_.find(entry.dumpId);
        if (members != members_.end() && !entry.copyStmt.value_or("").empty() &&
            holdsAllRows(connection, table, *reader_, *members->second.front())) {
            ledger_.filled(entry);
        } else {
            connection.execute("TRUNCATE TABLE ONLY " + table);
        }
    }
}

void RestoreRun::noteDone(const std::vector<const TocEntry*>& entries) {
    if (spansEntries()) {
        {
            const MutexLock lock(mutex_);
            uncommitted_.insert(uncommitted_.end(), entries.begin(), entries.end());
        }
        noteCommitted();
        return;
    }
    for (const TocEntry* entry : entries) ledger_.done(*entry);
    postDone(entries);
}

void RestoreRun::noteCommitted() {
    if (!spansEntries() || coordinator_->isOpen()) return;
    const MutexLock lock(mutex_);
    for (const TocEntry* entry : uncommitted_) ledger_.done(*entry);
    uncommitted_.clear();
    committed_ = {bytes_, rows_, relations_, objects_};
}

void RestoreRun::postDone(const std::vector<const TocEntry*>& entries) {
    if (entries.empty()) return;
    events::EntriesDone done;
    for (const TocEntry* entry : entries) done.entries.push_back(entry->dumpId);
    events_.post(std::move(done));
}

}  // namespace gantry::restore
