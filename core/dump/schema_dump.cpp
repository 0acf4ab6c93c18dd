// SPDX-License-Identifier: PostgreSQL
#include "core/dump/schema_dump.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/io/byte_source.h"
#include "core/options/pg_dump_arguments.h"

namespace gantry::dump {
namespace {

constexpr int kStopLatencyMs = 100;
constexpr int kPollsPerSecond = 10;
constexpr Duration kGrace = std::chrono::seconds(1);

/// The child's standard output, given up when a stop is asked for.
class PipeSource final : public io::ByteSource {
public:
    PipeSource(int fd, const std::stop_token& stop, const std::function<void()>& onWait)
        : fd_(fd), stop_(stop), onWait_(onWait) {}

    std::size_t read(std::span<std::byte> into) override {
        for (;;) {
            if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
            pollfd entry{.fd = fd_, .events = POLLIN, .revents = 0};
            if (::poll(&entry, 1, kStopLatencyMs) <= 0) {
                if (++idlePolls_ % kPollsPerSecond == 0) onWait_();
                continue;
            }
            idlePolls_ = 0;
            const ssize_t got = ::read(fd_, into.data(), into.size());
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) throw systemError("read from pg_dump", {}, errno);
        }
    }

private:
    int fd_;
    const std::stop_token& stop_;
    const std::function<void()>& onWait_;
    int idlePolls_ = 0;
};

ChildOptions childOptions(const options::DumpOptions& options, const pg::ClientTool& pgDump,
                          const pg::Connection& connection, const std::string& snapshotId,
                          const std::string& application) {
    ChildOptions child;
    child.program = pgDump.path;
    child.arguments = options::pgDumpArguments(options, pgDump.major);
    for (const char* argument : {"-Fc", "-Z0", "--no-sync", "--no-password"}) {
        child.arguments.emplace_back(argument);
    }
    child.arguments.push_back("--snapshot=" + snapshotId);
    child.arguments.push_back("--dbname=" + connection.conninfoWithoutSecrets());
    if (const auto password = connection.password()) child.environment["PGPASSWORD"] = *password;
    child.environment["PGAPPNAME"] = application;
    // Messages are shown to people as they are, and looked through for causes.
    child.environment["LC_MESSAGES"] = "C";
    child.removeFromEnvironment = connection.variables();
    child.removeFromEnvironment.emplace_back("LC_ALL");
    child.output = ChildStream::Pipe;
    child.errors = ChildStream::Capture;
    child.parentDeathSignal = SIGTERM;
    child.group = ChildOptions::Group::Own;
    return child;
}

/// "pg_dump: error: …" lines without the prefix, joined; what it warned of before is no reason.
std::string reasonIn(const std::string& text) {
    std::istringstream lines(text);
    std::string reason;
    bool warning = false;
    for (std::string line; std::getline(lines, line);) {
        warning = line.starts_with("pg_dump: warning: ") ||
                  (warning && !line.starts_with("pg_dump: error: "));
        if (warning) continue;
        for (const std::string_view prefix :
             {"pg_dump: error: ", "pg_dump: detail: ", "pg_dump: hint: ", "pg_dump: "}) {
            if (line.starts_with(prefix)) {
                line.erase(0, prefix.size());
                break;
            }
        }
        if (line.empty()) continue;
        if (!reason.empty()) reason += "; ";
        reason += line;
    }
    return reason.empty() ? "pg_dump ended without a word" : reason;
}

/// The next step for what goes wrong most.
std::string hintFor(std::string_view reason) {
    const auto has = [&](std::string_view part) {
        return reason.find(part) != std::string_view::npos;
    };
    if (has("max_locks_per_transaction")) {
        return "The server's lock table is too small for so many tables: raise "
               "max_locks_per_transaction there, or dump schema by schema with -n.";
    }
    if (has("too many clients") || has("connection slots") || has("too many connections")) {
        return "pg_dump needs a connection besides ours: use fewer jobs (-j), or raise "
               "max_connections.";
    }
    if (has("SET TRANSACTION SNAPSHOT")) {
        return "Connect to the server itself, not to a pooler or balancer in front of it (check "
               "host and port).";
    }
    if (has("terminating connection") || has("server closed the connection")) {
        return "Look at the server's log for the reason, then run the dump again.";
    }
    if (has("no matching ")) {
        const std::string_view option = has("no matching schema")      ? "-n "
                                        : has("no matching extension") ? "-e "
                                        : has("no matching foreign")   ? "--include-foreign-data="
                                                                       : "-t ";
        return fmt::format(
            "Patterns match whole names, in lower case unless they are in double quotes: "
            "{}'\"Name\"'.",
            option);
    }
    if (has("filter file") || has("filter read from")) {
        return "Mend the filter file: each line is include or exclude, the kind of object, and a "
               "pattern.";
    }
    if (has("permission denied")) {
        return "Grant SELECT on it to this role, or leave it out with -T or -N.";
    }
    return "pg_dump reads the definitions; what it refuses cannot be dumped.";
}

}  // namespace

std::vector<std::string> warningsIn(const std::string& text) {
    std::vector<std::string> warnings;
    std::istringstream lines(text);
    const auto takeMark = [](std::string& line, std::string_view mark) {
        const std::size_t at = line.find(mark);
        if (at != std::string::npos) line.erase(0, at + mark.size());
        return at != std::string::npos;
    };
    bool listing = false;
    for (std::string line; std::getline(lines, line);) {
        if (takeMark(line, "warning: ")) {
            warnings.push_back(line);
            listing = false;
        } else if (!warnings.empty() && takeMark(line, "detail: ")) {
            warnings.back() += (std::exchange(listing, true) ? ", " : " ") + line;
        } else if (!warnings.empty() && takeMark(line, "hint: ")) {
            warnings.back() += (warnings.back().ends_with('.') ? " " : ". ") + line;
        }
    }
    return warnings;
}

SchemaDump::SchemaDump(const options::DumpOptions& options, const pg::ClientTool& pgDump,
                       const pg::Connection& connection, const std::string& snapshotId,
                       const std::string& application)
    : child_(
          ChildProcess::start(childOptions(options, pgDump, connection, snapshotId, application))),
      tool_(pgDump.path.string()) {}

SchemaDump::~SchemaDump() { child_.end(kGrace); }

archive::Toc SchemaDump::read(const std::stop_token& stop, const std::function<void()>& onWait) {
    PipeSource source(child_.output(), stop, onWait);
    try {
        return archive::readToc(source);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Format) throw;
        // Cut short: what pg_dump said is the cause, the damaged contents only the effect.
        const auto status = child_.waitFor(kGrace);
        if (status && !status->success()) {
            const std::string reason = reasonIn(child_.errorText());
            throw Error(ErrorKind::Server, reason, tool_, hintFor(reason));
        }
        throw;
    }
}

std::vector<std::string> SchemaDump::finish() {
    child_.closeOutput();
    child_.end(kGrace);
    return warningsIn(child_.errorText());
}

}  // namespace gantry::dump
