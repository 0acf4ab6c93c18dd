// SPDX-License-Identifier: PostgreSQL
#include "core/restore/earlier_run.h"

#include <fmt/format.h>

#include <map>

#include "core/archive/entry_statements.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/events/run_log.h"
#include "core/io/checksum.h"
#include "core/pg/environment.h"

namespace gantry::restore {
namespace {

void requireOver(const std::filesystem::path& record) {
    if (!events::isBeingWritten(record)) return;
    throw Error(ErrorKind::Preflight, "the restore that this records is still going on",
                record.string(), "Wait for its end, or stop it with Ctrl-C.");
}

class Fold {
public:
    explicit Fold(EarlierRun& run) : run_(run) {}

    void add(const events::Event& event) {
        at_ = event.at;
        std::visit([this](const auto& payload) { on(payload); }, event.payload);
        if (!lost_) run_.lostAt = at_;
    }
    const std::string& operation() const { return operation_; }
    bool clean() const { return clean_; }

private:
    void on(const events::RunStarted& e) { operation_ = e.operation; }
    void on(const events::Identity& e) {
        run_.archive = e.archive;
        run_.database = e.database;
        run_.incarnation = e.incarnation;
        run_.firstTransaction = e.firstTransaction;
    }
    void on(const events::EntriesDone& e) {
        const Duration at = run_.archive.empty() ? Duration::min() : at_;
        for (const DumpId id : e.entries) run_.done.emplace_back(at, id);
    }
    void on(const events::TaskStarted& e) {
        if (e.backendPid > 0) run_.backends.insert(e.backendPid);
    }
    void on(const events::TaskFailed& e) { lost_ = lost_ || !e.error.connectionUsable; }
    void on(const events::RunFinished& e) { clean_ = e.outcome == events::Outcome::Clean; }
    template <class Other>
    void on(const Other&) {}

    EarlierRun& run_;
    Duration at_{};
    std::string operation_;
    bool clean_ = false;
    bool lost_ = false;
};

}  // namespace

std::set<DumpId> EarlierRun::standing(bool restarted, Duration asynchronous) const {
    std::set<DumpId> found;
    for (const auto& [at, id] : done) {
        if (!restarted || at + asynchronous < lostAt) found.insert(id);
    }
    return found;
}

EarlierRun readEarlierRun(const std::filesystem::path& record) {
    requireOver(record);
    EarlierRun run;
    Fold fold(run);
    try {
        for (const events::Event& event : events::readRunLog(record)) fold.add(event);
    } catch (const Error& error) {
        ErrorInfo info = error.info();
        info.hint = "Give the file that the interrupted restore wrote with --events.";
        throw Error(std::move(info));
    }
    if (fold.operation() != "restore" || run.archive.empty() || run.firstTransaction == 0) {
        throw Error(ErrorKind::Preflight,
                    fold.operation().empty() || fold.operation() == "restore"
                        ? "the record says nothing of a restore's progress"
                        : fmt::format("the record is of a {}, not of a restore", fold.operation()),
                    record.string(),
                    "Give the file that the interrupted restore wrote with --events, or restore "
                    "anew.");
    }
    if (fold.clean()) {
        throw Error(ErrorKind::Preflight, "that restore came to its end: nothing is left to do",
                    record.string());
    }
    return run;
}

std::string archiveIdentity(const archive::ArchiveReader& reader) {
    return fmt::format("{:016x}", io::checksumOf(bytesOf(archive::writeToc(reader.toc())),
                                                 io::ChecksumKind::Xxh3));
}

std::string databaseIdentity(pg::Connection& connection) {
    const pg::Result row = connection.query(
        "SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()");
    // Where the first is not told, the database's number says most of it.
    return fmt::format("{}/{}", pg::systemIdentifier(connection), row.text(0, 0));
}

std::string serverIncarnation(pg::Connection& connection) {
    return connection
        .query(
            "SELECT pg_catalog.concat_ws('/',"
            " pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time()),"
            " pg_catalog.date_part('epoch', stats_reset)) FROM pg_catalog.pg_stat_bgwriter")
        .string(0, 0);
}

std::vector<std::set<DumpId>> loadedViaRoots(const archive::Toc& toc) {
    std::map<std::string, std::set<DumpId>> byRoot;
    for (const archive::TocEntry& entry : toc.entries) {
        if (entry.hadDumper && archive::isViaRoot(entry)) byRoot[*entry.defn].insert(entry.dumpId);
    }
    std::vector<std::set<DumpId>> groups;
    for (auto& [root, group] : byRoot) groups.push_back(std::move(group));
    return groups;
}

}  // namespace gantry::restore
