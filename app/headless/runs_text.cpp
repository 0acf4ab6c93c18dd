// SPDX-License-Identifier: PostgreSQL
#include "app/headless/runs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/headless/quantity.h"
#include "app/headless/restore_text.h"
#include "core/base/clock.h"
#include "core/options/command.h"
#include "core/report/critical_path.h"

namespace gantry::headless {
namespace {

using history::PastRun;
using history::PastTask;
using history::Status;
using history::TaskChange;
using Json = nlohmann::ordered_json;

/// "2026-11-20 15:02" of "2026-11-20T14:02:03Z"; what is no time as it is.
std::string localTime(const std::string& iso) {
    std::tm utc{};
    if (::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) == nullptr) return printable(iso);
    const std::time_t instant = ::timegm(&utc);
    std::tm local{};
    ::localtime_r(&instant, &local);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                       local.tm_mday, local.tm_hour, local.tm_min);
}

std::string statusText(const PastRun& run) {
    const std::string text = run.status == Status::CompletedWithErrors
                                 ? counted(run.ignoredErrors, "error") + " ignored"
                                 : std::string(toString(run.status));
    return run.ofSweep() ? text + ", of a sweep" : text;
}

std::string sizeText(const PastRun& run) {
    std::string text = humanBytes(run.bytes);
    if (run.compressedBytes > 0)
        text += fmt::format(", {} on disk", humanBytes(run.compressedBytes));
    return text;
}

std::string optionsText(const PastRun& run) {
    std::vector<std::string> words;
    for (const auto& [name, value] : run.options) {
        words.push_back(value.empty() ? "--" + name : fmt::format("--{}={}", name, value));
    }
    return printable(options::quoteForShell(words));
}

std::string valueOf(const std::map<std::string, std::string>& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string() : printable(found->second);
}

std::string serverText(const PastRun& run) {
    const std::string version = valueOf(run.versions, "server");
    std::string text = run.server.empty() ? std::string() : " on " + printable(run.server);
    if (!version.empty())
        text += fmt::format(" (PostgreSQL {})", version.substr(0, version.find(' ')));
    return text;
}

/// "9.0 s by the last 3 runs like it, 10% too short"
std::string forecastText(const PastRun& run) {
    const std::string by =
        run.predictedBy == 1 ? std::string("run") : counted(run.predictedBy, "run");
    std::string text = fmt::format("{} by the last {} like it", humanDuration(run.predicted), by);
    if (!run.cameToItsEnd() || run.elapsed <= Duration()) return text;
    const double error = static_cast<double>((run.predicted - run.elapsed).count()) /
                         static_cast<double>(run.elapsed.count());
    const long percent = std::lround(std::abs(error) * 100);
    if (percent == 0) return text + ", which is what it took";
    return text + fmt::format(", {}% too {}", percent, error < 0 ? "short" : "long");
}

Json runObject(const PastRun& run) {
    return {
        {"run", run.id},
        {"operation", run.operation},
        {"database", run.database},
        {"server", run.server},
        {"cluster", run.cluster},
        {"started_at", run.startedAt},
        {"status", history::toString(run.status)},
        {"error", run.error},
        {"seconds", secondsOf(run.elapsed)},
        {"workers", run.workers},
        {"bytes", run.bytes},
        {"compressed_bytes", run.compressedBytes},
        {"rows", run.rows},
        {"relations", run.relations},
        {"large_objects", run.largeObjects},
        {"ignored_errors", run.ignoredErrors},
        {"predicted_seconds", run.predictedBy > 0 ? Json(secondsOf(run.predicted)) : Json(nullptr)},
        {"predicted_by", run.predictedBy},
        {"verdict", run.verdict},
        {"options", run.options},
        {"versions", run.versions},
        {"environment", run.environment}};
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string nameOf(const std::string& kind, const std::string& object) {
    return fmt::format("{:<18} {}", kind, printable(object));
}

std::vector<const PastTask*> longestTasks(const std::vector<PastTask>& tasks) {
    std::vector<const PastTask*> begun;
    for (const PastTask& task : tasks) {
        if (task.spans > 0) begun.push_back(&task);
    }
    std::stable_sort(begun.begin(), begun.end(),
                     [](const PastTask* a, const PastTask* b) { return a->busy > b->busy; });
    return begun;
}

std::string renderTasks(const std::vector<PastTask>& tasks, std::size_t most) {
    const std::vector<const PastTask*> longest = longestTasks(tasks);
    if (longest.empty()) return {};
    std::string text = "Tasks that kept workers busy longest:\n";
    for (std::size_t i = 0; i < std::min(most, longest.size()); ++i) {
        const PastTask& task = *longest[i];
        text +=
            fmt::format("  {:>10}  {}", humanDuration(task.busy), nameOf(task.kind, task.object));
        if (task.bytes > 0) text += ", " + humanBytes(task.bytes);
        if (task.workers > 1) text += fmt::format(", over {} workers", task.workers);
        if (task.status != "done") text += fmt::format(" ({})", task.status);
        text += '\n';
    }
    if (longest.size() > most) {
        text += fmt::format("  and {} more (--verbose lists all)\n", longest.size() - most);
    }
    return text;
}

std::string_view linkText(report::Link link) {
    switch (link) {
        case report::Link::Start:
            return "began with the run";
        case report::Link::Dependency:
            return "needed what is above";
        case report::Link::Worker:
            return "its worker was at what is above";
    }
    return "";
}

std::string objectOf(const events::SpanState& span) {
    std::string name = nameOf(std::string(plan::toString(span.kind)), span.object);
    if (span.span.chunk) name += fmt::format(" #{}", *span.span.chunk + 1);
    return name;
}

std::string renderPath(const events::RunState& state) {
    const std::vector<report::CriticalStep> path = report::criticalPath(state);
    if (path.empty()) return {};
    std::string text = "What the run's length came from, step by step:\n";
    for (const report::CriticalStep& step : path) {
        const events::SpanState& span = state.spans()[step.span];
        text += fmt::format("  {:>10}  {}  ({}",
                            humanDuration(span.end.value_or(state.now()) - span.begin),
                            objectOf(span), linkText(step.link));
        constexpr Duration kWorthTelling{100'000};
        if (step.waited >= kWorthTelling) {
            text += fmt::format(", {} after its end", humanDuration(step.waited));
        }
        text += ")\n";
    }
    return text;
}

std::string signedDuration(Duration duration) {
    return (duration < Duration() ? "-" : "+") + humanDuration(std::chrono::abs(duration));
}

std::string sideText(const std::optional<TaskChange::Side>& side) {
    return side ? humanDuration(side->busy) : "-";
}

std::string runLine(const PastRun& run) {
    return fmt::format("  {:>5}  {}  {}  {} over {}, {}, {}\n", run.id, localTime(run.startedAt),
                       run.operation, humanDuration(run.elapsed), counted(run.workers, "worker"),
                       sizeText(run), statusText(run));
}

}  // namespace

std::string renderRunList(const std::vector<PastRun>& runs) {
    if (runs.empty()) return "No run is kept that fits.\n";
    std::size_t longest = 8;
    for (const PastRun& run : runs) longest = std::max(longest, columnsOf(printable(run.database)));
    longest = std::min<std::size_t>(longest, 32);
    std::string text =
        fmt::format("{:>5}  {:<16}  {:<9}  {:<{}}  {:>10}  {:>9}  {:>9}  {}\n", "Run", "Began",
                    "What", "Database", longest, "Took", "Data", "On disk", "Outcome");
    for (const PastRun& run : runs) {
        text += fmt::format(
            "{:>5}  {:<16}  {:<9}  {}  {:>10}  {:>9}  {:>9}  {}\n", run.id,
            localTime(run.startedAt), run.operation, fitted(printable(run.database), longest, true),
            run.status == Status::Running ? "" : humanDuration(run.elapsed), humanBytes(run.bytes),
            run.compressedBytes > 0 ? humanBytes(run.compressedBytes) : "", statusText(run));
    }
    return text;
}

std::string runListJson(const std::vector<PastRun>& runs) {
    Json all = Json::array();
    for (const PastRun& run : runs) all.push_back(runObject(run));
    return dumped(all);
}

std::string renderRun(const RunDetails& details, std::size_t most) {
    const PastRun& run = details.run;
    std::string text = fmt::format("Run {}: {} of \"{}\"{}\n", run.id, run.operation,
                                   printable(run.database), serverText(run));
    text += fmt::format("  Began:    {}, {} {} over {}\n", localTime(run.startedAt),
                        run.status == Status::Interrupted ? "ran" : "took",
                        humanDuration(run.elapsed), counted(run.workers, "worker"));
    text += fmt::format("  Outcome:  {}\n", statusText(run));
    if (!run.error.empty()) text += fmt::format("  Error:    {}\n", oneLine(run.error));
    text += fmt::format("  Data:     {}, {}", sizeText(run), counted(run.rows, "row"));
    if (run.relations > 0) text += " in " + counted(run.relations, "table");
    if (run.largeObjects > 0) text += ", " + counted(run.largeObjects, "large object");
    text += fmt::format("\n  Options:  {}\n", optionsText(run));
    const std::string machine = valueOf(run.environment, "machine");
    if (!machine.empty()) {
        text +=
            fmt::format("  From:     {}, {} processors, Gantry {}\n", machine,
                        valueOf(run.environment, "processors"), valueOf(run.versions, "gantry"));
    }
    if (run.predictedBy > 0) text += fmt::format("  Forecast: {}\n", forecastText(run));
    if (!run.verdict.empty()) text += fmt::format("  Verdict:  {}\n", printable(run.verdict));
    if (details.state && !details.state->ignoredErrors().empty()) {
        text += "Errors that were ignored:\n" + renderIgnored(*details.state);
    }
    text += renderTasks(details.tasks, most);
    if (details.state) return text + renderPath(*details.state);
    return text + "The record of its events is gone, and with it what held what up.\n";
}

std::string runJson(const RunDetails& details) {
    Json json = runObject(details.run);
    json["tasks"] = Json::array();
    for (const PastTask& task : details.tasks) {
        json["tasks"].push_back({{"task", task.task},
                                 {"kind", task.kind},
                                 {"object", task.object},
                                 {"status", task.status},
                                 {"begin", secondsOf(task.begin)},
                                 {"end", secondsOf(task.end)},
                                 {"busy", secondsOf(task.busy)},
                                 {"spans", task.spans},
                                 {"workers", task.workers},
                                 {"bytes", task.bytes},
                                 {"rows", task.rows},
                                 {"estimated_bytes", task.estimatedBytes}});
    }
    if (!details.state) return dumped(json);
    json["critical_path"] = Json::array();
    for (const report::CriticalStep& step : report::criticalPath(*details.state)) {
        const events::SpanState& span = details.state->spans()[step.span];
        Json item{{"task", span.span.task.value}, {"object", span.object}};
        if (span.span.chunk) item["chunk"] = *span.span.chunk;
        item["begin"] = secondsOf(span.begin);
        item["end"] = secondsOf(span.end.value_or(details.state->now()));
        item["waited"] = secondsOf(step.waited);
        json["critical_path"].push_back(std::move(item));
    }
    return dumped(json);
}

std::string renderComparison(const PastRun& before, const PastRun& after,
                             const std::vector<TaskChange>& changes, std::size_t most) {
    std::string text = runLine(before) + runLine(after);
    const Duration difference = after.elapsed - before.elapsed;
    text += fmt::format("Run {} took {} {} than run {}.\n", after.id,
                        humanDuration(std::chrono::abs(difference)),
                        difference < Duration() ? "less" : "more", before.id);
    for (const history::OptionChange& change : history::compareOptions(before, after)) {
        text += fmt::format("  --{}: {}, then {}\n", change.name,
                            change.before.empty() ? "not given" : printable(change.before),
                            change.after.empty() ? "not given" : printable(change.after));
    }
    if (changes.empty()) return text + "Neither began any task.\n";
    text += fmt::format("Time that workers were busy, by task:\n  {:>10}  {:>10}  {:>10}  {}\n",
                        fmt::format("run {}", before.id), fmt::format("run {}", after.id), "change",
                        "task");
    for (std::size_t i = 0; i < std::min(most, changes.size()); ++i) {
        const TaskChange& change = changes[i];
        text += fmt::format("  {:>10}  {:>10}  {:>10}  {}\n", sideText(change.before),
                            sideText(change.after), signedDuration(change.difference()),
                            nameOf(change.kind, change.object));
    }
    if (changes.size() > most) {
        text += fmt::format("  and {} more (--verbose lists all)\n", changes.size() - most);
    }
    return text;
}

std::string comparisonJson(const PastRun& before, const PastRun& after,
                           const std::vector<TaskChange>& changes) {
    Json json{{"before", runObject(before)}, {"after", runObject(after)}};
    json["tasks"] = Json::array();
    const auto side = [](const std::optional<TaskChange::Side>& found) {
        if (!found) return Json(nullptr);
        return Json{{"busy", secondsOf(found->busy)}, {"bytes", found->bytes}};
    };
    for (const TaskChange& change : changes) {
        json["tasks"].push_back({{"kind", change.kind},
                                 {"object", change.object},
                                 {"before", side(change.before)},
                                 {"after", side(change.after)},
                                 {"difference", secondsOf(change.difference())}});
    }
    return dumped(json);
}

}  // namespace gantry::headless
