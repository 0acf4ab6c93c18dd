// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/restore/error_causes.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

struct RunText {
    Q_DECLARE_TR_FUNCTIONS(RunPage)
};

QString sentence(const std::string& words) {
    const QString said = text(words);
    return said.isEmpty() || said.endsWith(u'.') ? said : said + u'.';
}

/// Objects whose data in the archive is damaged, the first few by name.
QStringList damagedIn(const std::vector<ErrorInfo>& errors) {
    constexpr qsizetype kMost = 3;
    QStringList objects;
    for (const ErrorInfo& error : errors) {
        if (isDamage(error)) objects << text(error.object);
    }
    if (objects.size() > kMost) {
        const auto more = objects.size() - kMost;
        objects = objects.mid(0, kMost) << RunText::tr("and %1 more").arg(more);
    }
    return objects;
}

/// Why things were passed over: one cause, or the most frequent, and what to do about it.
QString causesOf(const events::RunState& run) {
    const auto& errors = run.ignoredErrors();
    if (errors.empty()) return {};
    const std::vector<restore::Cause> causes = restore::groupByCause(errors);
    const restore::Cause& first = causes.front();
    QString said;
    const QStringList damaged = damagedIn(errors);
    if (!damaged.isEmpty()) {
        said = RunText::tr(
                   "The archive is damaged (%1), so that trying again does not help: "
                   "“Verify…” on the Restore page tells which of its members are. ")
                   .arg(damaged.join(QStringLiteral(", ")));
    }
    const QString message = sentence(first.message) + u' ';
    if (errors.size() == 1) {
        said += text(first.objects.front()) + QStringLiteral(": ") + message;
    } else if (causes.size() == 1) {
        said += RunText::tr("All have one cause: %1").arg(message);
    } else {
        said += RunText::tr("They have %1 causes; the most frequent, %2 times: %3")
                    .arg(countText(causes.size()), countText(first.errors.size()), message);
    }
    if (!isDamage(errors[first.errors.front()])) said += inWindow(sentence(first.hint)) + u' ';
    return said;
}

bool foundNothingToVacuum(const events::RunState& run) {
    return run.started() && run.started()->operation == "vacuum" && run.tasks().empty();
}

}  // namespace

bool isDamage(const ErrorInfo& error) { return error.kind == ErrorKind::Format; }

QString titleOf(const events::RunStarted& started) {
    const QString database = text(started.database);
    if (started.operation == "dump") return RunText::tr("Back up %1").arg(database);
    if (started.operation == "restore") return RunText::tr("Restore into %1").arg(database);
    if (started.operation == "vacuum") return RunText::tr("Vacuum %1").arg(database);
    return QStringLiteral("%1 %2").arg(text(started.operation), database);
}

QStringList chipsOf(const events::RunStarted& started) {
    QStringList chips;
    const auto version = started.versions.find("server");
    if (version != started.versions.end()) {
        chips << RunText::tr("PostgreSQL %1").arg(text(version->second).section(u' ', 0, 0));
    }
    for (const char* option : {"format", "compress"}) {
        const auto found = started.options.find(option);
        if (found != started.options.end()) chips << text(found->second);
    }
    if (!started.startedAt.empty()) chips << momentText(started.startedAt);
    return chips;
}

QString subtitleOf(const events::RunState& run) {
    QStringList facts;
    if (run.started()) facts = chipsOf(*run.started());
    QString end = run.finished() ? outcomeOf(run).head
                                 : RunText::tr("Under way for %1.").arg(durationText(run.now()));
    end.chop(1);
    return (facts << end).join(QStringLiteral(" · "));
}

QString lastNoticeOf(const events::RunState& run) {
    const bool waits =
        std::any_of(run.workers().begin(), run.workers().end(), [](const auto& worker) {
            const auto& idle = worker.second.idle;
            return idle && idle->cause == events::IdleCause::Lock;
        });
    const auto last = std::find_if(run.notices().rbegin(), run.notices().rend(),
                                   [&](const auto& told) { return waits || !told.second.ofWait; });
    if (last == run.notices().rend()) return {};
    return clockText(last->first) + QStringLiteral("  ") + inWindow(last->second.message);
}

OutcomeText outcomeOf(const events::RunState& run) {
    const Theme& theme = currentTheme();
    const auto& end = run.finished();
    OutcomeText outcome{.head = {}, .rest = {}, .color = theme.error};
    const QString took = durationText(run.now());
    switch (end->outcome) {
        case events::Outcome::Clean:
            outcome.head = foundNothingToVacuum(run)
                               ? RunText::tr("There was nothing to do: no table needed anything.")
                               : RunText::tr("Finished without errors in %1.").arg(took);
            outcome.color = theme.good;
            break;
        case events::Outcome::CompletedWithErrors:
            outcome.head =
                end->nothingRestored
                    ? RunText::tr("Nothing was restored: %1 in %2.")
                          .arg(end->ignoredErrors == 1
                                   ? RunText::tr("an error")
                                   : RunText::tr("%1 errors").arg(countText(end->ignoredErrors)),
                               took)
                : end->ignoredErrors == 1
                    ? RunText::tr("Finished in %1, but an error was passed over.").arg(took)
                    : RunText::tr("Finished in %1, but %2 errors were passed over.")
                          .arg(took, countText(end->ignoredErrors));
            outcome.rest = RunText::tr("The log lists what failed. ") + causesOf(run);
            break;
        case events::Outcome::Failed:
            if (end->brokenOff) {
                outcome.head = RunText::tr("The record breaks off after %1.").arg(took);
                outcome.rest = RunText::tr(
                    "How the run ended is not known; what was under way then is shown as cut "
                    "off. ");
                outcome.color = theme.warning;
                break;
            }
            outcome.head = RunText::tr("Failed after %1.").arg(took);
            break;
        case events::Outcome::Cancelled:
            outcome.head = RunText::tr("Cancelled after %1.").arg(took);
            outcome.color = theme.warning;
            break;
    }
    if (end->commitInDoubt) {
        outcome.rest += RunText::tr(
            "Whether what was restored last is there is not known: no answer came to its commit. "
            "Look before you restore it again. ");
    }
    if (end->error && end->error->message != "cancelled") {
        const QString why = describe(*end->error);
        outcome.rest += why + (why.endsWith(u'.') ? QStringLiteral(" ") : QStringLiteral(". "));
    }
    return outcome;
}

}  // namespace gantry::ui
