// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/findings_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/label.h"

namespace gantry::ui {
namespace {

const char* signOf(Look look) {
    switch (look) {
        case Look::Good:
            return "✓";
        case Look::Note:
            return "i";
        case Look::Warning:
            return "!";
        case Look::Blocker:
            return "✕";
    }
    return "";
}

}  // namespace

FindingsList::FindingsList(QWidget* parent) : QWidget(parent), rows_(new QVBoxLayout(this)) {
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(5);
}

void FindingsList::setFindings(const std::vector<ShownFinding>& findings) {
    while (QLayoutItem* item = rows_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const ShownFinding& finding : findings) {
        auto* line = new QWidget(this);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(8);
        const char* look = finding.look == Look::Good      ? "good"
                           : finding.look == Look::Warning ? "warning"
                           : finding.look == Look::Blocker ? "error"
                                                           : "muted";
        QLabel* sign = makeLabel(QString::fromUtf8(signOf(finding.look)), look);
        sign->setFixedWidth(14);
        row->addWidget(sign, 0, Qt::AlignTop);
        auto* texts = new QVBoxLayout;
        texts->setSpacing(1);
        QLabel* text =
            makeLabel(breakable(finding.text), finding.look == Look::Blocker ? "error" : nullptr);
        text->setWordWrap(true);
        texts->addWidget(text);
        if (!finding.remedy.isEmpty()) {
            QLabel* remedy = makeLabel(breakable(finding.remedy), "muted");
            remedy->setWordWrap(true);
            texts->addWidget(remedy);
        }
        row->addLayout(texts, 1);
        auto* buttons = new QVBoxLayout;
        buttons->setSpacing(1);
        for (const Mend& mend : finding.mends) {
            auto* button = new QPushButton(mend.action, line);
            setLook(button, "link");
            button->setAccessibleDescription(finding.text);
            connect(button, &QPushButton::clicked, line, mend.carryOut, Qt::QueuedConnection);
            buttons->addWidget(button, 0, Qt::AlignRight);
        }
        buttons->addStretch();
        row->addLayout(buttons);
        rows_->addWidget(line);
    }
}

}  // namespace gantry::ui
