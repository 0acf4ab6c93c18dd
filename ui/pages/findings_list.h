// SPDX-License-Identifier: PostgreSQL
// What was looked at before a run, line by line, with what mends it.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace gantry::ui {

enum class Look { Good, Note, Warning, Blocker };

/// A button that mends what was found.
struct Mend {
    QString action;
    std::function<void()> carryOut;
};

struct ShownFinding {
    Look look = Look::Good;
    QString text;
    QString remedy{};           ///< beneath, muted; may be empty
    std::vector<Mend> mends{};  ///< at the right, one above the other
};

/// Told by sign and word, not by colour alone.
class FindingsList : public QWidget {
    Q_OBJECT
public:
    explicit FindingsList(QWidget* parent = nullptr);

    void setFindings(const std::vector<ShownFinding>& findings);

private:
    QVBoxLayout* rows_;
};

}  // namespace gantry::ui
