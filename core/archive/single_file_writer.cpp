// SPDX-License-Identifier: PostgreSQL
#include "core/archive/single_file_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <unordered_map>
#include <utility>

#include "core/archive/frame_log.h"
#include "core/archive/object_sink.h"
#include "core/archive/ordered_output.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

using EntryPtr = std::shared_ptr<OrderedOutput::Entry>;
using Part = OrderedOutput::Part;

// Appends frames with what the layout puts before each; the index of a frame's first piece.
std::size_t appendFrame(OrderedOutput& output, OrderedOutput::Entry& entry,
                        const SingleFileLayout& layout, std::span<const std::byte> bytes) {
    if (bytes.size() <= layout.largestPiece()) {
        const std::string before = layout.beforePiece(bytes.size());
        const Part parts[] = {bytesOf(before), bytes};
        if (before.empty()) return output.append(entry, std::span(parts).last(1));
        return output.append(entry, parts) + 1;
    }
    std::list<std::string> heads;
    std::vector<Part> parts;
    while (!bytes.empty()) {
        const uint64_t left = bytes.size();
        const auto size = static_cast<std::size_t>(std::min(left, layout.largestPiece()));
        parts.emplace_back(bytesOf(heads.emplace_back(layout.beforePiece(size))));
        parts.emplace_back(bytes.first(size));
        bytes = bytes.subspan(size);
    }
    return output.append(entry, parts) + 1;
}

class FileTable : public TableMember {
public:
    FileTable(OrderedOutput& output, const SingleFileLayout& layout, const EndOfData& endOfData,
              Oid relation)
        : output_(output),
          layout_(layout),
          endOfData_(endOfData),
          entry_(output.open()),
          object_(fmt::format("relation {}", relation.value)) {}

    void append(EncodedFrame& frame) override {
        Frame entry;
        entry.compressedSize = frame.bytes.size();
        entry.rawSize = frame.rawSize;
        entry.rows = frame.rows;
        entry.checksum = frame.checksum;
        put(entry, frame.adler, frame.bytes.span());
    }

    void finish(uint64_t rows) override {
        log_.expectRows(rows, object_);
        put(endOfData_.frame, endOfData_.adler, endOfData_.bytes.span());
        const bool zlib = layout_.frameStyle() == io::FrameStyle::ZlibPieces;
        const uint32_t adler = zlib ? log_.adlerInOrder() : 1;
        const uint64_t payload = log_.compressedSize();
        output_.finish(*entry_, layout_.tableTail(payload, adler), layout_.tablePadding(payload));
        finished_ = true;
    }

    uint64_t compressedSize() const override { return size_; }
    bool finished() const { return finished_; }
    const EntryPtr& entry() const { return entry_; }
    FrameLog& log() { return log_; }

private:
    void put(const Frame& frame, uint32_t adler, std::span<const std::byte> bytes) {
        log_.add({frame, adler, appendFrame(output_, *entry_, layout_, bytes)});
        size_ += bytes.size();
    }

    OrderedOutput& output_;
    const SingleFileLayout& layout_;
    const EndOfData& endOfData_;
    EntryPtr entry_;
    std::string object_;
    FrameLog log_;
    std::atomic<uint64_t> size_ = 0;
    std::atomic<bool> finished_ = false;
};

class FileObjects : public LargeObjectMember {
public:
    // A large object with the entry and the pieces there that hold each of its frames.
    struct Object {
        Member member;
        EntryPtr entry;
        std::vector<std::size_t> pieces;
    };

    FileObjects(OrderedOutput& output, const SingleFileLayout& layout,
                const io::Compression& compression, const TocEntry& entry)
        : output_(output),
          layout_(layout),
          compression_(compression),
          id_(entry.dumpId),
          first_(layout.firstObject(entry)),
          head_(first_ ? output.open() : nullptr),
          entry_(output.open()) {}

    std::unique_ptr<Sink> openSink() override;

    void finish() override {
        std::vector<Oid> list;
        {
            const MutexLock lock(mutex_);
            for (const Object& object : objects_) list.push_back(*object.member.largeObject);
        }
        if (head_ && std::ranges::find(list, *first_) == list.end()) output_.finish(*head_, "");
        output_.finish(*entry_, layout_.objectsTail(id_, list));
        finished_ = true;
    }

    EntryPtr entryOf(Oid object) const { return object == first_ ? head_ : entry_; }
    void add(Object object) {
        if (object.entry == head_) output_.finish(*head_, "");
        const MutexLock lock(mutex_);
        objects_.push_back(std::move(object));
    }
    std::vector<Object> take() {
        const MutexLock lock(mutex_);
        return std::move(objects_);
    }

    OrderedOutput& output() { return output_; }
    const SingleFileLayout& layout() const { return layout_; }
    const io::Compression& compression() const { return compression_; }
    DumpId id() const { return id_; }
    // In the file; the first is null unless one object has to stand before the others.
    const EntryPtr& head() const { return head_; }
    const EntryPtr& entry() const { return entry_; }
    bool finished() const { return finished_; }

private:
    OrderedOutput& output_;
    const SingleFileLayout& layout_;
    io::Compression compression_;
    DumpId id_;
    std::optional<Oid> first_;
    EntryPtr head_;
    EntryPtr entry_;
    Mutex mutex_;
    std::vector<Object> objects_ GUARDED_BY(mutex_);
    std::atomic<bool> finished_ = false;
};

// Objects must not mix in the file: one that fits a frame is appended from memory, of a larger one
// the frames wait in the spool until it is whole.
class FileSink : public ObjectSink {
public:
    explicit FileSink(FileObjects& objects)
        : ObjectSink(objects.compression(), objects.layout().frameStyle()), objects_(objects) {}

private:
    void beginObject(Oid object) override {
        object_ = {};
        object_.member.dumpId = objects_.id();
        object_.member.largeObject = object;
        object_.member.fileName = objects_.layout().memberName(objects_.id(), object);
        object_.entry = objects_.entryOf(object);
        content_.clear();
    }

    void putFrame(const Frame& frame, std::span<const std::byte> bytes, bool last) override {
        // Uncompressed, an empty object has none: an empty block would end its chain.
        if (bytes.empty()) return;
        Member& member = object_.member;
        member.frames.push_back(frame);
        member.rawSize += frame.rawSize;
        member.compressedSize += frame.compressedSize;
        if (last) {
            content_.emplace_back(bytes);
        } else {
            content_.emplace_back(objects_.output().spool(bytes));
        }
    }

    void endObject() override {
        const SingleFileLayout& layout = objects_.layout();
        Member& member = object_.member;
        const uint64_t payload = member.compressedSize;
        std::list<std::string> texts;
        std::vector<Part> parts;
        std::string before = layout.objectHead(*member.largeObject, payload);
        for (std::size_t i = 0; i < content_.size(); ++i) {
            before += layout.beforePiece(member.frames[i].compressedSize);
            if (!before.empty()) parts.emplace_back(bytesOf(texts.emplace_back(before)));
            object_.pieces.push_back(parts.size());
            parts.push_back(content_[i]);
            before.clear();
        }
        texts.push_back(before + layout.objectTail(payload, adler()));
        if (!texts.back().empty()) parts.emplace_back(bytesOf(texts.back()));
        const std::size_t first = objects_.output().append(*object_.entry, parts);
        for (std::size_t& piece : object_.pieces) piece += first;
        member.compressedSize += layout.streamOverhead();
        objects_.add(std::move(object_));
    }

    FileObjects& objects_;
    FileObjects::Object object_;
    std::vector<Part> content_;
};

std::unique_ptr<LargeObjectMember::Sink> FileObjects::openSink() {
    return layout_.wrapSink(std::make_unique<FileSink>(*this));
}

class SingleFileWriter : public ArchiveWriter {
public:
    SingleFileWriter(const Options& options, std::unique_ptr<Staging> staging,
                     std::unique_ptr<SingleFileLayout> layout)
        : options_(options),
          staging_(std::move(staging)),
          layout_(std::move(layout)),
          endOfData_(makeEndOfData(options.compression, layout_->frameStyle())),
          output_(staging_->handle(), staging_->parent()) {}

    io::FrameStyle frameStyle() const override { return layout_->frameStyle(); }

    std::shared_ptr<TableMember> openTable(Oid relation) override {
        const MutexLock lock(mutex_);
        return table(relation);
    }
    void setToc(Toc toc) override;
    void discardTable(Oid relation) override;
    std::shared_ptr<LargeObjectMember> openLargeObjects(DumpId entry) override;
    uint64_t finish(Manifest manifest) override;

private:
    std::shared_ptr<FileTable> table(Oid relation) REQUIRES(mutex_) {
        auto& member = tables_[relation];
        if (!member) {
            member = std::make_shared<FileTable>(output_, *layout_, endOfData_, relation);
        }
        return member;
    }
    void expectAllData();
    void addTable(const TocEntry& entry, Manifest& manifest);
    void addObjects(const TocEntry& entry, Manifest& manifest);

    Options options_;
    std::unique_ptr<Staging> staging_;
    std::unique_ptr<SingleFileLayout> layout_;
    EndOfData endOfData_;
    OrderedOutput output_;
    Mutex mutex_;
    std::unordered_map<Oid, std::shared_ptr<FileTable>> tables_ GUARDED_BY(mutex_);
    std::map<DumpId, std::shared_ptr<FileObjects>> objects_ GUARDED_BY(mutex_);
    std::optional<Toc> toc_;
    std::map<DumpId, SingleFileLayout::Place> places_;
    std::map<DumpId, std::vector<Oid>> objectLists_;
};

void SingleFileWriter::setToc(Toc toc) {
    toc_ = std::move(toc);
    prepareToc(*toc_, options_.format, options_.compression);
    const uint64_t head = layout_->writeHead(*toc_, staging_->handle());
    std::map<DumpId, EntryPtr> heads;
    std::map<DumpId, EntryPtr> entries;
    {
        const MutexLock lock(mutex_);
        for (const TocEntry& entry : toc_->entries) {
            if (!hasData(entry)) continue;
            if (isLargeObjects(entry)) {
                auto& objects = objects_[entry.dumpId];
                objects =
                    std::make_shared<FileObjects>(output_, *layout_, options_.compression, entry);
                if (objects->head()) heads[entry.dumpId] = objects->head();
                entries[entry.dumpId] = objects->entry();
            } else {
                entries[entry.dumpId] = table(entry.catalogOid)->entry();
            }
        }
    }
    std::vector<OrderedOutput::Slot> order;
    for (SingleFileLayout::Slot& slot : layout_->order(*toc_)) {
        if (slot.data && heads.contains(*slot.data)) {
            order.push_back({heads.at(*slot.data), std::exchange(slot.text, {})});
        }
        order.push_back(
            {slot.data ? entries.at(*slot.data) : nullptr, std::move(slot.text), slot.room});
    }
    output_.start(head, std::move(order));
}

void SingleFileWriter::discardTable(Oid relation) {
    std::shared_ptr<FileTable> member;
    {
        const MutexLock lock(mutex_);
        const auto found = tables_.find(relation);
        if (found == tables_.end()) return;
        member = std::move(found->second);
        tables_.erase(found);
    }
    output_.discard(*member->entry());
}

std::shared_ptr<LargeObjectMember> SingleFileWriter::openLargeObjects(DumpId entry) {
    const MutexLock lock(mutex_);
    const auto found = objects_.find(entry);
    if (found == objects_.end()) {
        throw Error(ErrorKind::Internal, "the table of contents has no such entry",
                    fmt::format("large objects of entry {}", entry.value));
    }
    return found->second;
}

void SingleFileWriter::expectAllData() {
    const MutexLock lock(mutex_);
    std::size_t expected = 0;
    for (const TocEntry& entry : toc_->entries) {
        if (!hasData(entry)) continue;
        if (isLargeObjects(entry)) {
            expectData(entry, objects_.at(entry.dumpId)->finished());
            continue;
        }
        const auto found = tables_.find(entry.catalogOid);
        expectData(entry, found != tables_.end() && found->second->finished());
        ++expected;
    }
    if (tables_.size() != expected) {
        throw Error(ErrorKind::Internal,
                    fmt::format("{} relations have data but no entry in the table of contents",
                                tables_.size() - expected),
                    staging_->target().string());
    }
}

void SingleFileWriter::addTable(const TocEntry& entry, Manifest& manifest) {
    const MutexLock lock(mutex_);
    FileTable& table = *tables_.at(entry.catalogOid);
    Member member;
    member.dumpId = entry.dumpId;
    member.fileName = layout_->memberName(entry.dumpId, std::nullopt);
    member.rows = table.log().rows();
    member.rawSize = table.log().rawSize();
    member.compressedSize = table.log().compressedSize() + layout_->streamOverhead();
    const auto& pieces = output_.piecesOf(*table.entry());
    for (FrameLog::Item& item : table.log().take()) {
        item.frame.offset = pieces.at(item.piece).position;
        member.frames.push_back(item.frame);
    }
    std::sort(member.frames.begin(), member.frames.end(),
              [](const Frame& a, const Frame& b) { return a.offset < b.offset; });
    places_[entry.dumpId] = {output_.beginOf(*table.entry()), table.log().compressedSize()};
    manifest.members.push_back(std::move(member));
}

void SingleFileWriter::addObjects(const TocEntry& entry, Manifest& manifest) {
    const MutexLock lock(mutex_);
    FileObjects& objects = *objects_.at(entry.dumpId);
    auto& list = objectLists_[entry.dumpId];
    for (FileObjects::Object& object : objects.take()) {
        const auto& pieces = output_.piecesOf(*object.entry);
        for (std::size_t i = 0; i < object.pieces.size(); ++i) {
            object.member.frames[i].offset = pieces.at(object.pieces[i]).position;
        }
        list.push_back(*object.member.largeObject);
        manifest.members.push_back(std::move(object.member));
    }
    places_[entry.dumpId] = {output_.beginOf(objects.head() ? *objects.head() : *objects.entry()),
                             0};
}

uint64_t SingleFileWriter::finish(Manifest manifest) {
    if (!toc_) throw Error(ErrorKind::Internal, "the archive has no table of contents");
    expectAllData();
    for (const TocEntry& entry : toc_->entries) {
        if (!hasData(entry)) continue;
        if (isLargeObjects(entry)) {
            addObjects(entry, manifest);
        } else {
            addTable(entry, manifest);
        }
    }
    File& file = staging_->handle();
    completeManifest(manifest, options_, *toc_);
    manifest.tocChecksum = layout_->complete(*toc_, places_, objectLists_, file, output_.end());
    manifest.archiveSize = file.size();
    if (options_.sync) file.sync();
    staging_->publish(manifest, options_.sync);
    return manifest.archiveSize;
}

}  // namespace

std::unique_ptr<ArchiveWriter> makeSingleFileWriter(const ArchiveWriter::Options& options,
                                                    std::unique_ptr<Staging> staging,
                                                    std::unique_ptr<SingleFileLayout> layout) {
    return std::make_unique<SingleFileWriter>(options, std::move(staging), std::move(layout));
}

}  // namespace gantry::archive
