// SPDX-License-Identifier: PostgreSQL
#include "core/pg/one_server.h"

#include <memory>
#include <utility>

namespace gantry::pg {

HostList OneServer::reached() const {
    const MutexLock lock(mutex_);
    return server_.value_or(HostList());
}

void OneServer::reach(HostList server) {
    const MutexLock lock(mutex_);
    if (!server_) server_ = std::move(server);
}

options::ConnectionOptions onOneServer(options::ConnectionOptions connection) {
    if (!connection.server) connection.server = std::make_shared<OneServer>();
    return connection;
}

}  // namespace gantry::pg
