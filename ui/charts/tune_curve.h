// SPDX-License-Identifier: PostgreSQL
// A sweep as a chart: time over the number of jobs, as predicted and as measured.
#pragma once

#include <QPen>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/tune/report.h"

namespace gantry::ui {

/// Points can be chosen by mouse and arrow keys, and opened by click and Enter.
class TuneCurve : public QWidget {
    Q_OBJECT
public:
    explicit TuneCurve(QWidget* parent = nullptr);

    void setReport(const tune::Report& report);
    /// The point that is being measured; empty: none.
    void setRunning(std::optional<std::size_t> point);
    void select(std::optional<std::size_t> point);
    std::optional<std::size_t> selected() const { return selected_; }
    /// Where a point's mark is; its prediction's while it is not measured.
    QPointF positionOf(std::size_t point) const;
    /// What is known of a point, in words.
    QString describe(std::size_t point) const;

    QSize sizeHint() const override { return {620, 300}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

Q_SIGNALS:
    void selectedChanged(std::size_t point);
    /// The run of a measured point is wanted.
    void openWanted(std::size_t point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plot() const;
    double xOf(double jobs) const;
    double yOf(double seconds) const;
    std::optional<std::size_t> pointAt(const QPointF& position) const;
    void choose(std::size_t point);
    void measureRange();
    void paintGrid(QPainter& painter) const;
    QPen predictedPen(std::size_t series) const;
    void paintPredicted(QPainter& painter, const std::vector<std::size_t>& series,
                        std::size_t number) const;
    void paintMeasured(QPainter& painter, const std::vector<std::size_t>& series,
                       std::size_t number) const;
    void paintMark(QPainter& painter, const QPointF& at, std::size_t series) const;
    void paintAdvised(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    QColor colorOf(std::size_t series) const;

    tune::Report report_;
    std::vector<tune::Row> rows_;
    std::vector<std::vector<std::size_t>> series_;
    std::optional<std::size_t> selected_;
    std::optional<std::size_t> running_;
    double top_ = 1;   ///< seconds at the upper edge
    double step_ = 1;  ///< between two lines
    double leastJobs_ = 1;
    double mostJobs_ = 2;
};

}  // namespace gantry::ui
