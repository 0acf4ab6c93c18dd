// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/window_words.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>
#include <utility>

#include "core/options/dump_table.h"
#include "core/options/restore_table.h"
#include "core/options/tune_table.h"
#include "core/options/vacuum_table.h"
#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

struct WindowWords {
    Q_DECLARE_TR_FUNCTIONS(WindowWords)
};

/// What a command line asks for in other steps than the window.
QString withoutCommands(QString said) {
    const std::pair<QLatin1String, QString> phrases[] = {
        {QLatin1String("--clean --if-exists"), QStringLiteral("--clean")},
        {QLatin1String(" with the list of what failed"), {}},
        {QLatin1String(" (with -d postgres)"), {}},
        {QLatin1String(" or with --events"), {}},
        {QLatin1String("(--dbname without --create)"), QStringLiteral("(--dbname)")},
        {QLatin1String("gantryctl advise --calibrate measures it anew, and so does a sweep"),
         WindowWords::tr("a sweep (“Tune”) measures it anew")},
        {QLatin1String("gantryctl list"), WindowWords::tr("the list of its contents")},
        {QLatin1String("gantryctl verify"), WindowWords::tr("“Verify…” on the Restore page")},
    };
    for (const auto& [phrase, words] : phrases) said.replace(phrase, words);
    static const QRegularExpression stop(QStringLiteral("\"?gantryctl scratch stop ([\\w-]+)\"?"));
    static const QRegularExpression list(QStringLiteral("\"?gantryctl scratch list\"?"));
    return said.replace(stop, WindowWords::tr("“Stop” on the page of \\1"))
        .replace(list, WindowWords::tr("The list of servers"));
}

/// Of what is no row of a form.
QString controlOf(const QString& option) {
    const std::pair<const char*, QString> controls[] = {
        {"clean", WindowWords::tr("Drop what the archive holds before creating it")},
        {"create", WindowWords::tr("New database")},
        {"refresh", WindowWords::tr("Refresh")},
        {"scratch", WindowWords::tr("Scratch server")},
        {"dbname", WindowWords::tr("Database")},
        {"username", WindowWords::tr("User")},
        {"host", WindowWords::tr("Host")},
        {"port", WindowWords::tr("Port")},
        {"password", WindowWords::tr("Password")},
        {"jobs", WindowWords::tr("Jobs")},
        {"check", WindowWords::tr("Before it starts")},
        {"use-list", WindowWords::tr("Retry what failed…")},
        {"file", WindowWords::tr("Destination")},
        {"format", WindowWords::tr("Format")},
        {"compress", WindowWords::tr("Compression")},
    };
    for (const auto& [name, control] : controls) {
        if (option == QLatin1String(name)) return control;
    }
    return {};
}

struct KnownOptions {
    QHash<QString, QString> labels;  ///< by name
    QHash<QString, QString> names;   ///< by letter
};

const KnownOptions& knownOptions() {
    static const KnownOptions known = [] {
        KnownOptions found;
        const auto add = [&found](const std::vector<options::Option>& table) {
            for (const options::Option& option : table) {
                const QString name = text(option.name);
                if (option.letter != 0) found.names[QString(QLatin1Char(option.letter))] = name;
                if (found.labels.contains(name)) continue;
                QString label = controlOf(name);
                if (label.isEmpty()) {
                    // Its beginning tells which one it is.
                    static const QRegularExpression more(QStringLiteral("(; | \\(|: ).*"));
                    label = optionLabel(option.help).remove(more);
                }
                found.labels.insert(name, label);
            }
        };
        options::DumpOptions dump;
        options::RestoreOptions restore;
        options::VacuumOptions vacuum;
        options::TuneOptions tune;
        add(options::restoreTable(restore));
        add(options::vacuumTable(vacuum));
        add(options::tuneTable(tune));
        add(options::dumpTable(dump));  // whose letters count where they mean two things
        return found;
    }();
    return known;
}

}  // namespace

QString optionLabel(std::string_view help) {
    QString label = text(help)
                        .remove(QLatin1String("may be given several times; "))
                        .remove(QLatin1String(" (may be given several times)"))
                        .replace(QLatin1String("PATTERN"), QLatin1String("patterns"));
    if (!label.isEmpty()) label[0] = label[0].toUpper();
    return label;
}

QString inWindow(const QString& said) {
    static const QRegularExpression option(
        QStringLiteral("(?<![^\\s(])(?:--([a-z][a-z-]*)|-([A-Za-z]))(?![\\w-])(?:=(\\w+))?"));
    const KnownOptions& known = knownOptions();
    const QString words = withoutCommands(said);
    QString told;
    qsizetype done = 0;
    for (auto found = option.globalMatch(words); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const QString name =
            match.captured(1).isEmpty() ? known.names.value(match.captured(2)) : match.captured(1);
        const auto label = known.labels.find(name);
        if (label == known.labels.end()) continue;
        told += words.mid(done, match.capturedStart() - done) + QStringLiteral("“%1”").arg(*label);
        if (const QString value = match.captured(3); !value.isEmpty()) {
            told += QStringLiteral(" = ") + value;
        }
        done = match.capturedEnd();
    }
    return told + words.mid(done);
}

QString inWindow(std::string_view said) { return inWindow(text(said)); }

QString describe(const ErrorInfo& error) { return inWindow(error.describe()); }

}  // namespace gantry::ui
