// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/advice_note.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QStringList>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "ui/forms/label.h"
#include "ui/forms/window_words.h"

namespace gantry::ui {
namespace {

QString escaped(const std::string& text) { return inWindow(text).toHtmlEscaped(); }

QString seconds(double value) {
    return AdviceNote::tr("%1 s").arg(value, 0, 'f', value < 10 ? 1 : 0);
}

QString reasonText(const advise::Advice& advice) {
    QString text = AdviceNote::tr("%1 advised: %2.")
                       .arg(advice.jobs())
                       .arg(QString::fromStdString(advice.reason("jobs")));
    if (!advice.curve.measured && !advice.curve.outdated) {
        text += u' ' + AdviceNote::tr(
                           "Estimated from sizes; no run like it was measured on this server yet.");
    }
    return text;
}

QStringList warningsOf(const advise::Advice& advice) {
    QStringList found;
    for (const advise::Recommendation& one : advice.recommendations) {
        if (!one.warning.empty()) found << QString::fromStdString(one.setting + ": " + one.warning);
    }
    for (const std::string& warning : advice.warnings) found << QString::fromStdString(warning);
    return found;
}

QString curveHtml(const advise::Curve& curve) {
    QString html = QStringLiteral("<table cellspacing=0 cellpadding=4><tr>");
    for (const QString& heading : {AdviceNote::tr("Jobs"), AdviceNote::tr("Time"),
                                   AdviceNote::tr("Speed-up"), AdviceNote::tr("Efficiency"),
                                   AdviceNote::tr("Lower bound"), AdviceNote::tr("Limited by")}) {
        html += QStringLiteral("<th align=left>%1</th>").arg(heading);
    }
    html += QStringLiteral("</tr>");
    for (const advise::CurvePoint& point : curve.points) {
        const bool advised = point.jobs == curve.knee;
        const std::string_view name = advise::toString(point.limit);
        QString limit = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        if (advised) limit = AdviceNote::tr("%1 · advised").arg(limit);
        if (point.jobs > curve.mostJobs) limit = AdviceNote::tr("%1 · no room").arg(limit);
        QString row;
        for (const QString& cell :
             {QString::number(point.jobs), seconds(point.seconds),
              QStringLiteral("%1×").arg(curve.speedUp(point.jobs), 0, 'f', 1),
              QStringLiteral("%1%").arg(curve.efficiency(point.jobs) * 100, 0, 'f', 0),
              seconds(point.lowerBound), limit}) {
            row += advised ? QStringLiteral("<td><b>%1</b></td>").arg(cell)
                           : QStringLiteral("<td>%1</td>").arg(cell);
        }
        html += QStringLiteral("<tr>%1</tr>").arg(row);
    }
    return html + QStringLiteral("</table>");
}

}  // namespace

QString adviceHtml(const advise::Advice& advice) {
    QString html;
    for (const advise::Recommendation& one : advice.recommendations) {
        html += QStringLiteral("<p><b>%1 = %2</b>").arg(escaped(one.setting), escaped(one.value));
        if (!one.range.empty()) html += u' ' + AdviceNote::tr("(or %1)").arg(escaped(one.range));
        html += QStringLiteral("<br>") + escaped(one.reason) + u'.';
        if (!one.warning.empty()) {
            html += QStringLiteral("<br>") + AdviceNote::tr("Mind: %1").arg(escaped(one.warning));
        }
        html += QStringLiteral("</p>");
    }
    html += curveHtml(advice.curve);
    const advise::Range range = advice.curve.timeRange(advice.curve.knee);
    html +=
        QStringLiteral("<p>") +
        AdviceNote::tr("With %n jobs it takes %1 to %2.", nullptr, static_cast<int>(advice.jobs()))
            .arg(seconds(range.low), seconds(range.high)) +
        QStringLiteral("</p>");
    for (const std::string& warning : advice.warnings) {
        html += QStringLiteral("<p>") + AdviceNote::tr("Mind: %1").arg(escaped(warning)) +
                QStringLiteral("</p>");
    }
    html += QStringLiteral("<h4>%1</h4>").arg(AdviceNote::tr("It goes by this"));
    for (const std::string& fact : advice.facts) {
        html += QStringLiteral("<p>%1</p>").arg(escaped(fact));
    }
    return html;
}

AdviceNote::AdviceNote(QWidget* parent)
    : QWidget(parent),
      reason_(makeLabel({}, "muted")),
      warnings_(makeLabel({}, "error")),
      more_(new QPushButton(tr("All of the advice…"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    reason_->setObjectName(QStringLiteral("jobsReason"));
    warnings_->setObjectName(QStringLiteral("adviceWarnings"));
    more_->setObjectName(QStringLiteral("allAdvice"));
    more_->setFlat(true);
    for (QLabel* label : {reason_, warnings_}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addWidget(more_, 0, Qt::AlignLeft);
    connect(more_, &QPushButton::clicked, this, &AdviceNote::showAll);
    setAdvice(std::nullopt);
}

void AdviceNote::setAdvice(const std::optional<advise::Advice>& advice) {
    advice_ = advice;
    const QStringList warnings = advice ? warningsOf(*advice) : QStringList();
    reason_->setText(advice ? breakable(reasonText(*advice)) : QString());
    reason_->setVisible(advice.has_value());
    warnings_->setText(breakable(warnings.join(u'\n')));
    warnings_->setVisible(!warnings.isEmpty());
    more_->setVisible(advice && !advice->curve.points.empty());
}

void AdviceNote::setFailure(const QString& text) {
    setAdvice(std::nullopt);
    reason_->setText(text);
    reason_->show();
}

void AdviceNote::showAll() {
    auto* dialog = new QDialog(this);
    dialog->setWindowTitle(tr("What is advised, and why"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->resize(720, 640);
    auto* column = new QVBoxLayout(dialog);
    auto* text = new QTextBrowser;
    text->setHtml(adviceHtml(*advice_));
    text->setAccessibleName(dialog->windowTitle());
    column->addWidget(text);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    column->addWidget(buttons);
    dialog->open();
}

}  // namespace gantry::ui
