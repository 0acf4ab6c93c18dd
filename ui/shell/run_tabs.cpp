// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/run_tabs.h"

#include <QSignalBlocker>

namespace gantry::ui {
RunTabs::RunTabs(QWidget* parent) : QTabBar(parent) {
    setObjectName(QStringLiteral("runTabs"));
    setAccessibleName(tr("Open runs"));
    setDocumentMode(true);
    setDrawBase(false);
    setExpanding(false);
    setTabsClosable(true);
    setUsesScrollButtons(true);
    setElideMode(Qt::ElideMiddle);  // what was done, and to what
    connect(this, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0) Q_EMIT chosen(keyAt(index));
    });
    connect(this, &QTabBar::tabCloseRequested, this,
            [this](int index) { Q_EMIT closeWanted(keyAt(index)); });
}

void RunTabs::open(const QString& key, const QString& title) {
    const QSignalBlocker silent(this);
    int index = indexOf(key);
    if (index < 0) {
        const QString name = unlikeOthers(title);
        index = addTab(name);
        setTabData(index, QStringList{key, name});
    }
    setCurrentIndex(index);
}

/// Runs may have the same title: from the second on they are numbered.
QString RunTabs::unlikeOthers(const QString& title) const {
    QStringList taken;
    for (int i = 0; i < count(); ++i) taken << tabData(i).toStringList().value(1);
    QString name = title;
    for (int number = 2; taken.contains(name); ++number) {
        name = tr("%1 (%2)").arg(title).arg(number);
    }
    return name;
}

void RunTabs::close(const QString& key) {
    const QSignalBlocker silent(this);
    if (const int index = indexOf(key); index >= 0) removeTab(index);
}

void RunTabs::setProgress(const QString& key, int percent) {
    const int index = indexOf(key);
    if (index < 0) return;
    const QString title = tabData(index).toStringList().at(1);
    const QString text = percent < 0 ? title : tr("%1% · %2").arg(percent).arg(title);
    if (tabText(index) != text) setTabText(index, text);
}

QString RunTabs::neighbour(const QString& key) const {
    const int index = indexOf(key);
    if (index < 0 || count() < 2) return {};
    return keyAt(index + 1 < count() ? index + 1 : index - 1);
}

int RunTabs::indexOf(const QString& key) const {
    for (int i = 0; i < count(); ++i) {
        if (keyAt(i) == key) return i;
    }
    return -1;
}

QString RunTabs::keyAt(int index) const { return tabData(index).toStringList().value(0); }

}  // namespace gantry::ui
