// SPDX-License-Identifier: PostgreSQL
// The tables of a survey as rows to choose from: what each is like, what would be done to it, why.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/vacuum/vacuum_plan.h"

namespace gantry::ui {

/// GUI thread. Until somebody sorts, the most urgent stand first.
class VacuumTables : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Relation,
        Size,
        Dead,
        Age,
        Vacuumed,
        Analyzed,
        Action,
        Time,
        Gain,
        Why,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// All that may be vacuumed are chosen. Of several databases the tables can be looked at, not
    /// chosen from: a name says nothing of its database.
    void setSurvey(std::shared_ptr<const vacuum::Survey> survey);
    /// Made from the whole survey.
    void setPlan(const vacuum::VacuumPlan& plan);
    void clear();

    /// Shows only the rows that hold this text, in their names or in what is done and why.
    void setFilter(const QString& text);
    /// Of the rows that are shown.
    void setShownChosen(bool chosen);
    void chooseAll();
    /// Those that the plan does this to, and no others.
    void chooseByAction(vacuum::Action action);
    /// Of the survey, by its places; one that is not there is passed over.
    void choose(const std::vector<std::string>& names);

    const std::shared_ptr<const vacuum::Survey>& survey() const { return survey_; }
    std::vector<std::size_t> chosen() const;
    /// Nothing that could be chosen is left out.
    bool everything() const;
    /// As `-t` takes it: "schema.\"Odd name\"".
    static std::string nameOf(const vacuum::TableFacts& table);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Column -1: by urgency again.
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void choiceChanged();

private:
    struct Row {
        bool chosen = false;
        vacuum::Action action = vacuum::Action::Nothing;
        QString what;
        QString why;
        double seconds = 0;
        uint64_t toDisk = 0;   ///< bytes that it gives back to the disk,
        uint64_t toReuse = 0;  ///< and those for new rows
    };

    const vacuum::TableFacts& facts(std::size_t place) const { return survey_->tables[place]; }
    bool ofSeveral() const { return survey_ && survey_->databases.size() > 1; }
    QString textOf(std::size_t place, int column) const;
    bool isBefore(std::size_t one, std::size_t other, int column) const;
    void arrange();
    void chosenAnew();

    std::shared_ptr<const vacuum::Survey> survey_;
    std::vector<Row> rows_;           ///< by place in the survey
    std::vector<std::size_t> rank_;   ///< places, the most urgent first
    std::vector<std::size_t> shown_;  ///< places
    QString filter_;
    int column_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace gantry::ui
