// SPDX-License-Identifier: PostgreSQL
// A libpq connection as a world of its own: one thread, interruptible waits, errors as
// gantry::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/options/connection_options.h"
#include "core/pg/gather_pause.h"
#include "core/pg/host_list.h"

struct pg_conn;
struct pg_result;

namespace gantry::pg {

/// Rows of text, column by column; NULL reads as an empty optional.
class Result {
public:
    explicit Result(pg_result* result);

    int rows() const;
    bool isNull(int row, int column) const;
    /// Empty for NULL. Valid as long as the result.
    std::string_view text(int row, int column) const;
    std::string string(int row, int column) const { return std::string(text(row, column)); }
    uint64_t number(int row, int column) const;
    Oid oid(int row, int column) const { return Oid{static_cast<uint32_t>(number(row, column))}; }
    double real(int row, int column) const;
    bool bringsCopyData() const;  ///< COPY … TO STDOUT is about to send rows
    bool boolean(int row, int column) const { return text(row, column) == "t"; }
    bool wantsCopyData() const;   ///< COPY … FROM STDIN waits for rows
    bool offersCopyData() const;  ///< COPY … TO STDOUT has some

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

/// Called about once a second while a statement waits for its answer.
using WaitObserver = std::function<void(std::chrono::seconds waited)>;

/// What the server says beside its answers.
struct ServerNotice {
    std::string severity;  ///< "INFO", "WARNING", "DEBUG", … in English
    std::string sqlState;
    std::string message;
    std::string detail;
    std::string context;
};
/// Called on the connection's thread while it waits for an answer, or reads one.
using NoticeObserver = std::function<void(const ServerNotice&)>;

/// Sends "cancel" for one connection's statement. Made on the connection's thread, usable on any.
class Canceller {
public:
    explicit Canceller(pg_conn* connection);
    /// Best effort: the backend may be done already.
    void cancel() const;

private:
    struct Free {
        void operator()(void* cancel) const;
    };
    std::shared_ptr<void> cancel_;
};

/// A live session. All calls from one thread at a time. Every wait ends within 100 ms of a stop
/// request: the statement is cancelled at the server and Error{Cancelled} thrown; such a connection
/// is to be thrown away.
class Connection {
public:
    /// Connects. A host that does not answer within libpq's connect_timeout (a minute if there is
    /// none) gives way to the next of a list. `application` is what pg_stat_activity shows. Throws
    /// Error{Connection} with the server's or libpq's own words and a next step.
    static Connection open(const options::ConnectionOptions& options, std::string_view application,
                           std::stop_token stop);
    ~Connection();
    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;

    int serverVersion() const;  ///< as PQserverVersion: 150004
    int serverMajor() const { return serverVersion() / 10000; }
    std::string serverVersionText() const;  ///< "15.4 (Debian …)"
    std::string applicationName() const;    ///< as the server knows it now
    int32_t backendPid() const;
    std::string clientEncoding() const;
    /// The database's.
    std::string serverEncoding() const;
    bool standardStrings() const;  ///< standard_conforming_strings
    bool inTransaction() const;    ///< also one that failed
    std::string databaseName() const;
    /// For watching only, never for reading.
    int socket() const;
    bool isLocal() const;  ///< over a Unix socket: the server is on this machine
    bool alive() const;    ///< false once the socket is known to be gone

    /// One or several statements without parameters; returns the last one's rows.
    Result query(const std::string& sql);
    Result query(const std::string& sql, const std::vector<std::string>& parameters);
    /// Throws Error{Server} as well for COPY from or to the client, which has no place here.
    void execute(const std::string& sql);
    /// COMMIT. A stop request cancels it as well, but what the server answers then counts, since
    /// it may be too late: it returns if all was committed. Throws Error{Cancelled} or
    /// Error{Server} if it was not; where no answer came, which may mean either, an error whose
    /// connection is not usable.
    void commit();
    /// Waits end on this token's request from now on.
    void stopOn(std::stop_token stop) { stop_ = std::move(stop); }
    void setWaitObserver(WaitObserver observer) { observer_ = std::move(observer); }
    /// Without one, notices are dropped.
    void setNoticeObserver(NoticeObserver observer);

    /// For a connection that is to receive much: libpq then fetches up to 256 KiB at once.
    void enlargeReceiveBuffer();
    /// Begins COPY … TO STDOUT.
    void beginCopyOut(const std::string& sql);
    /// The next row with its newline (or the next binary row), valid until the next call; empty
    /// optional when all rows have come. `copyRows()` then is what the server says it copied.
    std::optional<std::string_view> nextCopyRow();
    uint64_t copyRows() const { return copyRows_; }

    /// Begins COPY … FROM STDIN. Throws Error{Server} if the statement is something else.
    void beginCopyIn(const std::string& sql);
    /// Sends any stretch of what COPY is to read; waits while the server is slow to take it.
    void putCopyData(std::span<const std::byte> bytes);
    /// Ends it; returns the rows that the server says it copied. Throws Error{Server} in the
    /// server's words if it refused any of it.
    uint64_t endCopyIn();
    /// Ends it with a failure, so that nothing of it stays. Does not throw.
    void abandonCopyIn() noexcept;

    /// Writes a part of a large object that exists.
    void putLargeObject(Oid object, uint64_t offset, std::span<const std::byte> bytes);

    Canceller canceller() const { return Canceller(connection_.get()); }

    /// Connection parameters as libpq used them, without secrets, as a conninfo string for a child
    /// process; `password` as it was used, for the child's environment.
    std::string conninfoWithoutSecrets() const;
    std::optional<std::string> password() const;
    /// The environment variables that libpq reads: a child must not see them beside these two,
    /// which leave out what is as libpq has it by default.
    std::vector<std::string> variables() const;
    /// The server that it leads to, as one host.
    HostList reached() const;
    /// Where the connection leads, for people: "host:port".
    std::string server() const;
    /// "host:port/database".
    std::string endpoint() const;

private:
    struct Finish {
        void operator()(pg_conn* connection) const;
    };
    Connection(pg_conn* connection, std::stop_token stop);

    /// Waits until the connection is there or has failed; false if the host that is tried has not
    /// answered within `limit`. Throws Cancelled on stop.
    bool awaitAnswer(std::chrono::seconds limit);
    /// Waits until the socket can be read; throws Cancelled on stop.
    void waitReadable();
    /// Sends what libpq has gathered.
    void flush(const std::string& statement);
    Result collect(const std::string& statement);
    /// A statement that was given up has been cancelled; what the server still says of it is read
    /// before `statement` can be sent.
    void finishGivenUp(const std::string& statement);
    /// Ends a COPY that nobody meant, and throws.
    [[noreturn]] void refuseCopy(const Result& result, const std::string& statement,
                                 std::string_view why);
    [[noreturn]] void throwServerError(pg_result* result, const std::string& statement);
    [[noreturn]] void throwLost(const std::string& statement);
    void freeRow();

    std::unique_ptr<pg_conn, Finish> connection_;
    std::stop_token stop_;
    bool committing_ = false;
    WaitObserver observer_;
    std::unique_ptr<NoticeObserver> noticeObserver_;  ///< where libpq keeps its address
    char* row_ = nullptr;
    uint64_t copyRows_ = 0;
    uint64_t copyBytes_ = 0;  ///< of the rows so far
    GatherPause gatherPause_;
    std::string copyStatement_;
};

/// `name` as an SQL identifier, always quoted.
std::string quoteIdentifier(std::string_view name);
/// `"schema"."name"`.
std::string quoteQualified(std::string_view schema, std::string_view name);
/// `value` as a value in a conninfo string: quoted, quotes and backslashes escaped.
std::string quoteConninfoValue(std::string_view value);
/// `text` as an SQL string literal; uses E'' when it holds a backslash.
std::string quoteLiteral(std::string_view text);

}  // namespace gantry::pg
