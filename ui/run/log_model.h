// SPDX-License-Identifier: PostgreSQL
// What a run had to say, line by line: notices, errors, tries again, its begin and its end.
#pragma once

#include <QAbstractListModel>
#include <optional>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::ui {

class LogModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    /// Outlives the model or is replaced; the same again tells that it has gone on.
    void setRun(const events::RunState* run);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    /// What the line is about; empty if it is about the whole run.
    std::optional<TaskId> taskAt(int row) const;
    /// The first line about the task; -1 if there is none.
    int firstRowOf(TaskId task) const;
    /// Lines that tell of errors or warn.
    int problems() const { return problems_; }
    QString allText() const;

private:
    enum class Tone { Plain, Warning, Error };
    struct Line {
        Duration at{};
        QString text;
        Tone tone = Tone::Plain;
        std::optional<TaskId> task;
    };
    void collect(std::vector<Line>& lines) const;

    const events::RunState* run_ = nullptr;
    std::vector<Line> lines_;
    std::size_t seen_ = 0;  ///< of what the run counts, to see whether there is more
    int problems_ = 0;
};

}  // namespace gantry::ui
