// SPDX-License-Identifier: PostgreSQL
#include "ui/charts/kind_bar.h"

#include <QPainter>
#include <QPainterPath>
#include <numeric>

#include "ui/forms/text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {

std::array<double, kCategories> sharesDone(const events::RunState& run) {
    std::array<double, kCategories> shares{};
    for (const auto& [id, task] : run.tasks()) {
        double& share = shares[static_cast<std::size_t>(categoryOf(task.kind))];
        for (const std::size_t index : task.spans) {
            const events::SpanState& span = run.spans()[index];
            share += span.weight * run.spanFraction(span);
        }
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = sum > 0 ? share / sum * run.fraction() : 0;
    return shares;
}

KindBar::KindBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(8);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Progress by kind of work"));
}

void KindBar::setShares(const std::array<double, kCategories>& shares) {
    shares_ = shares;
    QStringList words;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] <= 0) continue;
        words << QStringLiteral("%1 %2").arg(categoryName(static_cast<Category>(i)),
                                             percentText(shares[i]));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(words.join(QLatin1Char('\n')));
    update();
}

void KindBar::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    shape.addRoundedRect(rect(), 4, 4);
    p.setClipPath(shape);
    p.fillRect(rect(), currentTheme().faintLine);
    double x = 0;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        const double width = shares_[i] * rect().width();
        p.fillRect(QRectF(x, 0, width, height()), kindColor(kindOf(static_cast<Category>(i))));
        x += width;
    }
}

}  // namespace gantry::ui
