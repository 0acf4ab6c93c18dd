// SPDX-License-Identifier: PostgreSQL
// What the restore page finds out at the target before it starts: what would fail there, what would
// be lost, and which settings are advised.
#include <QCheckBox>
#include <QTimer>

#include "core/advise/advisor.h"
#include "core/history/history.h"
#include "core/options/restore_table.h"
#include "core/restore/check.h"
#include "ui/forms/window_words.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/restore_findings.h"
#include "ui/pages/restore_page.h"

namespace gantry::ui {

bool RestorePage::canLook() const {
    return !openPath_.isEmpty() && !contents_.empty() && server() && target() != Target::Scratch &&
           !database().isEmpty() && contents_.chosenEntries() > 0 && !options::hasErrors(problems_);
}

/// A database that is still to be made will be as empty as the template.
QString RestorePage::lookedDatabase() const {
    return target() == Target::New ? QStringLiteral("template1") : database();
}

/// Likewise. In the one that is to be replaced our own session would be told as keeping it in use.
QString RestorePage::advisedDatabase() const {
    return target() == Target::Refresh ? QStringLiteral("template1") : lookedDatabase();
}

void RestorePage::adviseNow() {
    adviceJob_.stop();
    if (!canLook()) {
        advice_.reset();
        return showAdvice();
    }
    adviceJob_ = access_.run(
        this, shownServer_, advisedDatabase(),
        [wanted = wanted()](const options::ConnectionOptions& connection,
                            const std::stop_token& stop) {
            history::History history(history::usualFolder());
            return advise::adviseOn(wanted.on(connection), history, stop);
        },
        [this](const advise::Advice& advice) {
            advice_ = advice;
            showAdvice();
        },
        [this](const ErrorInfo&) {  // the look at the target says why
            advice_.reset();
            showAdvice();
        });
}

void RestorePage::showAdvice() {
    const bool quiet = std::exchange(quiet_, true);
    jobs_->setAdvice(advice_ ? std::optional(advice_->curve) : std::nullopt);
    if (advice_ && !jobsChosen_) jobs_->setValue(static_cast<int>(advice_->jobs()));
    quiet_ = quiet;
    jobsReason_->setAdvice(advice_);
    gather();
    showJobs();
    showFoot();
}

void RestorePage::measureDoomed() {
    doomedJob_.stop();
    doomed_.reset();
    // A script cannot be asked what it drops; a refresh replaces all.
    if (!destroys() || !server() || database().isEmpty() || options::hasErrors(problems_) ||
        (contents_.empty() && target() != Target::Refresh)) {
        return showFoot();
    }
    doomedJob_ = access_.run(
        this, shownServer_, database(),
        [wanted = wanted()](const options::ConnectionOptions& connection,
                            const std::stop_token& stop) {
            return restore::whatIsDoomed(wanted.on(connection), stop);
        },
        [this](const restore::Doomed& doomed) {
            doomed_ = doomed;
            showFoot();
        },
        [](const ErrorInfo&) {});  // the look at the target says why
}

void RestorePage::inspectNow() {
    inspectJob_.stop();
    doomedJob_.stop();
    inspecting_ = false;
    if (!canLook()) {
        inspected_.clear();
        showFindings();
        return measureDoomed();
    }
    RestoreWanted wanted = this->wanted();
    wanted.options.newDatabase = target() == Target::New;
    inspecting_ = true;
    inspectJob_ = access_.run(
        this, shownServer_, lookedDatabase(),
        [wanted](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            return restore::check(wanted.on(connection), stop);
        },
        [this](const std::vector<restore::Finding>& found) {
            inspecting_ = false;
            inspected_.clear();
            for (const restore::Finding& finding : found) {
                inspected_.push_back(
                    shownFinding(finding, [this](const QString& flag) { setFlag(flag); }));
            }
            if (inspected_.empty()) {
                inspected_.push_back(
                    {.look = Look::Good, .text = tr("Roles, extensions, room and versions fit")});
            }
            showFindings();
            showFoot();
            measureDoomed();  // not before: its session would keep the database in use
        },
        [this](const ErrorInfo& error) {
            inspecting_ = false;
            inspected_ = {{.look = Look::Blocker,
                           .text = QString::fromStdString(error.message),
                           .remedy = inWindow(error.hint),
                           .mends = {{tr("Look again"), [this] { inspectNow(); }}}}};
            showFindings();
            showFoot();
        });
    showFindings();
}

void RestorePage::setFlag(const QString& name) {
    if (name == QLatin1String("clean") || name == QLatin1String("if-exists")) {
        clean_->setChecked(true);
        return;
    }
    if (name == QLatin1String("dbname"))
        return targets_->choose(static_cast<int>(Target::Existing));
    options::RestoreOptions with = options_;
    const std::vector<options::Option> table = options::restoreTable(with);
    if (const options::Option* row = options::findOption(table, name.toStdString())) row->set("");
    form_->load(table);
    onChanged();
}

void RestorePage::showFindings() {
    std::vector<ShownFinding> shown = inspected_;
    if (target() == Target::Scratch && !contents_.empty()) {
        shown =
            findingsOfNewServer(options_.content, [this](const QString& flag) { setFlag(flag); });
    } else if (inspecting_) {
        shown = {{.look = Look::Note, .text = tr("Looking at the target…")}};
    } else if (script_) {
        shown.push_back({.look = Look::Note,
                         .text = tr("It is read through before any of it runs, and refused if it "
                                    "holds what cannot be run.")});
    } else if (shown.empty()) {
        shown.push_back({.look = Look::Note,
                         .text = tr("What the target lacks is told here once it is chosen.")});
    }
    blocked_ = std::any_of(shown.begin(), shown.end(),
                           [](const ShownFinding& line) { return line.look == Look::Blocker; });
    findings_->setFindings(shown);
}

}  // namespace gantry::ui
