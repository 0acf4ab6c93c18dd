// SPDX-License-Identifier: PostgreSQL
// A PostgreSQL server of its own for a test: any major version, private, gone with the test.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options/connection_options.h"
#include "tests/support/servers.h"

namespace gantry::test {

struct ClusterOptions {
    int major = 0;  ///< 0: the newest that has client programs; a missing one skips the test
    std::string encoding = "UTF8";
    std::string locale = "C";
    /// Also on 127.0.0.1 at a free port; else on the Unix socket alone.
    bool tcp = false;
    /// Lines for postgresql.conf, after ours, which make it fast rather than safe.
    std::vector<std::string> settings;
    bool start = true;  ///< false: only made, for tests that change its files first
};

enum class StopMode {
    Fast,       ///< sessions are ended, then a checkpoint
    Immediate,  ///< as a crash: recovery at the next start
};

/// Rows of text; NULL is an empty optional.
using Rows = std::vector<std::vector<std::optional<std::string>>>;

/// Superuser "postgres", no passwords asked for. When root runs the tests, the server's files and
/// process belong to the user "postgres" (or "nobody"). It takes well below a second to start: the
/// files come from a template that the first test to need it leaves in the temporary folder. The
/// server also ends if the test program crashes: make it on a thread that lives as long as itself.
/// For one thread at a time.
class Cluster {
public:
    explicit Cluster(ClusterOptions options = {});
    explicit Cluster(int major);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    int major() const;
    /// The programs of its version; client programs as far as that has them.
    const ServerPrograms& programs() const;
    std::string tool(const std::string& name) const { return programs().tool(name).string(); }

    const std::filesystem::path& dataFolder() const;
    const std::filesystem::path& socketFolder() const;
    int port() const;
    /// "host=… port=… user=postgres dbname=…" over the Unix socket.
    std::string conninfo(const std::string& database = "postgres") const;
    std::string tcpConninfo(const std::string& database = "postgres") const;
    /// The same for the engine.
    options::ConnectionOptions connection(const std::string& database = "postgres") const;
    /// The same for programs: PGHOST, PGPORT, PGUSER, PGDATABASE.
    std::map<std::string, std::string> environment(const std::string& database = "postgres") const;

    /// Statements, on a connection of their own. Throws std::runtime_error with the server's words.
    void execute(const std::string& sql, const std::string& database = "postgres") const;
    Rows rows(const std::string& sql, const std::string& database = "postgres") const;
    /// The only field of the only row; empty for NULL. Throws if there are more or none.
    std::string value(const std::string& sql, const std::string& database = "postgres") const;
    /// `extra` as in "ENCODING 'LATIN1'"; made from template0.
    void createDatabase(const std::string& name, const std::string& extra = {}) const;

    void start();
    void stop(StopMode mode = StopMode::Fast);
    void restart(StopMode mode = StopMode::Fast);
    /// Adds lines to postgresql.conf; in a running server they hold for new sessions on return,
    /// unless they want a restart.
    void configure(const std::vector<std::string>& lines);
    /// The postmaster; 0 if it does not run.
    pid_t pid() const;
    std::string log() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gantry::test
