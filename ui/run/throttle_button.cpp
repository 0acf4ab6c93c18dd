// SPDX-License-Identifier: PostgreSQL
#include "ui/run/throttle_button.h"

#include <QFormLayout>
#include <QLabel>
#include <QMenu>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "ui/forms/label.h"

namespace gantry::ui {
namespace {

constexpr int kAfterTurningMs = 400;
constexpr int kAsBegun = -1;
constexpr int kMostDelayMs = 100;  // as the server allows
constexpr int kMostLimit = 10'000;
constexpr int kFormWidth = 300;

}  // namespace

ThrottleButton::ThrottleButton(QWidget* parent) : QPushButton(parent), soon_(new QTimer(this)) {
    setObjectName(QStringLiteral("throttle"));
    setToolTip(tr("How hard the vacuum presses the server"));
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(makeLabel(tr("Throttle"), "heading"));
    auto* fields = new QFormLayout;
    delay_ = addLimit(fields, tr("Cost delay"), kMostDelayMs, tr(" ms"));
    limit_ = addLimit(fields, tr("Cost limit"), kMostLimit, {});
    limit_->setMinimum(0);  // which the server has no use for: as the run began
    limit_->setValue(0);
    column->addLayout(fields);
    auto* note =
        makeLabel(tr("A session rests for the delay each time that it has spent the limit. "
                     "No delay: as fast as it can. What is changed here holds from each "
                     "worker's next table on: the server takes no new limits in the "
                     "middle of one. A table that begins again is read anew; what was removed "
                     "of it stays so."),
                  "muted");
    note->setWordWrap(true);
    note->setFixedWidth(kFormWidth);
    column->addWidget(note);
    auto* again = new QPushButton(tr("Begin tables under way again"));
    again->setObjectName(QStringLiteral("beginAgain"));
    column->addWidget(again, 0, Qt::AlignLeft);
    auto* menu = new QMenu(this);
    connect(again, &QPushButton::clicked, this, [this, menu] {
        soon_->stop();
        menu->hide();
        Q_EMIT changed(throttle(), true);
    });
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(form);
    menu->addAction(action);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, delay_, [this] { delay_->setFocus(); });
    soon_->setSingleShot(true);
    soon_->setInterval(kAfterTurningMs);
    connect(soon_, &QTimer::timeout, this, [this] { Q_EMIT changed(throttle(), false); });
    showText();
}

QSpinBox* ThrottleButton::addLimit(QFormLayout* form, const QString& name, int most,
                                   const QString& unit) {
    auto* field = new QSpinBox;
    field->setRange(kAsBegun, most);
    field->setSpecialValueText(tr("as the run began"));
    field->setValue(kAsBegun);
    field->setSuffix(unit);
    field->setAccessibleName(name);
    form->addRow(name, field);
    connect(field, &QSpinBox::valueChanged, this, [this] {
        showText();
        soon_->start();
    });
    return field;
}

run::Throttle ThrottleButton::throttle() const {
    run::Throttle throttle;
    if (delay_->value() > kAsBegun) throttle.costDelay = delay_->value();
    if (limit_->value() > limit_->minimum()) throttle.costLimit = limit_->value();
    return throttle;
}

void ThrottleButton::showText() {
    const run::Throttle set = throttle();
    QStringList parts;
    if (set.costDelay) {
        parts << (*set.costDelay == 0 ? tr("none") : tr("%1 ms").arg(*set.costDelay));
    }
    if (set.costLimit) parts << tr("limit %1").arg(*set.costLimit);
    setText(parts.isEmpty() ? tr("Throttle ▾")
                            : tr("Throttle: %1 ▾").arg(parts.join(QStringLiteral(", "))));
}

}  // namespace gantry::ui
