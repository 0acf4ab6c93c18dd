// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/restore_findings.h"

#include <QRegularExpression>

#include "core/options/restore_table.h"
#include "ui/pages/restore_page.h"

namespace gantry::ui {
namespace {

Look lookOf(restore::FindingSeverity severity) {
    switch (severity) {
        case restore::FindingSeverity::Blocker:
            return Look::Blocker;
        case restore::FindingSeverity::Warning:
            return Look::Warning;
        case restore::FindingSeverity::Note:
            break;
    }
    return Look::Note;
}

/// What a flag does, on a button.
QString actionOf(const QString& flag) {
    if (flag == QLatin1String("no-owner")) return RestorePage::tr("Leave owners out");
    if (flag == QLatin1String("no-privileges")) return RestorePage::tr("Leave privileges out");
    if (flag == QLatin1String("no-tablespaces")) return RestorePage::tr("Leave tablespaces out");
    if (flag == QLatin1String("terminate-sessions")) return RestorePage::tr("End these sessions");
    if (flag == QLatin1String("create-schemas")) return RestorePage::tr("Create the schemas");
    if (flag == QLatin1String("clean")) return RestorePage::tr("Drop it first");
    return RestorePage::tr("Use --%1").arg(flag);
}

/// The first flag that a finding names and that the form can set.
QString flagIn(const QString& remedy) {
    static const QRegularExpression option(QStringLiteral("--([a-z-]+)"));
    options::RestoreOptions unused;
    const std::vector<options::Option> table = options::restoreTable(unused);
    auto found = option.globalMatch(remedy);
    while (found.hasNext()) {
        const QString name = found.next().captured(1);
        const options::Option* row = options::findOption(table, name.toStdString());
        if (row && row->kind == options::OptionKind::Flag) return name;
    }
    return {};
}

}  // namespace

ShownFinding shownFinding(const restore::Finding& finding, const SetFlag& setFlag) {
    ShownFinding shown{.look = lookOf(finding.severity),
                       .text = QString::fromStdString(finding.what),
                       .remedy = QString::fromStdString(finding.remedy),
                       .action = {},
                       .mend = {}};
    if (const QString flag = flagIn(shown.text + u' ' + shown.remedy); !flag.isEmpty()) {
        shown.action = actionOf(flag);
        shown.mend = [setFlag, flag] { setFlag(flag); };
    }
    return shown;
}

std::vector<ShownFinding> findingsOfNewServer(const options::RestoreContent& content,
                                              const SetFlag& setFlag) {
    std::vector<ShownFinding> found;
    const auto add = [&](const QString& text, const QString& flag) {
        found.push_back({.look = Look::Note,
                         .text = text,
                         .remedy = {},
                         .action = actionOf(flag),
                         .mend = [setFlag, flag] { setFlag(flag); }});
    };
    if (!content.noOwner) {
        add(RestorePage::tr("A new server has no roles but its own: owners that are missing there "
                            "are errors that are passed over."),
            QStringLiteral("no-owner"));
    }
    if (!content.noPrivileges) {
        add(RestorePage::tr("So are privileges of such roles."), QStringLiteral("no-privileges"));
    }
    if (found.empty()) {
        found.push_back(
            {.look = Look::Good,
             .text = RestorePage::tr("Owners and privileges are left out: no role is missed"),
             .remedy = {},
             .action = {},
             .mend = {}});
    }
    return found;
}

}  // namespace gantry::ui
