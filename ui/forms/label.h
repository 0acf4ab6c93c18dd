// SPDX-License-Identifier: PostgreSQL
// Labels with the looks of the style sheet.
#pragma once

#include <QFontMetrics>
#include <QLabel>
#include <QString>

namespace gantry::ui {

/// Plain text, whatever it holds. Looks: "title", "heading", "muted", "error", "good", "chip", or
/// nullptr for an ordinary one.
QLabel* makeLabel(const QString& text, const char* look = nullptr, QWidget* parent = nullptr);

/// One line that takes what room there is: what does not fit is left out of its middle, and told by
/// the tooltip. text() is the whole.
QLabel* makeCutLabel(const QString& text, const char* look = nullptr, QWidget* parent = nullptr);

/// A name as part of a button's text: no wider than `width`, cut in its middle, and an ampersand in
/// it is no key to press.
QString nameOnButton(const QString& name, const QFontMetrics& metrics, int width);

/// For labels that wrap: lines may end behind the dots and underscores of long names, too.
QString breakable(const QString& text);

/// Changes the look of a widget that may be on the screen already.
void setLook(QWidget* widget, const char* look);

}  // namespace gantry::ui
