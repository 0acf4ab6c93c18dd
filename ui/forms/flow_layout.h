// SPDX-License-Identifier: PostgreSQL
// Widgets one beside the other, in as many lines as they need.
#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace gantry::ui {

class FlowLayout : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override;
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    /// All in one line.
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    /// The height; `place`: the widgets are put there as well.
    int arrange(const QRect& rect, bool place) const;

    std::vector<std::unique_ptr<QLayoutItem>> items_;
};

}  // namespace gantry::ui
