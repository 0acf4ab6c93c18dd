// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/archive/sample_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/io/checksum.h"

namespace gantry::test {
namespace {

using namespace archive;

constexpr uint8_t kManyObjectEntries = 16;
constexpr uint32_t kDiscardedRelation = 29999;

// Compressible, but not to nothing.
std::string objectContent(uint32_t oid, std::size_t size) {
    std::mt19937 random(oid);
    std::string pattern(5000, '\0');
    for (char& byte : pattern) byte = static_cast<char>(random() % 7 == 0 ? random() % 256 : 'x');
    std::string content;
    content.reserve(size + pattern.size());
    while (content.size() < size) content += pattern;
    content.resize(size);
    return content;
}

TocEntry makeEntry(int32_t id, std::string desc, std::string tag, Section section) {
    TocEntry entry;
    entry.dumpId = DumpId{id};
    entry.desc = std::move(desc);
    entry.tag = std::move(tag);
    entry.section = section;
    entry.defn = "";
    entry.dropStmt = "";
    entry.owner = "owner";
    entry.namespaceName = "public";
    return entry;
}

void addSetting(Toc& toc, int32_t id, const char* desc, const char* statement) {
    TocEntry entry = makeEntry(id, desc, desc, Section::PreData);
    entry.namespaceName.reset();
    entry.owner = "";
    entry.defn = statement;
    toc.entries.push_back(std::move(entry));
}

void addTables(Toc& toc, const Sample& sample) {
    const auto count = static_cast<int32_t>(sample.tables.size());
    for (int32_t t = 0; t < count; ++t) {
        const std::string name = fmt::format("t{}", t);
        TocEntry table = makeEntry(100 + t, "TABLE", name, Section::PreData);
        table.catalogOid = Oid{Sample::firstRelation + static_cast<uint32_t>(t)};
        table.catalogTableOid = Oid{1259};
        table.relkind = toc.version.minor >= kManyObjectEntries ? 'r' : 0;
        table.tableAccessMethod = "heap";
        table.defn = fmt::format("CREATE TABLE public.{} (a integer, b text, c text);\n", name);
        table.dropStmt = fmt::format("DROP TABLE public.{};\n", name);
        toc.entries.push_back(std::move(table));
    }
    for (int32_t t = 0; t < count; ++t) {
        const std::string name = fmt::format("t{}", t);
        TocEntry data = makeEntry(500 + t, "TABLE DATA", name, Section::Data);
        data.catalogOid = Oid{Sample::firstRelation + static_cast<uint32_t>(t)};
        data.hadDumper = true;
        data.copyStmt = fmt::format("COPY public.{} (a, b, c) FROM stdin;\n", name);
        data.dependencies = {DumpId{100 + t}};
        toc.entries.push_back(std::move(data));
    }
}

void addObjects(Toc& toc, const Sample& sample) {
    const bool grouped = toc.version.minor >= kManyObjectEntries;
    if (!grouped && sample.objects.size() > 1) {
        throw std::logic_error("before 1.16 one entry holds all large objects");
    }
    for (const auto& [id, objects] : sample.objects) {
        // As pg_dump calls it; its tar reader looks for the first object by this name.
        const std::string group =
            fmt::format("{}..{}", objects.begin()->first, objects.rbegin()->first);
        std::vector<DumpId> dependencies;
        TocEntry metadata = makeEntry(id + 1000, "BLOB METADATA", "", Section::Data);
        metadata.namespaceName.reset();
        for (const auto& [oid, content] : objects) {
            if (grouped) {
                *metadata.defn += fmt::format("{}\n", oid);
                continue;
            }
            TocEntry blob = makeEntry(static_cast<int32_t>(oid), "BLOB", fmt::format("{}", oid),
                                      Section::PreData);
            blob.namespaceName.reset();
            blob.defn = fmt::format("SELECT pg_catalog.lo_create('{}');\n", oid);
            blob.dropStmt = fmt::format("SELECT pg_catalog.lo_unlink('{}');\n", oid);
            toc.entries.insert(toc.entries.begin() + 3, std::move(blob));
        }
        if (grouped) {
            metadata.tag = group;
            metadata.dropStmt = "<unused>";
            dependencies = {metadata.dumpId};
            toc.entries.push_back(std::move(metadata));
        }
        TocEntry blobs = makeEntry(id, "BLOBS", "BLOBS", Section::Data);
        if (grouped) blobs.tag = group;
        blobs.namespaceName.reset();
        blobs.hadDumper = true;
        blobs.dependencies = std::move(dependencies);
        toc.entries.push_back(std::move(blobs));
    }
}

// Runs steps 0 to count-1 in several threads; the first failure ends it and is rethrown.
void inParallel(int threads, std::size_t count, const std::function<void(std::size_t)>& step) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t at = next++; at < count && !failed; at = next++) step(at);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    std::vector<std::thread> running;
    for (int i = 1; i < threads; ++i) running.emplace_back(work);
    work();
    for (auto& thread : running) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

uint64_t Sample::rowsOf(std::size_t table) const {
    uint64_t rows = 0;
    for (const auto& frame : tables[table]) rows += frame.size();
    return rows;
}

std::vector<std::string> Sample::sortedRows(std::size_t table) const {
    std::vector<std::string> rows;
    for (const auto& frame : tables[table]) rows.insert(rows.end(), frame.begin(), frame.end());
    std::sort(rows.begin(), rows.end());
    return rows;
}

Sample makeSample(int tables, uint8_t minorVersion) {
    Sample sample;
    for (int t = 0; t < tables; ++t) {
        auto& frames = sample.tables.emplace_back();
        for (int f = 0; f < t % 9; ++f) {
            auto& rows = frames.emplace_back();
            const int count = t % 12 == 7 ? 3000 : 1 + t * f;
            for (int r = 0; r < count; ++r) {
                rows.push_back(fmt::format("{}\trow {} of frame {}\t\\N", r, r * 7919, f));
            }
        }
    }
    const int32_t second = minorVersion >= kManyObjectEntries ? 901 : 900;
    sample.objects[900] = {{7001, ""}, {7002, "abc"}, {7003, std::string("\0\xFF'\\", 4)}};
    for (uint32_t oid = 7100; oid < 7120; ++oid) {
        sample.objects[second][oid] = objectContent(oid, oid * 3);
    }
    sample.objects[second][7200] = objectContent(7200, 4 << 20);
    sample.objects[second][7201] = objectContent(7201, (4 << 20) + 17);
    return sample;
}

Sample makeSmallSample(uint8_t minorVersion) {
    Sample sample;
    sample.tables = {{}, {{"1\tx\ty", "2\t\\N\t"}, {"3\t\\\\.\tz"}}, {{"4\t\\t\t5"}}};
    const int32_t second = minorVersion >= kManyObjectEntries ? 901 : 900;
    sample.objects[900] = {{7001, ""}, {7002, "abc"}};
    sample.objects[second][7003] = objectContent(7003, 1500);
    return sample;
}

Toc makeToc(const Sample& sample, uint8_t minorVersion) {
    Toc toc;
    toc.version = {1, minorVersion, 0};
    toc.databaseName = "sample";
    toc.serverVersion = "18.1";
    toc.dumpVersion = minorVersion >= kManyObjectEntries ? "18.1" : "15.1";
    toc.created.yearSince1900 = 126;
    addSetting(toc, 1, "ENCODING", "SET client_encoding = 'UTF8';\n");
    addSetting(toc, 2, "STDSTRINGS", "SET standard_conforming_strings = 'on';\n");
    addSetting(toc, 3, "SEARCHPATH", "SELECT pg_catalog.set_config('search_path', '', false);\n");
    addTables(toc, sample);
    addObjects(toc, sample);
    return toc;
}

EncodedFrame encodeRows(io::FrameEncoder& encoder, const std::vector<std::string>& rows) {
    std::string text;
    for (const auto& row : rows) text += row + "\n";
    EncodedFrame frame;
    encoder.encode(bytesOf(text), frame.bytes);
    frame.rawSize = text.size();
    frame.rows = rows.size();
    frame.checksum = io::checksumOf(bytesOf(text));
    frame.adler = io::adler32Of(bytesOf(text));
    return frame;
}

void feed(ArchiveWriter& writer, const Sample& sample, const io::Compression& compression, Toc toc,
          const FeedOptions& options) {
    // Every frame is one piece of work; a table without frames is one too, and so is the discarded.
    struct Piece {
        std::size_t table;
        std::size_t frame;
    };
    const std::size_t discarded = sample.tables.size();
    std::vector<Piece> pieces = {{discarded, 0}, {discarded, 1}};
    std::vector<std::atomic<std::size_t>> left(sample.tables.size());
    for (std::size_t t = 0; t < sample.tables.size(); ++t) {
        left[t] = std::max<std::size_t>(sample.tables[t].size(), 1);
        for (std::size_t f = 0; f < left[t]; ++f) pieces.push_back({t, f});
    }
    std::mt19937 random(options.seed);
    std::shuffle(pieces.begin() + 2, pieces.end(), random);

    const auto write = [&](const Piece& piece) {
        const auto encoder = io::makeFrameEncoder(compression, writer.frameStyle());
        if (piece.table == discarded) {
            EncodedFrame frame = encodeRows(*encoder, {"this row", "must not appear"});
            writer.openTable(Oid{kDiscardedRelation})->append(frame);
            return;
        }
        const auto member =
            writer.openTable(Oid{Sample::firstRelation + static_cast<uint32_t>(piece.table)});
        const auto& frames = sample.tables[piece.table];
        if (piece.frame < frames.size()) {
            EncodedFrame frame = encodeRows(*encoder, frames[piece.frame]);
            member->append(frame);
        }
        if (--left[piece.table] == 0) member->finish(sample.rowsOf(piece.table));
    };
    const auto before =
        static_cast<std::size_t>(options.tocAfter * static_cast<double>(pieces.size() - 2));
    inParallel(options.threads, before + 2, [&](std::size_t at) { write(pieces[at]); });
    // The contents arrive while others write.
    inParallel(options.threads, pieces.size() - before - 1, [&](std::size_t at) {
        if (at > 0) {
            write(pieces[before + 1 + at]);
        } else {
            writer.setToc(std::move(toc));
            writer.discardTable(Oid{kDiscardedRelation});
        }
    });

    std::vector<std::pair<int32_t, uint32_t>> objects;
    for (const auto& [entry, list] : sample.objects) {
        for (const auto& [oid, content] : list) objects.emplace_back(entry, oid);
    }
    std::shuffle(objects.begin(), objects.end(), random);
    inParallel(options.threads, objects.size(), [&](std::size_t at) {
        const auto [entry, oid] = objects[at];
        const auto sink = writer.openLargeObjects(DumpId{entry})->openSink();
        sink->begin(Oid{oid});
        std::string_view content = sample.objects.at(entry).at(oid);
        while (!content.empty()) {
            const auto part = content.substr(0, 300001);
            sink->write(bytesOf(part));
            content.remove_prefix(part.size());
        }
        sink->end();
    });
    for (const auto& [entry, list] : sample.objects) {
        writer.openLargeObjects(DumpId{entry})->finish();
    }
}

ArchiveWriter::Options writerOptions(Format format, const std::filesystem::path& path,
                                     const std::string& compression) {
    ArchiveWriter::Options options;
    options.format = format;
    options.path = path;
    options.compression = io::parseCompression(compression);
    options.sync = false;
    return options;
}

uint64_t writeSample(const ArchiveWriter::Options& options, const Sample& sample,
                     uint8_t minorVersion, const FeedOptions& feedOptions) {
    const auto writer = createArchiveWriter(options, nullptr);
    feed(*writer, sample, options.compression, makeToc(sample, minorVersion), feedOptions);
    Manifest manifest;
    manifest.gantryVersion = "test";
    return writer->finish(manifest);
}

}  // namespace gantry::test
