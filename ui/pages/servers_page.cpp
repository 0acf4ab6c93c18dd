// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/servers_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/format.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/forms/size_delegate.h"

namespace gantry::ui {
namespace {

constexpr int kSortRole = Qt::UserRole + 10;
enum Column { NameColumn, SizeColumn, OwnerColumn, ColumnCount };

/// "backup_ro@db.example.org:5433", as far as the profile says it.
QString addressOf(const ServerProfile& server) {
    if (server.scratch) return ServersPage::tr("local socket");
    if (!server.service.isEmpty() && server.host.isEmpty()) {
        return ServersPage::tr("service %1").arg(server.service);
    }
    QString text = server.host.isEmpty() ? ServersPage::tr("this machine") : server.host;
    if (!server.port.isEmpty()) text += u':' + server.port;
    return text;
}

QString describe(const ServerFacts& facts) {
    QStringList parts;
    parts << ServersPage::tr("Connected as %1%2")
                 .arg(QString::fromStdString(facts.user),
                      facts.superuser ? ServersPage::tr(" (superuser)") : QString());
    parts << describeRoundTrip(facts.roundTrip);
    parts << (!facts.encryption.empty() ? QString::fromStdString(facts.encryption)
              : facts.local             ? ServersPage::tr("local socket")
                                        : ServersPage::tr("not encrypted"));
    if (facts.standby) parts << ServersPage::tr("standby: it can be backed up, no more");
    parts << ServersPage::tr("%n connections in use, %1 free", nullptr,
                             static_cast<int>(facts.connections))
                 .arg(facts.freeConnections);
    return parts.join(QStringLiteral("   ·   "));
}

}  // namespace

ServersPage::ServersPage(ServerStore& servers, ServerAccess& access, QWidget* parent)
    : Page(parent),
      servers_(servers),
      access_(access),
      state_(makeLabel({}, "muted")),
      failure_(new ErrorPanel),
      refreshButton_(new QPushButton(tr("&Test again"))),
      editButton_(new QPushButton(tr("&Edit…"))),
      removeButton_(new QPushButton),
      databases_(nullptr),
      search_(new QLineEdit),
      total_(makeLabel({}, "muted")),
      table_(new QTreeView),
      model_(new QStandardItemModel(0, ColumnCount, this)),
      sorted_(new QSortFilterProxyModel(this)),
      vacuumButton_(new QPushButton),
      restoreButton_(new QPushButton(tr("&Restore into it…"))),
      backUpButton_(new QPushButton) {
    addHeaderWidget(refreshButton_);
    addHeaderWidget(editButton_);
    addHeaderWidget(removeButton_);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeState());
    databases_ = makeDatabases();
    column->addWidget(databases_, 1);
    column->addStretch(0);
    setContent(content);
    setFoot(makeFoot());

    connect(this, &Page::serverChanged, this, &ServersPage::turn);
    connect(refreshButton_, &QPushButton::clicked, this, &ServersPage::connectNow);
    connect(editButton_, &QPushButton::clicked, this, [this] { Q_EMIT editWanted(shownServer_); });
    connect(removeButton_, &QPushButton::clicked, this, [this] {
        if (shownProfile_.scratch) {
            Q_EMIT stopWanted(shownServer_);
        } else {
            Q_EMIT removeWanted(shownServer_);
        }
    });
    connect(restoreButton_, &QPushButton::clicked, this,
            [this] { Q_EMIT restoreWanted(shownServer_, chosenDatabase()); });
    connect(vacuumButton_, &QPushButton::clicked, this,
            [this] { Q_EMIT vacuumWanted(shownServer_, chosenDatabase()); });
    connect(backUpButton_, &QPushButton::clicked, this,
            [this] { Q_EMIT backUpWanted(shownServer_, chosenDatabase()); });
    offerRestore(false);
    turn();
}

QWidget* ServersPage::makeState() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(16, 12, 16, 12);
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(state_);
    QPushButton* again = failure_->addAction(tr("&Try again"));
    passwordButton_ = failure_->addAction(tr("Enter &password…"));
    startAgainButton_ = failure_->addAction(tr("Start it a&gain"));
    editFailedButton_ = failure_->addAction(tr("E&dit the server…"));
    connect(again, &QPushButton::clicked, this, &ServersPage::connectNow);
    connect(startAgainButton_, &QPushButton::clicked, this,
            [this] { Q_EMIT startAgainWanted(shownServer_); });
    connect(editFailedButton_, &QPushButton::clicked, this,
            [this] { Q_EMIT editWanted(shownServer_); });
    connect(passwordButton_, &QPushButton::clicked, this, [this] {
        access_.askPassword(this, shownServer_, false, [this](bool given) {
            if (given) connectNow();
        });
    });
    failure_->hide();
    column->addWidget(failure_);
    return box;
}

QWidget* ServersPage::makeDatabases() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(16, 0, 16, 10);
    row->setSpacing(12);
    search_->setPlaceholderText(tr("Find database…"));
    search_->setClearButtonEnabled(true);
    search_->setAccessibleName(tr("Find database"));
    constexpr int kSearchWidth = 260;
    search_->setMaximumWidth(kSearchWidth);
    row->addWidget(search_, 1);
    row->addWidget(total_);
    row->addStretch(1);
    column->addLayout(row);

    model_->setHorizontalHeaderLabels({tr("Database"), tr("Size"), tr("Owner")});
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(kSortRole);
    sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_->setModel(sorted_);
    table_->setObjectName(QStringLiteral("roomyTable"));
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSortingEnabled(true);
    table_->sortByColumn(SizeColumn, Qt::DescendingOrder);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setItemDelegateForColumn(SizeColumn, new SizeDelegate(table_));
    table_->setAccessibleName(tr("Databases of the server"));
    QHeaderView* header = table_->header();
    header->setStretchLastSection(true);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    constexpr int kNameWidth = 320;
    constexpr int kSizeWidth = 210;
    header->resizeSection(NameColumn, kNameWidth);
    header->resizeSection(SizeColumn, kSizeWidth);
    column->addWidget(table_, 1);

    connect(search_, &QLineEdit::textChanged, sorted_,
            &QSortFilterProxyModel::setFilterFixedString);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ServersPage::showChosen);
    connect(table_, &QTreeView::activated, this, [this] {
        if (backUpButton_->isEnabled()) backUpButton_->click();
    });
    return box;
}

QWidget* ServersPage::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(16, 10, 16, 10);
    row->setSpacing(10);
    row->addStretch(1);
    row->addWidget(vacuumButton_);
    row->addWidget(restoreButton_);
    backUpButton_->setProperty("look", QLatin1String("primary"));
    row->addWidget(backUpButton_);
    return foot;
}

void ServersPage::offerRestore(bool offered) { restoreButton_->setVisible(offered); }

void ServersPage::serverCameUp(const QString& serverId) {
    if (serverId == shownServer_ && !job_.running()) connectNow();
}

void ServersPage::turn() {
    const ServerProfile profile = server().value_or(ServerProfile());
    if (profile.version != shownProfile_.version && profile.id == shownProfile_.id) {
        shownProfile_.version = profile.version;  // learnt by ourselves
    }
    if (profile == shownProfile_) return;
    shownProfile_ = profile;
    shownServer_ = profile.id;
    setTitle(profile.name);
    removeButton_->setText(profile.scratch ? tr("&Stop and remove…") : tr("Re&move…"));
    editButton_->setVisible(!profile.scratch);
    facts_.reset();
    model_->removeRows(0, model_->rowCount());
    search_->clear();
    if (profile.id.isEmpty()) return;
    connectNow();
}

void ServersPage::connectNow() {
    job_.stop();
    QStringList chips{addressOf(shownProfile_)};
    if (!shownProfile_.version.isEmpty()) chips << tr("PostgreSQL %1").arg(shownProfile_.version);
    setChips(chips);
    failure_->hide();
    state_->setText(tr("Connecting…"));
    setStatus({.left = tr("Connecting…"), .right = {}});
    state_->show();
    databases_->setVisible(model_->rowCount() > 0);
    showChosen();
    job_ = access_.run(
        this, shownServer_, {},
        [](const options::ConnectionOptions& connection, std::stop_token stop) {
            return probeServer(connection, std::move(stop));
        },
        [this](const ServerFacts& facts) { showFacts(facts); },
        [this](const ErrorInfo& error) { showFailure(error); });
}

void ServersPage::showFacts(const ServerFacts& facts) {
    facts_ = facts;
    failure_->hide();
    state_->setText(describe(facts));
    setChips(
        {addressOf(shownProfile_), tr("PostgreSQL %1").arg(QString::fromStdString(facts.version))});
    const QString before = chosenDatabase();
    model_->removeRows(0, model_->rowCount());
    uint64_t all = 0;
    uint64_t largest = 0;
    for (const DatabaseFacts& database : facts.databases) {
        all += database.bytes.value_or(0);
        largest = std::max(largest, database.bytes.value_or(0));
    }
    for (const DatabaseFacts& database : facts.databases) {
        QList<QStandardItem*> row{new QStandardItem(QString::fromStdString(database.name)),
                                  new QStandardItem,
                                  new QStandardItem(QString::fromStdString(database.owner))};
        row[SizeColumn]->setData(largest == 0 ? QVariant() : QVariant(static_cast<double>(largest)),
                                 SizeDelegate::WholeRole);
        if (database.bytes) {
            row[SizeColumn]->setData(QVariant::fromValue<qulonglong>(*database.bytes),
                                     SizeDelegate::BytesRole);
            row[SizeColumn]->setData(QString::fromStdString(formatBytes(*database.bytes)),
                                     Qt::AccessibleTextRole);
        }
        row[NameColumn]->setData(row[NameColumn]->text(), kSortRole);
        row[SizeColumn]->setData(static_cast<double>(database.bytes.value_or(0)), kSortRole);
        row[OwnerColumn]->setData(row[OwnerColumn]->text(), kSortRole);
        if (!database.connectable) {
            for (QStandardItem* item : row) {
                item->setEnabled(false);
                item->setToolTip(tr("This user may not connect to it."));
            }
        }
        model_->appendRow(row);
    }
    const int count = model_->rowCount();
    const QString total = (count == 1 ? tr("1 database") : tr("%1 databases").arg(count)) +
                          QStringLiteral(" · ") + QString::fromStdString(formatBytes(all));
    total_->setText(total);
    setStatus(
        {.left =
             tr("%1: connected as %2").arg(shownProfile_.name, QString::fromStdString(facts.user)),
         .right = total});
    databases_->show();
    QModelIndex chosen = sorted_->index(0, NameColumn);
    for (int row = 0; row < sorted_->rowCount(); ++row) {
        const QModelIndex index = sorted_->index(row, NameColumn);
        if (index.data().toString() == before) chosen = index;
    }
    table_->setCurrentIndex(chosen);
    showChosen();
    servers_.noteVersion(shownServer_, QString::fromStdString(facts.version));
}

void ServersPage::showFailure(const ErrorInfo& error) {
    facts_.reset();
    setStatus({.left = tr("%1: not connected").arg(shownProfile_.name), .right = {}});
    state_->hide();
    databases_->hide();
    model_->removeRows(0, model_->rowCount());
    ErrorInfo shown = error;
    shown.hint = connectionAdvice(error);
    if (shownProfile_.scratch) {
        shown.hint =
            tr("If its process has ended, start it again: its files are still there. “Stop and "
               "remove” throws them away.")
                .toStdString();
    }
    passwordButton_->setVisible(wantsPassword(error));
    startAgainButton_->setVisible(shownProfile_.scratch);
    editFailedButton_->setVisible(!shownProfile_.scratch);
    failure_->showError(tr("%1 cannot be reached").arg(shownProfile_.name), shown);
    showChosen();
}

QString ServersPage::chosenDatabase() const {
    const QModelIndex current = table_->currentIndex();
    return current.isValid() ? current.siblingAtColumn(NameColumn).data().toString() : QString();
}

void ServersPage::showChosen() {
    constexpr int kNameWidth = 220;
    const QString database = nameOnButton(chosenDatabase(), fontMetrics(), kNameWidth);
    backUpButton_->setText(database.isEmpty() ? tr("&Back up…") : tr("&Back up %1…").arg(database));
    backUpButton_->setEnabled(facts_ && !database.isEmpty());
    restoreButton_->setEnabled(facts_ && !facts_->standby);
    vacuumButton_->setText(database.isEmpty() ? tr("&Vacuum…") : tr("&Vacuum %1…").arg(database));
    vacuumButton_->setEnabled(facts_ && !facts_->standby && !database.isEmpty());
    vacuumButton_->setToolTip(facts_ && facts_->standby
                                  ? tr("A standby takes over what is vacuumed on its primary.")
                                  : QString());
}

}  // namespace gantry::ui
