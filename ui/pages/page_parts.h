// SPDX-License-Identifier: PostgreSQL
// What the pages that start something have in common.
#pragma once

#include <QSet>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <string_view>

#include "ui/pages/saved_tasks.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTimer;

namespace gantry::ui {

class OptionForm;
class Page;

/// What the sessions that look at a server are called there.
inline constexpr std::string_view kApplication = "gantry";

/// Nothing is looked up while somebody types.
inline constexpr int kAfterTypingMs = 400;

inline constexpr int kPageMargin = 20;
inline constexpr int kSectionSpacing = 14;
inline constexpr int kMostSettingsWidth = 860;

/// Fires once, that long after it was last started.
QTimer* makeTimer(QObject* parent, int ms);

/// "Saved tasks" and "Copy as command" in the page's header.
void addWorkButtons(Page& page, SavedTasks& tasks, const QString& operation,
                    const TaskActions& actions, const std::function<void()>& copyCommand);

/// Options that no form shows: the server at the left tells them, or they make no sense here.
QSet<QString> connectionRows();

/// What a page begins with: where the profile leads, but no maintenance database, which is what
/// people connect to rather than what they work in.
QString usualDatabase(const QStringList& databases, const QString& connected);

/// Over these fields the mouse wheel scrolls what they are in, rather than change a choice that
/// nobody looks at.
void leaveWheelToPage(const QWidget* fields);

/// Scrolls a page's settings up and down, never sideways.
QScrollArea* makeSettingsArea(QWidget* settings);

/// Shows and hides the fold of a page's settings, and brings what was shown into view. Says how
/// many rows of `form`, which is in it, differ from the standard.
QPushButton* makeFoldButton(QWidget* fold, const OptionForm* form, QScrollArea* settings);

/// What is about to be destroyed, and a name to type before it can be.
class ConfirmRow : public QWidget {
    Q_OBJECT
public:
    explicit ConfirmRow(QWidget* parent = nullptr);

    /// Shows the row; an empty question hides it.
    void ask(const QString& question, const QString& name);
    /// Nothing is asked, or the name was typed.
    bool confirmed() const;
    void clear();

Q_SIGNALS:
    void changed();

private:
    QLabel* question_;
    QLineEdit* answer_;
    QString name_;
};

}  // namespace gantry::ui
