// SPDX-License-Identifier: PostgreSQL
// Byte layout of header and entries, as pg_dump's archiver reads and writes them
// (pg_backup_archiver.c):
//
//   header   "PGDMP" | major | minor | revision | intSize | offSize (from 1.7) | format byte
//            compression: one byte from 1.15, an int (gzip level) before
//            seven ints: sec min hour mday mon year-1900 isdst
//            three strings: database, server version, dump version
//   then     int count, and per entry the fields in the order of readEntry() below
//
//   int      sign byte (0 or 1) + intSize bytes of magnitude, little-endian
//   string   int length (-1: NULL) + bytes
//   offset   flag byte (1 not set, 2 set, 3 no data) + offSize bytes, little-endian
#include "core/archive/toc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kMagic = "PGDMP";
constexpr uint8_t kFormatCustom = 1;
constexpr uint8_t kFormatTar = 3;
constexpr ArchiveVersion kOldest{1, 10, 0};
constexpr ArchiveVersion kNewest{1, 16, 0};
constexpr ArchiveVersion kHasSection{1, 11, 0};
constexpr ArchiveVersion kHasTableAm{1, 14, 0};
constexpr ArchiveVersion kHasCompressionByte{1, 15, 0};
constexpr ArchiveVersion kHasRelkind{1, 16, 0};
// PostgreSQL runs only where an int has four bytes; offsets were as short on old systems.
constexpr std::size_t kHandedOnAtOnce = std::size_t{64} << 10;
constexpr int kSmallestSize = 4;
constexpr int kLargestSize = 8;
constexpr int kNativeIntSize = 4;
constexpr int kNativeOffsetSize = 8;
constexpr std::size_t kStringStep = std::size_t{64} << 10;

class Reader {
public:
    explicit Reader(io::ByteSource& source) : source_(source) {}

    int intSize = kNativeIntSize;
    int offsetSize = kNativeOffsetSize;

    [[noreturn]] void fail(std::string message) const {
        ErrorInfo info;
        info.kind = ErrorKind::Format;
        info.message = std::move(message);
        info.byteOffset = position_;
        throw Error(std::move(info));
    }

    void bytes(std::span<std::byte> into) {
        while (!into.empty()) {
            if (next_ == filled_) refill();
            const std::size_t count = std::min(into.size(), filled_ - next_);
            std::memcpy(into.data(), buffer_.data() + next_, count);
            next_ += count;
            position_ += count;
            into = into.subspan(count);
        }
    }

    uint8_t byte() {
        if (next_ == filled_) refill();
        ++position_;
        return std::to_integer<uint8_t>(buffer_[next_++]);
    }

    uint64_t position() const { return position_; }

    int number() {
        const uint8_t sign = byte();
        uint64_t magnitude = 0;
        for (int i = 0; i < intSize; ++i) {
            magnitude |= uint64_t{byte()} << (8 * i);
        }
        if (sign > 1) fail("a number has an impossible sign");
        if (magnitude > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
            fail("a number is out of range");
        }
        const int value = static_cast<int>(magnitude);
        return sign == 0 ? value : -value;
    }

    std::optional<std::string> string() {
        const int length = number();
        if (length < -1) fail("a string has a negative length");
        if (length == -1) return std::nullopt;
        // Grown as bytes arrive: what the length claims may not be there.
        std::string text;
        auto left = static_cast<std::size_t>(length);
        while (left > 0) {
            const std::size_t step = std::min(left, std::max(text.size(), kStringStep));
            const std::size_t old = text.size();
            text.resize(old + step);
            bytes(std::as_writable_bytes(std::span(text)).subspan(old));
            // Nor need it have been written: a file with a hole is as long as anybody likes.
            if (text.find('\0', old) != std::string::npos) fail("a string holds a zero byte");
            left -= step;
        }
        return text;
    }

    Oid oid() {
        const std::optional<std::string> text = string();
        uint32_t value = 0;
        if (text && !text->empty()) {
            const auto [end, error] =
                std::from_chars(text->data(), text->data() + text->size(), value);
            if (error != std::errc() || end != text->data() + text->size()) {
                fail("an object identifier is not a number");
            }
        }
        return Oid{value};
    }

    std::pair<TocEntry::Offset, uint64_t> offset() {
        const uint8_t flag = byte();
        if (flag < 1 || flag > 3) fail("a data offset has an unknown flag");
        uint64_t value = 0;
        for (int i = 0; i < offsetSize; ++i) {
            value |= uint64_t{byte()} << (8 * i);
        }
        return {static_cast<TocEntry::Offset>(flag), value};
    }

private:
    void refill() {
        next_ = 0;
        filled_ = source_.read(buffer_);
        if (filled_ == 0) fail("the table of contents ends in the middle");
    }

    io::ByteSource& source_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(kStringStep);
    std::size_t next_ = 0;
    std::size_t filled_ = 0;
    uint64_t position_ = 0;
};

io::Compression compressionOf(Reader& reader, ArchiveVersion version) {
    io::Compression compression;
    if (version >= kHasCompressionByte) {
        const uint8_t algorithm = reader.byte();
        if (algorithm > static_cast<uint8_t>(io::Algorithm::Zstd)) {
            reader.fail(fmt::format("unknown compression {}", algorithm));
        }
        compression.algorithm = static_cast<io::Algorithm>(algorithm);
        return compression;
    }
    const int level = reader.number();
    if (level != 0) {
        compression.algorithm = io::Algorithm::Gzip;
        if (level > 0) compression.level = level;
    }
    return compression;
}

void readHeader(Reader& reader, Toc& toc) {
    std::array<std::byte, kMagic.size()> magic;
    reader.bytes(magic);
    if (textOf(magic) != kMagic) reader.fail("not an archive of pg_dump: it lacks the mark PGDMP");
    toc.version = {reader.byte(), reader.byte(), reader.byte()};
    if (toc.version < kOldest || toc.version.major != kNewest.major ||
        toc.version.minor > kNewest.minor) {
        reader.fail(fmt::format("archive version {}.{} is not known; {}.{} to {}.{} are",
                                toc.version.major, toc.version.minor, kOldest.major, kOldest.minor,
                                kNewest.major, kNewest.minor));
    }
    toc.intSize = reader.byte();
    toc.offsetSize = reader.byte();
    const auto isPossible = [](int size) { return size >= kSmallestSize && size <= kLargestSize; };
    if (!isPossible(toc.intSize) || !isPossible(toc.offsetSize)) {
        reader.fail("the sizes of its numbers are impossible");
    }
    reader.intSize = toc.intSize;
    reader.offsetSize = toc.offsetSize;
    const uint8_t format = reader.byte();
    if (format != kFormatCustom && format != kFormatTar) {
        reader.fail(fmt::format("unknown archive format {}", format));
    }
    toc.format = format == kFormatCustom ? Format::Custom : Format::Tar;
    toc.compression = compressionOf(reader, toc.version);
    CreationTime& created = toc.created;
    for (int* field : {&created.second, &created.minute, &created.hour, &created.day,
                       &created.month, &created.yearSince1900, &created.isDst}) {
        *field = reader.number();
    }
    toc.databaseName = reader.string();
    toc.serverVersion = reader.string();
    toc.dumpVersion = reader.string();
}

TocEntry readEntry(Reader& reader, const Toc& toc) {
    TocEntry entry;
    entry.dumpId = DumpId{reader.number()};
    if (entry.dumpId.value <= 0) reader.fail("an entry has an impossible number");
    entry.hadDumper = reader.number() != 0;
    entry.catalogTableOid = reader.oid();
    entry.catalogOid = reader.oid();
    entry.tag = reader.string();
    entry.desc = reader.string();
    if (toc.version >= kHasSection) {
        const int section = reader.number();
        if (section < 1 || section > 4) reader.fail("an entry has an unknown section");
        entry.section = static_cast<Section>(section);
    } else {
        entry.section = sectionOf(entry.description());
    }
    entry.defn = reader.string();
    entry.dropStmt = reader.string();
    entry.copyStmt = reader.string();
    entry.namespaceName = reader.string();
    entry.tablespace = reader.string();
    if (toc.version >= kHasTableAm) entry.tableAccessMethod = reader.string();
    if (toc.version >= kHasRelkind) entry.relkind = reader.number();
    entry.owner = reader.string();
    const std::optional<std::string> withOids = reader.string();
    entry.withOids = withOids == "true";
    while (const std::optional<std::string> dependency = reader.string()) {
        int32_t id = 0;
        const auto [end, error] =
            std::from_chars(dependency->data(), dependency->data() + dependency->size(), id);
        if (error != std::errc() || end != dependency->data() + dependency->size()) {
            reader.fail("a dependency is not a number");
        }
        entry.dependencies.push_back(DumpId{id});
    }
    if (toc.format == Format::Custom) {
        std::tie(entry.offsetState, entry.offset) = reader.offset();
    } else {
        entry.fileName = reader.string();
    }
    return entry;
}

/// For one more of `expected`, which may be a lie: a little at a time, since entries are large and
/// stay.
void makeRoom(std::vector<TocEntry>& entries, std::size_t expected) {
    constexpr std::size_t kAtOnce = 1024;
    const std::size_t size = entries.size();
    if (size < entries.capacity()) return;
    entries.reserve(std::min(expected, size + size / 4 + kAtOnce));
}

class Writer {
public:
    Writer(int intSize, int offsetSize, const PutText& put)
        : intSize_(intSize), offsetSize_(offsetSize), put_(put) {}

    void byte(uint8_t value) { text_ += static_cast<char>(value); }
    void raw(std::string_view bytes) { text_ += bytes; }
    void number(int value) {
        byte(value < 0 ? uint8_t{1} : uint8_t{0});
        magnitude(static_cast<uint64_t>(value < 0 ? -static_cast<int64_t>(value) : value),
                  intSize_);
    }
    void string(const std::optional<std::string>& value) {
        if (!value) {
            number(-1);
            return;
        }
        number(static_cast<int>(value->size()));
        raw(*value);
    }
    void offset(TocEntry::Offset state, uint64_t value) {
        byte(static_cast<uint8_t>(state));
        magnitude(value, offsetSize_);
    }
    /// Once some text has come together.
    void handOn() {
        if (text_.size() >= kHandedOnAtOnce) flush();
    }
    void flush() {
        put_(text_);
        text_.clear();
    }

private:
    void magnitude(uint64_t value, int size) {
        for (int i = 0; i < size; ++i) {
            byte(static_cast<uint8_t>(value & 0xff));
            value >>= 8;
        }
    }

    int intSize_;
    int offsetSize_;
    const PutText& put_;
    std::string text_;
};

void writeEntry(Writer& writer, const TocEntry& entry, const Toc& toc) {
    writer.number(entry.dumpId.value);
    writer.number(entry.hadDumper ? 1 : 0);
    writer.string(std::to_string(entry.catalogTableOid.value));
    writer.string(std::to_string(entry.catalogOid.value));
    writer.string(entry.tag);
    writer.string(entry.desc);
    if (toc.version >= kHasSection) writer.number(static_cast<int>(entry.section));
    writer.string(entry.defn);
    writer.string(entry.dropStmt);
    writer.string(entry.copyStmt);
    writer.string(entry.namespaceName);
    writer.string(entry.tablespace);
    if (toc.version >= kHasTableAm) writer.string(entry.tableAccessMethod);
    if (toc.version >= kHasRelkind) writer.number(entry.relkind);
    writer.string(entry.owner);
    writer.string(entry.withOids ? "true" : "false");
    for (const DumpId dependency : entry.dependencies) {
        writer.string(std::to_string(dependency.value));
    }
    writer.string(std::nullopt);
    if (toc.format == Format::Custom) {
        writer.offset(entry.offsetState, entry.offset);
    } else {
        writer.string(entry.fileName.value_or(""));
    }
    writer.handOn();
}

}  // namespace

std::string_view toString(Format format) {
    switch (format) {
        case Format::Directory:
            return "directory";
        case Format::Custom:
            return "custom";
        case Format::Tar:
            return "tar";
        case Format::Plain:
            return "plain";
    }
    return "";
}

std::string TocEntry::qualifiedName() const {
    if (!namespaceName || namespaceName->empty()) return std::string(name());
    return *namespaceName + "." + std::string(name());
}

Section sectionOf(std::string_view desc) {
    static constexpr std::string_view kNone[] = {"COMMENT", "ACL", "ACL LANGUAGE"};
    static constexpr std::string_view kData[] = {"TABLE DATA", "BLOBS", "BLOB COMMENTS"};
    static constexpr std::string_view kPost[] = {
        "CONSTRAINT", "CHECK CONSTRAINT", "FK CONSTRAINT", "INDEX", "RULE", "TRIGGER"};
    const auto isOneOf = [&](std::span<const std::string_view> list) {
        return std::find(list.begin(), list.end(), desc) != list.end();
    };
    if (isOneOf(kNone)) return Section::None;
    if (isOneOf(kData)) return Section::Data;
    if (isOneOf(kPost)) return Section::PostData;
    return Section::PreData;
}

const TocEntry* Toc::find(DumpId id) const {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const TocEntry& entry) { return entry.dumpId == id; });
    return found == entries.end() ? nullptr : &*found;
}

Toc readToc(io::ByteSource& source) {
    Reader reader(source);
    Toc toc;
    readHeader(reader, toc);
    const int count = reader.number();
    if (count < 0) reader.fail("the number of entries is negative");
    std::unordered_set<DumpId> seen;
    for (int i = 0; i < count; ++i) {
        makeRoom(toc.entries, static_cast<std::size_t>(count));
        toc.entries.push_back(readEntry(reader, toc));
        const DumpId id = toc.entries.back().dumpId;
        if (!seen.insert(id).second) {
            reader.fail(fmt::format("two entries have the number {}", id.value));
        }
    }
    toc.dataStart = reader.position();
    return toc;
}

void writeToc(const Toc& toc, const PutText& put) {
    Writer writer(toc.intSize, toc.offsetSize, put);
    writer.raw(kMagic);
    writer.byte(toc.version.major);
    writer.byte(toc.version.minor);
    writer.byte(toc.version.revision);
    writer.byte(static_cast<uint8_t>(toc.intSize));
    writer.byte(static_cast<uint8_t>(toc.offsetSize));
    writer.byte(toc.format == Format::Custom ? kFormatCustom : kFormatTar);
    if (toc.version >= kHasCompressionByte) {
        writer.byte(static_cast<uint8_t>(toc.compression.algorithm));
    } else {
        const bool gzip = toc.compression.algorithm == io::Algorithm::Gzip;
        writer.number(gzip ? toc.compression.level.value_or(-1) : 0);
    }
    const CreationTime& created = toc.created;
    for (const int field : {created.second, created.minute, created.hour, created.day,
                            created.month, created.yearSince1900, created.isDst}) {
        writer.number(field);
    }
    writer.string(toc.databaseName);
    writer.string(toc.serverVersion);
    writer.string(toc.dumpVersion);
    writer.number(static_cast<int>(toc.entries.size()));
    for (const TocEntry& entry : toc.entries) writeEntry(writer, entry, toc);
    writer.flush();
}

std::string writeToc(const Toc& toc) {
    std::string text;
    writeToc(toc, [&text](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace gantry::archive
