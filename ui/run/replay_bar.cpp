// SPDX-License-Identifier: PostgreSQL
#include "ui/run/replay_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include "ui/forms/label.h"
#include "ui/gantt/gantt_text.h"
#include "ui/run/run_feed.h"
#include "ui/shell/page.h"

namespace gantry::ui {
namespace {

constexpr int kSteps = 2000;
constexpr int kPage = kSteps / 20;

}  // namespace

ReplayBar::ReplayBar(ReplayFeed* feed, QWidget* parent)
    : QWidget(parent),
      feed_(feed),
      play_(new QPushButton),
      slider_(new QSlider(Qt::Horizontal)),
      time_(makeLabel({}, "muted")),
      speed_(new QComboBox) {
    setObjectName(QStringLiteral("chartBar"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 6, 14, 6);
    row->addWidget(makeLabel(tr("Recorded run"), "heading"));
    row->addWidget(play_);
    row->addWidget(slider_, 1);
    row->addWidget(time_);
    row->addWidget(speed_);
    slider_->setRange(0, kSteps);
    slider_->setPageStep(kPage);
    slider_->setAccessibleName(tr("Time of the run"));
    speed_->setAccessibleName(tr("Speed"));
    for (const double speed : {0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0}) {
        speed_->addItem(tr("%1×").arg(speed), speed);
        if (speed == 1.0) speed_->setCurrentIndex(speed_->count() - 1);
    }
    connect(speed_, &QComboBox::currentIndexChanged, this,
            [this] { feed_->setSpeed(speed_->currentData().toDouble()); });
    connect(play_, &QPushButton::clicked, this, [this] { feed_->setPlaying(!feed_->playing()); });
    connect(slider_, &QSlider::valueChanged, this,
            [this](int value) { feed_->seek(feed_->length() * value / kSteps); });
    connect(feed_, &ReplayFeed::positionChanged, this, &ReplayBar::show);
    connect(feed_, &ReplayFeed::loaded, this, &ReplayBar::show);
    show();
}

void ReplayBar::show() {
    play_->setText(feed_->playing() ? tr("Pause") : tr("Play"));
    time_->setText(
        QStringLiteral("%1 / %2").arg(clockText(feed_->position()), clockText(feed_->length())));
    const QSignalBlocker quiet(slider_);
    const int64_t length = std::max<int64_t>(feed_->length().count(), 1);
    slider_->setValue(static_cast<int>(feed_->position().count() * kSteps / length));
}

}  // namespace gantry::ui
