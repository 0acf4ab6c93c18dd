// SPDX-License-Identifier: PostgreSQL
// Beneath a choice of jobs: the advice and its reason, what to mind, and all else on request.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <optional>

#include "core/advise/curve.h"

namespace gantry::ui {

/// All of it, as gantryctl advise tells it.
QString adviceHtml(const advise::Advice& advice);

class AdviceNote : public QWidget {
    Q_OBJECT
public:
    explicit AdviceNote(QWidget* parent = nullptr);

    void setAdvice(const std::optional<advise::Advice>& advice);
    /// Why there is none.
    void setFailure(const QString& text);

private:
    void showAll();

    std::optional<advise::Advice> advice_;
    QLabel* reason_;
    QLabel* warnings_;
    QPushButton* more_;
};

}  // namespace gantry::ui
