// SPDX-License-Identifier: PostgreSQL
// A connection string may name several servers, or a name that several have. The sessions of one
// run have to be of one of them: half a restore here and half there would be none.
#pragma once

#include <optional>
#include <utility>

#include "core/base/sync.h"
#include "core/options/connection_options.h"
#include "core/pg/host_list.h"

namespace gantry::pg {

/// The server that the first session reached, which all others then go to. Thread-safe.
class OneServer {
public:
    /// Empty before.
    HostList reached() const;
    /// Later calls change nothing.
    void reach(HostList server);

private:
    mutable Mutex mutex_;
    std::optional<HostList> server_ GUARDED_BY(mutex_);
};

/// The same, but all copies lead to one server from now on; to that of an enclosing run, if they do
/// already.
options::ConnectionOptions onOneServer(options::ConnectionOptions connection);

/// The same for a run's options.
template <class Options>
Options onOneServer(Options options) {
    options.connection = onOneServer(std::move(options.connection));
    return options;
}

}  // namespace gantry::pg
