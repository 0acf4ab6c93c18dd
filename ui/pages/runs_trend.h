// SPDX-License-Identifier: PostgreSQL
// A database's backups over months: how large they became, and how long they took.
#pragma once

#include <QDateTime>
#include <QWidget>
#include <vector>

#include "core/history/past_run.h"

namespace gantry::ui {

class RunsTrend : public QWidget {
    Q_OBJECT
public:
    explicit RunsTrend(QWidget* parent = nullptr);

    /// Of these, the runs of this kind on this database and cluster that came to their end.
    void showLike(const history::PastRun& like, const std::vector<history::PastRun>& runs);
    void clear();
    std::size_t count() const { return points_.size(); }

    QSize sizeHint() const override { return {400, 170}; }
    QSize minimumSizeHint() const override { return {240, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Point {
        QDateTime at;
        double bytes = 0;  ///< on disk, or raw where nothing was written
        double seconds = 0;
    };
    struct Plot {
        QRect area;
        double Point::*value;
        QColor color;
    };
    std::vector<Plot> plots() const;
    QPointF place(const Plot& plot, const Point& point) const;
    QString describe(const Point& point) const;

    QString title_;
    std::vector<Point> points_;  ///< by time
};

}  // namespace gantry::ui
