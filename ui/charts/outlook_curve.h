// SPDX-License-Identifier: PostgreSQL
// The curve of a run's time over its number of workers: what others would have made of it.
#pragma once

#include <QWidget>
#include <vector>

#include "core/report/what_if.h"

namespace gantry::ui {

class OutlookCurve : public QWidget {
    Q_OBJECT
public:
    explicit OutlookCurve(QWidget* parent = nullptr);
    /// `workers` is how it was.
    void setOutlooks(std::vector<report::Outlook> outlooks, uint32_t workers);
    QSize sizeHint() const override { return {260, 146}; }
    QSize minimumSizeHint() const override { return {160, 124}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QPointF pointOf(double workers, double seconds) const;
    QRect plot() const;

    std::vector<report::Outlook> outlooks_;
    uint32_t workers_ = 1;
};

}  // namespace gantry::ui
