// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/recent_archives.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/forms/label.h"
#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

constexpr std::size_t kShown = 6;
constexpr int kLinkWidth = 300;

}  // namespace

RecentArchives::RecentArchives(std::filesystem::path historyFolder, QMenu* menu, QWidget* parent)
    : QWidget(parent),
      historyFolder_(std::move(historyFolder)),
      menu_(menu),
      column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 10, 0, 0);
    column_->setSpacing(0);
    column_->addWidget(makeLabel(tr("or one that was made here:"), "muted"), 0, Qt::AlignHCenter);
    hide();
    refresh();
}

void RecentArchives::refresh() {
    if (historyFolder_.empty()) return;
    job_.stop();
    job_ = runAsync(
        this,
        [folder = historyFolder_](const std::stop_token&) { return listArchives(folder, kShown); },
        [this](const std::vector<MadeArchive>& archives) { list(archives); },
        [](const ErrorInfo&) {});  // the list of runs says what is wrong with the history
}

void RecentArchives::list(const std::vector<MadeArchive>& archives) {
    for (QWidget* link : std::exchange(links_, {})) link->deleteLater();
    for (QAction* action : std::exchange(actions_, {})) delete action;
    if (!archives.empty()) actions_.push_back(menu_->addSeparator());
    for (const MadeArchive& archive : archives) {
        const QString path = QString::fromStdString(archive.path.string());
        const QString name = nameOnButton(QString::fromStdString(archive.path.filename().string()),
                                          fontMetrics(), kLinkWidth);
        const QString label = tr("%1, %2").arg(name, whenText(archive.startedAt));
        auto* link = new QPushButton(label);
        setLook(link, "link");
        link->setToolTip(toolTipText(path));
        link->setCursor(Qt::PointingHandCursor);
        column_->addWidget(link, 0, Qt::AlignHCenter);
        links_.push_back(link);
        actions_.push_back(menu_->addAction(label));
        actions_.back()->setToolTip(path);
        connect(link, &QPushButton::clicked, this, [this, path] { Q_EMIT chosen(path); });
        connect(actions_.back(), &QAction::triggered, this, [this, path] { Q_EMIT chosen(path); });
    }
    setVisible(!archives.empty());
}

}  // namespace gantry::ui
