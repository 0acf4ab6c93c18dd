// SPDX-License-Identifier: PostgreSQL
// The rows of one member in batches of whole rows, for one or several connections at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/archive/archive_reader.h"
#include "core/base/buffer.h"

namespace gantry::restore {

/// How a line ends, as COPY reads it: the first one decides for all of a statement.
enum class LineEnd : uint8_t { Newline, CarriageReturn, Both };

/// Of the first of these rows; a byte behind a backslash ends none.
LineEnd firstLineEnd(std::string_view rows);

/// Thread-safe: each batch goes to one caller. Every byte is checked on its way: what the manifest
/// says of a frame, or else that the stream ends with its end-of-data line and nothing behind it.
class RowSource {
public:
    virtual ~RowSource() = default;

    /// Replaces `batch` by whole rows; false when all have been handed out. Throws Error{Format}
    /// naming member and offset for damage, to whoever meets it; nothing more comes then.
    virtual bool next(Buffer& batch) = 0;
    /// Decodes what nobody has taken, and throws the Error{Format} of any damage in it or met
    /// before: a server that refuses a row may have been handed rubbish. Returns early once `stop`
    /// is requested; the source is of no use afterwards.
    virtual void checkRest(const std::stop_token& stop) = 0;
    /// Of the member's first row, once next() has returned true.
    virtual LineEnd lineEnd() const = 0;
    /// Rows that all batches together must have; empty if nobody knows.
    virtual std::optional<uint64_t> expectedRows() const = 0;
};

/// The next step after any damage.
inline constexpr const char* kVerifyTells = "gantryctl verify lists all damage of an archive.";

/// Throws the Error{Format} of what is wrong with a member.
[[noreturn]] void throwDamaged(const archive::DataMember& member, std::string problem,
                               std::optional<uint64_t> offset = {});

/// `reader` must outlive the source. Frames that the manifest lists are decoded by whoever asks,
/// side by side; any other member is one stream, decoded by one caller at a time.
std::unique_ptr<RowSource> openRows(const archive::ArchiveReader& reader,
                                    const archive::DataMember& member);

/// By the manifest, or else one by one. Throws Error{Format} for damage.
uint64_t countRows(const archive::ArchiveReader& reader, const archive::DataMember& member);

}  // namespace gantry::restore
