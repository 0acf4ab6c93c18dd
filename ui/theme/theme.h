// SPDX-License-Identifier: PostgreSQL
// Colours by role, light and dark, and the look that follows from them.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

#include "core/plan/task_graph.h"

namespace gantry::ui {

/// One colour for each role. Every view takes its colours from here when it paints.
struct Theme {
    bool dark = false;
    QColor background, panel, side;
    QColor line, faintLine;
    QColor text, muted;
    QColor accent, accentTint;
    QColor onAccent;  ///< text on the accent colour
    QColor copy, index, constraint, foreignKey, matview, preData;
    QColor onKind;  ///< text on the colour of a kind
    QColor error, warning, good;
    QColor production, onProduction;  ///< the band of a production server
    QColor idleBase, idleHatch;
};

enum class ThemeMode { System, Light, Dark };

/// Keeps palette, style and colours of the application in step with the mode and, in System mode,
/// with the desktop's own scheme. One per application, on the GUI thread.
class ThemeKeeper : public QObject {
    Q_OBJECT
public:
    /// Takes over the application's style; there has to be a QApplication.
    explicit ThemeKeeper(QObject* parent = nullptr);
    ~ThemeKeeper() override;

    ThemeMode mode() const { return mode_; }
    void setMode(ThemeMode mode);

    /// The one of this application; there has to be one.
    static ThemeKeeper& instance();

Q_SIGNALS:
    /// currentTheme() is another one now; palettes have been set.
    void changed();

private:
    void refresh();
    bool systemIsDark() const;
    void watchSystem();

    ThemeMode mode_ = ThemeMode::System;
};

/// What holds now; light as long as no ThemeKeeper says otherwise.
const Theme& currentTheme();

/// The colour of tasks of this kind; never the only thing that tells them apart.
QColor kindColor(plan::TaskKind kind);

/// 13 px, digits of equal width.
QFont interfaceFont();
/// For statements and names in the detail views.
QFont monospaceFont();

}  // namespace gantry::ui
