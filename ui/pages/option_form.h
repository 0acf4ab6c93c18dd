// SPDX-License-Identifier: PostgreSQL
// A form made from an option table: every row that no other part of a page shows.
#pragma once

#include <QSet>
#include <QString>
#include <QWidget>
#include <string>
#include <vector>

#include "core/options/option.h"
#include "core/options/validate.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace gantry::ui {

/// GUI thread. Holds values, no options: apply() and load() are given a table bound to some.
class OptionForm : public QWidget {
    Q_OBJECT
public:
    /// Rows of `table` but for those named, under their groups' headings.
    OptionForm(const std::vector<options::Option>& table, const QSet<QString>& without,
               QWidget* parent = nullptr);

    /// Shows what the table's struct holds; one change, however many rows.
    void load(const std::vector<options::Option>& table);
    /// Sets what was entered. Values that cannot be read are returned as problems.
    std::vector<options::Problem> apply(const std::vector<options::Option>& table) const;
    /// Marks the rows concerned, with the reason beneath.
    void showProblems(const std::vector<options::Problem>& problems);
    /// How many rows differ from the standard.
    int given() const;

Q_SIGNALS:
    void changed();

private:
    struct Row {
        std::string name;
        QCheckBox* flag = nullptr;  ///< one of the three
        QLineEdit* text = nullptr;
        QPlainTextEdit* list = nullptr;
        QLabel* problem = nullptr;
    };
    Row makeRow(const options::Option& option);
    std::vector<std::string> valuesOf(const Row& row) const;

    std::vector<Row> rows_;
};

}  // namespace gantry::ui
