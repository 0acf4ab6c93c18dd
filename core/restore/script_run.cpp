// SPDX-License-Identifier: PostgreSQL
#include "core/restore/script_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/options/command.h"
#include "core/options/validate.h"
#include "core/pg/environment.h"
#include "core/pg/secrets.h"
#include "core/pg/session.h"
#include "core/restore/restore_session.h"
#include "core/restore/script_needs.h"

namespace gantry::restore {
namespace {

constexpr std::chrono::milliseconds kTellingInterval{100};
constexpr std::size_t kShownStatement = 500;
constexpr std::size_t kShownStart = 60;
constexpr events::Span kSpan{.task = TaskId{0}, .chunk = std::nullopt};

/// At most `size` bytes of it, whole characters.
std::string shortened(std::string_view text, std::size_t size) {
    if (text.size() <= size) return std::string(text);
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return std::string(text.substr(0, size)) + "…";
}

/// What a statement does to the session, for a reader that has no server to ask.
struct SessionWords {
    std::optional<bool> standardStrings;
    std::string encoding;
};

SessionWords readSessionWords(std::string_view statement) {
    constexpr std::size_t kLongest = 200;
    SessionWords found;
    if (statement.size() > kLongest) return found;
    std::string text;
    std::string value;  // the last word
    for (char c : statement) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool ofWord = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (ofWord) {
            if (!text.empty() && text.back() == ' ') value.clear();
            text += c;
            value += c;
        } else if (!text.empty() && text.back() != ' ') {
            text += ' ';
        }
    }
    if (!text.starts_with("set ")) return found;
    if (text.find(" standard_conforming_strings ") != std::string::npos) {
        found.standardStrings = value != "off" && value != "false" && value != "no" && value != "0";
    }
    if (text.find(" client_encoding ") != std::string::npos || text.starts_with("set names ")) {
        found.encoding = value;
    }
    return found;
}

}  // namespace

ScriptRun::ScriptRun(const options::RestoreOptions& options, events::EventSink& events,
                     std::stop_token stop)
    : options_(options), events_(events), stop_(std::move(stop)), target_(options.connection) {}

void ScriptRun::prepare() {
    std::string refused;
    for (const options::Problem& problem : options::validateForScript(options_)) {
        refused += (refused.empty() ? "" : " ") + problem.describe();
    }
    if (!refused.empty()) {
        throw Error(ErrorKind::Usage, "a plain SQL script runs as it stands. " + refused,
                    options_.archive.string());
    }
    connect({}, options_.archive.string());
    checkScript();
}

void ScriptRun::connect(const ConnectCommand& to, const std::string& place) {
    if (!to.user.empty() || !to.database.empty()) {
        const std::string database =
            to.database.empty() ? connection_->databaseName() : to.database;
        const std::string before = connection_->conninfoWithoutSecrets();
        // Somebody else's password is no use, and none of their business.
        target_.password = to.user.empty() ? connection_->password() : std::nullopt;
        target_.database = before + " dbname=" + pg::quoteConninfoValue(database);
        if (!to.user.empty()) target_.database += " user=" + pg::quoteConninfoValue(to.user);
    }
    try {
        connection_.reset();
        connection_ = pg::Connection::open(target_, "gantry restore: script", stop_);
        pg::liftTimeLimits(*connection_);
        pg::setRole(*connection_, options_.role);
        // Commits need not wait for the disk one by one: the run makes all of them durable at its
        // end.
        connection_->execute("SET synchronous_commit = off");
    } catch (const Error& error) {
        ErrorInfo info = error.info();
        if (info.object.empty() && place != options_.archive.string()) info.object = place;
        throw Error(std::move(info));
    }
}

void ScriptRun::setSession(SqlScript& script) const {
    script.setSession(connection_->standardStrings(), connection_->clientEncoding());
}

void ScriptRun::checkScript() {
    SqlScript script(options_.archive);
    fileBytes_ = script.fileBytes();
    ScriptCommands commands;
    ScriptNeeds needs;
    bool standardStrings = connection_->standardStrings();
    std::string encoding = connection_->clientEncoding();
    const auto look = [&] {
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
    };
    script.setSession(standardStrings, encoding);
    while (const auto piece = script.next()) {
        look();
        if (piece->kind == SqlPiece::Kind::Command) {
            const auto connect = commands.read(*piece, script.place(piece->line));
            if (connect && options_.refresh) {
                throw Error(ErrorKind::Usage,
                            "\\connect leads to another database than the one that --refresh makes",
                            script.place(piece->line), "Leave --refresh out.");
            }
            if (connect && options_.singleTransaction) {
                throw Error(ErrorKind::Usage,
                            "\\connect ends the session, and with it what --single-transaction "
                            "would keep together",
                            script.place(piece->line), "Leave --single-transaction out.");
            }
            if (connect) needs.leaveDatabase();
            continue;
        }
        needs.add(piece->text);
        if (piece->copiesIn) script.readRows([&](std::span<const std::byte>) { look(); });
        const SessionWords words = readSessionWords(piece->text);
        if (!words.standardStrings && words.encoding.empty()) continue;
        standardStrings = words.standardStrings.value_or(standardStrings);
        if (!words.encoding.empty()) encoding = words.encoding;
        script.setSession(standardStrings, encoding);
    }
    findings_ = lookFirst(needs.needs(), *connection_, options_);
    if (!options_.dryRun) refuseIfBlocked(findings_);
}

void ScriptRun::postRunStarted() {
    std::map<std::string, std::string> told = options::optionsGiven(options_);
    told["archive"] = options_.archive.string();
    told["jobs"] = "1";
    events_.post(events::RunStarted{
        .operation = "restore",
        .database = connection_->databaseName(),
        .options = std::move(told),
        .versions = {{"gantry", GANTRY_VERSION}, {"server", connection_->serverVersionText()}},
        .startedAt = formatIsoTime(std::chrono::system_clock::now()),
        .workers = 1,
        .environment = pg::describeEnvironment(*connection_)});
    const std::string name = options_.archive.filename().string();
    events_.post(events::Plan{.tasks = {{.task = kSpan.task,
                                         .kind = plan::TaskKind::Schema,
                                         .object = name,
                                         .estimatedBytes = fileBytes_,
                                         .estimatedRows = 0,
                                         .divisible = false,
                                         .after = {},
                                         .estimatedMs = 0}}});
    if (options_.dryRun) return;
    events_.post(events::TaskStarted{.span = kSpan,
                                     .kind = plan::TaskKind::Schema,
                                     .object = name,
                                     .worker = WorkerId{1},
                                     .backendPid = connection_->backendPid(),
                                     .estimatedBytes = fileBytes_,
                                     .share = 1});
}

void ScriptRun::execute() {
    postRunStarted();
    tell(findings_, events_);
    if (options_.dryRun) return;
    SqlScript script(options_.archive);
    try {
        run(script);
    } catch (const Error& error) {
        events_.post(events::TaskFailed{.span = kSpan, .error = error.info()});
        throw;
    }
    events_.post(
        events::TaskFinished{.span = kSpan, .bytes = script.fileBytesRead(), .rows = rows_});
}

void ScriptRun::run(SqlScript& script) {
    ScriptCommands commands;
    if (options_.singleTransaction) connection_->execute("BEGIN");
    setSession(script);
    while (const auto piece = script.next()) {
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        if (piece->kind == SqlPiece::Kind::Command) {
            const std::string place = script.place(piece->line);
            if (const auto to = commands.read(*piece, place)) {
                if (connection_->inTransaction()) {
                    throw Error(ErrorKind::Format, "\\connect within a transaction", place,
                                "End the transaction before it.");
                }
                connect(*to, place);
            }
        } else {
            runPiece(script, *piece);
        }
        setSession(script);
        tellProgress(script);
    }
    finish();
}

/// All is one transaction: one that the script has of its own, as pg_dump's for large objects, is
/// a part of it.
bool ScriptRun::belongsToOwnTransaction(const SqlScript& script, const SqlPiece& piece) {
    const auto is = [&piece](std::string_view words) {
        return piece.firstWords.starts_with(words);
    };
    const bool chains = is("commit and chain ") || is("commit work and chain ") ||
                        is("commit transaction and chain ") || is("end and chain ");
    const bool commits = (is("commit ") && !is("commit prepared ")) || is("end ");
    const bool rollsBack =
        is("abort ") || (is("rollback ") && !is("rollback prepared ") && !is("rollback to ") &&
                         !is("rollback work to ") && !is("rollback transaction to "));
    if (is("begin ") || is("start transaction ")) {
        ++innerTransactions_;
    } else if (commits && innerTransactions_ > 0) {
        if (!chains) --innerTransactions_;
    } else if (!commits && !rollsBack && !is("prepare transaction ")) {
        return false;
    } else {
        throw Error(ErrorKind::Format, "the script ends the transaction itself",
                    script.place(piece.line), "Leave --single-transaction out.");
    }
    return true;
}

void ScriptRun::runPiece(SqlScript& script, const SqlPiece& piece) {
    if (options_.singleTransaction && belongsToOwnTransaction(script, piece)) return;
    try {
        runStatement(script, piece);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || !error.info().object.empty()) throw;
        ErrorInfo info = error.info();  // of the connection: where it was lost
        info.object = script.place(piece.line);
        info.statement = shortened(pg::withoutSecrets(piece.text), kShownStatement);
        throw Error(std::move(info));
    }
}

/// pg_dump switches it off at a script's beginning; where there is none, nothing is lost.
bool ScriptRun::leaveOut(const SqlPiece& piece) {
    constexpr int kTransactionTimeoutServer = 17;
    if (connection_->serverMajor() >= kTransactionTimeoutServer ||
        !piece.text.starts_with("SET transaction_timeout = 0")) {
        return false;
    }
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format("transaction_timeout is left out: PostgreSQL {} does not have it.",
                               connection_->serverMajor())});
    return true;
}

void ScriptRun::runStatement(SqlScript& script, const SqlPiece& piece) {
    if (leaveOut(piece)) return;
    bool rowsToCome = piece.copiesIn;
    try {
        const pg::Result answer = connection_->query(piece.text);
        if (answer.wantsCopyData()) {
            if (!piece.copiesIn) {
                connection_->abandonCopyIn();
                throw Error(ErrorKind::Format, "a COPY whose rows cannot be told from statements",
                            script.place(piece.line), "Write it as COPY … FROM stdin;.");
            }
            rowsToCome = false;
            copyIn(script);
        } else if (answer.offersCopyData()) {
            while (connection_->nextCopyRow()) {
            }
        }
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        noteFailure(piece, error);
    }
    // Rows that the server did not want are no statements.
    if (rowsToCome) {
        script.readRows([&](std::span<const std::byte>) {
            if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        });
    }
}

void ScriptRun::copyIn(SqlScript& script) {
    try {
        script.readRows([&](std::span<const std::byte> rows) {
            connection_->putCopyData(rows);
            tellProgress(script);
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Format || error.kind() == ErrorKind::Io) {
            connection_->abandonCopyIn();
        }
        throw;
    }
    rows_ += connection_->endCopyIn();
    ++tables_;
}

void ScriptRun::finish() {
    if (options_.singleTransaction && innerTransactions_ == 0) {
        try {
            connection_->commit();
        } catch (const Error& error) {
            inDoubt_ = !error.info().connectionUsable;
            throw;
        }
    } else if (connection_->inTransaction()) {
        throw Error(ErrorKind::Format,
                    "the script leaves a transaction open: what it did in it is not there",
                    options_.archive.string(), "Its end is missing, or a COMMIT in it.");
    }
    // What ran with synchronous_commit off reaches the disk with the next commit that waits for it.
    try {
        connection_->execute(
            "RESET SESSION AUTHORIZATION; BEGIN; SET LOCAL synchronous_commit = on;"
            "SELECT pg_catalog.pg_logical_emit_message(true, 'gantry', 'restored'); COMMIT");
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = "The server writes the last transactions to disk within a second."});
    }
}

void ScriptRun::noteFailure(const SqlPiece& piece, const Error& error) {
    ErrorInfo info = error.info();
    const std::string all = pg::withoutSecrets(piece.text);
    const std::string_view text = all;
    info.object = fmt::format("line {}: {}", piece.line,
                              shortened(text.substr(0, text.find('\n')), kShownStart));
    info.statement = shortened(text, kShownStatement);
    if (options_.exitOnError || options_.singleTransaction) throw Error(std::move(info));
    ++ignoredErrors_;
    events_.post(events::ErrorIgnored{.span = kSpan, .error = std::move(info)});
}

void ScriptRun::tellProgress(const SqlScript& script) {
    bytes_ = script.textBytesRead();
    const auto now = std::chrono::steady_clock::now();
    if (toldAt_ && now - *toldAt_ < kTellingInterval) return;
    toldAt_ = now;
    events_.post(events::TaskProgress{
        .span = kSpan, .bytes = script.fileBytesRead(), .rows = rows_, .estimatedBytes = 0});
}

events::RunFinished ScriptRun::totals() const {
    return {.outcome =
                ignoredErrors_ > 0 ? events::Outcome::CompletedWithErrors : events::Outcome::Clean,
            .error = std::nullopt,
            .bytes = bytes_,
            .compressedBytes = 0,
            .rows = rows_,
            .relations = tables_,
            .largeObjects = 0,
            .ignoredErrors = ignoredErrors_,
            .commitInDoubt = inDoubt_};
}

}  // namespace gantry::restore
