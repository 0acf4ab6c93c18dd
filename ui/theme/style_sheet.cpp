// SPDX-License-Identifier: PostgreSQL
#include "ui/theme/style.h"

namespace gantry::ui {
namespace {

/// Roles in place of colours: "@line" and so on. A widget chooses a variant by the dynamic property
/// "look": primary, danger, link, quiet (buttons); title, heading, muted, mono, error (labels).
constexpr const char* kSheet = R"(
QWidget { font-size: 13px; }
QMainWindow, QDialog { background: @background; }
QToolTip { background: @panel; color: @text; border: 1px solid @line; padding: 4px 6px; }

QPushButton, QToolButton[look="button"] {
  background: @panel; color: @text; border: 1px solid @line; border-radius: 6px;
  padding: 5px 12px; min-height: 16px;
}
QPushButton:hover, QToolButton[look="button"]:hover { background: @faintLine; }
QPushButton:pressed, QToolButton[look="button"]:pressed { background: @line; }
QPushButton:focus, QToolButton[look="button"]:focus { border-color: @accent; outline: none; }
QPushButton:disabled, QToolButton[look="button"]:disabled { color: @muted; background: @background; }
QPushButton:checked { background: @accentTint; color: @accent; }
QPushButton::menu-indicator, QToolButton::menu-indicator { width: 0; image: none; }
QPushButton[look="primary"] { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton[look="primary"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[look="primary"]:focus { border-color: @text; }
QPushButton[look="primary"]:disabled { background: @line; color: @muted; border-color: @line; }
QPushButton[look="danger"] { color: @error; }
QPushButton[look="link"] { background: transparent; border: 1px solid transparent; color: @accent; padding: 2px 4px; }
QPushButton[look="link"]:hover { text-decoration: underline; }
QPushButton[look="link"]:focus { border-color: @accent; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: @faintLine; }
QToolButton:focus { border-color: @accent; }

QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QTextEdit {
  background: @panel; color: @text; border: 1px solid @line; border-radius: 6px;
  selection-background-color: @accent; selection-color: @onAccent;
}
QLineEdit, QComboBox, QAbstractSpinBox { padding: 4px 8px; min-height: 18px; }
QPlainTextEdit { padding: 2px 4px; }
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { color: @muted; background: @background; }
QLineEdit[wrong="true"] { border-color: @error; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/arrow-down.png); width: 9px; height: 9px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 20px; }
QAbstractSpinBox::up-arrow { image: url(:/arrow-up.png); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url(:/arrow-down.png); width: 9px; height: 9px; }
QComboBox QAbstractItemView { background: @panel; color: @text; border: 1px solid @line; outline: none;
  selection-background-color: @accentTint; selection-color: @text; }

QComboBoxPrivateContainer { border: none; background: @panel; }

QLabel { background: transparent; }
QLabel[look="title"] { font-size: 16px; font-weight: 600; }
QLabel[look="heading"] { font-weight: 600; }
QLabel[look="muted"] { color: @muted; }
QLabel[look="error"] { color: @error; font-weight: 600; }
QLabel[look="good"] { color: @good; }
QLabel[look="warning"] { color: @warning; font-weight: 600; }
QLabel[look="chip"] { color: @muted; background: @background; border: 1px solid @line; border-radius: 4px;
  padding: 2px 7px; font-size: 12px; }

QMenuBar { background: @side; border-bottom: 1px solid @line; padding: 2px 6px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @accentTint; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @accentTint; color: @text; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @faintLine; margin: 4px 8px; }
QStatusBar { background: @side; border-top: 1px solid @line; color: @muted; font-size: 12px; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; font-size: 12px; padding: 3px 14px 4px 14px; }

QAbstractItemView { background: @panel; border: none; outline: none; alternate-background-color: @panel;
  selection-background-color: @accentTint; selection-color: @text; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @line;
  padding: 5px 8px; font-weight: 600; font-size: 12px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }
QSplitter::handle { background: @line; }
QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

#productionBand { background: @production; color: @onProduction; font-weight: 600; padding: 4px 16px; }
#pageHeader { background: @panel; border-bottom: 1px solid @line; }
#pageFoot { background: @panel; border-top: 1px solid @line; }
QDialog { border: 1px solid @line; }
#roomyTable::item { height: 28px; padding: 0 6px; border: none; background: transparent; }
#roomyTable::item:selected { background: @accentTint; color: @text; }
#roomyTable QHeaderView::section { padding: 5px 9px; }
#tables::item, #points::item { padding: 0 5px; border: none; background: transparent; }
#tables::item { height: 24px; }
#tables::item:selected, #points::item:selected { background: @accentTint; color: @text; }
#runLog { padding: 5px 7px; }
#framedList::item { padding: 5px 5px; }
#framedList QHeaderView::section { padding: 5px 9px; }
#card, #framedList { background: @panel; border: 1px solid @line; border-radius: 8px; }
#errorPanel { background: @panel; border: 1px solid @error; border-radius: 8px; }
#summaryStrip, #chartBar { background: @panel; border-bottom: 1px solid @line; }
#cellLine { background: @line; border: none; }
#outcome { background: @panel; border-bottom: 1px solid @line; padding: 8px 16px; }
#detailsPanel, #detailsPanel > QWidget > QWidget { background: @panel; }
#note { background: @background; border: 1px solid @line; border-radius: 6px; padding: 8px 10px; }
QPushButton[look="segment"] { border-radius: 0; margin-left: -1px; padding: 4px 12px; }
QPushButton[look="segment"][end="left"] { margin-left: 0; border-top-left-radius: 6px; border-bottom-left-radius: 6px; }
QPushButton[look="segment"][end="right"] { border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QPushButton[look="legend"], QPushButton[look="legend"]:checked { background: transparent; color: @muted;
  border-color: transparent; padding: 2px 5px; }
QPushButton[look="legend"]:hover { background: @faintLine; }
QPushButton[look="legend"]:focus { border-color: @accent; }
#sideBar { background: @side; border-right: 1px solid @line; }

QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar::tab { background: transparent; color: @muted; padding: 7px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:focus { color: @accent; }
#runTabs { background: @side; }
#runTabs::tab { min-width: 90px; max-width: 260px; padding: 7px 8px 6px 12px; }
#runTabs::tab:selected { background: @panel; }
QProgressBar { background: @faintLine; border: none; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { background: @faintLine; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal { background: @panel; border: 2px solid @accent; width: 10px; height: 10px;
  border-radius: 7px; margin: -5px 0; }
QSlider::handle:horizontal:focus { background: @accentTint; }
QSlider::handle:horizontal:disabled { border-color: @line; }
)";

}  // namespace

QString styleSheetOf(const Theme& t) {
    // Longer names first, where one begins with another.
    const std::pair<const char*, QColor> roles[] = {
        {"@background", t.background},
        {"@panel", t.panel},
        {"@side", t.side},
        {"@faintLine", t.faintLine},
        {"@line", t.line},
        {"@text", t.text},
        {"@muted", t.muted},
        {"@accentTint", t.accentTint},
        {"@accentHover", t.dark ? t.accent.lighter(112) : t.accent.darker(112)},
        {"@accent", t.accent},
        {"@onAccent", t.onAccent},
        {"@error", t.error},
        {"@good", t.good},
        {"@warning", t.warning},
        {"@production", t.production},
        {"@onProduction", t.onProduction},
    };
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& [name, color] : roles) sheet.replace(QLatin1String(name), color.name());
    return sheet;
}

}  // namespace gantry::ui
