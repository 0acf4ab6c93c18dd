// SPDX-License-Identifier: PostgreSQL
#include "core/advise/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/sync.h"
#include "core/dump/catalog.h"
#include "core/dump/copy_statement.h"
#include "core/io/codec.h"
#include "core/pg/one_server.h"
#include "core/pg/server_versions.h"
#include "core/pg/session.h"

namespace gantry::advise {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr double kSecondsOfReading = 0.6;  // over each number of connections
constexpr int kRoundsOfReading = 2;        // what else the machine does only slows one down
constexpr double kSecondsOfCodec = 0.25;
constexpr double kSecondsOfWriting = 1.2;
constexpr uint32_t kMostConnections = 16;
constexpr uint32_t kLeftToOthers = 2;
constexpr uint64_t kRangeBytes = uint64_t{2} << 20;
constexpr std::size_t kKeptRows = std::size_t{16} << 20;
constexpr std::size_t kFrame = std::size_t{1} << 19;
constexpr std::size_t kLeastFrames = 4;
constexpr std::size_t kStride = 7;                         // frames from all over come first
constexpr std::size_t kLeastRows = std::size_t{64} << 10;  // fewer say nothing of a codec

constexpr std::string_view kCodecs[] = {"zstd:3", "gzip:6", "zstd:1", "lz4",
                                        "zstd:6", "gzip:1", "zstd:9"};

/// Asks everything to stop when the time is over, or when the user wants it.
class Budget {
public:
    Budget(double seconds, const std::stop_token& stop)
        : end_(SteadyTime::now() + std::chrono::duration_cast<SteadyTime::duration>(
                                       std::chrono::duration<double>(seconds))),
          byUser_(stop),
          onUser_(stop, [this] { source_.request_stop(); }),
          timer_([this](const std::stop_token& done) {
              std::mutex mutex;
              std::condition_variable_any wake;
              std::unique_lock lock(mutex);
              wake.wait_until(lock, done, end_, [] { return false; });
              source_.request_stop();
          }) {}

    std::stop_token token() const { return source_.get_token(); }
    double left() const { return std::chrono::duration<double>(end_ - SteadyTime::now()).count(); }
    bool byUser() const { return byUser_.stop_requested(); }

private:
    std::stop_source source_;
    const SteadyTime::time_point end_;
    const std::stop_token byUser_;
    std::stop_callback<std::function<void()>> onUser_;
    std::jthread timer_;
};

/// What there is to sample, shared by all readers.
class Tables {
public:
    explicit Tables(std::vector<dump::TableFacts> tables) : tables_(std::move(tables)) {
        double sum = 0;
        for (const dump::TableFacts& table : tables_) {
            sum += static_cast<double>(table.bytes());
            ends_.push_back(sum);
        }
    }

    /// By size; null if nothing is left.
    const dump::TableFacts* choose(std::minstd_rand& random) {
        constexpr int kAttempts = 100;
        const MutexLock lock(mutex_);
        if (leftOut_.size() == tables_.size()) return nullptr;
        std::uniform_real_distribution<double> place(0, ends_.back());
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            const auto found = std::upper_bound(ends_.begin(), ends_.end(), place(random));
            const auto at = std::min<std::size_t>(static_cast<std::size_t>(found - ends_.begin()),
                                                  tables_.size() - 1);
            if (!leftOut_.contains(tables_[at].oid)) return &tables_[at];
        }
        return nullptr;
    }
    void leaveOut(const dump::TableFacts& table) {
        const MutexLock lock(mutex_);
        leftOut_.insert(table.oid);
    }
    std::vector<std::string> leftOut() const {
        const MutexLock lock(mutex_);
        std::vector<std::string> names;
        for (const dump::TableFacts& table : tables_) {
            if (leftOut_.contains(table.oid)) names.push_back(table.displayName());
        }
        return names;
    }
    bool empty() const { return tables_.empty(); }

private:
    const std::vector<dump::TableFacts> tables_;
    std::vector<double> ends_;  ///< bytes up to the end of each
    mutable Mutex mutex_;
    std::set<Oid> leftOut_ GUARDED_BY(mutex_);
};

struct Sampled {
    uint64_t tableBytes = 0;
    uint64_t rowBytes = 0;
    double seconds = 0;
};

/// One connection that reads ranges of tables and lets the rows go.
class Reader {
public:
    Reader(const options::ConnectionOptions& options, Tables& tables, unsigned seed,
           const std::stop_token& stop)
        : connection_(pg::Connection::open(options, "gantry advise: calibration", stop)),
          tables_(tables),
          random_(seed) {
        pg::setUpDumpSession(connection_, {});
        connection_.execute(
            "SET default_transaction_read_only = on; SET lock_timeout = '100ms';"
            " SET statement_timeout = '3s'");
        connection_.enlargeReceiveBuffer();
    }

    /// `rows`, if given, keeps as many as it has room for.
    Sampled readFor(double seconds, Buffer* rows) {
        const auto begin = SteadyTime::now();
        Sampled sampled;
        while (secondsSince(begin) < seconds) {
            const dump::TableFacts* table = tables_.choose(random_);
            if (table == nullptr) break;
            try {
                readRange(*table, rows, sampled);
            } catch (const Error& error) {
                // Locked, dropped, or not for us to read.
                if (error.kind() != ErrorKind::Server || !error.info().connectionUsable) throw;
                tables_.leaveOut(*table);
            }
        }
        sampled.seconds = secondsSince(begin);
        return sampled;
    }

private:
    void readRange(const dump::TableFacts& table, Buffer* rows, Sampled& sampled) {
        const uint64_t perBlock = std::max<uint64_t>(table.bytes() / table.heapBlocks, 1);
        const uint64_t blocks = std::clamp<uint64_t>(kRangeBytes / perBlock, 1, table.heapBlocks);
        std::uniform_int_distribution<uint64_t> place(0, table.heapBlocks - blocks);
        const uint64_t first = place(random_);
        if (connection_.serverMajor() >= pg::kTidRangeScans) {
            connection_.beginCopyOut(
                dump::copyRange(table.qualifiedName(), table.columns,
                                {.begin = first, .end = first + blocks, .last = false}));
        } else {
            const double percent =
                100.0 * static_cast<double>(blocks) / static_cast<double>(table.heapBlocks);
            connection_.beginCopyOut(dump::copyWhole(
                table.qualifiedName(), table.columns, true,
                fmt::format("TABLESAMPLE SYSTEM ({:.6f}) REPEATABLE ({})", percent, first)));
        }
        while (const auto row = connection_.nextCopyRow()) {
            sampled.rowBytes += row->size();
            if (rows != nullptr && rows->size() + row->size() <= kKeptRows) rows->append(*row);
        }
        sampled.tableBytes += blocks * perBlock;
    }

    pg::Connection connection_;
    Tables& tables_;
    std::minstd_rand random_;
};

std::vector<dump::TableFacts> listTables(pg::Connection& connection, bool standby) {
    std::vector<Oid> readable;
    for (const dump::LockTarget& target : dump::listLockTargets(connection, {})) {
        if (target.readable) readable.push_back(target.oid);
    }
    std::vector<dump::TableFacts> tables = dump::readTableFacts(connection, readable);
    std::erase_if(tables, [standby](const dump::TableFacts& table) {
        return table.relkind != 'r' || table.heapBlocks == 0 || !table.heapAccessMethod ||
               table.columns.empty() || table.filteredForUs || (table.unlogged && standby);
    });
    return tables;
}

class Run {
public:
    Run(const CalibrationRequest& request, const std::stop_token& stop,
        const std::function<void(std::string_view)>& onStep)
        : request_(request), onStep_(onStep), budget_(request.seconds, stop) {}

    Calibration toEnd() {
        try {
            measure();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Cancelled || budget_.byUser()) throw;
            result_.notes.push_back(fmt::format(
                "After {:.0f} s it was ended before all was measured.", request_.seconds));
        }
        result_.takenAt = formatIsoTime(std::chrono::system_clock::now());
        return std::move(result_);
    }

private:
    void step(std::string_view what) const {
        if (onStep_) onStep_(what);
    }

    void measure() {
        step("looking at the server");
        pg::Connection connection = pg::Connection::open(
            request_.connection, "gantry advise: calibration", budget_.token());
        const Surroundings where = collectSurroundings(connection);
        result_.database = connection.databaseName();
        result_.serverVersion = where.serverVersion;
        result_.sharedBuffers = where.sharedBuffers;
        result_.localCores = where.localCores;
        result_.roundTrip = where.roundTrip;
        Tables tables(listTables(connection, where.standby));
        if (tables.empty()) {
            result_.notes.emplace_back("The database has no rows that we may read.");
        } else {
            measureReading(tables, where);
        }
        const std::vector<std::string> leftOut = tables.leftOut();
        if (!leftOut.empty()) {
            result_.notes.push_back(
                fmt::format("{} table{} left out, locked or not for us to read: {}{}.",
                            leftOut.size(), leftOut.size() == 1 ? " was" : "s were",
                            leftOut.front(), leftOut.size() == 1 ? "" : ", …"));
        }
        if (!request_.destination.empty()) measureWriting();
    }

    void measureReading(Tables& tables, const Surroundings& where) {
        constexpr uint32_t kOwn = 1;  // of the connection at hand
        const uint32_t room = where.freeConnections > kLeftToOthers
                                  ? where.freeConnections - kLeftToOthers
                                  : std::min(where.freeConnections, kOwn);
        const uint32_t useful = std::max(2 * where.localCores, where.serverCores.value_or(8));
        const uint32_t most = std::min({room, useful, kMostConnections});
        if (most == 0) {
            result_.notes.emplace_back("The server has no free connection to read over.");
            return;
        }
        if (budget_.left() < 2 * kSecondsOfReading) {
            result_.notes.emplace_back("There was no time left to read anything.");
        }
        for (uint32_t count = 1; count <= most; count *= 2) {
            if (!readOver(count, tables)) break;
            if (count == 1) measureCodecs();
            const std::size_t size = result_.reading.size();
            if (size > 1 && result_.reading[size - 1].bytesPerSecond <
                                result_.reading[size - 2].bytesPerSecond * kGrows) {
                break;
            }
        }
        for (int round = 1; round < kRoundsOfReading; ++round) {
            for (std::size_t i = 0; i < result_.reading.size(); ++i) {
                if (!readOver(result_.reading[i].connections, tables)) return;
            }
        }
    }

    /// Notes the best rate of this number; false if it cannot be had.
    bool readOver(uint32_t count, Tables& tables) {
        if (budget_.left() < 2 * kSecondsOfReading) return false;
        step(count == 1 ? std::string("reading over one connection")
                        : fmt::format("reading over {} connections", count));
        if (!connect(count, tables)) return false;
        const double rate = readAtOnce(count);
        if (rate <= 0) return false;
        const auto known =
            std::find_if(result_.reading.begin(), result_.reading.end(),
                         [count](const auto& one) { return one.connections == count; });
        if (known == result_.reading.end()) {
            result_.reading.push_back({.connections = count, .bytesPerSecond = rate});
        } else {
            known->bytesPerSecond = std::max(known->bytesPerSecond, rate);
        }
        return true;
    }

    /// False if the server takes no more.
    bool connect(uint32_t count, Tables& tables) {
        try {
            while (readers_.size() < count) {
                readers_.push_back(std::make_unique<Reader>(
                    request_.connection, tables, static_cast<unsigned>(readers_.size() + 1),
                    budget_.token()));
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Connection || readers_.empty()) throw;
            result_.notes.push_back(
                fmt::format("The server refused connection {}.", readers_.size() + 1));
            return false;
        }
        return true;
    }

    /// Bytes of tables a second.
    double readAtOnce(uint32_t count) {
        std::vector<Sampled> sampled(count);
        std::vector<std::exception_ptr> failures(count);
        {
            std::vector<std::jthread> threads;
            for (uint32_t i = 0; i < count; ++i) {
                threads.emplace_back([&, i] {
                    try {
                        sampled[i] =
                            readers_[i]->readFor(kSecondsOfReading, count == 1 ? &rows_ : nullptr);
                    } catch (...) {
                        failures[i] = std::current_exception();
                    }
                });
            }
        }
        for (const std::exception_ptr& failure : failures) {
            if (failure) std::rethrow_exception(failure);
        }
        double rate = 0;
        for (const Sampled& one : sampled) {
            if (one.seconds > 0) rate += static_cast<double>(one.tableBytes) / one.seconds;
            result_.sampledBytes += one.tableBytes;
        }
        if (count == 1 && sampled.front().tableBytes > 0 && sampled.front().rowBytes > 0) {
            result_.copyRatio = static_cast<double>(sampled.front().rowBytes) /
                                static_cast<double>(sampled.front().tableBytes);
        }
        return rate;
    }

    void measureCodecs() {
        if (rows_.size() < kLeastRows) {
            result_.notes.emplace_back("There are too few rows to tell how they compress.");
            return;
        }
        for (const std::string_view name : kCodecs) {
            if (budget_.token().stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
            step(fmt::format("compressing with {}", name));
            result_.codecs.push_back(measureCodec(name));
        }
    }

    Calibration::Codec measureCodec(std::string_view name) const {
        const auto encoder =
            io::makeFrameEncoder(io::parseCompression(name), io::FrameStyle::Independent);
        Buffer frame;
        uint64_t raw = 0;
        uint64_t compressed = 0;
        const auto begin = SteadyTime::now();
        // Slow codecs see a part of the rows only: one from all over them.
        const std::size_t frames = std::max<std::size_t>(rows_.size() / kFrame, 1);
        const std::size_t length = std::min(kFrame, rows_.size());
        for (std::size_t i = 0; i < kLeastFrames || secondsSince(begin) < kSecondsOfCodec; ++i) {
            encoder->encode(rows_.span().subspan(i * kStride % frames * kFrame, length), frame);
            raw += length;
            compressed += frame.size();
        }
        return {.compression = std::string(name),
                .bytesPerSecond = static_cast<double>(raw) / std::max(secondsSince(begin), 1e-6),
                .ratio = static_cast<double>(compressed) / static_cast<double>(raw)};
    }

    void measureWriting() {
        const double seconds = std::min(kSecondsOfWriting, budget_.left());
        if (seconds <= 0) throw Error(ErrorKind::Cancelled, "cancelled");
        const Destination destination = lookAtDestination(request_.destination);
        step(fmt::format("writing to {}", destination.folder.string()));
        result_.writing = {
            .folder = destination.folder.string(),
            .bytesPerSecond = measureWriteRate(destination.folder, seconds, budget_.token())};
    }

    const CalibrationRequest& request_;
    const std::function<void(std::string_view)>& onStep_;
    Calibration result_;
    Buffer rows_;
    Budget budget_;
    std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace

Calibration calibrate(const CalibrationRequest& request, std::stop_token stop,
                      const std::function<void(std::string_view)>& onStep) {
    return Run(pg::onOneServer(request), stop, onStep).toEnd();
}

}  // namespace gantry::advise
