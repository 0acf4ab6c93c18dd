// SPDX-License-Identifier: PostgreSQL
// Something that stands between client and server, as poolers and balancers do.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace gantry::test {

/// Takes connections at a Unix socket of its own and hands their bytes on to a server's. The
/// protocol is looked at once: where the server says which process answers.
class Relay {
public:
    /// Where a connection breaks.
    enum class Loss {
        None,
        Request,  ///< before the server sees this; it goes on waiting for it
        Answer,   ///< once the server has answered, which the client does not see
    };
    struct Settings {
        /// The server's socket for the connection with this number, from 0.
        std::function<std::filesystem::path(int)> server;
        /// Gives clients a process number of its own, as poolers do that change servers beneath.
        bool hidesProcess = false;
        /// What becomes of what a client has just sent. Called on a connection's own thread.
        std::function<Loss(std::string_view)> loses = {};
    };
    explicit Relay(Settings settings);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Host to connect to; the port is 5432.
    std::string host() const { return folder_.path().string(); }

    /// Cuts the connections that there are, but for the first one, as a network would: the server
    /// is not told by the client, nor the client by the server.
    void cut() { cutBelow_ = count_.load(); }

private:
    void listen();
    void serve(int client, int number) const;

    const TemporaryFolder folder_;
    const Settings settings_;
    int listener_ = -1;
    std::atomic<bool> ending_ = false;
    std::atomic<int> count_ = 0;
    std::atomic<int> cutBelow_ = 0;
    std::thread thread_;
};

/// Where a server at this folder and port listens.
std::filesystem::path socketPath(const std::filesystem::path& folder, int port);

}  // namespace gantry::test
