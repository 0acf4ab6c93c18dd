// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/page_parts.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>

#include "ui/forms/label.h"
#include "ui/pages/option_form.h"
#include "ui/shell/page.h"

namespace gantry::ui {
namespace {

class WheelPasser : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* /*field*/, QEvent* event) override {
        if (event->type() != QEvent::Wheel) return false;
        event->ignore();  // it goes to the field's parent
        return true;
    }
};

}  // namespace

QTimer* makeTimer(QObject* parent, int ms) {
    auto* timer = new QTimer(parent);
    timer->setSingleShot(true);
    timer->setInterval(ms);
    return timer;
}

void addWorkButtons(Page& page, SavedTasks& tasks, const QString& operation,
                    const TaskActions& actions, const std::function<void()>& copyCommand) {
    auto* saved = new QPushButton(ConfirmRow::tr("Saved &tasks ▾"));
    saved->setAccessibleName(ConfirmRow::tr("Saved tasks"));
    auto* menu = new QMenu(saved);
    QObject::connect(menu, &QMenu::aboutToShow, &page, [menu, &tasks, operation, actions] {
        fillTaskMenu(*menu, tasks, operation, actions);
    });
    saved->setMenu(menu);
    page.addHeaderWidget(saved);
    auto* copy = new QPushButton(ConfirmRow::tr("&Copy as command"));
    copy->setObjectName(QStringLiteral("copyCommand"));
    QObject::connect(copy, &QPushButton::clicked, &page, copyCommand);
    page.addHeaderWidget(copy);
}

QSet<QString> connectionRows() {
    return {QStringLiteral("dbname"),   QStringLiteral("host"),        QStringLiteral("port"),
            QStringLiteral("username"), QStringLiteral("no-password"), QStringLiteral("password"),
            QStringLiteral("jobs"),     QStringLiteral("dry-run")};
}

QString usualDatabase(const QStringList& databases, const QString& connected) {
    if (connected != QLatin1String("postgres")) return connected;
    for (const QString& name : databases) {
        if (name != connected) return name;
    }
    return connected;
}

void leaveWheelToPage(const QWidget* fields) {
    const QList<QWidget*> all = fields->findChildren<QWidget*>();
    for (QWidget* field : all) {
        if (qobject_cast<QComboBox*>(field) || qobject_cast<QAbstractSpinBox*>(field) ||
            (qobject_cast<QAbstractSlider*>(field) && !qobject_cast<QScrollBar*>(field))) {
            field->installEventFilter(new WheelPasser(field));
        }
    }
}

QScrollArea* makeSettingsArea(QWidget* settings) {
    leaveWheelToPage(settings);
    auto* area = new QScrollArea;
    area->setObjectName(QStringLiteral("settings"));
    area->setWidget(settings);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setAccessibleName(ConfirmRow::tr("Settings"));
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setMinimumWidth(settings->minimumSizeHint().width() +
                          area->verticalScrollBar()->sizeHint().width());
    return area;
}

QPushButton* makeFoldButton(QWidget* fold, const OptionForm* form, QScrollArea* settings) {
    auto* button = new QPushButton;
    button->setCheckable(true);
    button->setObjectName(QStringLiteral("moreOptions"));
    // What is set in the fold counts, shown or not.
    const auto name = [button, form] {
        const int given = form->given();
        const QString more = given == 0 ? ConfirmRow::tr("&More options…")
                                        : ConfirmRow::tr("&More options (%1 set)…").arg(given);
        button->setText(button->isChecked() ? ConfirmRow::tr("Fewer options") : more);
    };
    name();
    QObject::connect(form, &OptionForm::changed, button, name);
    QObject::connect(button, &QPushButton::toggled, fold, [name, fold, settings](bool shown) {
        fold->setVisible(shown);
        name();
        if (!shown) return settings->verticalScrollBar()->setValue(0);
        QTimer::singleShot(0, fold, [fold, settings] {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // room is made
            constexpr int kAbove = 40;
            settings->verticalScrollBar()->setValue(fold->y() - kAbove);
        });
    });
    return button;
}

ConfirmRow::ConfirmRow(QWidget* parent)
    : QWidget(parent), question_(makeLabel({}, "error")), answer_(new QLineEdit) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    question_->setWordWrap(true);
    question_->setMinimumHeight(2 * question_->fontMetrics().lineSpacing() + 2);
    answer_->setObjectName(QStringLiteral("confirm"));
    answer_->setAccessibleName(tr("The name, to confirm"));
    constexpr int kWidth = 220;
    answer_->setFixedWidth(kWidth);
    setMaximumWidth(kMostSettingsWidth);  // the answer stays beside its question
    row->addWidget(question_, 1);
    row->addWidget(answer_);
    connect(answer_, &QLineEdit::textChanged, this, &ConfirmRow::changed);
    hide();
}

void ConfirmRow::ask(const QString& question, const QString& name) {
    question_->setText(question);
    answer_->setPlaceholderText(name);
    name_ = name;
    setVisible(!question.isEmpty());
}

bool ConfirmRow::confirmed() const { return isHidden() || answer_->text() == name_; }

void ConfirmRow::clear() { answer_->clear(); }

}  // namespace gantry::ui
