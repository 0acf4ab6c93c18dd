// SPDX-License-Identifier: PostgreSQL
// The number of connections, chosen on the axis of the predicted curve.
#pragma once

#include <QAbstractSlider>
#include <optional>

#include "core/advise/curve.h"

namespace gantry::ui {

/// Arrow keys, Home, End and mouse choose. Until there is advice it is a plain slider.
class JobsSlider : public QAbstractSlider {
    Q_OBJECT
public:
    /// `curve`: room is left for the predicted times; else the advised number is marked alone.
    explicit JobsSlider(bool curve, QWidget* parent = nullptr);

    /// The predicted times, with the advised number of jobs at their knee; empty: none.
    void setAdvice(const std::optional<advise::Curve>& advice);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    QRectF plot() const;
    double xOf(double jobs) const;
    void moveTo(double x);
    void paintCurve(QPainter& painter) const;
    void paintMark(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;

    const bool curve_;
    std::optional<advise::Curve> advice_;
};

/// "4 min 20 s", "12 s", "1 h 5 min": for texts; rounded as far as it means anything.
QString spokenDuration(double seconds);

}  // namespace gantry::ui
