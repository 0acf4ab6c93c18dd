// SPDX-License-Identifier: PostgreSQL
// A sweep from beginning to end: the operation measured with one setting after the other.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/events/run_state.h"
#include "core/options/tune_options.h"
#include "core/tune/report.h"
#include "core/tune/sweep.h"

namespace gantry::tune {

/// Watches a sweep. Called by the thread that tune() runs on, but for progress().
class Observer {
public:
    virtual ~Observer() = default;
    /// What goes on beside the measurements, "copying the database"; empty: that is over.
    virtual void step(const std::string& what) = 0;
    /// A sentence that the user should see.
    virtual void tell(const std::string& sentence) = 0;
    /// The points, at first as predicted, and then after each measurement.
    virtual void changed(const Report& report) = 0;
    /// A measurement begins; `left` others may follow it.
    virtual void begins(const Report& report, const Sweep::Measurement& now, std::size_t left) = 0;
    /// How far it is, some ten times a second, by another thread.
    virtual void progress(const events::RunState& run) = 0;
};

/// Measures, and returns what it came to. Blocks the calling thread; a stop request ends the run
/// under way and takes back what was made for it, within two seconds or so, and the report tells
/// what there is by then. So does an error after the first measurement; an earlier one is thrown,
/// as is Error{Usage} for options that validate() has errors about.
///
/// Runs are kept in the folder `history` (empty: nowhere) as parts of this sweep.
Report tune(const options::TuneOptions& options, const std::filesystem::path& history,
            Observer& observer, std::stop_token stop);

/// What is known before anything is measured: the points, as predicted. Makes and changes nothing.
/// Throws as tune() does.
Report outlook(const options::TuneOptions& options, const std::filesystem::path& history,
               std::stop_token stop);

}  // namespace gantry::tune
