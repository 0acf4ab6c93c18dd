// SPDX-License-Identifier: PostgreSQL
// What a sweep measures: one operation, made ready and carried out again and again.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/advise/curve.h"
#include "core/base/file.h"
#include "core/events/event.h"
#include "core/history/history.h"
#include "core/options/tune_options.h"
#include "core/tune/scratch_database.h"
#include "core/tune/sweep.h"

namespace gantry::tune {

/// A folder of our own for what is on disk meanwhile; gone with the object. It is locked, so that
/// what a killed sweep left is known, and the next one beneath the same folder takes it away.
class ScratchFolder {
public:
    /// Beneath `parent`, or where temporary files usually are. Throws Error{Io}.
    explicit ScratchFolder(const std::filesystem::path& parent);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    File lock_;
};

/// Where things are, for people; what is empty does not matter.
struct Place {
    std::string database;
    std::string server;         ///< "host:port"
    std::string serverVersion;  ///< "18.1"
};

/// How a bench says what it is doing; both hear texts of one line.
struct Voice {
    std::function<void(const std::string&)> step;  ///< what goes on now: "copying the database"
    Tell tell;                                     ///< what the user should know, a sentence
};

/// One thread at a time. Whatever it has made goes with it.
class Bench {
public:
    virtual ~Bench() = default;

    /// Once, before anything else: whether it can be done at all. Makes nothing. Throws Error.
    virtual void look(const std::stop_token& stop) = 0;
    /// Once, before the first run: makes copies and servers.
    virtual void setUp(const std::stop_token&) {}
    /// After look().
    virtual Place place() const = 0;
    /// Fills in what the advisor says of the points, and returns its whole curve; nothing where
    /// it has nothing to go by. After look(), and better after setUp().
    virtual std::optional<advise::Curve> predict(std::vector<Point>& points,
                                                 history::History& history,
                                                 const std::stop_token& stop) = 0;
    /// The server that it takes place on; empty while there is none. After look().
    virtual const options::ConnectionOptions& target() const = 0;
    /// Untimed, before each run.
    virtual void makeReady(const Setting&, const std::stop_token&) {}
    /// The run that is timed.
    virtual void run(const Setting& setting, events::EventSink& events,
                     const std::stop_token& stop) = 0;
    /// Untimed, after each run, however it ended. Does not throw.
    virtual void tidyUp() {}
    /// Whether a first run must not count, since it does what is not there to be done later.
    virtual bool needsWarmUp() const { return false; }
    /// What has to be known to read the figures, in sentences.
    virtual std::vector<std::string> remarks() const { return {}; }
};

std::unique_ptr<Bench> makeDumpBench(const options::TuneOptions& options, Voice voice);
std::unique_ptr<Bench> makeRestoreBench(const options::TuneOptions& options, Voice voice);
std::unique_ptr<Bench> makeVacuumBench(const options::TuneOptions& options, Voice voice);

}  // namespace gantry::tune
