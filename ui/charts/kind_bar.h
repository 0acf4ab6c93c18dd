// SPDX-License-Identifier: PostgreSQL
// A run's progress as one bar, in parts by the kinds of work that are done.
#pragma once

#include <QWidget>
#include <array>

#include "core/events/run_state.h"
#include "ui/gantt/gantt_text.h"

namespace gantry::ui {

/// Shares of the whole work that are done, by category; they sum up to run.fraction().
std::array<double, kCategories> sharesDone(const events::RunState& run);

class KindBar : public QWidget {
    Q_OBJECT
public:
    explicit KindBar(QWidget* parent = nullptr);
    void setShares(const std::array<double, kCategories>& shares);
    QSize sizeHint() const override { return {220, 8}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::array<double, kCategories> shares_{};
};

}  // namespace gantry::ui
