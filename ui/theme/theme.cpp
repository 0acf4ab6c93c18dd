// SPDX-License-Identifier: PostgreSQL
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleHints>

#include "ui/theme/style.h"

namespace gantry::ui {
namespace {

Theme lightTheme() {
    Theme t;
    t.background = QColor(0xf6f7f9);
    t.panel = QColor(0xffffff);
    t.side = QColor(0xeef0f3);
    t.line = QColor(0xdcdfe5);
    t.faintLine = QColor(0xe9ebef);
    t.text = QColor(0x1d232c);
    t.muted = QColor(0x626b78);
    t.accent = QColor(0x2563c9);
    t.accentTint = QColor(0xe4edfb);
    t.onAccent = QColor(0xffffff);
    t.copy = QColor(0x3575d0);
    t.index = QColor(0xe0951b);
    t.constraint = QColor(0x8a63bf);
    t.foreignKey = QColor(0x12939a);
    t.matview = QColor(0x3f9950);
    t.preData = QColor(0x8893a2);
    t.onKind = QColor(0xffffff);
    t.error = QColor(0xcf4b1f);
    t.warning = QColor(0xb8720a);
    t.good = QColor(0x2b8a3e);
    t.production = QColor(0xb3261e);
    t.onProduction = QColor(0xffffff);
    t.idleBase = QColor(0xeceef2);
    t.idleHatch = QColor(0xc9ced7);
    return t;
}

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.background = QColor(0x16191f);
    t.panel = QColor(0x1d2128);
    t.side = QColor(0x191c22);
    t.line = QColor(0x323844);
    t.faintLine = QColor(0x282d36);
    t.text = QColor(0xe6e9ee);
    t.muted = QColor(0x98a1af);
    t.accent = QColor(0x6ea3f5);
    t.accentTint = QColor(0x22324d);
    t.onAccent = QColor(0x10151d);
    t.copy = QColor(0x4a8be6);
    t.index = QColor(0xe0a23a);
    t.constraint = QColor(0xa584d6);
    t.foreignKey = QColor(0x2bb3ba);
    t.matview = QColor(0x5cb86e);
    t.preData = QColor(0x7d8796);
    t.onKind = QColor(0xffffff);
    t.error = QColor(0xf0754a);
    t.warning = QColor(0xe0a23a);
    t.good = QColor(0x5cb86e);
    t.production = QColor(0xb3261e);
    t.onProduction = QColor(0xffffff);
    t.idleBase = QColor(0x22262e);
    t.idleHatch = QColor(0x3a404c);
    return t;
}

Theme& theCurrentTheme() {
    static Theme theme = lightTheme();
    return theme;
}

ThemeKeeper* theKeeper = nullptr;

constexpr int kFontPixels = 13;

}  // namespace

ThemeKeeper::ThemeKeeper(QObject* parent) : QObject(parent) {
    theKeeper = this;
    QApplication::setStyle(new GantryStyle);
    QApplication::setFont(interfaceFont());
    watchSystem();
    refresh();
}

ThemeKeeper::~ThemeKeeper() { theKeeper = nullptr; }

ThemeKeeper& ThemeKeeper::instance() { return *theKeeper; }

void ThemeKeeper::setMode(ThemeMode mode) {
    if (mode == mode_) return;
    mode_ = mode;
    refresh();
}

void ThemeKeeper::watchSystem() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this,
            &ThemeKeeper::refresh);
#endif
}

bool ThemeKeeper::systemIsDark() const {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    // Asked once, before our own palette covers it.
    static const bool dark = [] {
        const QPalette system = QGuiApplication::palette();
        return system.color(QPalette::Window).lightness() <
               system.color(QPalette::WindowText).lightness();
    }();
    return dark;
#endif
}

void ThemeKeeper::refresh() {
    const bool dark = mode_ == ThemeMode::Dark || (mode_ == ThemeMode::System && systemIsDark());
    theCurrentTheme() = dark ? darkTheme() : lightTheme();
    QApplication::setPalette(paletteOf(currentTheme()));
    qApp->setStyleSheet(styleSheetOf(currentTheme()));
    Q_EMIT changed();
}

const Theme& currentTheme() { return theCurrentTheme(); }

QColor kindColor(plan::TaskKind kind) {
    const Theme& t = currentTheme();
    switch (kind) {
        case plan::TaskKind::TableData:
        case plan::TaskKind::LargeObjects:
        case plan::TaskKind::Vacuum:
        case plan::TaskKind::VacuumFull:
            return t.copy;
        case plan::TaskKind::Index:
            return t.index;
        case plan::TaskKind::Constraint:
            return t.constraint;
        case plan::TaskKind::ForeignKey:
            return t.foreignKey;
        case plan::TaskKind::MaterializedView:
        case plan::TaskKind::Analyze:
        case plan::TaskKind::Statistics:
            return t.matview;
        case plan::TaskKind::Schema:
        case plan::TaskKind::PostData:
        case plan::TaskKind::Acl:
        case plan::TaskKind::Finish:
            return t.preData;
    }
    return t.preData;
}

namespace {

QFont withEvenDigits(QFont font) {
    font.setPixelSize(kFontPixels);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature(QFont::Tag("tnum"), 1);
#endif
    return font;
}

}  // namespace

QFont interfaceFont() {
    return withEvenDigits(QFontDatabase::systemFont(QFontDatabase::GeneralFont));
}

QFont monospaceFont() {
    return withEvenDigits(QFontDatabase::systemFont(QFontDatabase::FixedFont));
}

}  // namespace gantry::ui
