// SPDX-License-Identifier: PostgreSQL
// A run in a few words: what it is, and what became of it.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>

#include "core/events/run_state.h"

namespace gantry::ui {

/// "Restore into shop".
QString titleOf(const events::RunStarted& started);
/// "PostgreSQL 18.1", "directory", "zstd", "2026-11-20 14:02".
QStringList chipsOf(const events::RunStarted& started);

/// For a picture of its chart: server, when, how long, how it ended.
QString subtitleOf(const events::RunState& run);

/// The last notice that holds, with when it was told: "00:01  the dump waits for …" only while it
/// does.
QString lastNoticeOf(const events::RunState& run);

struct OutcomeText {
    QString head;  ///< "Finished without errors in 10.0 s."
    QString rest;  ///< what failed and what to do about it, sentences that end with a space
    QColor color;  ///< of the head
};
/// Of a run that is over.
OutcomeText outcomeOf(const events::RunState& run);

/// Bytes of the archive are not what they were: to read them again does not help.
bool isDamage(const ErrorInfo& error);

}  // namespace gantry::ui
