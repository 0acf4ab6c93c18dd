// SPDX-License-Identifier: PostgreSQL
#include "core/pg/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/pg/host_list.h"
#include "core/pg/one_server.h"
#include "core/pg/parameters.h"
#include "core/pg/secrets.h"
#include "core/pg/sql_state.h"

namespace gantry::pg {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopLatency = 100ms;
constexpr auto kAnswerToCancel = 1s;  // of a commit
constexpr int kCancelMessageSize = 256;

// From here on a COPY has shown itself to be long: its rows may gather.
constexpr uint64_t kLongCopy = uint64_t{256} << 10;

/// libpq's words, without what it adds of a socket that it has closed itself by then.
std::string trimmed(const char* message) {
    std::string_view text = message == nullptr ? "" : message;
    const auto withoutEnd = [&] { text = text.substr(0, text.find_last_not_of("\n ") + 1); };
    withoutEnd();
    constexpr std::string_view kClosed = "\ninvalid socket";
    if (text.ends_with(kClosed)) text.remove_suffix(kClosed.size());
    withoutEnd();
    return std::string(text);
}

/// libpq's reason for a failed connection names the cause in words only; the next step follows
/// them.
std::string connectHint(std::string_view message) {
    const auto has = [&](std::string_view part) {
        return message.find(part) != std::string_view::npos;
    };
    if (has("password authentication failed")) {
        return "Check user and password (PGPASSWORD, the pass file, or -W to be asked).";
    }
    if (has("no password supplied")) return "Supply one: the pass file, PGPASSWORD or -W.";
    if (has("does not exist") && has("database")) {
        return "Check the name; psql -l lists the databases of the server.";
    }
    if (has("does not exist") && has("role")) return "Check -U, or create the role.";
    if (has("no pg_hba.conf entry")) {
        return "Add a line for this user, database and address to the server's pg_hba.conf.";
    }
    if (has("too many clients") || has("remaining connection slots")) {
        return "Use fewer jobs (-j), or raise max_connections.";
    }
    if (has("too many connections for")) {
        return has("for role") ? "Raise the role's limit (ALTER ROLE … CONNECTION LIMIT), or use "
                                 "fewer jobs (-j)."
                               : "Raise the database's limit (ALTER DATABASE … CONNECTION LIMIT), "
                                 "or use fewer jobs (-j).";
    }
    if (has("could not translate host name")) return "Check the host name.";
    if (has("shutting down") || has("starting up") || has("recovery mode")) {
        return "Check that the server runs; its log says why it stopped.";
    }
    if (has("Connection refused") || has("No such file or directory") || has("timeout") ||
        has("closed the connection unexpectedly")) {
        return "Check that the server runs and that host and port are right.";
    }
    return {};
}

/// `before` is what other hosts failed with.
Error connectionError(PGconn* connection, const std::string& before) {
    ErrorInfo info;
    info.kind = ErrorKind::Connection;
    info.message = before + trimmed(PQerrorMessage(connection));
    info.hint = connectHint(info.message);
    // libpq keeps no SQLSTATE of a failed connect; whoever can ask for a password wants to know.
    if (PQconnectionNeedsPassword(connection) != 0) info.sqlState = "28P01";
    info.connectionUsable = false;
    return Error(std::move(info));
}

/// `hosts` instead of those that the options name, unless it is empty.
PGconn* startConnecting(const options::ConnectionOptions& options, std::string_view application,
                        const HostList& hosts) {
    const std::string applicationName(application);
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    const auto add = [&](const char* keyword, const std::string& value) {
        if (value.empty()) return;
        keywords.push_back(keyword);
        values.push_back(value.c_str());
    };
    add("host", options.host);
    add("port", options.port);
    add("user", options.user);
    if (options.password) add("password", *options.password);
    add("dbname", options.database);  // last wins: a conninfo string overrides what stands before
    add("host", hosts.host);
    add("hostaddr", hosts.hostaddr);
    add("port", hosts.port);
    add("fallback_application_name", applicationName);
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    PGconn* connection = PQconnectStartParams(keywords.data(), values.data(), 1);
    if (connection == nullptr) throw Error(ErrorKind::Connection, "out of memory");
    return connection;
}

/// One poll of the connection's socket; false on time-out.
bool pollOnce(PGconn* connection, short events, std::chrono::milliseconds timeout) {
    pollfd entry{.fd = PQsocket(connection), .events = events, .revents = 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(timeout.count()));
    return ready > 0 || (ready < 0 && errno != EINTR);
}

/// What a Unix socket takes: the server leaves it as the system makes it, as we do. That of a
/// network changes as it is used; 0 then.
std::size_t roomOfSocket(PGconn* connection) {
    int room = 0;
    socklen_t size = sizeof room;
    const int socket = PQsocket(connection);
    if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &room, &size) != 0 || room != AF_UNIX) return 0;
    if (::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &size) != 0) return 0;
    return static_cast<std::size_t>(room);
}

std::size_t bytesWaiting(PGconn* connection) {
    int bytes = 0;
    return ::ioctl(PQsocket(connection), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes)
                                                                : 0;
}

}  // namespace

void Result::Clear::operator()(pg_result* result) const { PQclear(result); }

Result::Result(pg_result* result) : result_(result) {}

int Result::rows() const { return PQntuples(result_.get()); }

bool Result::isNull(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view Result::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

bool Result::bringsCopyData() const { return PQresultStatus(result_.get()) == PGRES_COPY_OUT; }

uint64_t Result::number(int row, int column) const {
    const std::string_view digits = text(row, column);
    uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

double Result::real(int row, int column) const {
    return std::strtod(PQgetvalue(result_.get(), row, column), nullptr);
}

Canceller::Canceller(pg_conn* connection)
    : cancel_(PQgetCancel(connection), [](void* cancel) {
          if (cancel != nullptr) PQfreeCancel(static_cast<PGcancel*>(cancel));
      }) {}

bool Result::wantsCopyData() const { return PQresultStatus(result_.get()) == PGRES_COPY_IN; }

bool Result::offersCopyData() const { return PQresultStatus(result_.get()) == PGRES_COPY_OUT; }

void Canceller::cancel() const {
    if (cancel_ == nullptr) return;
    char message[kCancelMessageSize];
    (void)PQcancel(static_cast<PGcancel*>(cancel_.get()), message, sizeof message);
}

void Connection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::Connection(pg_conn* connection, std::stop_token stop)
    : connection_(connection), stop_(std::move(stop)) {}

Connection::~Connection() { freeRow(); }

Connection::Connection(Connection&& other) noexcept
    : connection_(std::move(other.connection_)),
      stop_(std::move(other.stop_)),
      observer_(std::move(other.observer_)),
      noticeObserver_(std::move(other.noticeObserver_)),
      row_(std::exchange(other.row_, nullptr)),
      copyRows_(other.copyRows_),
      copyBytes_(other.copyBytes_),
      gatherPause_(other.gatherPause_),
      copyStatement_(std::move(other.copyStatement_)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
    if (this != &other) {
        freeRow();
        connection_ = std::move(other.connection_);
        stop_ = std::move(other.stop_);
        observer_ = std::move(other.observer_);
        noticeObserver_ = std::move(other.noticeObserver_);
        row_ = std::exchange(other.row_, nullptr);
        copyRows_ = other.copyRows_;
        copyBytes_ = other.copyBytes_;
        gatherPause_ = other.gatherPause_;
        copyStatement_ = std::move(other.copyStatement_);
    }
    return *this;
}

Connection Connection::open(const options::ConnectionOptions& options, std::string_view application,
                            std::stop_token stop) {
    std::string failures;  // of hosts that have been passed over, a line each
    for (HostList hosts = options.server ? options.server->reached() : HostList();;) {
        Connection connection(startConnecting(options, application, hosts), stop);
        PGconn* raw = connection.connection_.get();
        const Parameters parameters(raw);
        const std::chrono::seconds limit = parameters.connectTimeout();
        if (connection.awaitAnswer(limit)) {
            if (PQstatus(raw) != CONNECTION_OK) throw connectionError(raw, failures);
            // Notices come back as events where they matter; libpq must not print them.
            PQsetNoticeReceiver(
                raw, [](void*, const PGresult*) {}, nullptr);
            if (PQsetnonblocking(raw, 1) != 0) throw connectionError(raw, {});
            connection.gatherPause_ = GatherPause(roomOfSocket(raw));
            if (options.server) options.server->reach(connection.reached());
            return connection;
        }
        std::string before = PQerrorMessage(raw);
        failures += before.erase(before.rfind('\n') + 1);  // the last line is only begun
        failures += fmt::format("{}: no answer from the server within {} s", connection.endpoint(),
                                limit.count());
        const std::optional<HostList> rest =
            parameters.hosts().behind(trimmed(PQhost(raw)), trimmed(PQport(raw)));
        if (!rest) {
            throw Error(ErrorKind::Connection, failures, {},
                        "Check that the server runs and that host and port are right.");
        }
        failures += ".\n";
        hosts = *rest;
    }
}

bool Connection::awaitAnswer(std::chrono::seconds limit) {
    // A blocking connect would not see a stop request; libpq's own time-out covers only that one.
    PGconn* raw = connection_.get();
    std::string tried;
    auto began = std::chrono::steady_clock::now();
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (PQstatus(raw) != CONNECTION_BAD && state != PGRES_POLLING_OK &&
           state != PGRES_POLLING_FAILED) {
        if (stop_.stop_requested()) {
            throw Error(ErrorKind::Cancelled, "cancelled while connecting");
        }
        std::string at = fmt::format("{} {}", server(), trimmed(PQhostaddr(raw)));
        const auto now = std::chrono::steady_clock::now();
        if (at != tried) {
            tried = std::move(at);
            began = now;
        }
        if (now - began > limit) return false;
        const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (pollOnce(raw, events, kStopLatency)) state = PQconnectPoll(raw);
    }
    return true;
}

void Connection::setNoticeObserver(NoticeObserver observer) {
    noticeObserver_ = std::make_unique<NoticeObserver>(std::move(observer));
    PQsetNoticeReceiver(
        connection_.get(),
        [](void* told, const PGresult* result) {
            const auto field = [&](int code) { return trimmed(PQresultErrorField(result, code)); };
            (*static_cast<NoticeObserver*>(told))({.severity = field(PG_DIAG_SEVERITY_NONLOCALIZED),
                                                   .sqlState = field(PG_DIAG_SQLSTATE),
                                                   .message = field(PG_DIAG_MESSAGE_PRIMARY),
                                                   .detail = field(PG_DIAG_MESSAGE_DETAIL),
                                                   .context = field(PG_DIAG_CONTEXT)});
        },
        noticeObserver_.get());
}

int Connection::serverVersion() const { return PQserverVersion(connection_.get()); }

std::string Connection::serverVersionText() const {
    return trimmed(PQparameterStatus(connection_.get(), "server_version"));
}

std::string Connection::applicationName() const {
    return trimmed(PQparameterStatus(connection_.get(), "application_name"));
}

int32_t Connection::backendPid() const { return PQbackendPID(connection_.get()); }

std::string Connection::clientEncoding() const {
    return trimmed(pg_encoding_to_char(PQclientEncoding(connection_.get())));
}

std::string Connection::serverEncoding() const {
    return trimmed(PQparameterStatus(connection_.get(), "server_encoding"));
}

bool Connection::standardStrings() const {
    return trimmed(PQparameterStatus(connection_.get(), "standard_conforming_strings")) != "off";
}

bool Connection::inTransaction() const {
    return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
}

std::string Connection::databaseName() const { return trimmed(PQdb(connection_.get())); }

bool Connection::isLocal() const {
    const char* host = PQhost(connection_.get());
    return host != nullptr && (*host == '/' || *host == '@');
}

bool Connection::alive() const {
    return connection_ != nullptr && PQstatus(connection_.get()) == CONNECTION_OK;
}

int Connection::socket() const { return PQsocket(connection_.get()); }

void Connection::waitReadable() {
    const auto began = std::chrono::steady_clock::now();
    auto told = 0s;
    std::optional<std::chrono::steady_clock::time_point> cancelled;
    for (;;) {
        // Most waits are short: look before asking for the time or the token.
        if (pollOnce(connection_.get(), POLLIN, kStopLatency)) return;
        if (stop_.stop_requested()) {
            if (!cancelled) {
                canceller().cancel();
                cancelled = std::chrono::steady_clock::now();
            }
            if (committing_ && std::chrono::steady_clock::now() < *cancelled + kAnswerToCancel) {
                continue;
            }
            ErrorInfo info;
            info.kind = ErrorKind::Cancelled;
            info.message = "cancelled";
            info.connectionUsable = !committing_;
            throw Error(std::move(info));
        }
        const auto waited = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now() - began);
        if (observer_ && waited > told) {
            told = waited;
            observer_(waited);
        }
    }
}

void Connection::flush(const std::string& statement) {
    PGconn* raw = connection_.get();
    int flushed = PQflush(raw);
    while (flushed == 1) {
        if (stop_.stop_requested()) {
            canceller().cancel();
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        if (!pollOnce(raw, POLLIN | POLLOUT, kStopLatency)) continue;
        if (PQconsumeInput(raw) == 0) throwLost(statement);
        flushed = PQflush(raw);
    }
    if (flushed < 0) throwLost(statement);
}

Result Connection::collect(const std::string& statement) {
    PGconn* raw = connection_.get();
    flush(statement);

    std::optional<Result> last;
    for (;;) {
        while (PQisBusy(raw) != 0) {
            waitReadable();
            if (PQconsumeInput(raw) == 0) throwLost(statement);
        }
        PGresult* result = PQgetResult(raw);
        if (result == nullptr) break;
        const ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
            throwServerError(result, statement);
        }
        last.emplace(result);
        if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN) break;
    }
    if (!last) throwLost(statement);
    return std::move(*last);
}

void Connection::refuseCopy(const Result& result, const std::string& statement,
                            std::string_view why) {
    if (result.wantsCopyData()) abandonCopyIn();
    if (result.offersCopyData()) {
        try {
            while (nextCopyRow()) {
            }
        } catch (const Error& error) {
            if (!error.info().connectionUsable) throw;
        }
    }
    ErrorInfo info;
    info.kind = ErrorKind::Server;
    info.message = why;
    info.statement = withoutSecrets(statement);
    throw Error(std::move(info));
}

void Connection::execute(const std::string& sql) {
    const Result result = query(sql);
    if (result.wantsCopyData() || result.offersCopyData()) {
        refuseCopy(result, sql, "it exchanges rows with the client, which has none for it");
    }
}

void Connection::commit() {
    committing_ = true;
    try {
        execute("COMMIT");
    } catch (...) {
        committing_ = false;
        throw;
    }
    committing_ = false;
}

void Connection::finishGivenUp(const std::string& statement) {
    PGconn* raw = connection_.get();
    while (PQtransactionStatus(raw) == PQTRANS_ACTIVE) {
        while (PQisBusy(raw) != 0) {
            waitReadable();
            if (PQconsumeInput(raw) == 0) throwLost(statement);
        }
        PGresult* result = PQgetResult(raw);
        if (result == nullptr) return;
        const ExecStatusType status = PQresultStatus(result);
        const std::string severity =
            trimmed(PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED));
        if (status == PGRES_FATAL_ERROR && severity != "ERROR") {
            throwServerError(result, statement);
        }
        PQclear(result);
        if (status == PGRES_COPY_IN) abandonCopyIn();
        if (status == PGRES_COPY_OUT) {
            try {
                while (nextCopyRow()) {
                }
            } catch (const Error& error) {
                if (!error.info().connectionUsable) throw;
            }
        }
    }
}

Result Connection::query(const std::string& sql) {
    finishGivenUp(sql);
    if (PQsendQuery(connection_.get(), sql.c_str()) == 0) throwLost(sql);
    return collect(sql);
}

Result Connection::query(const std::string& sql, const std::vector<std::string>& parameters) {
    std::vector<const char*> values;
    values.reserve(parameters.size());
    for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
    finishGivenUp(sql);
    if (PQsendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                          values.data(), nullptr, nullptr, 0) == 0) {
        throwLost(sql);
    }
    return collect(sql);
}

void Connection::beginCopyOut(const std::string& sql) {
    copyStatement_ = sql;
    copyRows_ = 0;
    copyBytes_ = 0;
    (void)query(sql);
}

void Connection::enlargeReceiveBuffer() {
    // Its buffer of 16 KiB grows with the longest message that came, and keeps its size.
    (void)query("SELECT pg_catalog.repeat(' ', 262144)");
}

std::optional<std::string_view> Connection::nextCopyRow() {
    freeRow();
    PGconn* raw = connection_.get();
    for (;;) {
        const int length = PQgetCopyData(raw, &row_, 1);
        if (length > 0) {
            copyBytes_ += static_cast<uint64_t>(length);
            return std::string_view(row_, static_cast<std::size_t>(length));
        }
        if (length == -1) break;
        if (length == -2) throwLost(copyStatement_);
        if (stop_.stop_requested()) {
            canceller().cancel();
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        if (copyBytes_ < kLongCopy) {
            waitReadable();
        } else if (!pollOnce(raw, POLLIN, 0ms)) {
            std::this_thread::sleep_for(gatherPause_.length());
            gatherPause_.found(bytesWaiting(raw));
            waitReadable();
        }
        if (PQconsumeInput(raw) == 0) throwLost(copyStatement_);
    }
    for (;;) {
        while (PQisBusy(raw) != 0) {
            waitReadable();
            if (PQconsumeInput(raw) == 0) throwLost(copyStatement_);
        }
        PGresult* result = PQgetResult(raw);
        if (result == nullptr) return std::nullopt;
        if (PQresultStatus(result) != PGRES_COMMAND_OK) throwServerError(result, copyStatement_);
        const std::string_view tag = PQcmdTuples(result);
        std::from_chars(tag.data(), tag.data() + tag.size(), copyRows_);
        PQclear(result);
    }
}

void Connection::beginCopyIn(const std::string& sql) {
    copyStatement_ = sql;
    const Result result = query(sql);
    if (!result.wantsCopyData()) refuseCopy(result, sql, "it is no statement that takes rows");
}

void Connection::putCopyData(std::span<const std::byte> bytes) {
    // libpq copies what it is given: in pieces, so that its buffer stays small.
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    while (!bytes.empty()) {
        const auto piece = bytes.first(std::min(bytes.size(), kPiece));
        bytes = bytes.subspan(piece.size());
        if (PQputCopyData(connection_.get(), reinterpret_cast<const char*>(piece.data()),
                          static_cast<int>(piece.size())) != 1) {
            throwLost(copyStatement_);
        }
        flush(copyStatement_);
    }
}

uint64_t Connection::endCopyIn() {
    if (PQputCopyEnd(connection_.get(), nullptr) != 1) throwLost(copyStatement_);
    flush(copyStatement_);
    PGconn* raw = connection_.get();
    uint64_t rows = 0;
    for (;;) {
        while (PQisBusy(raw) != 0) {
            waitReadable();
            if (PQconsumeInput(raw) == 0) throwLost(copyStatement_);
        }
        PGresult* result = PQgetResult(raw);
        if (result == nullptr) return rows;
        if (PQresultStatus(result) != PGRES_COMMAND_OK) throwServerError(result, copyStatement_);
        const std::string_view tag = PQcmdTuples(result);
        std::from_chars(tag.data(), tag.data() + tag.size(), rows);
        PQclear(result);
    }
}

void Connection::abandonCopyIn() noexcept {
    try {
        if (!alive()) return;
        if (PQputCopyEnd(connection_.get(), "given up") != 1) return;
        flush(copyStatement_);
        PGconn* raw = connection_.get();
        for (;;) {
            while (PQisBusy(raw) != 0) {
                waitReadable();
                if (PQconsumeInput(raw) == 0) return;
            }
            PGresult* result = PQgetResult(raw);
            if (result == nullptr) return;
            PQclear(result);
        }
    } catch (const Error&) {  // NOLINT: the connection is lost, and so is the COPY
    }
}

void Connection::putLargeObject(Oid object, uint64_t offset, std::span<const std::byte> bytes) {
    static const std::string kStatement =
        "SELECT pg_catalog.lo_put($1::pg_catalog.oid, $2::pg_catalog.int8, $3)";
    const std::string oid = std::to_string(object.value);
    const std::string position = std::to_string(offset);
    const char* const values[] = {oid.c_str(), position.c_str(),
                                  reinterpret_cast<const char*>(bytes.data())};
    const int lengths[] = {0, 0, static_cast<int>(bytes.size())};
    const int formats[] = {0, 0, 1};
    if (PQsendQueryParams(connection_.get(), kStatement.c_str(), 3, nullptr, values, lengths,
                          formats, 0) == 0) {
        throwLost(kStatement);
    }
    (void)collect(kStatement);
}

void Connection::freeRow() {
    if (row_ == nullptr) return;
    PQfreemem(row_);
    row_ = nullptr;
}

void Connection::throwServerError(pg_result* result, const std::string& statement) {
    const auto field = [&](int code) { return trimmed(PQresultErrorField(result, code)); };
    ErrorInfo info;
    info.sqlState = field(PG_DIAG_SQLSTATE);
    info.message = field(PG_DIAG_MESSAGE_PRIMARY);
    if (info.message.empty()) info.message = trimmed(PQresultErrorMessage(result));
    if (const std::string detail = field(PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
        info.message += " (" + detail + ")";
    }
    info.hint = field(PG_DIAG_MESSAGE_HINT);
    if (const std::string table = field(PG_DIAG_TABLE_NAME); !table.empty()) {
        info.object = field(PG_DIAG_SCHEMA_NAME) + "." + table;
    }
    info.statement = withoutSecrets(statement);
    // The severity says whether the session is over: a statement may fail with any code.
    const std::string severity = field(PG_DIAG_SEVERITY_NONLOCALIZED);
    PQclear(result);
    const bool sessionOver = severity == "FATAL" || severity == "PANIC" || !alive();
    info.kind = sessionOver ? ErrorKind::Connection : ErrorKind::Server;
    info.connectionUsable = !sessionOver;
    if (stop_.stop_requested() && info.sqlState == sql_state::kQueryCanceled) {
        info.kind = ErrorKind::Cancelled;
    }
    if (!sessionOver) {
        while (PGresult* rest = PQgetResult(connection_.get())) {
            const ExecStatusType status = PQresultStatus(rest);
            PQclear(rest);
            if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN) break;
        }
    }
    throw Error(std::move(info));
}

void Connection::throwLost(const std::string& statement) {
    // What the server said before it closed (terminated, shutting down) explains more than libpq.
    if (PGresult* result = PQgetResult(connection_.get())) {
        if (PQresultStatus(result) == PGRES_FATAL_ERROR) throwServerError(result, statement);
        PQclear(result);
    }
    ErrorInfo info;
    info.kind = ErrorKind::Connection;
    info.message = trimmed(PQerrorMessage(connection_.get()));
    if (info.message.empty()) info.message = "the connection to the server was lost";
    info.statement = withoutSecrets(statement);
    info.connectionUsable = false;
    throw Error(std::move(info));
}

std::string Connection::conninfoWithoutSecrets() const {
    std::string text;
    const auto add = [&](std::string_view keyword, std::string_view value) {
        if (!text.empty()) text += ' ';
        text += keyword;
        text += '=';
        text += quoteConninfoValue(value);
    };
    for (const Parameter& parameter : Parameters(connection_.get())) {
        const auto& [keyword, value, byDefault, variable, secret] = parameter;
        if (value.empty()) continue;
        // Several hosts are narrowed to the one we reached.
        if (secret || keyword == "service" || keyword == "host" || keyword == "hostaddr" ||
            keyword == "port" || keyword == "fallback_application_name" ||
            keyword == "application_name" || keyword == "target_session_attrs") {
            continue;
        }
        if (byDefault == value && keyword != "dbname" && keyword != "user") continue;
        // libpq 16 and later say so unasked, and an older pg_dump does not know it.
        if (keyword == "sslcertmode" && value == "allow") continue;
        add(keyword, value);
    }
    const HostList server = reached();
    if (!server.host.empty()) add("host", server.host);
    if (!server.hostaddr.empty()) add("hostaddr", server.hostaddr);
    if (!server.port.empty()) add("port", server.port);
    return text;
}

/// Of a socket libpq tells the folder as its address, too.
HostList Connection::reached() const {
    PGconn* raw = connection_.get();
    return {.host = trimmed(PQhost(raw)),
            .hostaddr = isLocal() ? std::string() : trimmed(PQhostaddr(raw)),
            .port = trimmed(PQport(raw))};
}

std::vector<std::string> Connection::variables() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : Parameters(connection_.get())) {
        if (!parameter.variable.empty()) names.push_back(parameter.variable);
    }
    return names;
}

std::optional<std::string> Connection::password() const {
    const char* password = PQpass(connection_.get());
    if (password == nullptr || *password == '\0') return std::nullopt;
    return password;
}

std::string Connection::server() const {
    return fmt::format("{}:{}", trimmed(PQhost(connection_.get())),
                       trimmed(PQport(connection_.get())));
}

std::string Connection::endpoint() const {
    return fmt::format("{}/{}", server(), trimmed(PQdb(connection_.get())));
}

std::string quoteConninfoValue(std::string_view value) {
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted += '\'';
}

std::string quoteIdentifier(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted += '"';
}

std::string quoteQualified(std::string_view schema, std::string_view name) {
    return quoteIdentifier(schema) + "." + quoteIdentifier(name);
}

std::string quoteLiteral(std::string_view text) {
    std::string quoted;
    bool escapes = false;
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted += c;
        escapes = escapes || c == '\\';
        quoted += c;
    }
    return (escapes ? " E'" : "'") + quoted + "'";
}

}  // namespace gantry::pg
