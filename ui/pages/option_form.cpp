// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/option_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"

namespace gantry::ui {
namespace {

/// A check box's text that may take several lines, which the box's own cannot.
class FlagLabel : public QLabel {
public:
    FlagLabel(const QString& text, QCheckBox* box) : QLabel(text), box_(box) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
    }

protected:
    void mouseReleaseEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton && rect().contains(event->pos())) box_->click();
    }

private:
    QCheckBox* box_;
};

constexpr int kNumberWidth = 160;

bool takesNumber(const options::Option& option) {
    return option.kind == options::OptionKind::Number || option.placeholder.starts_with("N");
}

void setWrong(QWidget* widget, bool wrong) {
    if (!widget || widget->property("wrong").toBool() == wrong) return;
    widget->setProperty("wrong", wrong);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace

OptionForm::OptionForm(const std::vector<options::Option>& table, const QSet<QString>& without,
                       QWidget* parent)
    : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    std::vector<const options::Option*> shown;
    for (const options::Option& option : table) {
        if (!without.contains(text(option.name))) shown.push_back(&option);
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto* a, const auto* b) { return a->group < b->group; });
    const options::Option* before = nullptr;
    for (const options::Option* option : shown) {
        if (!before || before->group != option->group) {
            if (before) column->addSpacing(8);
            column->addWidget(makeLabel(text(title(option->group)), "heading"));
        }
        before = option;
        rows_.push_back(makeRow(*option));
    }
}

OptionForm::Row OptionForm::makeRow(const options::Option& option) {
    Row row;
    row.name = option.name;
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    const QString help = optionLabel(option.help);
    const QString name = QStringLiteral("--") + text(option.name);
    QWidget* field = nullptr;
    if (option.kind == options::OptionKind::Flag) {
        auto* line = new QHBoxLayout;
        line->setSpacing(8);
        row.flag = new QCheckBox;
        line->addWidget(row.flag, 0, Qt::AlignTop);
        line->addWidget(new FlagLabel(help, row.flag), 1);
        line->addWidget(makeLabel(name, "muted"), 0, Qt::AlignTop);
        column->addLayout(line);
        connect(row.flag, &QCheckBox::toggled, this, &OptionForm::changed);
        field = row.flag;
    } else {
        auto* line = new QHBoxLayout;
        auto* label = makeLabel(help);
        label->setWordWrap(true);
        line->addWidget(label, 1);
        line->addWidget(makeLabel(name, "muted"), 0, Qt::AlignTop);
        column->addLayout(line);
        if (option.kind == options::OptionKind::List) {
            row.list = new QPlainTextEdit;
            row.list->setFixedHeight(46);
            row.list->setTabChangesFocus(true);
            row.list->setPlaceholderText(
                tr("%1, one a line").arg(text(option.placeholder).toLower()));
            connect(row.list, &QPlainTextEdit::textChanged, this, &OptionForm::changed);
            field = row.list;
        } else {
            row.text = new QLineEdit;
            row.text->setPlaceholderText(option.standard.empty()
                                             ? text(option.placeholder).toLower()
                                             : text(option.standard));
            if (takesNumber(option)) row.text->setMaximumWidth(kNumberWidth);
            connect(row.text, &QLineEdit::textChanged, this, &OptionForm::changed);
            field = row.text;
        }
        column->addWidget(field);
    }
    field->setObjectName(text(option.name));
    field->setAccessibleName(help);
    field->setAccessibleDescription(name);
    row.problem = makeLabel({}, "error");
    row.problem->setWordWrap(true);
    row.problem->hide();
    column->addWidget(row.problem);
    return row;
}

std::vector<std::string> OptionForm::valuesOf(const Row& row) const {
    if (row.flag)
        return row.flag->isChecked() ? std::vector<std::string>{""} : std::vector<std::string>{};
    if (row.text) {
        const QString text = row.text->text().trimmed();
        return text.isEmpty() ? std::vector<std::string>{} : std::vector{text.toStdString()};
    }
    std::vector<std::string> values;
    for (const QString& line : row.list->toPlainText().split(u'\n', Qt::SkipEmptyParts)) {
        values.push_back(line.toStdString());
    }
    return values;
}

void OptionForm::load(const std::vector<options::Option>& table) {
    const bool blocked = blockSignals(true);
    for (const Row& row : rows_) {
        const options::Option* option = options::findOption(table, row.name);
        if (!option) continue;
        const std::vector<std::string> values = option->get();
        QStringList texts;
        for (const std::string& value : values) texts << QString::fromStdString(value);
        if (row.flag) row.flag->setChecked(!values.empty());
        if (row.text) row.text->setText(texts.isEmpty() ? QString() : texts.front());
        if (row.list) row.list->setPlainText(texts.join(u'\n'));
    }
    blockSignals(blocked);
    Q_EMIT changed();
}

std::vector<options::Problem> OptionForm::apply(const std::vector<options::Option>& table) const {
    std::vector<options::Problem> problems;
    for (const Row& row : rows_) {
        const options::Option* option = options::findOption(table, row.name);
        if (!option) continue;
        try {
            for (const std::string& value : valuesOf(row)) option->set(value);
        } catch (const Error& error) {
            problems.push_back({.severity = options::ProblemSeverity::Error,
                                .options = {row.name},
                                .message = error.info().message,
                                .wayOut = error.info().hint});
        }
    }
    return problems;
}

void OptionForm::showProblems(const std::vector<options::Problem>& problems) {
    for (const Row& row : rows_) {
        QStringList reasons;
        bool wrong = false;
        for (const options::Problem& problem : problems) {
            const auto& names = problem.options;
            if (std::find(names.begin(), names.end(), row.name) == names.end()) continue;
            reasons << inWindow(problem.describe());
            wrong = wrong || problem.severity == options::ProblemSeverity::Error;
        }
        row.problem->setText(reasons.join(u'\n'));
        setLook(row.problem, wrong ? "error" : "muted");
        row.problem->setVisible(!reasons.isEmpty());
        setWrong(row.text, wrong);
        setWrong(row.list, wrong);
    }
}

int OptionForm::given() const {
    return static_cast<int>(std::count_if(
        rows_.begin(), rows_.end(), [this](const Row& row) { return !valuesOf(row).empty(); }));
}

}  // namespace gantry::ui
