// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/archive/small_archive.h"

#include <fmt/format.h>

#include <fstream>

#include "core/archive/tar_header.h"
#include "core/io/checksum.h"
#include "core/io/codec.h"

namespace gantry::test {
namespace {

using namespace archive;

constexpr std::string_view kEndOfRows = "\\.\n\n\n";

TocEntry entryOf(int32_t id, std::string desc, std::string tag, Section section) {
    TocEntry entry;
    entry.dumpId = DumpId{id};
    entry.desc = std::move(desc);
    entry.tag = std::move(tag);
    entry.section = section;
    entry.tablespace = "";
    entry.owner = "";
    return entry;
}

TocEntry setting(int32_t id, std::string desc, std::string defn) {
    TocEntry entry = entryOf(id, desc, desc, Section::PreData);
    entry.defn = std::move(defn);
    return entry;
}

TocEntry table(int32_t id, uint32_t oid, std::string name) {
    TocEntry entry = entryOf(id, "TABLE", name, Section::PreData);
    entry.catalogTableOid = Oid{1259};
    entry.catalogOid = Oid{oid};
    entry.namespaceName = "public";
    entry.owner = "alice";
    entry.defn = fmt::format("CREATE TABLE public.\"{}\" (id integer, v text);\n", name);
    entry.dropStmt = fmt::format("DROP TABLE public.\"{}\";\n", name);
    entry.tableAccessMethod = "heap";
    entry.relkind = 'r';
    return entry;
}

TocEntry dataOf(DumpId id, const TocEntry& table) {
    TocEntry entry = entryOf(id.value, "TABLE DATA", *table.tag, Section::Data);
    entry.hadDumper = true;
    entry.catalogOid = table.catalogOid;
    entry.namespaceName = table.namespaceName;
    entry.owner = table.owner;
    entry.copyStmt = fmt::format("COPY public.\"{}\" (id, v) FROM stdin;\n", *table.tag);
    entry.dependencies = {table.dumpId};
    return entry;
}

std::string rows(int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i) text += fmt::format("{}\tvalue {}\n", i, i % 17);
    return text;
}

/// The raw frames of each member, and rows in each.
struct Piece {
    std::string raw;
    uint64_t rows = 0;
};
std::vector<Piece> piecesOf(DumpId entry, uint32_t object) {
    if (entry == kRowsEntry) {
        return {{rows(1, 20), 20}, {rows(21, 30), 10}, {std::string(kEndOfRows), 0}};
    }
    if (entry == kNoRowsEntry) return {{std::string(kEndOfRows), 0}};
    return {{object == 5001 ? "an object of some bytes\n" : "", 0}};
}

/// Frames as they follow each other, and their sizes.
struct Coded {
    std::vector<std::string> frames;
    std::string head;  ///< of a zlib stream
    std::string tail;
};
Coded encode(const std::vector<Piece>& pieces, const std::string& compression, Format format) {
    const io::Compression choice = io::parseCompression(compression);
    const bool zlib = format == Format::Custom && choice.algorithm == io::Algorithm::Gzip;
    const auto encoder = io::makeFrameEncoder(
        choice, zlib ? io::FrameStyle::ZlibPieces : io::FrameStyle::Independent);
    Coded coded;
    uint32_t adler = 1;
    for (const Piece& piece : pieces) {
        Buffer frame;
        encoder->encode(bytesOf(piece.raw), frame);
        coded.frames.emplace_back(textOf(frame.span()));
        adler = io::adler32Combine(adler, io::adler32Of(bytesOf(piece.raw)), piece.raw.size());
    }
    if (zlib) {
        coded.head = "\x78\x9c";
        coded.tail = std::string("\x03\x00", 2);
        for (int shift = 24; shift >= 0; shift -= 8) {
            coded.tail += static_cast<char>((adler >> shift) & 0xFF);
        }
    }
    return coded;
}

std::string join(const Coded& coded) {
    std::string all = coded.head;
    for (const std::string& frame : coded.frames) all += frame;
    return all + coded.tail;
}

/// A block for each frame.
std::string chain(const Coded& coded) {
    std::string all;
    const auto block = [&](const std::string& bytes) {
        if (!bytes.empty()) all += archiveInt(static_cast<int64_t>(bytes.size())) + bytes;
    };
    block(coded.head);
    for (const std::string& frame : coded.frames) block(frame);
    block(coded.tail);
    return all + archiveInt(0);
}

const std::vector<std::pair<DumpId, uint32_t>>& memberKeys() {
    static const std::vector<std::pair<DumpId, uint32_t>> keys = {
        {kRowsEntry, 0}, {kNoRowsEntry, 0}, {kObjectsEntry, 5001}, {kObjectsEntry, 5002}};
    return keys;
}

std::string fileNameOf(DumpId entry, uint32_t object) {
    return object != 0 ? fmt::format("blob_{}.dat", object) : fmt::format("{}.dat", entry.value);
}

class Builder {
public:
    explicit Builder(const SmallOptions& options)
        : options_(options), toc_(smallToc(options.format, options.minorVersion)) {
        toc_.compression = io::parseCompression(options.compression);
        suffix_ = io::fileSuffix(toc_.compression.algorithm);
        for (const auto& [entry, object] : memberKeys()) {
            coded_[{entry, object}] =
                encode(piecesOf(entry, object), options.compression, options.format);
        }
    }

    std::map<std::string, std::string> build() {
        std::map<std::string, std::string> files;
        switch (options_.format) {
            case Format::Custom:
                files[""] = custom();
                break;
            case Format::Tar:
                files[""] = tar();
                break;
            default:
                files = directory();
        }
        if (options_.manifest) files["manifest"] = manifest(files);
        return files;
    }

private:
    std::string custom() {
        const std::string withoutOffsets = writeToc(toc_);
        std::string data;
        for (TocEntry& entry : toc_.entries) {
            if (!entry.hadDumper) continue;
            if (options_.offsets) {
                entry.offsetState = TocEntry::Offset::Set;
                entry.offset = withoutOffsets.size() + data.size();
            }
            const bool objects = entry.dumpId == kObjectsEntry;
            data += static_cast<char>(objects ? 3 : 1);
            data += archiveInt(entry.dumpId.value);
            if (!objects) {
                data += chain(coded_[{entry.dumpId, 0}]);
                continue;
            }
            for (const uint32_t object : {5001U, 5002U}) {
                data += archiveInt(object) + chain(coded_[{entry.dumpId, object}]);
            }
            data += archiveInt(0);
        }
        contents_ = writeToc(toc_);
        return contents_ + data;
    }

    std::map<std::string, std::string> directory() {
        std::map<std::string, std::string> files;
        files["toc.dat"] = contents_ = writeToc(toc_);
        files[listName()] = objectList(suffix_);
        for (const auto& [entry, object] : memberKeys()) {
            files[fileNameOf(entry, object) + suffix_] = join(coded_[{entry, object}]);
        }
        return files;
    }

    std::string tar() {
        contents_ = writeToc(toc_);
        std::string all = tarMember("toc.dat", contents_);
        for (const auto& [entry, object] : memberKeys()) {
            begins_[{entry, object}] = all.size() + kTarBlock;
            all += tarMember(fileNameOf(entry, object), join(coded_[{entry, object}]));
        }
        all += tarMember(listName(), objectList({}));
        return all + std::string(2 * kTarBlock, '\0');
    }

    std::string listName() const {
        return options_.minorVersion >= 16 ? fmt::format("blobs_{}.toc", kObjectsEntry.value)
                                           : "blobs.toc";
    }

    static std::string objectList(std::string_view suffix) {
        return fmt::format("5001 blob_5001.dat{0}\n5002 blob_5002.dat{0}\n", suffix);
    }

    std::string manifest(const std::map<std::string, std::string>& files) {
        Manifest manifest;
        manifest.gantryVersion = "0.1.0";
        manifest.format = options_.format;
        manifest.compression = toc_.compression;
        manifest.snapshot = "10:10:";
        if (options_.oldManifest) manifest.checksums = io::ChecksumKind::Xxh3;
        manifest.tocChecksum = io::checksumOf(bytesOf(contents_), manifest.checksums);
        if (options_.format != Format::Directory) manifest.archiveSize = files.at("").size();
        for (const auto& key : memberKeys()) {
            Member member;
            member.dumpId = key.first;
            if (key.second != 0) member.largeObject = Oid{key.second};
            if (options_.format != Format::Custom) {
                member.fileName = fileNameOf(key.first, key.second) + suffix_;
            }
            const Coded& coded = coded_[key];
            uint64_t offset = begins_[key] + coded.head.size();
            const std::vector<Piece> pieces = piecesOf(key.first, key.second);
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                const auto size = coded.frames[i].size();
                member.frames.push_back(
                    {offset, size, pieces[i].raw.size(), pieces[i].rows,
                     io::checksumOf(bytesOf(pieces[i].raw), manifest.checksums)});
                offset += size;
                member.rows += pieces[i].rows;
                member.rawSize += pieces[i].raw.size();
                member.compressedSize += size;
            }
            manifest.members.push_back(std::move(member));
        }
        std::string text = writeManifest(manifest);
        if (options_.oldManifest) {
            const std::string_view version = "\"version\":2";
            text.replace(text.find(version), version.size(), "\"version\":1");
        }
        return text;
    }

    const SmallOptions& options_;
    Toc toc_;
    std::string suffix_;
    std::string contents_;
    std::map<std::pair<DumpId, uint32_t>, Coded> coded_;
    std::map<std::pair<DumpId, uint32_t>, uint64_t> begins_;
};

}  // namespace

Toc smallToc(Format format, uint8_t minorVersion) {
    Toc toc;
    toc.version.minor = minorVersion;
    toc.format = format;
    toc.created = {1, 2, 3, 4, 5, 124, 0};
    toc.databaseName = "shop";
    toc.serverVersion = "16.4";
    toc.dumpVersion = "16.4";
    toc.entries.push_back(setting(1, "ENCODING", "SET client_encoding = 'UTF8';\n"));
    toc.entries.push_back(setting(2, "STDSTRINGS", "SET standard_conforming_strings = 'on';\n"));
    toc.entries.push_back(
        setting(3, "SEARCHPATH", "SELECT pg_catalog.set_config('search_path', '', false);\n"));
    toc.entries.push_back(table(4, 16384, "orders"));
    toc.entries.push_back(table(5, 16390, "odd \"name\"\nof two lines"));
    toc.entries.push_back(dataOf(kRowsEntry, toc.entries[3]));
    toc.entries.push_back(dataOf(kNoRowsEntry, toc.entries[4]));
    TocEntry objects = entryOf(kObjectsEntry.value, "BLOBS", "BLOBS", Section::Data);
    objects.hadDumper = true;
    toc.entries.push_back(objects);
    TocEntry index = entryOf(14, "INDEX", "orders_id", Section::PostData);
    index.defn = "CREATE INDEX orders_id ON public.orders USING btree (id);\n";
    index.dependencies = {DumpId{4}, DumpId{11}};
    index.withOids = true;
    toc.entries.push_back(index);
    for (TocEntry& entry : toc.entries) {
        if (!entry.hadDumper) continue;
        if (format == Format::Custom) {
            entry.offsetState = TocEntry::Offset::NotSet;
        } else if (entry.dumpId == kObjectsEntry) {
            entry.fileName = minorVersion >= 16 ? "blobs_13.toc" : "blobs.toc";
        } else {
            entry.fileName = fileNameOf(entry.dumpId, 0);
        }
    }
    return toc;
}

const std::map<std::pair<DumpId, uint32_t>, std::string>& smallContents() {
    static const auto contents = [] {
        std::map<std::pair<DumpId, uint32_t>, std::string> all;
        for (const auto& key : memberKeys()) {
            for (const Piece& piece : piecesOf(key.first, key.second)) all[key] += piece.raw;
        }
        return all;
    }();
    return contents;
}

std::map<std::string, std::string> smallArchive(const SmallOptions& options) {
    return Builder(options).build();
}

void writeArchive(const std::map<std::string, std::string>& files, Format format,
                  const std::filesystem::path& path) {
    if (format == Format::Directory) std::filesystem::create_directory(path);
    for (const auto& [name, content] : files) {
        const auto file = name == "manifest" ? manifestPath(path, format)
                          : name.empty()     ? path
                                             : path / name;
        std::ofstream(file, std::ios::binary) << content;
    }
}

std::string archiveInt(int64_t value, int size) {
    std::string bytes(1, value < 0 ? '\1' : '\0');
    uint64_t magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
    for (int i = 0; i < size; ++i) {
        bytes += static_cast<char>(magnitude & 0xFF);
        magnitude >>= 8;
    }
    return bytes;
}

std::string tarMember(const std::string& name, std::string_view content) {
    std::string header(kTarBlock, '\0');
    const auto put = [&](std::size_t at, const std::string& text) {
        header.replace(at, text.size(), text);
    };
    put(0, name);
    put(100, "0000600 ");
    put(108, "0004000 ");
    put(116, "0002000 ");
    put(124, fmt::format("{:011o} ", content.size()));
    put(136, "00000000000 ");
    put(148, "        ");
    put(156, "0");
    put(257, std::string("ustar\0", 6) + "00");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, fmt::format("{:06o} ", sum));
    std::string member = header + std::string(content);
    member.resize((member.size() + kTarBlock - 1) / kTarBlock * kTarBlock);
    return member;
}

std::string compressed(const std::string& compression, std::string_view content) {
    return join(encode({{std::string(content), 0}}, compression, Format::Directory));
}

}  // namespace gantry::test
