// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/welcome_page.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/label.h"

namespace gantry::ui {
namespace {

constexpr int kWidth = 640;

struct Choice {
    QString heading;
    QLabel* text;
    QPushButton* button;
};

QWidget* makeCard(const Choice& choice) {
    auto* card = new QFrame;
    card->setObjectName(QStringLiteral("card"));
    auto* row = new QHBoxLayout(card);
    row->setContentsMargins(16, 14, 16, 14);
    row->setSpacing(16);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(makeLabel(choice.heading, "heading"));
    choice.text->setWordWrap(true);
    words->addWidget(choice.text);
    row->addLayout(words, 1);
    row->addWidget(choice.button, 0, Qt::AlignVCenter);
    return card;
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : Page(parent),
      foundText_(makeLabel({}, "muted")),
      importButton_(new QPushButton(tr("&Import…"))) {
    setTitle(tr("Welcome to Gantry"));
    auto* add = new QPushButton(tr("&Add a server…"));
    add->setProperty("look", QLatin1String("primary"));
    auto* demo = new QPushButton(tr("Start the &demo"));
    connect(add, &QPushButton::clicked, this, &WelcomePage::addWanted);
    connect(importButton_, &QPushButton::clicked, this, &WelcomePage::importWanted);
    connect(demo, &QPushButton::clicked, this, &WelcomePage::demoWanted);

    auto* content = new QWidget;
    auto* outer = new QVBoxLayout(content);
    auto* column = new QVBoxLayout;
    column->setSpacing(10);
    QLabel* intro = makeLabel(
        tr("Gantry backs up, restores and vacuums PostgreSQL over many connections at once, and "
           "shows what each of them does. Add a server to begin."),
        nullptr);
    intro->setWordWrap(true);
    intro->setFixedWidth(kWidth);
    column->addWidget(intro);
    column->addSpacing(6);
    column->addWidget(makeCard({tr("A server of yours"),
                                makeLabel(tr("Host, user and database, as you would give them to "
                                             "psql. Looking changes nothing there."),
                                          "muted"),
                                add}));
    column->addWidget(makeCard({tr("What this machine knows already"), foundText_, importButton_}));
    column->addWidget(
        makeCard({tr("A demo server"),
                  makeLabel(tr("A throwaway PostgreSQL on this machine with the database of a "
                               "parcel carrier, about 2 GB. It is ready in a minute or so, and "
                               "goes again when you say so."),
                            "muted"),
                  demo}));
    outer->addStretch(2);
    auto* middle = new QHBoxLayout;
    middle->addStretch(1);
    middle->addLayout(column);
    middle->addStretch(1);
    outer->addLayout(middle);
    outer->addStretch(3);
    setContent(content);
    setFound(0);
    beginAt(add);
}

void WelcomePage::setFound(int count) {
    foundText_->setText(
        count == 0   ? tr("Neither a service file (pg_service.conf) nor PGHOST and its kin "
                            "name any.")
        : count == 1 ? tr("The service file or the environment names one server.")
                     : tr("The service file and the environment name %1 servers.").arg(count));
    importButton_->setEnabled(count > 0);
}

}  // namespace gantry::ui
