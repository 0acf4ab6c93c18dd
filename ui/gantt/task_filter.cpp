// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/task_filter.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>

#include "ui/gantt/gantt_text.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;
using events::TaskState;

struct Filter {
    Q_DECLARE_TR_FUNCTIONS(TaskFilter)
};

const QString kWorker = QStringLiteral("worker:");

bool sameLetter(char a, char lower) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == lower;
}

bool contains(const std::string& text, const std::string& lower) {
    return std::search(text.begin(), text.end(), lower.begin(), lower.end(), sameLetter) !=
           text.end();
}

/// Of what has few values one types the beginning; a letter or two would fit too much of it.
bool begins(const std::string& lowerText, const std::string& lower) {
    constexpr std::size_t kLeastLetters = 3;
    if (lower.size() < kLeastLetters) return false;
    for (std::size_t at = lowerText.find(lower); at != std::string::npos;
         at = lowerText.find(lower, at + 1)) {
        if (at == 0 || lowerText[at - 1] == ' ') return true;
    }
    return false;
}

/// "10s", "1.5m", "500ms", "2h".
std::optional<Duration> durationFrom(QString text) {
    double unit = 1e6;
    const auto endsWith = [&](const char* suffix, double value) {
        if (!text.endsWith(QLatin1String(suffix))) return false;
        text.chop(static_cast<qsizetype>(qstrlen(suffix)));
        unit = value;
        return true;
    };
    (void)(endsWith("ms", 1e3) || endsWith("s", 1e6) || endsWith("m", 6e7) || endsWith("h", 3.6e9));
    bool valid = false;
    const double number = text.toDouble(&valid);
    if (!valid || number < 0 || number > 1e6) return std::nullopt;
    return Duration(static_cast<int64_t>(number * unit));
}

const std::string& nameOf(plan::TaskKind kind) {
    static const auto kNames = [] {
        std::array<std::string, plan::kTaskKinds> names;
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i] = kindName(static_cast<plan::TaskKind>(i)).toLower().toStdString();
        }
        return names;
    }();
    return kNames[static_cast<std::size_t>(kind)];
}

const std::string& wordOf(events::TaskStatus status) {
    static const std::array kStatusWords{
        Filter::tr("waiting").toStdString(),   Filter::tr("running").toStdString(),
        Filter::tr("done").toStdString(),      Filter::tr("failed").toStdString(),
        Filter::tr("withdrawn").toStdString(), Filter::tr("cut off").toStdString()};
    return kStatusWords[static_cast<std::size_t>(status)];
}

}  // namespace

TaskFilter::TaskFilter(const QString& words) {
    const QStringList list = words.toLower().split(u' ', Qt::SkipEmptyParts);
    for (const QString& word : list) {
        bool number = false;
        const uint32_t worker = word.mid(kWorker.size()).toUInt(&number);
        if (word.startsWith(u'>') && durationFrom(word.mid(1))) {
            longer_ = durationFrom(word.mid(1));
        } else if (word.startsWith(u'<') && durationFrom(word.mid(1))) {
            shorter_ = durationFrom(word.mid(1));
        } else if (word.startsWith(kWorker) && number) {
            workers_.push_back(worker);
        } else {
            words_.push_back(word.toStdString());
        }
    }
}

bool TaskFilter::passes(const RunState& run, const TaskState& task) const {
    if (longer_ || shorter_) {
        const Duration time = timeOf(run, task);
        if (longer_ && time <= *longer_) return false;
        if (shorter_ && (time >= *shorter_ || task.spans.empty())) return false;
    }
    const auto doneBy = [&](uint32_t worker) {
        return std::any_of(task.spans.begin(), task.spans.end(), [&](std::size_t span) {
            return run.spans()[span].worker.value == worker;
        });
    };
    if (!std::all_of(workers_.begin(), workers_.end(), doneBy)) return false;
    const std::string* phase = task.spans.empty() ? nullptr : &run.spans()[task.spans.back()].phase;
    static const std::string kCancelled = Filter::tr("cancelled").toStdString();
    const std::string& status = task.status == events::TaskStatus::Failed && wasCancelled(run, task)
                                    ? kCancelled
                                    : wordOf(task.status);
    return std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
        return contains(task.object, word) || begins(nameOf(task.kind), word) ||
               begins(status, word) || (phase && contains(*phase, word));
    });
}

Duration timeOf(const RunState& run, const TaskState& task) {
    if (task.spans.empty()) return Duration::zero();
    Duration begin = run.now();
    Duration end{};
    for (const std::size_t index : task.spans) {
        const SpanState& span = run.spans()[index];
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end.value_or(run.now()));
    }
    return std::max(end - begin, Duration::zero());
}

}  // namespace gantry::ui
