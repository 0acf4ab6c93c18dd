// SPDX-License-Identifier: PostgreSQL
// A program on a terminal of its own, as somebody would use it: what it draws, keys for it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace gantry::test {

/// Starts on construction, killed on destruction. The environment is ours without libpq's variables
/// and NO_COLOR, with TERM=xterm and a UTF-8 locale, then what `environment` adds. Throws
/// std::runtime_error if something is waited for in vain, with what was drawn last. One thread.
class TerminalSession {
public:
    explicit TerminalSession(const std::vector<std::string>& argv,
                             const std::map<std::string, std::string>& environment = {},
                             int columns = 80, int rows = 24);
    ~TerminalSession();
    TerminalSession(const TerminalSession&) = delete;
    TerminalSession& operator=(const TerminalSession&) = delete;

    void type(const std::string& keys);
    void interrupt() { type("\x03"); }
    void resize(int columns, int rows) const;
    pid_t pid() const { return pid_; }

    /// Until `text` was written, counting from what was found last.
    void waitFor(const std::string& text, std::chrono::seconds timeout = std::chrono::seconds(60));
    /// The exit code, or 128 + the number of the signal.
    int waitForEnd(std::chrono::seconds timeout = std::chrono::seconds(120));
    /// All that was written so far, control sequences included.
    const std::string& output() const { return output_; }

private:
    /// False once the program has closed the terminal.
    bool readSome(std::chrono::milliseconds timeout);

    int terminal_ = -1;
    pid_t pid_ = 0;
    std::string output_;
    std::size_t found_ = 0;
};

}  // namespace gantry::test
