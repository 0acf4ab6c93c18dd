// SPDX-License-Identifier: PostgreSQL
// SQLite as far as the history needs it: statements with values, errors in our own words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gantry::history {

/// A prepared statement. Errors as Database says.
class Statement {
public:
    /// Values for ?1, ?2, …, then a run to the end; rows are left out.
    template <class... Values>
    void run(const Values&... values) {
        bind(values...);
        while (step()) {
        }
    }
    /// Values for ?1, ?2, …; step() then gives the rows.
    template <class... Values>
    Statement& bind(const Values&... values) {
        reset();
        int index = 0;
        (put(++index, values), ...);
        return *this;
    }
    bool step();

    bool isNull(int column) const;
    std::string text(int column) const;
    int64_t integer(int column) const;
    uint64_t count(int column) const { return static_cast<uint64_t>(integer(column)); }
    double real(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    void reset();
    void put(int index, const std::string& value);
    void put(int index, int64_t value);
    void put(int index, uint64_t value) { put(index, static_cast<int64_t>(value)); }
    void put(int index, uint32_t value) { put(index, static_cast<int64_t>(value)); }
    void put(int index, int32_t value) { put(index, static_cast<int64_t>(value)); }
    void put(int index, bool value) { put(index, static_cast<int64_t>(value)); }
    void put(int index, double value);
    void put(int index, std::optional<uint32_t> value);
    void put(int index, const char* value) = delete;  // would pass for true

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One thread at a time; other connections and processes may use the same file, whose writers wait
/// for each other for some seconds. Throws Error{Format} if the file is damaged or no database,
/// Error{Io} for the rest.
class Database {
public:
    /// Makes the file if there is none.
    explicit Database(const std::filesystem::path& file);
    Database(Database&&) = default;
    Database& operator=(Database&&) = default;

    /// One or several statements without values.
    void execute(const std::string& sql);
    Statement prepare(std::string_view sql);
    int64_t lastId() const;

private:
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    void keepWriteAheadLog();
    std::unique_ptr<sqlite3, Close> connection_;
};

/// Takes the right to write at once, so that nobody has to be turned away at the end; undone unless
/// committed.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& database_;
    bool open_ = true;
};

}  // namespace gantry::history
