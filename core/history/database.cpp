// SPDX-License-Identifier: PostgreSQL
#include "core/history/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "core/base/error.h"

namespace gantry::history {
namespace {

constexpr int kPatienceMs = 10'000;
constexpr std::chrono::milliseconds kPause{5};
/// 1 MB of write-ahead log, which the next process reads in a millisecond.
constexpr int kPagesOfLog = 256;

[[noreturn]] void fail(sqlite3* connection, const std::string& file) {
    const int code = connection == nullptr ? SQLITE_NOMEM : sqlite3_errcode(connection) & 0xff;
    const std::string words = connection == nullptr ? "no memory" : sqlite3_errmsg(connection);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
        throw Error(ErrorKind::Format, words, file);
    }
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        throw Error(ErrorKind::Io, "another process keeps it locked", file, "Try again later.");
    }
    throw Error(ErrorKind::Io, words, file, "Check that its folder may be written to.");
}

[[noreturn]] void fail(sqlite3_stmt* statement) {
    sqlite3* connection = sqlite3_db_handle(statement);
    const char* file = sqlite3_db_filename(connection, "main");
    fail(connection, file == nullptr ? "" : file);
}

void check(sqlite3_stmt* statement, int code) {
    if (code != SQLITE_OK) fail(statement);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    fail(statement_.get());
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
    const unsigned char* begin = sqlite3_column_text(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return begin == nullptr
               ? std::string()
               : std::string(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(size));
}

int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

void Statement::reset() {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
}

void Statement::put(int index, const std::string& value) {
    check(statement_.get(), sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(),
                                                SQLITE_TRANSIENT,  // NOLINT: the library's own cast
                                                SQLITE_UTF8));
}

void Statement::put(int index, int64_t value) {
    check(statement_.get(), sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::put(int index, double value) {
    check(statement_.get(), sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::put(int index, std::optional<uint32_t> value) {
    check(statement_.get(), value ? sqlite3_bind_int64(statement_.get(), index, *value)
                                  : sqlite3_bind_null(statement_.get(), index));
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Database::Database(const std::filesystem::path& file) {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(file.c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(opened);
    if (code != SQLITE_OK) fail(opened, file.string());
    sqlite3_busy_timeout(opened, kPatienceMs);
    // Readers and a writer do not wait for each other; a crash of the machine may cost the last
    // runs, whose logs are there still.
    keepWriteAheadLog();
    execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    // Who closes it last does not wait for the disk: what has come together goes into the file now
    // and then, by a run that writes.
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    execute(fmt::format("PRAGMA wal_autocheckpoint = {}", kPagesOfLog));
}

void Database::keepWriteAheadLog() {
    // Where several turn a new file over at once, SQLite refuses without waiting.
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    for (;;) {
        const int code =
            sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) return;
        if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() >= giveUp) {
            fail(connection_.get(), sqlite3_db_filename(connection_.get(), "main"));
        }
        std::this_thread::sleep_for(kPause);
    }
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
        return;
    const char* file = sqlite3_db_filename(connection_.get(), "main");
    fail(connection_.get(), file == nullptr ? "" : file);
}

Statement Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        &statement, nullptr);
    if (code != SQLITE_OK) {
        const char* file = sqlite3_db_filename(connection_.get(), "main");
        fail(connection_.get(), file == nullptr ? "" : file);
    }
    return Statement(statement);
}

int64_t Database::lastId() const { return sqlite3_last_insert_rowid(connection_.get()); }

Transaction::Transaction(Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (!open_) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) {  // undone by the library already
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace gantry::history
