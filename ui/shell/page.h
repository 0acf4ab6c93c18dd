// SPDX-License-Identifier: PostgreSQL
// What every page has: a title with chips and actions, and a red band if it aims at production.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <optional>

#include "ui/servers/server_profile.h"

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace gantry::ui {

/// From top to bottom: band, header (title, chips, actions at the right), content, foot.
class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(QWidget* parent = nullptr);

    QString title() const;
    void setTitle(const QString& title);
    void setChips(const QStringList& chips);
    /// Takes it over, at the right of those that are there.
    void addHeaderWidget(QWidget* widget);
    /// Takes it over; it fills the page.
    void setContent(QWidget* content);
    /// Takes it over: a strip at the bottom, with the page's one primary button at its right end.
    void setFoot(QWidget* foot);

    /// Where work begins: it has the focus when the page is turned to for the first time.
    void beginAt(QWidget* widget) { beginning_ = widget; }
    QWidget* beginning() const { return beginning_; }

    /// What the window's status bar says while the page is shown.
    struct Status {
        QString left;
        QString right;
        friend bool operator==(const Status&, const Status&) = default;
    };
    const Status& status() const { return status_; }
    void setStatus(const Status& status);

    /// What goes on in the page itself and would end with the window, as a sentence; empty:
    /// nothing.
    virtual QString underWay() const { return {}; }
    /// Ends that.
    virtual void endWork() {}

    /// Looks again at what it shows; choices stay.
    virtual void refresh() {}

    const std::optional<ServerProfile>& server() const { return server_; }
    /// The page is about this server from now on; none is possible.
    void aimAt(const std::optional<ServerProfile>& server);

Q_SIGNALS:
    void titleChanged();
    void statusChanged();
    void serverChanged();

private:
    QLabel* band_;
    QWidget* header_;
    QLabel* title_;
    QHBoxLayout* chips_;
    QHBoxLayout* actions_;
    QVBoxLayout* body_;
    QWidget* beginning_ = nullptr;
    std::optional<ServerProfile> server_;
    Status status_;
};

}  // namespace gantry::ui
