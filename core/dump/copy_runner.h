// SPDX-License-Identifier: PostgreSQL
// Does one assignment of a dump on one connection: rows of a table, or a slice of large objects.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "core/dump/compressor_pool.h"
#include "core/dump/large_object_copy.h"
#include "core/dump/read_ahead.h"
#include "core/dump/session_form.h"
#include "core/dump/table_copy.h"
#include "core/events/event.h"
#include "core/pg/connection.h"
#include "core/plan/scheduler.h"
#include "core/run/executor.h"

namespace gantry::dump {

/// Reads relations through one connection. Used by the workers and, for what only it can get at, by
/// the coordinator. One thread at a time.
class CopyRunner {
public:
    struct Settings {
        bool binary = true;       ///< take rows in binary form where that is known to mean the same
        bool readsAhead = false;  ///< from the beginning: there is a processor to spare for it
    };

    CopyRunner(CompressorPool& pool, events::EventSink& events, const Settings& settings);

    /// Reads a table, or the chunk that `assignment` says. Repeating an assignment continues where
    /// the last attempt broke off.
    run::TaskResult copyTable(pg::Connection& connection, TableCopy& table,
                              const plan::Assignment& assignment, const std::stop_token& stop);

    /// Reads the large objects [assignment.begin, assignment.end) of a group.
    run::TaskResult copyLargeObjects(pg::Connection& connection, LargeObjectCopy& group,
                                     const plan::Assignment& assignment,
                                     const std::stop_token& stop);

private:
    class FrameFiller;

    std::optional<rows::TextRows> textRowsOf(pg::Connection& connection, const TableFacts& table);
    /// Brings the rows of a COPY into the filler; `text` if they come in binary form. Returns how
    /// many there were.
    uint64_t readRows(pg::Connection& connection, const std::string& sql,
                      std::optional<rows::TextRows>& text, FrameFiller& filler,
                      const plan::Assignment& assignment, bool mayReadAhead);

    /// `copied` is told the length of each object.
    static void copyBatch(pg::Connection& connection, LargeObjectCopy& group,
                          std::span<const uint64_t> indexes, archive::LargeObjectMember::Sink& sink,
                          const std::function<void(uint64_t)>& copied);
    /// One part of a long object from `offset` on; returns its length.
    static uint64_t copyPart(pg::Connection& connection, Oid object, uint64_t offset,
                             archive::LargeObjectMember::Sink& sink);

    CompressorPool& pool_;
    events::EventSink& events_;
    const Settings settings_;
    std::optional<SessionForm> form_;  ///< of the connection, once it has been asked
    std::optional<ReadAhead> ahead_;   ///< once there was something to read ahead
    std::unique_ptr<io::FrameEncoder> ownEncoder_;
    archive::EncodedFrame ownFrame_;
};

}  // namespace gantry::dump
