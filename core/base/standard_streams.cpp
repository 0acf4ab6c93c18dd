// SPDX-License-Identifier: PostgreSQL
#include "core/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace gantry {

void keepStandardStreams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) >= 0) continue;
        // The wrong way round, so that neither an empty input nor lost output passes for success.
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

}  // namespace gantry
