// SPDX-License-Identifier: PostgreSQL
// Plain SQL scripts as files: telling one by its first bytes, reading one whatever its codec.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/file.h"
#include "core/io/byte_source.h"
#include "core/io/compression.h"

namespace gantry::archive {

/// The codec whose frames begin like this; None for all else.
io::Algorithm algorithmOfStart(std::string_view start);

/// True for a script of pg_dump or of ours, compressed or not.
bool isDumpScript(const File& file);

/// True for what may be a script of whatever origin: decodes to text, and is no archive.
bool isText(const File& file);

/// The decoded text. Damage and early ends throw Error{Format}.
class ScriptSource : public io::ByteSource {
public:
    /// Bytes of the file that have been read.
    virtual uint64_t position() const = 0;
};
std::unique_ptr<ScriptSource> openScript(std::shared_ptr<const File> file);

}  // namespace gantry::archive
