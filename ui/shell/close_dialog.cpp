// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/close_dialog.h"

#include <QPushButton>

namespace gantry::ui {

CloseDialog::CloseDialog(const RunList& runs, QWidget* parent) : QMessageBox(parent) {
    QStringList titles;
    for (const RunController* run : runs.runs()) {
        if (run->active()) titles << run->request().title;
    }
    const int count = static_cast<int>(titles.size());
    setWindowTitle(tr("Close Gantry"));
    setTextFormat(Qt::PlainText);
    setText(count == 1 ? tr("\"%1\" is still running.").arg(titles.front())
                       : tr("%1 runs are still under way.").arg(count));
    setInformativeText(
        tr("It can go on to its end without the window; a notification tells when it is done. "
           "What is cancelled leaves no archive or database behind that looks finished."));
    QPushButton* keep = addButton(tr("&Keep running in the background"), AcceptRole);
    QPushButton* cancel = addButton(
        count == 1 ? tr("&Cancel it and quit") : tr("&Cancel them and quit"), DestructiveRole);
    QPushButton* stay = addButton(tr("&Stay"), RejectRole);
    keep->setProperty("look", QLatin1String("primary"));
    cancel->setProperty("look", QLatin1String("danger"));
    setDefaultButton(keep);
    setEscapeButton(stay);
    connect(keep, &QPushButton::clicked, this, &CloseDialog::keepRunningChosen);
    connect(cancel, &QPushButton::clicked, this, &CloseDialog::cancelChosen);
}

}  // namespace gantry::ui
