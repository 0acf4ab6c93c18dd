// SPDX-License-Identifier: PostgreSQL
#include "core/restore/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/archive/file_source.h"
#include "core/base/error.h"
#include "core/base/sync.h"
#include "core/io/checksum.h"
#include "core/io/codec.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kEndOfData = "\\.\n";
constexpr std::string_view kEndOfDataInside = "\n\\.\n";
constexpr std::size_t kBatchSize = std::size_t{1} << 20;
/// The custom format cuts larger frames into blocks: their bytes do not lie together.
constexpr uint64_t kLargestFrame = uint64_t{512} << 20;

const archive::Member* inManifest(const archive::ArchiveReader& reader,
                                  const archive::DataMember& member) {
    if (!reader.manifest()) return nullptr;
    for (const archive::Member& listed : reader.manifest()->members) {
        if (listed.dumpId == member.entry && listed.largeObject == member.largeObject) {
            return &listed;
        }
    }
    return nullptr;
}

/// Frames of the manifest: each caller takes the next and decodes it.
class FrameRows : public RowSource {
public:
    FrameRows(const archive::ArchiveReader& reader, const archive::DataMember& member,
              const archive::Member& listed)
        : member_(member),
          listed_(listed),
          checksums_(reader.manifest()->checksums),
          file_(std::make_shared<const File>(File::openForRead(
              reader.format() == archive::Format::Directory ? reader.path() / member.fileName
                                                            : reader.path()))),
          end_(listed.frames.back().offset + listed.frames.back().compressedSize),
          isFile_(reader.format() == archive::Format::Directory) {}

    bool next(Buffer& batch) override {
        if (isFile_ && file_->size() != end_) {
            throwDamaged(
                member_,
                fmt::format("it has {} bytes, and was written with {}", file_->size(), end_),
                std::min(file_->size(), end_));
        }
        for (;;) {
            const std::size_t index = next_++;
            if (index >= listed_.frames.size()) return false;
            const archive::Frame& frame = listed_.frames[index];
            decode(frame, index, batch);
            if (frame.rows == 0 && frame.rawSize <= kEndOfData.size() + 2) continue;
            return true;
        }
    }
    void checkRest(const std::stop_token&) override {}  // each frame was, before it was handed out
    LineEnd lineEnd() const override { return LineEnd::Newline; }  // we wrote them
    std::optional<uint64_t> expectedRows() const override { return listed_.rows; }

private:
    void decode(const archive::Frame& frame, std::size_t index, Buffer& batch) {
        try {
            archive::FileSource compressed(file_, frame.offset, frame.compressedSize);
            const auto decoder = io::makeDecoder(member_.algorithm, compressed, member_.style);
            batch.resize(static_cast<std::size_t>(frame.rawSize));
            std::size_t filled = 0;
            while (const std::size_t got = decoder->read(batch.span().subspan(filled))) {
                filled += got;
            }
            if (filled == frame.rawSize &&
                io::checksumOf(batch.span(), checksums_) == frame.checksum) {
                return;
            }
        } catch (const Error& error) {
            throwDamaged(member_, error.info().message, frame.offset);
        }
        throwDamaged(member_, fmt::format("frame {} differs from what was dumped", index + 1),
                     frame.offset);
    }

    archive::DataMember member_;
    const archive::Member& listed_;
    const io::ChecksumKind checksums_;
    std::shared_ptr<const File> file_;
    const uint64_t end_;  ///< of the last frame
    const bool isFile_;   ///< the member is all of it
    std::atomic<std::size_t> next_ = 0;
};

/// One stream: whoever comes decodes the next batch; the sending goes on side by side.
class StreamRows : public RowSource {
public:
    StreamRows(const archive::ArchiveReader& reader, const archive::DataMember& member,
               std::optional<uint64_t> rows)
        : member_(member), rows_(rows), source_(reader.openData(member)) {}

    bool next(Buffer& batch) override {
        const MutexLock lock(mutex_);
        if (ended_) return false;
        try {
            if (!readRows(batch)) return false;
            if (!std::exchange(begun_, true)) lineEnd_ = firstLineEnd(textOf(batch.span()));
            return true;
        } catch (const Error& error) {
            ended_ = true;
            damage_ = error.info();
            throw;
        }
    }
    void checkRest(const std::stop_token& stop) override {
        Buffer batch;
        while (!stop.stop_requested() && next(batch)) {
        }
        const MutexLock lock(mutex_);
        if (damage_) throw Error(*damage_);
    }
    LineEnd lineEnd() const override { return lineEnd_; }
    std::optional<uint64_t> expectedRows() const override { return rows_; }

private:
    bool readRows(Buffer& batch) REQUIRES(mutex_) {
        batch.clear();
        batch.append(rest_.span());
        rest_.clear();
        while (!ended_) {
            // Of a row larger than a batch all that came before has been looked through.
            const std::size_t seen = batch.size();
            fill(batch);
            if (endsHere(batch, seen)) return !batch.empty();
            const std::size_t last = textOf(batch.span()).substr(seen).rfind('\n');
            if (last == std::string_view::npos) continue;
            const std::size_t rows = seen + last;
            rest_.append(batch.span().subspan(rows + 1));
            batch.resize(rows + 1);
            return true;
        }
        return false;
    }

    /// Reads up to the size of a batch more.
    void fill(Buffer& batch) REQUIRES(mutex_) {
        const std::size_t wanted = batch.size() + kBatchSize;
        std::size_t filled = batch.size();
        batch.resize(wanted);
        while (filled < wanted) {
            const std::size_t got = source_->read(batch.span().subspan(filled));
            if (got == 0) {
                ended_ = true;
                break;
            }
            filled += got;
        }
        batch.resize(filled);
    }

    /// Cuts the end-of-data line off, which may begin in what was `seen` before. An end without it,
    /// or with rows behind it, is no end.
    bool endsHere(Buffer& batch, std::size_t seen) REQUIRES(mutex_) {
        const std::string_view text = textOf(batch.span());
        const std::size_t from = seen - std::min(seen, kEndOfDataInside.size());
        std::size_t at = text.starts_with(kEndOfData) ? 0 : text.find(kEndOfDataInside, from);
        if (at == std::string_view::npos) {
            if (ended_) {
                throwDamaged(member_,
                             "its rows do not end with the end-of-data line: the end is missing");
            }
            return false;
        }
        if (at > 0 || !text.starts_with(kEndOfData)) ++at;  // the line end of the last row stays
        const bool more =
            text.find_first_not_of('\n', at + kEndOfData.size()) != std::string_view::npos;
        batch.resize(at);
        std::byte rest{};
        while (!ended_) {
            if (source_->read(std::span(&rest, 1)) == 0) {
                ended_ = true;
            } else if (rest != std::byte{'\n'}) {
                throwDamaged(member_, "an end-of-data line stands in the middle of its rows");
            }
        }
        if (more) throwDamaged(member_, "an end-of-data line stands in the middle of its rows");
        return true;
    }

    archive::DataMember member_;
    std::optional<uint64_t> rows_;
    Mutex mutex_;
    std::unique_ptr<io::ByteSource> source_ GUARDED_BY(mutex_);
    Buffer rest_ GUARDED_BY(mutex_);  ///< the beginning of a row
    bool begun_ GUARDED_BY(mutex_) = false;
    bool ended_ GUARDED_BY(mutex_) = false;
    std::atomic<LineEnd> lineEnd_ = LineEnd::Newline;
    std::optional<ErrorInfo> damage_ GUARDED_BY(mutex_);
};

}  // namespace

LineEnd firstLineEnd(std::string_view rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == '\\') {
            ++i;
        } else if (rows[i] == '\n') {
            return LineEnd::Newline;
        } else if (rows[i] == '\r') {
            return rows.substr(i + 1).starts_with('\n') ? LineEnd::Both : LineEnd::CarriageReturn;
        }
    }
    return LineEnd::Newline;
}

void throwDamaged(const archive::DataMember& member, std::string problem,
                  std::optional<uint64_t> offset) {
    ErrorInfo info;
    info.kind = ErrorKind::Format;
    info.message = std::move(problem);
    info.object = member.name;
    info.hint = kVerifyTells;
    info.byteOffset = offset;
    throw Error(std::move(info));
}

std::unique_ptr<RowSource> openRows(const archive::ArchiveReader& reader,
                                    const archive::DataMember& member) {
    const archive::Member* const listed = inManifest(reader, member);
    if (listed != nullptr && member.style == io::FrameStyle::Independent &&
        !listed->frames.empty() &&
        std::all_of(listed->frames.begin(), listed->frames.end(),
                    [](const archive::Frame& f) { return f.compressedSize < kLargestFrame; })) {
        return std::make_unique<FrameRows>(reader, member, *listed);
    }
    std::optional<uint64_t> rows;
    if (listed != nullptr) rows = listed->rows;
    return std::make_unique<StreamRows>(reader, member, rows);
}

uint64_t countRows(const archive::ArchiveReader& reader, const archive::DataMember& member) {
    const auto source = openRows(reader, member);
    if (const auto expected = source->expectedRows()) return *expected;
    uint64_t rows = 0;
    Buffer batch;
    while (source->next(batch)) {
        const std::string_view text = textOf(batch.span());
        rows += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return rows;
}

}  // namespace gantry::restore
