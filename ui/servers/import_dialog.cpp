// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/import_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/forms/label.h"
#include "ui/servers/server_store.h"

namespace gantry::ui {
namespace {

bool sameServer(const ServerProfile& one, const ServerProfile& other) {
    return one.service == other.service && one.host == other.host && one.port == other.port &&
           one.user == other.user && one.database == other.database;
}

}  // namespace

ImportDialog::ImportDialog(const std::vector<FoundServer>& found, const ServerStore& known,
                           QWidget* parent)
    : QDialog(parent), found_(found), list_(new QTreeWidget) {
    setWindowTitle(tr("Import servers"));
    constexpr int kWidth = 640;
    constexpr int kHeight = 360;
    resize(kWidth, kHeight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    QLabel* text = makeLabel(
        found.empty() ? tr("Neither a service file (pg_service.conf) nor PGHOST and its kin name "
                           "any server.")
                      : tr("A service stays where it is: what its file says later holds here, too. "
                           "Passwords in it are read by libpq alone."),
        "muted");
    text->setWordWrap(true);
    column->addWidget(text);
    list_->setHeaderLabels({tr("Server"), tr("Leads to"), tr("From")});
    list_->setRootIsDecorated(false);
    list_->setTextElideMode(Qt::ElideMiddle);  // both ends of a path tell it from others
    list_->setObjectName(QStringLiteral("framedList"));
    list_->setAccessibleName(tr("Servers found"));
    for (const FoundServer& server : found_) {
        auto* item = new QTreeWidgetItem(list_, {server.profile.name, server.leadsTo, server.from});
        item->setToolTip(1, server.leadsTo);
        item->setToolTip(2, server.from);
        const bool there = std::any_of(
            known.servers().begin(), known.servers().end(),
            [&](const ServerProfile& other) { return sameServer(server.profile, other); });
        item->setCheckState(0, there ? Qt::Unchecked : Qt::Checked);
        if (there) item->setToolTip(0, tr("This one is in the list already."));
    }
    list_->header()->resizeSection(0, 180);
    list_->header()->resizeSection(1, 240);
    column->addWidget(list_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* import = buttons->addButton(tr("&Import"), QDialogButtonBox::AcceptRole);
    import->setProperty("look", QLatin1String("primary"));
    import->setDefault(true);
    import->setEnabled(!found.empty());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
}

std::vector<ServerProfile> ImportDialog::chosen() const {
    std::vector<ServerProfile> profiles;
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
        if (list_->topLevelItem(row)->checkState(0) == Qt::Checked) {
            profiles.push_back(found_[static_cast<std::size_t>(row)].profile);
        }
    }
    return profiles;
}

}  // namespace gantry::ui
