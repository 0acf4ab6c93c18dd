// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/restore_findings.h"

#include <QRegularExpression>
#include <utility>

#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
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

/// What mends a finding, on a button.
QString actionOf(const QString& option) {
    const std::pair<const char*, QString> actions[] = {
        {"create-roles", RestorePage::tr("Create missing roles")},
        {"create-schemas", RestorePage::tr("Create the schemas")},
        {"no-owner", RestorePage::tr("Leave owners out")},
        {"no-privileges", RestorePage::tr("Leave privileges out")},
        {"no-tablespaces", RestorePage::tr("Leave tablespaces out")},
        {"no-table-access-method", RestorePage::tr("Leave access methods out")},
        {"terminate-sessions", RestorePage::tr("End these sessions")},
        {"clean", RestorePage::tr("Drop it first")},
        {"no-data-for-failed-tables", RestorePage::tr("Leave their rows out")},
        {"dbname", RestorePage::tr("Use an existing database")},
    };
    for (const auto& [name, action] : actions) {
        if (option == QLatin1String(name)) return action;
    }
    return {};
}

std::vector<Mend> mendsIn(const QString& remedy, const SetFlag& setFlag) {
    static const QRegularExpression named(QStringLiteral("--([a-z-]+)"));
    std::vector<Mend> mends;
    for (auto found = named.globalMatch(remedy); found.hasNext();) {
        const QString option = found.next().captured(1);
        const QString action = actionOf(option);
        if (!action.isEmpty()) mends.push_back({action, [setFlag, option] { setFlag(option); }});
    }
    return mends;
}

}  // namespace

ShownFinding shownFinding(const restore::Finding& finding, const SetFlag& setFlag) {
    // What is told on the way, as a finding without a remedy of its own, names its way out as well.
    const std::string& wayOut = finding.remedy.empty() ? finding.what : finding.remedy;
    return {.look = lookOf(finding.severity),
            .text = inWindow(finding.what),
            .remedy = inWindow(finding.remedy),
            .mends = mendsIn(text(wayOut), setFlag)};
}

std::vector<ShownFinding> findingsOfNewServer(const options::RestoreContent& content,
                                              const SetFlag& setFlag) {
    std::vector<Mend> without;
    for (const auto& [left, option] : {std::pair(content.noOwner, "no-owner"),
                                       std::pair(content.noPrivileges, "no-privileges")}) {
        const QString name = QString::fromLatin1(option);
        if (!left) without.push_back({actionOf(name), [setFlag, name] { setFlag(name); }});
    }
    if (without.empty()) {
        return {{.look = Look::Good,
                 .text = RestorePage::tr("Owners and privileges are left out: no role is missed")}};
    }
    return {{.look = Look::Note,
             .text = RestorePage::tr("A new server has no roles but its own: those that own "
                                     "something or are granted something are made, without LOGIN."),
             .mends = std::move(without)}};
}

}  // namespace gantry::ui
