// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/verify_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <chrono>

#include "core/base/processor_load.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kBarSteps = 1000;

QString sentenceOf(const archive::Finding& finding) {
    QString line = text(finding.member) + QStringLiteral(": ") + text(finding.problem);
    if (finding.offset) line += VerifyDialog::tr(" at byte %1").arg(countText(*finding.offset));
    return line;
}

QString countsOf(const archive::VerifyReport& report) {
    QString counts = report.rows == 1 ? VerifyDialog::tr("1 row")
                                      : VerifyDialog::tr("%1 rows").arg(countText(report.rows));
    if (report.largeObjects == 1) {
        counts += VerifyDialog::tr(", 1 large object");
    } else if (report.largeObjects > 0) {
        counts += VerifyDialog::tr(", %1 large objects").arg(countText(report.largeObjects));
    }
    return VerifyDialog::tr("%1, %2 in %3.")
        .arg(counts, bytesText(report.rawBytes), bytesText(report.compressedBytes));
}

}  // namespace

VerifyDialog::VerifyDialog(const QString& path, QWidget* parent)
    : QDialog(parent),
      bar_(new QProgressBar),
      step_(makeLabel(tr("Reading every byte …"), "muted")),
      verdict_(new QLabel),
      problems_(new QPlainTextEdit),
      close_(new QPushButton(tr("Cancel"))) {
    const QString name = QFileInfo(path).fileName();
    setWindowTitle(tr("Verify %1").arg(name));
    setAttribute(Qt::WA_DeleteOnClose);
    constexpr int kWidth = 560;
    setMinimumWidth(kWidth);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(makeCutLabel(tr("Verify %1").arg(name), "heading"));
    bar_->setTextVisible(false);
    bar_->setRange(0, 0);
    column->addWidget(bar_);
    column->addWidget(step_);
    verdict_->setObjectName(QStringLiteral("verdict"));
    verdict_->setTextFormat(Qt::RichText);
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    verdict_->setWordWrap(true);
    verdict_->hide();
    column->addWidget(verdict_);
    problems_->setReadOnly(true);
    problems_->setTabChangesFocus(true);
    problems_->setAccessibleName(tr("What is damaged"));
    problems_->hide();
    column->addWidget(problems_, 1);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    connect(close_, &QPushButton::clicked, this, &QDialog::reject);
    row->addWidget(close_);
    column->addLayout(row);

    archive::VerifyOptions options;
    options.threads = usableProcessors();
    options.progress = [guard = QPointer<VerifyDialog>(this),
                        next = std::chrono::steady_clock::time_point()](uint64_t done,
                                                                        uint64_t all) mutable {
        constexpr std::chrono::milliseconds kInterval{100};
        const auto now = std::chrono::steady_clock::now();
        if (now < next) return;
        next = now + kInterval;
        postToGui([guard, done, all] {
            if (guard) guard->showProgress(done, all);
        });
    };
    job_ = runAsync(
        this,
        [file = path.toStdString(), options](const std::stop_token& stop) {
            return archive::verifyPath(file, options, stop);
        },
        [this](const archive::VerifyReport& report) { showReport(report); },
        [this](const ErrorInfo& error) {
            end(tr("It cannot be read."), currentTheme().error, describe(error));
        });
}

QString VerifyDialog::verdict() const {
    return verdict_->isHidden() ? QString() : verdict_->text();
}

void VerifyDialog::showProgress(uint64_t done, uint64_t all) {
    if (!job_.running() || all == 0) return;
    bar_->setRange(0, kBarSteps);
    bar_->setValue(static_cast<int>(done * kBarSteps / all));
    step_->setText(tr("%1 of %2").arg(bytesText(done), bytesText(all)));
}

void VerifyDialog::showReport(const archive::VerifyReport& report) {
    const Theme& theme = currentTheme();
    if (report.findings.empty()) {
        end(tr("It is whole."), theme.good,
            countsOf(report) + u' ' +
                (report.usedManifest
                     ? tr("Every byte and every row count agrees with the manifest.")
                     : tr("It has no manifest to compare with: every member decodes to its end. "
                          "Without checksums (gzip alone has some) a changed byte may go "
                          "unseen.")));
        return;
    }
    QStringList lines;
    for (const archive::Finding& finding : report.findings) lines << sentenceOf(finding);
    problems_->setPlainText(lines.join(u'\n'));
    problems_->show();
    end(report.findings.size() == 1
            ? tr("It is damaged.")
            : tr("It is damaged in %1 places.").arg(countText(report.findings.size())),
        theme.error, tr("Do not rely on it; a restore stops at these tables and names them."));
}

void VerifyDialog::end(const QString& verdict, const QColor& color, const QString& rest) {
    bar_->hide();
    step_->hide();
    verdict_->setText(QStringLiteral("<span style='color:%1;font-weight:600'>%2</span> %3")
                          .arg(color.name(), verdict.toHtmlEscaped(), rest.toHtmlEscaped()));
    verdict_->show();
    setAccessibleDescription(verdict + u' ' + rest);
    close_->setText(tr("Close"));
    close_->setDefault(true);
}

}  // namespace gantry::ui
