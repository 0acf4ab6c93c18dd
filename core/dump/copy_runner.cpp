// SPDX-License-Identifier: PostgreSQL
#include "core/dump/copy_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/dump/copy_statement.h"
#include "core/io/checksum.h"
#include "core/pg/sql_state.h"

namespace gantry::dump {
namespace {

/// Below this a table's only frame is compressed where it was read.
constexpr std::size_t kSmallFrame = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kProgressInterval{100};
/// How much a table that makes way for another brings in before it looks again.
constexpr uint64_t kMakesWayEvery = uint64_t{1} << 18;
/// Below this another thread gains nothing that could be seen.
constexpr uint64_t kWorthReadingAhead = uint64_t{2} << 20;

/// Large objects are fetched in batches, the first part of each at once.
constexpr std::size_t kObjectsPerBatch = 64;
constexpr uint64_t kFirstPart = uint64_t{256} << 10;
constexpr uint64_t kNextPart = uint64_t{1} << 20;

/// Bytes of a frame that go into its checksum in one go.
constexpr std::size_t kSummedAtOnce = std::size_t{64} << 10;

/// Posts progress at most ten times a second, and says when it has.
class ProgressMeter {
public:
    ProgressMeter(events::EventSink& events, const plan::Assignment& assignment)
        : events_(events), span_{assignment.task, assignment.chunk} {}

    bool report(uint64_t bytes, uint64_t rows) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < kProgressInterval) return false;
        last_ = now;
        events_.post(
            events::TaskProgress{.span = span_, .bytes = bytes, .rows = rows, .estimatedBytes = 0});
        return true;
    }

private:
    events::EventSink& events_;
    events::Span span_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Reads binary COPY rows of (bigint, bytea): int16 fields, then int32 length and bytes of each;
/// before the first row a header of 19 bytes or more, after the last one int16 -1.
/// (COPY's documentation, "Binary Format")
class BinaryRow {
public:
    explicit BinaryRow(std::string_view row) : row_(row) {}

    static constexpr std::size_t kHeaderSize = 19;

    void skipHeader() {
        row_.remove_prefix(kHeaderSize - sizeof(uint32_t));
        const auto extension = static_cast<std::size_t>(number(sizeof(uint32_t)));
        row_.remove_prefix(extension);
    }
    /// False at the trailer.
    bool beginRow() { return static_cast<int16_t>(number(sizeof(uint16_t))) >= 0; }
    std::string_view field() {
        const auto length = static_cast<int32_t>(number(sizeof(uint32_t)));
        if (length < 0) return {};
        const std::string_view bytes = row_.substr(0, static_cast<std::size_t>(length));
        row_.remove_prefix(bytes.size());
        return bytes;
    }
    uint64_t integerField() { return bigEndian(field()); }
    bool empty() const { return row_.empty(); }

private:
    static uint64_t bigEndian(std::string_view bytes) {
        uint64_t value = 0;
        for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
        return value;
    }
    uint64_t number(std::size_t bytes) {
        if (row_.size() < bytes) throw Error(ErrorKind::Internal, "a binary COPY row is too short");
        const uint64_t value = bigEndian(row_.substr(0, bytes));
        row_.remove_prefix(bytes);
        return value;
    }

    std::string_view row_;
};

std::string oidArray(const std::vector<Oid>& objects, std::span<const uint64_t> indexes) {
    std::string text = "'{";
    for (const uint64_t index : indexes) {
        if (text.back() != '{') text += ',';
        text += std::to_string(objects[index].value);
    }
    return text + "}'::pg_catalog.oid[]";
}

/// What a refusal means to the person who runs the dump.
[[noreturn]] void rethrowForTable(const Error& error, const TableFacts& table) {
    ErrorInfo info = error.info();
    info.object = table.displayName();
    if (info.sqlState == pg::sql_state::kInsufficientPrivilege && info.hint.empty()) {
        info.hint = info.message.find("row-level security") != std::string::npos
                        ? "Use a role with BYPASSRLS, or --enable-row-security to dump only the "
                          "rows that this role may see."
                        : "Grant SELECT on it to this role, or leave it out with -T.";
    } else if (info.sqlState == pg::sql_state::kUntranslatableCharacter) {
        info.hint =
            "Choose an encoding that has all characters (--encoding, else PGCLIENTENCODING), "
            "or the database's own: a restore converts the rows.";
    } else if (info.sqlState == pg::sql_state::kSerializationFailure) {
        info.hint =
            "A standby cancels long reads that block recovery: raise max_standby_streaming_delay "
            "there, or dump from the primary.";
    } else if (info.sqlState.starts_with("XX")) {
        info.hint = "The server found damaged data; look at its log before relying on this table.";
    }
    throw Error(std::move(info));
}

}  // namespace

/// Collects rows into frames and hands them on, skipping what an earlier attempt handed over.
class CopyRunner::FrameFiller {
public:
    FrameFiller(CopyRunner& runner, TableCopy& table, TableCopy::Chunk& chunk,
                const std::stop_token& stop)
        : runner_(runner),
          table_(table),
          chunk_(chunk),
          stop_(stop),
          buffer_(runner.pool_.takeBuffer(stop)) {}
    ~FrameFiller() {
        if (buffer_.capacity() > 0) runner_.pool_.returnBuffer(std::move(buffer_));
    }
    FrameFiller(const FrameFiller&) = delete;
    FrameFiller& operator=(const FrameFiller&) = delete;

    void add(std::string_view row) {
        if (buffer_.size() + row.size() > kFrameSize && !buffer_.empty()) {
            flush(false);
            buffer_ = runner_.pool_.takeBuffer(stop_);
        }
        buffer_.append(row);
        grew(row.size());
    }
    /// What a message in binary form holds; false if that is no row.
    bool add(std::string_view message, rows::TextRows& text) {
        // Frames end where they would if the rows had come as text: close to the end of one, a
        // row's length has to be known first.
        const bool fits = buffer_.size() + text.room(message.size()) <= kFrameSize;
        Buffer& target = fits ? buffer_ : apart_;
        const std::size_t before = target.size();
        if (!text.append(message, target)) return false;
        if (fits) {
            grew(target.size() - before);
        } else {
            add(textOf(apart_.span()));
            const bool huge = apart_.size() > kFrameSize;
            apart_.clear();
            if (huge) apart_ = Buffer();
        }
        return true;
    }
    void finish() {
        if (!buffer_.empty()) flush(buffer_.size() <= kSmallFrame);
    }
    uint64_t bytes() const { return bytes_; }
    bool goesFirst() const { return table_.goesFirst(); }

private:
    void grew(std::size_t bytes) {
        ++rowsInFrame_;
        bytes_ += bytes;
        if (buffer_.size() - summed_ < kSummedAtOnce) return;
        sum();
        makeWay();
    }

    /// While what has come is in the processor's cache: at its end a frame is not.
    void sum() {
        checksum_.update(buffer_.span().subspan(summed_));
        summed_ = buffer_.size();
    }

    void makeWay() {
        if (table_.goesFirst() || bytes_ - wentOnAt_ < kMakesWayEvery) return;
        wentOnAt_ = bytes_;
        runner_.pool_.makeWay(stop_);
    }

    void flush(bool here) {
        sum();
        const uint64_t checksum = checksum_.value();
        checksum_.reset();
        summed_ = 0;
        const std::size_t ordinal = frames_++;
        if (ordinal < chunk_.submittedFrames.size()) {
            if (chunk_.submittedFrames[ordinal] != checksum) {
                throw Error(ErrorKind::Internal,
                            "the rows came in another order when they were read again under the "
                            "same snapshot",
                            table_.facts().displayName());
            }
            runner_.pool_.returnBuffer(std::move(buffer_));
        } else {
            hand(checksum, here);
            chunk_.submittedFrames.push_back(checksum);
        }
        rowsInFrame_ = 0;
    }

    void hand(uint64_t checksum, bool here) {
        RawFrame frame{.rows = std::move(buffer_),
                       .rowCount = rowsInFrame_,
                       .checksum = checksum,
                       .target = table_.shared_from_this()};
        table_.frameSubmitted();
        if (!here) {
            runner_.pool_.submit(std::move(frame));
            return;
        }
        if (!runner_.ownEncoder_) runner_.ownEncoder_ = runner_.pool_.makeEncoder();
        CompressorPool::encode(frame, *runner_.ownEncoder_, runner_.pool_.style(),
                               runner_.ownFrame_);
        runner_.pool_.returnBuffer(std::move(frame.rows));
        table_.append(runner_.ownFrame_);
    }

    CopyRunner& runner_;
    TableCopy& table_;
    TableCopy::Chunk& chunk_;
    const std::stop_token& stop_;
    Buffer buffer_;
    Buffer apart_;
    io::Checksum checksum_;
    std::size_t summed_ = 0;  ///< bytes of `buffer_` that are in the checksum
    uint64_t rowsInFrame_ = 0;
    uint64_t bytes_ = 0;
    uint64_t wentOnAt_ = 0;  ///< bytes when it last made way
    std::size_t frames_ = 0;
};

CopyRunner::CopyRunner(CompressorPool& pool, events::EventSink& events, const Settings& settings)
    : pool_(pool), events_(events), settings_(settings) {}

std::optional<rows::TextRows> CopyRunner::textRowsOf(pg::Connection& connection,
                                                     const TableFacts& table) {
    if (!settings_.binary) return std::nullopt;
    if (!form_) form_.emplace(connection);
    return form_->textRowsOf(table);
}

uint64_t CopyRunner::readRows(pg::Connection& connection, const std::string& sql,
                              std::optional<rows::TextRows>& text, FrameFiller& filler,
                              const plan::Assignment& assignment, bool mayReadAhead) {
    uint64_t rows = 0;
    ProgressMeter meter(events_, assignment);
    connection.beginCopyOut(sql);
    std::optional<ReadAhead::Rows> ahead;
    const auto readAhead = [&] {
        if (!ahead_) ahead_.emplace();
        ahead.emplace(*ahead_, connection);
    };
    if (mayReadAhead && (settings_.readsAhead || filler.goesFirst())) readAhead();
    uint32_t looksToSpare = 0;  // between two tables of another thread there is one
    while (const auto message = ahead ? ahead->next() : connection.nextCopyRow()) {
        if (!text) {
            filler.add(*message);
        } else if (!filler.add(*message, *text)) {
            continue;
        }
        ++rows;
        if ((rows & 0xff) != 0) continue;
        if (!meter.report(filler.bytes(), rows) || !mayReadAhead || ahead) continue;
        looksToSpare = pool_.processorsToSpare() ? looksToSpare + 1 : 0;
        if (looksToSpare > 1) readAhead();
    }
    if (text && !text->atEnd()) {
        throw Error(ErrorKind::Internal, "the server's binary rows end too early");
    }
    return rows;
}

run::TaskResult CopyRunner::copyTable(pg::Connection& connection, TableCopy& table,
                                      const plan::Assignment& assignment,
                                      const std::stop_token& stop) {
    const TableFacts& facts = table.facts();
    const bool divided = assignment.chunk.has_value();
    std::string sql = divided ? copyRange(facts.qualifiedName(), facts.columns,
                                          {assignment.begin, assignment.end, assignment.last})
                              : copyWhole(facts.qualifiedName(), facts.columns,
                                          facts.relkind == 'f', table.condition());
    std::optional<rows::TextRows> text = textRowsOf(connection, facts);
    if (text) sql += kAsBinary;
    events_.post(
        events::TaskStatement{.span = {assignment.task, assignment.chunk}, .statement = sql});
    uint64_t rows = 0;
    const CompressorPool::Reader reading(pool_, table.goesFirst());
    FrameFiller filler(*this, table, table.chunk(assignment.chunk.value_or(0)), stop);
    try {
        // Rows that come as text need no work that would keep the server waiting.
        const bool large = divided || facts.bytes() >= kWorthReadingAhead;
        rows = readRows(connection, sql, text, filler, assignment, text && large);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Server) rethrowForTable(error, facts);
        if (error.kind() == ErrorKind::Cancelled || !error.info().object.empty()) throw;
        ErrorInfo info = error.info();
        info.object = facts.displayName();
        throw Error(std::move(info));
    }
    if (rows != connection.copyRows()) {
        throw Error(
            ErrorKind::Internal,
            fmt::format("{} rows arrived, the server says it sent {}", rows, connection.copyRows()),
            facts.displayName());
    }
    filler.finish();
    table.unitsRead(std::max<uint64_t>(assignment.end - assignment.begin, 1), rows);
    return {.bytes = filler.bytes(), .rows = rows, .compressedBytes = table.newlyCompressed()};
}

void CopyRunner::copyBatch(pg::Connection& connection, LargeObjectCopy& group,
                           std::span<const uint64_t> indexes,
                           archive::LargeObjectMember::Sink& sink,
                           const std::function<void(uint64_t)>& copied) {
    std::vector<uint64_t> longObjects;
    connection.beginCopyOut(
        fmt::format("COPY (SELECT i, pg_catalog.lo_get(o, 0, {}) FROM pg_catalog.unnest({})"
                    " WITH ORDINALITY AS u(o, i)) TO STDOUT (FORMAT binary)",
                    kFirstPart, oidArray(group.objects(), indexes)));
    bool first = true;
    while (const auto message = connection.nextCopyRow()) {
        BinaryRow row(*message);
        if (std::exchange(first, false)) row.skipHeader();
        if (row.empty() || !row.beginRow()) continue;
        const uint64_t index = indexes[row.integerField() - 1];
        const std::string_view content = row.field();
        if (content.size() >= kFirstPart) {
            longObjects.push_back(index);
            continue;
        }
        sink.begin(group.objects()[index]);
        sink.write(bytesOf(content));
        sink.end();
        group.markCopied(index, content.size());
        copied(content.size());
    }
    for (const uint64_t index : longObjects) {
        const Oid object = group.objects()[index];
        sink.begin(object);
        uint64_t offset = 0;
        for (uint64_t part = kNextPart; part == kNextPart; offset += part) {
            part = copyPart(connection, object, offset, sink);
        }
        sink.end();
        group.markCopied(index, offset);
        copied(offset);
    }
}

uint64_t CopyRunner::copyPart(pg::Connection& connection, Oid object, uint64_t offset,
                              archive::LargeObjectMember::Sink& sink) {
    connection.beginCopyOut(
        fmt::format("COPY (SELECT pg_catalog.lo_get({}, {}, {})) TO STDOUT (FORMAT binary)",
                    object.value, offset, kNextPart));
    uint64_t length = 0;
    bool first = true;
    while (const auto message = connection.nextCopyRow()) {
        BinaryRow row(*message);
        if (std::exchange(first, false)) row.skipHeader();
        if (row.empty() || !row.beginRow()) continue;
        const std::string_view content = row.field();
        sink.write(bytesOf(content));
        length += content.size();
    }
    return length;
}

run::TaskResult CopyRunner::copyLargeObjects(pg::Connection& connection, LargeObjectCopy& group,
                                             const plan::Assignment& assignment,
                                             const std::stop_token& stop) {
    const CompressorPool::Reader reading(pool_, false);
    const std::unique_ptr<archive::LargeObjectMember::Sink> sink = group.member().openSink();
    ProgressMeter meter(events_, assignment);
    uint64_t bytes = group.bytesCopied(assignment.begin, assignment.end);
    uint64_t objects = 0;
    const std::vector<uint64_t> wanted = group.notYetCopied(assignment.begin, assignment.end);
    try {
        for (std::size_t at = 0; at < wanted.size(); at += kObjectsPerBatch) {
            pool_.makeWay(stop);
            const std::size_t count = std::min(kObjectsPerBatch, wanted.size() - at);
            copyBatch(connection, group, std::span(wanted).subspan(at, count), *sink,
                      [&](uint64_t length) {
                          bytes += length;
                          ++objects;
                          meter.report(bytes, objects);
                      });
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server) throw;
        ErrorInfo info = error.info();
        info.object = "large objects";
        if (info.sqlState == "42501") {
            info.hint = "Grant SELECT on it to this role, or leave large objects out with -B.";
        }
        throw Error(std::move(info));
    }
    if (objects != wanted.size()) {
        throw Error(ErrorKind::Internal, fmt::format("{} large objects arrived, {} were asked for",
                                                     objects, wanted.size()));
    }
    group.objectsRead(assignment.end - assignment.begin);
    return {.bytes = bytes, .rows = assignment.end - assignment.begin, .compressedBytes = 0};
}

}  // namespace gantry::dump
