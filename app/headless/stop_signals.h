// SPDX-License-Identifier: PostgreSQL
// Ctrl-C and its kin as a stop token.
#pragma once

#include <csignal>
#include <memory>
#include <stop_token>
#include <string>

namespace gantry::headless {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for a stop instead of ending the process, and a
/// broken pipe or a file that may not grow is an error of the write. Further signals change
/// nothing: what is under way is being ended already. Only with `lastWords` does one that comes
/// kStopPatience after the first end the process at once, with exit code 130 and these words on
/// standard error: for work that hangs on somebody else and that may be left as it is. One at a
/// time; made before other threads are.
class StopSignals {
public:
    explicit StopSignals(std::string lastWords = {});
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    std::stop_token token() const;
    bool stopped() const { return token().stop_requested(); }

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gantry::headless
