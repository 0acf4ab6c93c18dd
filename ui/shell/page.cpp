// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/forms/label.h"

namespace gantry::ui {

Page::Page(QWidget* parent)
    : QWidget(parent),
      band_(makeCutLabel({}, nullptr, this)),
      header_(new QWidget(this)),
      title_(makeCutLabel({}, "title")),
      chips_(new QHBoxLayout),
      actions_(new QHBoxLayout),
      body_(new QVBoxLayout(this)) {
    body_->setContentsMargins(0, 0, 0, 0);
    body_->setSpacing(0);
    band_->setObjectName(QStringLiteral("productionBand"));
    band_->hide();
    body_->addWidget(band_);

    header_->setObjectName(QStringLiteral("pageHeader"));
    header_->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header_);
    row->setContentsMargins(16, 11, 16, 11);
    row->setSpacing(10);
    constexpr int kButtonHeight = 28;
    row->addStrut(kButtonHeight);  // nothing moves as buttons come and go
    row->addWidget(title_);
    chips_->setSpacing(8);
    row->addSpacing(4);
    row->addLayout(chips_);
    row->addStretch(1);
    actions_->setSpacing(10);
    row->addLayout(actions_);
    body_->addWidget(header_);
}

QString Page::title() const { return title_->text(); }

void Page::setTitle(const QString& title) {
    if (title == title_->text()) return;
    title_->setText(title);
    setAccessibleName(title);
    Q_EMIT titleChanged();
}

void Page::setStatus(const Status& status) {
    if (status == status_) return;
    status_ = status;
    Q_EMIT statusChanged();
}

void Page::setChips(const QStringList& chips) {
    while (QLayoutItem* item = chips_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString& chip : chips)
        chips_->addWidget(makeCutLabel(chip, "chip"), 0, Qt::AlignVCenter);
}

void Page::addHeaderWidget(QWidget* widget) { actions_->addWidget(widget); }

void Page::setContent(QWidget* content) { body_->insertWidget(2, content, 1); }

void Page::setFoot(QWidget* foot) {
    foot->setObjectName(QStringLiteral("pageFoot"));
    foot->setAttribute(Qt::WA_StyledBackground);
    body_->addWidget(foot);
}

void Page::aimAt(const std::optional<ServerProfile>& server) {
    server_ = server;
    const bool production = server && server->production;
    if (production) band_->setText(tr("Production · %1").arg(server->name));
    band_->setAccessibleName(band_->text());
    band_->setVisible(production);
    Q_EMIT serverChanged();
}

}  // namespace gantry::ui
