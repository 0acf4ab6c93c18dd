// SPDX-License-Identifier: PostgreSQL
#include "core/history/run_rows.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/report/held_up.h"
#include "core/report/verdict.h"

namespace gantry::history {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr std::array kStatuses{Status::Running, Status::Interrupted,
                               Status::Clean,   Status::CompletedWithErrors,
                               Status::Failed,  Status::Cancelled};

constexpr std::string_view kRunColumns =
    "id, log, operation, database, server, cluster, started_at, workers, options, versions,"
    " environment, status, error, verdict, elapsed, bytes, compressed_bytes, rows, relations,"
    " large_objects, ignored_errors, predicted, predicted_by, held_up, partly_held_up";

std::string textOf(const Texts& texts) {
    return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Texts textsFrom(const std::string& text) {
    Texts texts;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return texts;
    for (const auto& [name, value] : json.items()) {
        if (value.is_string()) texts.emplace(name, value.get<std::string>());
    }
    return texts;
}

std::string textOf(const Texts& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string() : found->second;
}

PastRun runFrom(const Statement& row) {
    PastRun run;
    int column = 0;
    run.id = row.integer(column++);
    run.log = row.text(column++);
    run.operation = row.text(column++);
    run.database = row.text(column++);
    run.server = row.text(column++);
    run.cluster = row.text(column++);
    run.startedAt = row.text(column++);
    run.workers = static_cast<uint32_t>(row.integer(column++));
    run.options = textsFrom(row.text(column++));
    run.versions = textsFrom(row.text(column++));
    run.environment = textsFrom(row.text(column++));
    run.status = statusFrom(row.text(column++)).value_or(Status::Interrupted);
    run.error = row.text(column++);
    run.verdict = row.text(column++);
    run.elapsed = Duration(row.integer(column++));
    run.bytes = row.count(column++);
    run.compressedBytes = row.count(column++);
    run.rows = row.count(column++);
    run.relations = row.count(column++);
    run.largeObjects = row.count(column++);
    run.ignoredErrors = row.count(column++);
    run.predicted = Duration(row.integer(column++));
    run.predictedBy = static_cast<uint32_t>(row.integer(column++));
    run.heldUp = Duration(row.integer(column++));
    run.partlyHeldUp = Duration(row.integer(column++));
    return run;
}

/// "1,5,7"
std::string listOf(const std::vector<TaskId>& ids) {
    std::string text;
    for (const TaskId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id.value);
    return text;
}

std::vector<TaskId> idsFrom(const std::string& text) {
    std::vector<TaskId> ids;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        uint32_t id = 0;
        std::from_chars(word.data(), word.data() + word.size(), id);
        ids.push_back(TaskId{id});
    }
    return ids;
}

std::string_view nameOf(events::TaskStatus status) {
    switch (status) {
        case events::TaskStatus::Planned:
            return "planned";
        case events::TaskStatus::Running:
            return "running";
        case events::TaskStatus::Done:
            return "done";
        case events::TaskStatus::Failed:
            return "failed";
        case events::TaskStatus::Withdrawn:
            return "withdrawn";
        case events::TaskStatus::CutOff:
            return "cut off";
    }
    return "";
}

Status statusOf(const events::RunState& state) {
    if (!state.finished()) return Status::Interrupted;
    switch (state.finished()->outcome) {
        case events::Outcome::Clean:
            return Status::Clean;
        case events::Outcome::CompletedWithErrors:
            return Status::CompletedWithErrors;
        case events::Outcome::Failed:
            return Status::Failed;
        case events::Outcome::Cancelled:
            return Status::Cancelled;
    }
    return Status::Interrupted;
}

std::string verdictOf(const events::RunState& state) {
    if (!state.finished()) return {};
    const report::MeasuredRun measured = report::measure(state);
    return report::verdict(state, measured, report::whatIf(measured, 2 * measured.workers));
}

void insertTasks(Database& database, int64_t run, const events::RunState& state) {
    database.prepare("DELETE FROM task WHERE run = ?1").run(run);
    Statement insert = database.prepare(
        "INSERT INTO task (run, task, kind, object, status, divisible, estimated_bytes,"
        " estimated_ms, after) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    for (const auto& [id, task] : state.tasks()) {
        insert.run(run, id.value, std::string(plan::toString(task.kind)), task.object,
                   std::string(nameOf(task.status)), task.divisible, task.estimatedBytes,
                   task.weight, listOf(task.after));
    }
}

void insertSpans(Database& database, int64_t run, const events::RunState& state) {
    database.prepare("DELETE FROM span WHERE run = ?1").run(run);
    Statement insert = database.prepare(
        "INSERT INTO span VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
    uint32_t number = 0;
    for (const events::SpanState& span : state.spans()) {
        insert.run(run, number++, span.span.task.value, span.span.chunk, span.worker.value,
                   span.backendPid, int64_t{span.begin.count()},
                   int64_t{span.end.value_or(state.now()).count()}, span.bytes, span.rows,
                   span.compressedBytes, span.error ? span.error->describe() : std::string(),
                   int64_t{span.waited.count()});
    }
}

}  // namespace

std::string_view toString(Status status) {
    switch (status) {
        case Status::Running:
            return "running";
        case Status::Interrupted:
            return "interrupted";
        case Status::Clean:
            return "clean";
        case Status::CompletedWithErrors:
            return "completed_with_errors";
        case Status::Failed:
            return "failed";
        case Status::Cancelled:
            return "cancelled";
    }
    return "";
}

std::optional<Status> statusFrom(std::string_view text) {
    for (const Status status : kStatuses) {
        if (toString(status) == text) return status;
    }
    return std::nullopt;
}

std::vector<PastRun> readRuns(Database& database, const Filter& filter) {
    Statement select = database.prepare(
        fmt::format("SELECT {} FROM run WHERE ?1 IN ('', database) AND ?2 IN ('', operation)"
                    " AND ?3 IN ('', cluster) AND ?4 IN ('', status) AND started_at >= ?5"
                    " ORDER BY started_at DESC, id DESC LIMIT ?6",
                    kRunColumns));
    select.bind(filter.database, filter.operation, filter.cluster,
                std::string(filter.status ? toString(*filter.status) : ""), filter.since,
                filter.most ? static_cast<int64_t>(*filter.most) : int64_t{-1});
    std::vector<PastRun> runs;
    while (select.step()) runs.push_back(runFrom(select));
    return runs;
}

std::optional<PastRun> readRun(Database& database, int64_t id) {
    Statement select =
        database.prepare(fmt::format("SELECT {} FROM run WHERE id = ?1", kRunColumns));
    if (!select.bind(id).step()) return std::nullopt;
    return runFrom(select);
}

std::optional<PastRun> readRunOfLog(Database& database, const std::string& log) {
    Statement select =
        database.prepare(fmt::format("SELECT {} FROM run WHERE log = ?1", kRunColumns));
    if (!select.bind(log).step()) return std::nullopt;
    return runFrom(select);
}

std::optional<PastRun> readLatestRestore(Database& database, const events::Identity& identity) {
    Statement select = database.prepare(
        fmt::format("SELECT {} FROM run WHERE operation = 'restore' AND archive_identity = ?1"
                    " AND database_identity = ?2 ORDER BY started_at DESC, id DESC LIMIT 1",
                    kRunColumns));
    if (!select.bind(identity.archive, identity.database).step()) return std::nullopt;
    return runFrom(select);
}

std::vector<PastTask> readTasks(Database& database, int64_t run) {
    // Spans are summed up first: joined one by one, each task would look at all of them.
    Statement select = database.prepare(
        "SELECT task.task, kind, object, status, divisible, estimated_bytes, estimated_ms,"
        " begin, end, busy, spans, workers, bytes, rows, after"
        " FROM task LEFT JOIN (SELECT task, min(begin) AS begin, max(end) AS end,"
        " sum(end - begin - waited) AS busy, count(*) AS spans, count(DISTINCT worker) AS workers,"
        " sum(bytes) AS bytes, sum(rows) AS rows FROM span WHERE run = ?1 GROUP BY task) AS done"
        " ON done.task = task.task WHERE task.run = ?1 ORDER BY task.task");
    select.bind(run);
    std::vector<PastTask> tasks;
    while (select.step()) {
        PastTask task;
        int column = 0;
        task.task = static_cast<uint32_t>(select.integer(column++));
        task.kind = select.text(column++);
        task.object = select.text(column++);
        task.status = select.text(column++);
        task.divisible = select.integer(column++) != 0;
        task.estimatedBytes = select.count(column++);
        task.estimatedMs = select.real(column++);
        task.begin = Duration(select.integer(column++));
        task.end = Duration(select.integer(column++));
        task.busy = Duration(select.integer(column++));
        task.spans = static_cast<uint32_t>(select.integer(column++));
        task.workers = static_cast<uint32_t>(select.integer(column++));
        task.bytes = select.count(column++);
        task.rows = select.count(column++);
        task.after = idsFrom(select.text(column++));
        tasks.push_back(std::move(task));
    }
    return tasks;
}

int64_t insertRun(Database& database, const std::string& log, const events::RunStarted& started) {
    database
        .prepare(
            "INSERT INTO run (log, operation, database, server, cluster, started_at, workers,"
            " options, versions, environment)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
        .run(log, started.operation, started.database, textOf(started.environment, "server"),
             textOf(started.environment, "cluster"), started.startedAt, started.workers,
             textOf(started.options), textOf(started.versions), textOf(started.environment));
    return database.lastId();
}

void updateIdentity(Database& database, int64_t run, const events::Identity& identity) {
    database.prepare("UPDATE run SET archive_identity = ?2, database_identity = ?3 WHERE id = ?1")
        .run(run, identity.archive, identity.database);
}

void updateOutcome(Database& database, int64_t run, const events::RunState& state) {
    const events::RunFinished end = state.finished().value_or(events::RunFinished{});
    const events::Forecast guess = state.forecast().value_or(events::Forecast{});
    const std::string verdict = verdictOf(state);
    const report::HeldUp held = report::heldUp(state);
    Transaction transaction(database);
    database
        .prepare(
            "UPDATE run SET status = ?2, error = ?3, verdict = ?4, elapsed = ?5, bytes = ?6,"
            " compressed_bytes = ?7, rows = ?8, relations = ?9, large_objects = ?10,"
            " ignored_errors = ?11, predicted = ?12, predicted_by = ?13, held_up = ?14,"
            " partly_held_up = ?15 WHERE id = ?1")
        .run(run, std::string(toString(statusOf(state))),
             end.error ? end.error->describe() : std::string(), verdict,
             int64_t{state.now().count()}, state.finished() ? end.bytes : state.bytesDone(),
             end.compressedBytes, state.finished() ? end.rows : state.rowsDone(), end.relations,
             end.largeObjects, end.ignoredErrors,
             static_cast<int64_t>(std::llround(guess.ms * 1000)), guess.runs,
             int64_t{held.all.count()}, int64_t{held.some.count()});
    insertTasks(database, run, state);
    insertSpans(database, run, state);
    transaction.commit();
}

void deleteRun(Database& database, int64_t run) {
    database.prepare("DELETE FROM run WHERE id = ?1").run(run);
}

}  // namespace gantry::history
