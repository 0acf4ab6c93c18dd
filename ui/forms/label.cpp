// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

class CutLabel : public QLabel {
public:
    using QLabel::QLabel;

    QSize minimumSizeHint() const override {
        constexpr int kLetters = 20;
        const int around = sizeHint().width() - widthOf(text());
        const int few = around + fontMetrics().averageCharWidth() * kLetters;
        return {std::min(sizeHint().width(), few), QLabel::minimumSizeHint().height()};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        drawFrame(&painter);
        const QString shown =
            fontMetrics().elidedText(text(), Qt::ElideMiddle, contentsRect().width());
        style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(),
                              isEnabled(), shown, foregroundRole());
    }
    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip || widthOf(text()) <= contentsRect().width()) {
            return QLabel::event(event);
        }
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), toolTipText(text()), this);
        return true;
    }

private:
    int widthOf(const QString& line) const { return fontMetrics().horizontalAdvance(line); }
};

}  // namespace

QLabel* makeLabel(const QString& text, const char* look, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    if (look) label->setProperty("look", QLatin1String(look));
    return label;
}

QLabel* makeCutLabel(const QString& text, const char* look, QWidget* parent) {
    auto* label = new CutLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setIndent(0);
    if (look) label->setProperty("look", QLatin1String(look));
    return label;
}

QString nameOnButton(const QString& name, const QFontMetrics& metrics, int width) {
    return metrics.elidedText(name, Qt::ElideMiddle, width).replace(u'&', QLatin1String("&&"));
}

QString breakable(const QString& text) {
    constexpr int kLongWord = 24;
    constexpr QChar kZeroWidthSpace(0x200b);
    QStringList words = text.split(u' ');
    for (QString& word : words) {
        if (word.size() <= kLongWord) continue;
        for (qsizetype i = word.size() - 1; i-- > 0;) {
            if (word[i] == u'.' || word[i] == u'_') word.insert(i + 1, kZeroWidthSpace);
        }
    }
    return words.join(u' ');
}

void setLook(QWidget* widget, const char* look) {
    widget->setProperty("look", QLatin1String(look));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace gantry::ui
