// SPDX-License-Identifier: PostgreSQL
#include "core/archive/nowhere_writer.h"

#include <fmt/format.h>

#include <atomic>
#include <unordered_map>

#include "core/archive/frame_log.h"
#include "core/archive/object_sink.h"
#include "core/base/sync.h"

namespace gantry::archive {
namespace {

class NowhereTable : public TableMember {
public:
    explicit NowhereTable(Oid relation) : object_(fmt::format("relation {}", relation.value)) {}

    void append(EncodedFrame& frame) override {
        log_.add({.frame = {.compressedSize = frame.bytes.size(),
                            .rawSize = frame.rawSize,
                            .rows = frame.rows,
                            .checksum = frame.checksum}});
    }
    void finish(uint64_t rows) override { log_.expectRows(rows, object_); }
    uint64_t compressedSize() const override { return log_.compressedSize(); }

private:
    const std::string object_;
    FrameLog log_;
};

class NowhereObjects : public LargeObjectMember {
public:
    explicit NowhereObjects(const io::Compression& compression) : compression_(compression) {}

    std::unique_ptr<Sink> openSink() override;
    void finish() override {}
    void add(uint64_t bytes) { bytes_ += bytes; }
    const io::Compression& compression() const { return compression_; }
    uint64_t bytes() const { return bytes_; }

private:
    const io::Compression compression_;
    std::atomic<uint64_t> bytes_ = 0;
};

class NowhereSink : public ObjectSink {
public:
    explicit NowhereSink(NowhereObjects& objects)
        : ObjectSink(objects.compression(), io::FrameStyle::Independent), objects_(objects) {}

private:
    void beginObject(Oid) override {}
    void putFrame(const Frame&, std::span<const std::byte> bytes, bool) override {
        objects_.add(bytes.size());
    }
    void endObject() override {}

    NowhereObjects& objects_;
};

std::unique_ptr<LargeObjectMember::Sink> NowhereObjects::openSink() {
    return std::make_unique<NowhereSink>(*this);
}

class NowhereWriter : public ArchiveWriter {
public:
    explicit NowhereWriter(const Options& options)
        : objects_(std::make_shared<NowhereObjects>(options.compression)) {}

    io::FrameStyle frameStyle() const override { return io::FrameStyle::Independent; }
    std::shared_ptr<TableMember> openTable(Oid relation) override {
        const MutexLock lock(mutex_);
        auto& table = tables_[relation];
        if (!table) table = std::make_shared<NowhereTable>(relation);
        return table;
    }
    void setToc(Toc) override {}
    void discardTable(Oid relation) override {
        const MutexLock lock(mutex_);
        tables_.erase(relation);
    }
    std::shared_ptr<LargeObjectMember> openLargeObjects(DumpId) override { return objects_; }
    uint64_t finish(Manifest) override {
        const MutexLock lock(mutex_);
        uint64_t bytes = objects_->bytes();
        for (const auto& [relation, table] : tables_) bytes += table->compressedSize();
        return bytes;
    }

private:
    const std::shared_ptr<NowhereObjects> objects_;
    Mutex mutex_;
    std::unordered_map<Oid, std::shared_ptr<NowhereTable>> tables_ GUARDED_BY(mutex_);
};

}  // namespace

bool isNowhere(const std::filesystem::path& path) { return path == "/dev/null"; }

std::unique_ptr<ArchiveWriter> makeNowhereWriter(const ArchiveWriter::Options& options) {
    return std::make_unique<NowhereWriter>(options);
}

}  // namespace gantry::archive
