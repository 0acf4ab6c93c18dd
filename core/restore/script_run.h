// SPDX-License-Identifier: PostgreSQL
// A plain SQL script on its way into a server, over one connection, as psql would run it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/events/event.h"
#include "core/options/restore_options.h"
#include "core/pg/connection.h"
#include "core/restore/preflight.h"
#include "core/restore/script_commands.h"
#include "core/restore/sql_script.h"

namespace gantry::restore {

/// The script is read twice: once before anything is run, so that one that was cut off or holds
/// commands that are refused touches nothing.
class ScriptRun {
public:
    ScriptRun(const options::RestoreOptions& options, events::EventSink& events,
              std::stop_token stop);

    /// What can be refused without touching anything is refused here, before RunStarted.
    void prepare();
    /// Everything else; posts RunStarted first. Throws what made it fail.
    void execute();
    /// As far as the run came: for RunFinished.
    events::RunFinished totals() const;
    /// What the script will meet, once it is prepared. A dry run is not refused for it.
    const std::vector<Finding>& findings() const { return findings_; }

private:
    void connect(const ConnectCommand& to, const std::string& place);
    void checkScript();
    void postRunStarted();
    void run(SqlScript& script);
    bool belongsToOwnTransaction(const SqlScript& script, const SqlPiece& piece);
    void runPiece(SqlScript& script, const SqlPiece& piece);
    void runStatement(SqlScript& script, const SqlPiece& piece);
    bool leaveOut(const SqlPiece& piece);
    void copyIn(SqlScript& script);
    void finish();
    void noteFailure(const SqlPiece& piece, const Error& error);
    void tellProgress(const SqlScript& script);
    void setSession(SqlScript& script) const;

    const options::RestoreOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    options::ConnectionOptions target_;
    std::optional<pg::Connection> connection_;
    std::optional<std::chrono::steady_clock::time_point> toldAt_;

    std::vector<Finding> findings_;
    uint64_t fileBytes_ = 0;
    uint64_t bytes_ = 0;              ///< of the script's text
    uint64_t innerTransactions_ = 0;  ///< that have begun, of --single-transaction
    uint64_t rows_ = 0;
    uint64_t tables_ = 0;
    uint64_t ignoredErrors_ = 0;
    bool inDoubt_ = false;  ///< whether the transaction of --single-transaction was committed
};

}  // namespace gantry::restore
