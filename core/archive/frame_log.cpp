// SPDX-License-Identifier: PostgreSQL
#include "core/archive/frame_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr ArchiveVersion kModernCodecs{1, 15, 0};
constexpr ArchiveVersion kManyObjectLists{1, 16, 0};

}  // namespace

EndOfData makeEndOfData(const io::Compression& compression, io::FrameStyle style) {
    EndOfData end;
    const auto raw = bytesOf(EndOfData::kText);
    end.frame.checksum = io::checksumOf(raw);
    io::makeFrameEncoder(compression, style)->encode(raw, end.frame.checksum, end.bytes);
    end.frame.compressedSize = end.bytes.size();
    end.frame.rawSize = raw.size();
    end.adler = io::adler32Of(raw);
    return end;
}

void FrameLog::add(const Item& item) {
    const MutexLock lock(mutex_);
    items_.push_back(item);
    rows_ += item.frame.rows;
    rawSize_ += item.frame.rawSize;
    compressedSize_ += item.frame.compressedSize;
}

uint64_t FrameLog::rows() const {
    const MutexLock lock(mutex_);
    return rows_;
}

void FrameLog::expectRows(uint64_t rows, const std::string& object) const {
    const uint64_t held = this->rows();
    if (held == rows) return;
    throw Error(
        ErrorKind::Internal,
        fmt::format("the server copied {} rows, the archive got {}", rows, held), object,
        "Nothing of this archive is kept. Run it again, and report it if it happens twice.");
}

uint32_t FrameLog::adlerInOrder() {
    const MutexLock lock(mutex_);
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.piece < b.piece; });
    uint32_t adler = 1;
    for (const Item& item : items_) {
        adler = io::adler32Combine(adler, item.adler, item.frame.rawSize);
    }
    return adler;
}

uint64_t FrameLog::rawSize() const {
    const MutexLock lock(mutex_);
    return rawSize_;
}

uint64_t FrameLog::compressedSize() const {
    const MutexLock lock(mutex_);
    return compressedSize_;
}

std::size_t FrameLog::count() const {
    const MutexLock lock(mutex_);
    return items_.size();
}

std::vector<FrameLog::Item> FrameLog::take() {
    const MutexLock lock(mutex_);
    return std::move(items_);
}

bool isLargeObjects(const TocEntry& entry) { return entry.description() == "BLOBS"; }

bool hasData(const TocEntry& entry) {
    return entry.hadDumper && (entry.description() == "TABLE DATA" || isLargeObjects(entry));
}

void prepareToc(Toc& toc, Format format, const io::Compression& compression) {
    toc.format = format;
    toc.compression = compression;
    toc.intSize = 4;
    toc.offsetSize = 8;
    const bool modern =
        compression.algorithm == io::Algorithm::Lz4 || compression.algorithm == io::Algorithm::Zstd;
    if (modern && format != Format::Plain && toc.version < kModernCodecs) {
        toc.version = kModernCodecs;
    }
    for (TocEntry& entry : toc.entries) {
        if (entry.hadDumper && !hasData(entry)) {
            throw Error(ErrorKind::Internal,
                        fmt::format("its data is of an unknown kind, {}", entry.description()),
                        entry.qualifiedName());
        }
        entry.offsetState = entry.hadDumper ? TocEntry::Offset::NotSet : TocEntry::Offset::NoData;
        entry.offset = 0;
        entry.fileName.reset();
        if (!entry.hadDumper || format == Format::Custom || format == Format::Plain) continue;
        // Readers look for the name with each codec's suffix. Tar readers know the name of a list
        // of large objects without being told.
        const bool list = isLargeObjects(entry) && format == Format::Directory;
        entry.fileName = list ? largeObjectListName(toc, entry.dumpId)
                              : tableFileName(entry.dumpId, io::Algorithm::None);
    }
}

std::string largeObjectListName(const Toc& toc, DumpId entry) {
    if (toc.version < kManyObjectLists) return "blobs.toc";
    return fmt::format("blobs_{}.toc", entry.value);
}

std::string largeObjectFileName(Oid object, io::Algorithm algorithm) {
    return fmt::format("blob_{}.dat{}", object.value, io::fileSuffix(algorithm));
}

std::string tableFileName(DumpId entry, io::Algorithm algorithm) {
    return fmt::format("{}.dat{}", entry.value, io::fileSuffix(algorithm));
}

void expectData(const TocEntry& entry, bool finished) {
    if (finished) return;
    throw Error(
        ErrorKind::Internal, "its data did not reach the archive", entry.qualifiedName(),
        "Nothing of this archive is kept. Run it again, and report it if it happens twice.");
}

void completeManifest(Manifest& manifest, const ArchiveWriter::Options& options, const Toc& toc) {
    manifest.format = options.format;
    manifest.compression = options.compression;
    const auto fill = [](std::string& field, const std::optional<std::string>& value) {
        if (field.empty() && value) field = *value;
    };
    fill(manifest.databaseName, toc.databaseName);
    fill(manifest.serverVersion, toc.serverVersion);
    fill(manifest.pgDumpVersion, toc.dumpVersion);
}

}  // namespace gantry::archive
