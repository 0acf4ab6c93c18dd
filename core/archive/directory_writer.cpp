// SPDX-License-Identifier: PostgreSQL
// The folder, with .gz, .lz4 or .zst behind the names of members that are compressed:
//
//   toc.dat                header and entries, never compressed; written when all data is there
//   <dumpId>.dat           the rows of one table: frames in the order in which they came
//   blob_<oid>.dat         one large object
//   blobs_<dumpId>.toc     "<oid> blob_<oid>.dat\n" for each object of an entry (17 and later)
//   blobs.toc              the same up to 16, where one entry has all objects
//   gantry-manifest.json   ours; others ignore it
//
// Until the table of contents is known a table's file is called oid_<relation>.dat.
#include "core/archive/directory_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <map>
#include <unordered_map>

#include "core/archive/frame_log.h"
#include "core/archive/object_sink.h"
#include "core/base/error.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

namespace fs = std::filesystem;

// Beyond so many files one flush of the whole file system is cheaper than one a file: measured on
// ext4 with 5,000 members of 20 kB, 0.1 s against 0.9 s.
constexpr std::size_t kMostSingleSyncs = 200;

// A frame of a long table; what is smaller goes out with its member's end.
constexpr std::size_t kWorthWritingBack = std::size_t{1} << 20;

// From Linux 5.8 on syncfs() reports data that was lost on its way to the disk.
bool canSyncWholeFileSystem() {
#ifdef __linux__
    utsname system{};
    int major = 0;
    int minor = 0;
    if (::uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) {
        return false;
    }
    return major > 5 || (major == 5 && minor >= 8);
#else
    return false;
#endif
}

// The file is made when the first bytes come: of thousands of tables only those that are being read
// need a descriptor, and most know their final name by then.
class DirectoryTable : public TableMember {
public:
    /// `folder` outlives it. An archive may have many thousands of tables: none keeps a path.
    DirectoryTable(const fs::path& folder, std::string fileName, std::string object,
                   const EndOfData& endOfData)
        : folder_(folder),
          object_(std::move(object)),
          endOfData_(endOfData),
          fileName_(std::move(fileName)) {}

    void append(EncodedFrame& frame) override {
        Frame entry;
        entry.compressedSize = frame.bytes.size();
        entry.rawSize = frame.rawSize;
        entry.rows = frame.rows;
        entry.checksum = frame.checksum;
        put(entry, frame.bytes.span());
    }

    void finish(uint64_t rows) override {
        log_.expectRows(rows, object_);
        put(endOfData_.frame, endOfData_.bytes.span());
        file_.startWriteback();
        file_.close();
        file_ = File();
        finished_ = true;
    }

    uint64_t compressedSize() const override { return size_; }
    bool finished() const { return finished_; }
    FrameLog& log() { return log_; }

    std::string fileName() const {
        const MutexLock lock(mutex_);
        return fileName_;
    }
    void renameTo(std::string fileName) {
        const MutexLock lock(mutex_);
        if (made_ && ::rename((folder_ / fileName_).c_str(), (folder_ / fileName).c_str()) != 0) {
            throw systemError("rename the member to " + fileName, fileName_, errno);
        }
        fileName_ = std::move(fileName);
    }
    void remove() {
        const MutexLock lock(mutex_);
        std::error_code ignored;
        fs::remove(folder_ / fileName_, ignored);
    }

private:
    void put(Frame frame, std::span<const std::byte> bytes) {
        {
            const MutexLock lock(mutex_);
            if (!std::exchange(made_, true)) file_ = File::create(folder_ / fileName_);
        }
        frame.offset = size_.fetch_add(bytes.size());
        file_.writeAt(frame.offset, bytes);
        if (bytes.size() >= kWorthWritingBack) file_.startWriteback(frame.offset, bytes.size());
        log_.add({frame, 1, 0});
    }

    const fs::path& folder_;
    std::string object_;
    const EndOfData& endOfData_;
    FrameLog log_;
    std::atomic<uint64_t> size_ = 0;
    std::atomic<bool> finished_ = false;
    File file_;  ///< stays as it is from the first put() to finish()
    mutable Mutex mutex_;
    std::string fileName_ GUARDED_BY(mutex_);
    bool made_ GUARDED_BY(mutex_) = false;
};

// The large objects of one entry. A file an object, so that sinks have nothing in common but the
// list.
class DirectoryObjects : public LargeObjectMember {
public:
    DirectoryObjects(fs::path folder, io::Compression compression, DumpId entry,
                     std::string listName)
        : folder_(std::move(folder)),
          compression_(compression),
          entry_(entry),
          listName_(std::move(listName)) {}

    std::unique_ptr<Sink> openSink() override;

    void finish() override {
        const MutexLock lock(mutex_);
        std::sort(members_.begin(), members_.end(),
                  [](const Member& a, const Member& b) { return a.largeObject < b.largeObject; });
        std::string list;
        for (const Member& member : members_) {
            list += fmt::format("{} {}\n", member.largeObject->value,
                                largeObjectFileName(*member.largeObject, io::Algorithm::None));
        }
        File file = File::create(folder_ / listName_);
        file.writeAt(0, bytesOf(list));
        file.close();
        finished_ = true;
    }

    void add(Member member) {
        const MutexLock lock(mutex_);
        members_.push_back(std::move(member));
    }

    const fs::path& folder() const { return folder_; }
    const io::Compression& compression() const { return compression_; }
    DumpId entry() const { return entry_; }
    const std::string& listName() const { return listName_; }
    bool finished() const { return finished_; }
    std::vector<Member> take() {
        const MutexLock lock(mutex_);
        return std::move(members_);
    }

private:
    fs::path folder_;
    io::Compression compression_;
    DumpId entry_;
    std::string listName_;
    Mutex mutex_;
    std::vector<Member> members_ GUARDED_BY(mutex_);
    std::atomic<bool> finished_ = false;
};

class DirectorySink : public ObjectSink {
public:
    explicit DirectorySink(DirectoryObjects& objects)
        : ObjectSink(objects.compression(), io::FrameStyle::Independent), objects_(objects) {}

private:
    void beginObject(Oid object) override {
        member_ = Member{};
        member_.dumpId = objects_.entry();
        member_.largeObject = object;
        member_.fileName = largeObjectFileName(object, objects_.compression().algorithm);
        const fs::path path = objects_.folder() / member_.fileName;
        std::error_code missing;  // an attempt that broke off may have left its part
        fs::remove(path, missing);
        file_ = File::create(path);
    }
    void putFrame(const Frame& frame, std::span<const std::byte> bytes, bool) override {
        member_.frames.push_back(frame);
        member_.frames.back().offset = member_.compressedSize;
        file_.writeAt(member_.compressedSize, bytes);
        member_.compressedSize += bytes.size();
        member_.rawSize += frame.rawSize;
    }
    void endObject() override {
        file_.startWriteback();
        file_.close();
        objects_.add(std::move(member_));
    }

    DirectoryObjects& objects_;
    Member member_;
    File file_;
};

std::unique_ptr<LargeObjectMember::Sink> DirectoryObjects::openSink() {
    return std::make_unique<DirectorySink>(*this);
}

class DirectoryWriter : public ArchiveWriter {
public:
    DirectoryWriter(const Options& options, std::unique_ptr<Staging> staging)
        : options_(options),
          staging_(std::move(staging)),
          endOfData_(makeEndOfData(options.compression, io::FrameStyle::Independent)) {}

    io::FrameStyle frameStyle() const override { return io::FrameStyle::Independent; }
    std::shared_ptr<TableMember> openTable(Oid relation) override;
    void setToc(Toc toc) override;
    void discardTable(Oid relation) override;
    std::shared_ptr<LargeObjectMember> openLargeObjects(DumpId entry) override;
    uint64_t finish(Manifest manifest) override;

private:
    std::string provisionalName(Oid relation) const {
        return fmt::format("oid_{}.dat{}", relation.value,
                           io::fileSuffix(options_.compression.algorithm));
    }
    std::vector<Member> takeMembers();
    /// What `write` hands on, as a file of the archive.
    void writeFile(const std::string& name, const std::function<void(const PutText&)>& write);
    void syncAll(const std::vector<std::string>& files);

    Options options_;
    std::unique_ptr<Staging> staging_;
    EndOfData endOfData_;
    Mutex mutex_;
    std::unordered_map<Oid, std::shared_ptr<DirectoryTable>> tables_ GUARDED_BY(mutex_);
    std::unordered_map<Oid, const TocEntry*> entries_ GUARDED_BY(mutex_);
    std::map<DumpId, std::shared_ptr<DirectoryObjects>> objects_ GUARDED_BY(mutex_);
    std::optional<Toc> toc_;
};

std::shared_ptr<TableMember> DirectoryWriter::openTable(Oid relation) {
    const MutexLock lock(mutex_);
    std::shared_ptr<DirectoryTable>& table = tables_[relation];
    if (table) return table;
    std::string object = fmt::format("relation {}", relation.value);
    std::string name = provisionalName(relation);
    if (const auto found = entries_.find(relation); found != entries_.end()) {
        object = found->second->qualifiedName();
        name = tableFileName(found->second->dumpId, options_.compression.algorithm);
    }
    table = std::make_shared<DirectoryTable>(staging_->path(), std::move(name), std::move(object),
                                             endOfData_);
    return table;
}

void DirectoryWriter::setToc(Toc toc) {
    const MutexLock lock(mutex_);
    toc_ = std::move(toc);
    prepareToc(*toc_, Format::Directory, options_.compression);
    for (const TocEntry& entry : toc_->entries) {
        if (!hasData(entry) || isLargeObjects(entry)) continue;
        entries_[entry.catalogOid] = &entry;
        const auto open = tables_.find(entry.catalogOid);
        if (open == tables_.end()) continue;
        open->second->renameTo(tableFileName(entry.dumpId, options_.compression.algorithm));
    }
}

void DirectoryWriter::discardTable(Oid relation) {
    const MutexLock lock(mutex_);
    const auto found = tables_.find(relation);
    if (found == tables_.end()) return;
    found->second->remove();
    tables_.erase(found);
}

std::shared_ptr<LargeObjectMember> DirectoryWriter::openLargeObjects(DumpId entry) {
    const MutexLock lock(mutex_);
    auto& objects = objects_[entry];
    if (!objects) {
        objects = std::make_shared<DirectoryObjects>(staging_->path(), options_.compression, entry,
                                                     largeObjectListName(*toc_, entry));
    }
    return objects;
}

std::vector<Member> DirectoryWriter::takeMembers() {
    const MutexLock lock(mutex_);
    for (const auto& [relation, table] : tables_) {
        if (!entries_.contains(relation)) {
            throw Error(ErrorKind::Internal, "it has data but no entry in the table of contents",
                        fmt::format("relation {}", relation.value));
        }
    }
    std::vector<Member> members;
    members.reserve(tables_.size());
    for (const TocEntry& entry : toc_->entries) {
        if (!hasData(entry)) continue;
        if (isLargeObjects(entry)) {
            const auto found = objects_.find(entry.dumpId);
            expectData(entry, found != objects_.end() && found->second->finished());
            std::ranges::move(found->second->take(), std::back_inserter(members));
            continue;
        }
        const auto found = tables_.find(entry.catalogOid);
        expectData(entry, found != tables_.end() && found->second->finished());
        FrameLog& log = found->second->log();
        Member member;
        member.dumpId = entry.dumpId;
        member.fileName = found->second->fileName();
        member.rows = log.rows();
        member.rawSize = log.rawSize();
        member.compressedSize = log.compressedSize();
        for (const FrameLog::Item& item : log.take()) member.frames.push_back(item.frame);
        std::sort(member.frames.begin(), member.frames.end(),
                  [](const Frame& a, const Frame& b) { return a.offset < b.offset; });
        members.push_back(std::move(member));
    }
    return members;
}

void DirectoryWriter::writeFile(const std::string& name,
                                const std::function<void(const PutText&)>& write) {
    File file = File::create(staging_->path() / name);
    FileAppender appender(file);
    write([&](std::string_view piece) { appender.put(piece); });
    file.close();
}

void DirectoryWriter::syncAll(const std::vector<std::string>& files) {
#ifdef __linux__
    // The folder was opened before anything was written: no failure since then escapes it.
    if (files.size() > kMostSingleSyncs && canSyncWholeFileSystem()) {
        if (::syncfs(staging_->handle().descriptor()) != 0) {
            throw systemError("flush to disk", staging_->path().string(), errno);
        }
        return;
    }
#endif
    for (const std::string& name : files) File::openForRead(staging_->path() / name).sync();
    staging_->handle().sync();
}

uint64_t DirectoryWriter::finish(Manifest manifest) {
    if (!toc_) throw Error(ErrorKind::Internal, "the archive has no table of contents");
    manifest.members = takeMembers();
    completeManifest(manifest, options_, *toc_);
    io::Checksum checksum;
    uint64_t size = 0;
    writeFile("toc.dat", [&](const PutText& put) {
        writeToc(*toc_, [&](std::string_view piece) {
            checksum.update(bytesOf(piece));
            size += piece.size();
            put(piece);
        });
    });
    manifest.tocChecksum = checksum.value();
    std::vector<std::string> files = {"toc.dat"};
    for (const Member& member : manifest.members) {
        size += member.compressedSize;
        files.push_back(member.fileName);
    }
    {
        const MutexLock lock(mutex_);
        for (const auto& [entry, objects] : objects_) {
            files.push_back(objects->listName());
            size += fs::file_size(staging_->path() / objects->listName());
        }
    }
    const fs::path manifestName = manifestPath({}, Format::Directory);
    writeFile(manifestName.string(), [&](const PutText& put) { writeManifest(manifest, put); });
    files.push_back(manifestName.string());
    if (options_.sync) syncAll(files);
    staging_->publish(manifest, options_.sync);
    return size;
}

}  // namespace

std::unique_ptr<ArchiveWriter> makeDirectoryWriter(const ArchiveWriter::Options& options,
                                                   std::unique_ptr<Staging> staging) {
    return std::make_unique<DirectoryWriter>(options, std::move(staging));
}

}  // namespace gantry::archive
