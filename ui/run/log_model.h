// SPDX-License-Identifier: PostgreSQL
// What a run had to say, line by line: notices, errors, tries again, its begin and its end. Errors
// of one cause are one line, which unfolds into their objects.
#pragma once

#include <QAbstractListModel>
#include <optional>
#include <set>
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
    /// The first line about the task, or that of the cause it failed of; -1 if there is none.
    int firstRowOf(TaskId task) const;
    /// Shows or hides the objects of a cause; of any other line it does nothing.
    void toggle(int row);
    /// Unfolds the cause that the task failed of.
    void unfold(TaskId task);
    /// Errors, those of one cause counted once, and warnings.
    int problems() const { return problems_; }
    /// With the objects of all causes.
    QString allText() const;

private:
    enum class Tone { Plain, Warning, Error };
    struct Line {
        Duration at{};
        QString text;
        Tone tone = Tone::Plain;
        std::optional<TaskId> task;
        std::vector<Line> objects{};         ///< of a cause
        std::optional<std::size_t> cause{};  ///< its first error, which stays the same
        bool isObject = false;
    };
    void collect(std::vector<Line>& lines) const;
    void collectErrors(std::vector<Line>& lines) const;
    static QString shown(const Line& line);

    const events::RunState* run_ = nullptr;
    std::vector<Line> lines_;
    std::set<std::size_t> unfolded_;  ///< causes
    std::size_t seen_ = 0;            ///< of what the run counts, to see whether there is more
    int problems_ = 0;
};

}  // namespace gantry::ui
