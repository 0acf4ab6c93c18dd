// SPDX-License-Identifier: PostgreSQL
// English itself: "1 table", where the texts say "%n tables".
#pragma once

#include <QTranslator>

namespace gantry::ui {

/// Knows the singular of every counted text. In use as long as it lives; any other translator comes
/// before it.
class EnglishCounts : public QTranslator {
    Q_OBJECT
public:
    EnglishCounts();

    QString translate(const char* context, const char* text, const char* meaning,
                      int count) const override;
    bool isEmpty() const override { return false; }
};

}  // namespace gantry::ui
