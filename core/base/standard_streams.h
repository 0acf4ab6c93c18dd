// SPDX-License-Identifier: PostgreSQL
// What a program must see to before it opens its first file.
#pragma once

namespace gantry {

/// Puts something in the place of each standard stream that the caller of this program had closed
/// (`>&- 2>&-`): else the next file opened would get its number, and messages would be written into
/// an archive. Reading from or writing to such a stream goes on to fail with EBADF. To be called
/// first of all in main(). POSIX lets open() hand out the lowest free descriptor, which this relies
/// on.
void keepStandardStreams();

}  // namespace gantry
