// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/color_tags.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/servers/server_probe.h"

namespace gantry::ui {
namespace {

constexpr int kFormWidth = 460;

/// libpq's modes, with what they come to.
struct SslMode {
    const char* mode;
    const char* meaning;
};
constexpr SslMode kSslModes[] = {
    {"", QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "as libpq is set up (usually prefer)")},
    {"disable", QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "disable: never encrypted")},
    {"allow", QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "allow: only if the server insists")},
    {"prefer", QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "prefer: encrypted if possible")},
    {"require", QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "require: always encrypted")},
    {"verify-ca",
     QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "verify-ca: and the authority is checked")},
    {"verify-full",
     QT_TRANSLATE_NOOP("gantry::ui::ServerDialog", "verify-full: and the host name is checked")},
};

QLineEdit* makeEdit(const QString& name, const QString& placeholder) {
    auto* edit = new QLineEdit;
    edit->setAccessibleName(name);
    edit->setPlaceholderText(placeholder);
    return edit;
}

}  // namespace

ServerDialog::ServerDialog(const ServerProfile& server, const std::optional<QString>& password,
                           QWidget* parent)
    : QDialog(parent),
      server_(server),
      name_(makeEdit(tr("Name"), {})),
      host_(makeEdit(tr("Host"), tr("the local socket"))),
      port_(makeEdit(tr("Port"), QStringLiteral("5432"))),
      database_(makeEdit(tr("Database"), QStringLiteral("postgres"))),
      user_(makeEdit(tr("User"), tr("as you are called on this machine"))),
      password_(makeEdit(tr("Password"), tr("asked for when the server wants it"))),
      keep_(new QCheckBox(tr("&Keep it in the keychain"))),
      sslMode_(new QComboBox),
      service_(makeEdit(tr("Service"), tr("a section of pg_service.conf"))),
      color_(new ColorTags),
      production_(new QCheckBox(tr("&Production: a red band on every page aimed at it"))),
      tested_(makeLabel({}, "good")),
      failure_(new ErrorPanel),
      outcome_(new QWidget),
      testButton_(new QPushButton(tr("&Test"))),
      saveButton_(new QPushButton) {
    const bool fresh = server.id.isEmpty();
    setWindowTitle(fresh ? tr("Add a server") : tr("Edit %1").arg(server.name));
    saveButton_->setText(fresh ? tr("&Add server") : tr("&Save"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(12);
    column->setSizeConstraint(QLayout::SetFixedSize);
    column->addWidget(makeForm());
    tested_->setWordWrap(true);
    tested_->hide();
    failure_->hide();
    auto* outcomes = new QVBoxLayout(outcome_);
    outcomes->setContentsMargins(0, 0, 0, 0);
    outcomes->addWidget(tested_);
    outcomes->addWidget(failure_);
    outcomes->addStretch();
    column->addWidget(outcome_);
    column->addWidget(makeFoot());
    fill(password);
    host_->setFocus();
}

QWidget* ServerDialog::makeForm() {
    auto* form = new QWidget;
    form->setFixedWidth(kFormWidth);
    auto* rows = new QFormLayout(form);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setHorizontalSpacing(14);
    rows->setVerticalSpacing(8);
    rows->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* address = new QHBoxLayout;
    address->setSpacing(8);
    address->addWidget(host_, 1);
    auto* portLabel = makeLabel(tr("P&ort"));
    portLabel->setBuddy(port_);
    address->addWidget(portLabel);
    port_->setFixedWidth(72);
    address->addWidget(port_);
    rows->addRow(tr("&Host"), address);
    static_cast<QLabel*>(rows->labelForField(address))->setBuddy(host_);
    rows->addRow(tr("&Database"), database_);
    rows->addRow(tr("&User"), user_);
    password_->setEchoMode(QLineEdit::Password);
    rows->addRow(tr("Pass&word"), password_);
    keep_->setToolTip(tr("Otherwise it is kept in memory until Gantry ends, and nowhere else."));
    rows->addRow(QString(), keep_);
    for (const SslMode& mode : kSslModes) {
        sslMode_->addItem(tr(mode.meaning), QLatin1String(mode.mode));
    }
    sslMode_->setAccessibleName(tr("SSL mode"));
    rows->addRow(tr("SS&L mode"), sslMode_);
    service_->setToolTip(tr("What is empty here comes from the service."));
    rows->addRow(tr("S&ervice"), service_);
    rows->addRow(tr("&Name"), name_);
    rows->addRow(tr("Colour"), color_);
    rows->addRow(QString(), production_);
    for (QLineEdit* edit : {host_, port_, database_, user_, service_}) {
        connect(edit, &QLineEdit::textChanged, this, &ServerDialog::showProblems);
    }
    for (QLineEdit* edit : {host_, port_, database_, user_, password_, service_}) {
        connect(edit, &QLineEdit::textChanged, this, &ServerDialog::forgetTest);
    }
    connect(sslMode_, &QComboBox::currentIndexChanged, this, &ServerDialog::forgetTest);
    return form;
}

QWidget* ServerDialog::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(0, 6, 0, 0);
    row->setSpacing(8);
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setAutoDefault(false);
    testButton_->setAutoDefault(false);
    saveButton_->setDefault(true);
    saveButton_->setProperty("look", QLatin1String("primary"));
    row->addWidget(testButton_);
    row->addStretch(1);
    row->addWidget(cancel);
    row->addWidget(saveButton_);
    connect(testButton_, &QPushButton::clicked, this, &ServerDialog::test);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(saveButton_, &QPushButton::clicked, this, &QDialog::accept);
    return foot;
}

void ServerDialog::fill(const std::optional<QString>& password) {
    name_->setText(server_.name);
    host_->setText(server_.host);
    port_->setText(server_.port);
    database_->setText(server_.database);
    user_->setText(server_.user);
    password_->setText(password.value_or(QString()));
    sslMode_->setCurrentIndex(std::max(0, sslMode_->findData(server_.sslMode)));
    service_->setText(server_.service);
    color_->setColor(server_.color);
    production_->setChecked(server_.production);
    showProblems();
}

QString ServerDialog::suggestedName() const {
    for (const QLineEdit* edit : {service_, host_}) {
        if (!edit->text().trimmed().isEmpty()) return edit->text().trimmed();
    }
    return tr("this machine");
}

void ServerDialog::showProblems() {
    name_->setPlaceholderText(suggestedName());
    bool isNumber = false;
    const int port = port_->text().toInt(&isNumber);
    const bool wrong = !port_->text().isEmpty() && (!isNumber || port < 1 || port > 65535);
    port_->setProperty("wrong", wrong);
    setLook(port_, "");
    port_->setToolTip(wrong ? tr("A port is a number from 1 to 65535.") : QString());
    saveButton_->setEnabled(!wrong);
    testButton_->setEnabled(!wrong);
}

ServerProfile ServerDialog::profile() const {
    ServerProfile server = server_;
    const auto text = [](const QLineEdit* edit) { return edit->text().trimmed(); };
    server.name = text(name_).isEmpty() ? suggestedName() : text(name_);
    server.host = text(host_);
    server.port = text(port_);
    server.database = text(database_);
    server.user = text(user_);
    server.sslMode = sslMode_->currentData().toString();
    server.service = text(service_);
    server.color = color_->color();
    server.production = production_->isChecked();
    return server;
}

QString ServerDialog::password() const { return password_->text(); }

bool ServerDialog::keepPassword() const { return keep_->isChecked(); }

/// The dialog grows for what is told, and does not shrink again under the mouse.
void ServerDialog::keepRoom() {
    QLayout* layout = outcome_->layout();
    layout->activate();
    const int height = layout->hasHeightForWidth() ? layout->heightForWidth(kFormWidth)
                                                   : layout->sizeHint().height();
    outcome_->setMinimumHeight(std::max(outcome_->minimumHeight(), height));
}

/// What was tested is no longer what is asked for.
void ServerDialog::forgetTest() {
    testing_.stop();
    tested_->hide();
    failure_->hide();
}

void ServerDialog::test() {
    forgetTest();
    tested_->setText(tr("Connecting …"));
    setLook(tested_, "muted");
    tested_->show();
    keepRoom();
    options::ConnectionOptions connection = connectionTo(profile());
    if (!password().isEmpty()) connection.password = password().toStdString();
    testing_ = runAsync(
        this,
        [connection](std::stop_token stop) { return probeServer(connection, std::move(stop)); },
        [this](const ServerFacts& facts) {
            setLook(tested_, "good");
            const QString secrecy = !facts.encryption.empty()
                                        ? QString::fromStdString(facts.encryption)
                                    : facts.local ? tr("over a local socket")
                                                  : tr("not encrypted");
            tested_->setText(tr("It works: PostgreSQL %1, as %2, %3, %4.")
                                 .arg(QString::fromStdString(facts.version),
                                      QString::fromStdString(facts.user),
                                      describeRoundTrip(facts.roundTrip), secrecy));
            keepRoom();
        },
        [this](ErrorInfo error) {
            tested_->hide();
            error.hint = connectionAdvice(error);
            failure_->showError(tr("The connection failed"), error);
            keepRoom();
        });
}

}  // namespace gantry::ui
