// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/choice_cards.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>
#include <algorithm>

#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kPadding = 10;
constexpr int kTitleHeight = 20;
constexpr int kLeastWidth = 104;

QFont titleFont() {
    QFont font = interfaceFont();
    font.setWeight(QFont::DemiBold);
    return font;
}

/// As wide as its title wants it, as high as its text needs at its width.
class CardButton : public QAbstractButton {
public:
    CardButton(const ChoiceCards::Card& card, QWidget* parent)
        : QAbstractButton(parent), card_(card) {
        setCheckable(true);
        setText(card.title);
        setAccessibleName(card.title);
        setAccessibleDescription(card.text);
        setToolTip(card.text);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }

    QSize sizeHint() const override { return minimumSizeHint(); }
    QSize minimumSizeHint() const override {
        const int title = QFontMetrics(titleFont()).horizontalAdvance(card_.title);
        const int width = std::max(kLeastWidth, title + 2 * kPadding + 2);
        return {width, heightForWidth(width)};
    }
    int heightForWidth(int width) const override {
        const QRect text = QFontMetrics(interfaceFont())
                               .boundingRect(QRect(0, 0, width - 2 * kPadding, 1000),
                                             Qt::AlignLeft | Qt::TextWordWrap, card_.text);
        return 2 * kPadding + kTitleHeight + text.height();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& t = currentTheme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool marked = isChecked() || hasFocus();
        painter.setBrush(isChecked() ? t.accentTint : underMouse() ? t.faintLine : t.panel);
        painter.setPen(QPen(marked ? t.accent : t.line, isChecked() ? 2 : 1));
        const double inset = isChecked() ? 1 : 0.5;
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 6, 6);
        painter.setFont(titleFont());
        painter.setPen(isEnabled() ? t.text : t.muted);
        const QRect inner = rect().adjusted(kPadding, kPadding, -kPadding, -kPadding);
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, card_.title);
        painter.setFont(interfaceFont());
        painter.setPen(isChecked() ? t.text : t.muted);
        painter.drawText(inner.adjusted(0, kTitleHeight, 0, kPadding),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, card_.text);
        if (hasFocus()) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.accent, 1, Qt::DotLine));
            painter.drawRoundedRect(QRectF(rect()).adjusted(4, 4, -4, -4), 4, 4);
        }
    }

private:
    ChoiceCards::Card card_;
};

}  // namespace

ChoiceCards::ChoiceCards(const std::vector<Card>& cards, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    int id = 0;
    for (const Card& card : cards) {
        auto* button = new CardButton(card, this);
        group_->addButton(button, id++);
        row->addWidget(button, 1);
    }
    group_->button(0)->setChecked(true);
    connect(group_, &QButtonGroup::idToggled, this, [this](int index, bool on) {
        if (on) Q_EMIT changed(index);
    });
}

void ChoiceCards::choose(int index) {
    if (QAbstractButton* button = group_->button(index)) button->setChecked(true);
}

}  // namespace gantry::ui
