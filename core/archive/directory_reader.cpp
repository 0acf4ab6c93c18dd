// SPDX-License-Identifier: PostgreSQL
#include "core/archive/directory_reader.h"

#include <limits>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kOldList = "blobs.toc";

struct Found {
    std::string fileName;
    io::Algorithm algorithm = io::Algorithm::None;
    uint64_t size = 0;
};

/// More than anybody names, if the folder cannot be listed.
std::size_t countFiles(const std::filesystem::path& folder) {
    std::size_t files = 0;
    std::error_code failure;
    std::filesystem::directory_iterator each(folder, failure);
    for (; !failure && each != std::filesystem::directory_iterator(); each.increment(failure)) {
        ++files;
    }
    return failure ? std::numeric_limits<std::size_t>::max() : files;
}

class DirectoryReader final : public ArchiveReader {
public:
    explicit DirectoryReader(const std::filesystem::path& path) {
        path_ = path;
        findContents();
        files_ = countFiles(path);
        bool oldListRead = false;
        for (const TocEntry& entry : toc_.entries) {
            if (!entry.hadDumper) continue;
            if (entry.description() == "BLOBS") {
                addLargeObjects(entry, oldListRead);
            } else {
                addMember(entry, std::nullopt, entry.fileName.value_or(""));
            }
        }
    }

    std::unique_ptr<io::ByteSource> openCompressed(const DataMember& member) const override {
        auto file = std::make_shared<const File>(File::openForRead(path_ / member.fileName));
        const uint64_t size = file->size();
        return std::make_unique<FileSource>(std::move(file), 0, size);
    }

private:
    std::optional<Found> find(const std::string& name) const {
        for (const auto algorithm :
             {io::Algorithm::None, io::Algorithm::Gzip, io::Algorithm::Lz4, io::Algorithm::Zstd}) {
            const std::string fileName = name + std::string(io::fileSuffix(algorithm));
            std::error_code error;
            const auto size = std::filesystem::file_size(path_ / fileName, error);
            if (!error) return Found{fileName, algorithm, size};
        }
        return std::nullopt;
    }

    static DataMember memberOf(const Found& found) {
        DataMember member;
        member.name = found.fileName;
        member.fileName = found.fileName;
        member.size = found.size;
        member.algorithm = found.algorithm;
        return member;
    }

    static uint64_t largest(const Found& found) {
        return found.algorithm == io::Algorithm::None ? UINT64_MAX : largestDecoded(found.size);
    }

    std::string readWhole(const Found& found) const {
        return readAll(*openData(memberOf(found)), largest(found),
                       (path_ / found.fileName).string());
    }

    void findContents() {
        const std::optional<Found> found = find("toc.dat");
        if (!found) {
            throw Error(ErrorKind::Format, "not an archive: the folder has no toc.dat",
                        path_.string(),
                        "A dump that was interrupted has a name that ends in .partial.");
        }
        readContents(*openData(memberOf(*found)), largest(*found), Format::Directory,
                     (path_ / found->fileName).string());
    }

    void addMember(const TocEntry& entry, std::optional<Oid> object, const std::string& fileName) {
        // Stored with its suffix from 16 on (and by us), without before.
        std::string stem = fileName;
        for (const auto algorithm :
             {io::Algorithm::Gzip, io::Algorithm::Lz4, io::Algorithm::Zstd}) {
            const std::string_view suffix = io::fileSuffix(algorithm);
            if (stem.ends_with(suffix)) stem.erase(stem.size() - suffix.size());
        }
        if (!isPlainFileName(stem)) {
            addMissing({entry.dumpId, fileOf(entry, object, fileName),
                        "the name of its file is not acceptable"});
            return;
        }
        const std::optional<Found> found = find(stem);
        if (!found) {
            addMissing({entry.dumpId, fileOf(entry, object, fileName), "the file is missing"});
            return;
        }
        addFound({.entry = entry.dumpId,
                  .largeObject = object,
                  .name = fileOf(entry, object, found->fileName),
                  .fileName = found->fileName,
                  .position = 0,
                  .size = found->size,
                  .algorithm = found->algorithm,
                  .style = io::FrameStyle::Independent},
                 files_);
    }

    /// Before 17 the list is blobs.toc whatever the entry says.
    void addLargeObjects(const TocEntry& entry, bool& oldListRead) {
        const std::string named = entry.fileName.value_or("");
        const bool grouped = named.starts_with("blobs_") && isPlainFileName(named);
        if (!grouped && std::exchange(oldListRead, true)) return;
        const std::string listName = grouped ? named : std::string(kOldList);
        const std::optional<Found> found = find(listName);
        if (!found) {
            missing_.push_back({entry.dumpId, listName, "the list of large objects is missing"});
            return;
        }
        try {
            const std::string text = readWhole(*found);
            forEachLargeObject(text, found->fileName, [&](Oid object, const std::string& fileName) {
                addMember(entry, object, fileName);
            });
        } catch (const Error& error) {
            missing_.push_back({entry.dumpId, listName, error.info().describe()});
        }
    }

    std::size_t files_ = 0;  ///< in the folder
};

}  // namespace

std::unique_ptr<ArchiveReader> openDirectoryArchive(const std::filesystem::path& path) {
    return std::make_unique<DirectoryReader>(path);
}

}  // namespace gantry::archive
