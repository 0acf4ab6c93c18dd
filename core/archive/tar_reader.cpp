// SPDX-License-Identifier: PostgreSQL
#include "core/archive/tar_reader.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "core/archive/file_source.h"
#include "core/archive/frame_log.h"
#include "core/archive/tar_header.h"
#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kOldObjectList = "blobs.toc";

struct Stretch {
    uint64_t position = 0;
    uint64_t size = 0;
};

class TarReader final : public ArchiveReader {
public:
    TarReader(const std::filesystem::path& path, std::shared_ptr<const File> file)
        : file_(std::move(file)) {
        path_ = path;
        readHeaders();
        findContents();
        bool oldListRead = false;
        for (const TocEntry& entry : toc_.entries) {
            if (!entry.hadDumper) continue;
            if (entry.description() == "BLOBS") {
                addLargeObjects(entry, oldListRead);
            } else {
                addMember(entry, std::nullopt, entry.fileName.value_or(""));
            }
        }
        if (!problem_.empty() && missing_.empty()) {
            missing_.push_back({DumpId{}, path_.filename().string(), problem_});
        }
    }

    std::unique_ptr<io::ByteSource> openCompressed(const DataMember& member) const override {
        return std::make_unique<FileSource>(file_, member.position, member.size);
    }

    std::optional<uint64_t> strayByte() const override {
        for (const Stretch& padding : paddings_) {
            if (const auto found = firstNotZero(padding)) return found;
        }
        return std::nullopt;
    }

private:
    void readHeaders() {
        const uint64_t fileSize = file_->size();
        std::array<std::byte, kTarBlock> block{};
        for (uint64_t position = 0; position + kTarBlock <= fileSize;) {
            if (file_->readAt(position, block) != kTarBlock) break;
            const std::string_view header = textOf(block);
            if (header.find_first_not_of('\0') == std::string_view::npos) {
                ended_ = true;
                paddings_.push_back({position, fileSize - position});
                break;
            }
            const TarHeader member = parseTarHeader(header);
            if (!member.intact) {
                problem_ = fmt::format("damaged tar header at byte {}", position);
                break;
            }
            position += kTarBlock;
            if (member.size > fileSize - position) {
                problem_ = fmt::format("the archive ends inside the member at byte {}", position);
                break;
            }
            stretches_.emplace(member.name, Stretch{position, member.size});
            position += member.size;
            const uint64_t padding = (kTarBlock - member.size % kTarBlock) % kTarBlock;
            if (padding > 0) paddings_.push_back({position, padding});
            position += padding;
        }
        if (!ended_ && problem_.empty()) problem_ = "the archive ends before its end mark";
    }

    std::optional<uint64_t> firstNotZero(const Stretch& stretch) const {
        FileSource source(file_, stretch.position, stretch.size);
        std::array<std::byte, std::size_t{64} << 10> buffer;
        uint64_t position = stretch.position;
        while (const std::size_t got = source.read(buffer)) {
            const std::size_t at = textOf(std::span(buffer).first(got)).find_first_not_of('\0');
            if (at != std::string_view::npos) return position + at;
            position += got;
        }
        return std::nullopt;
    }

    std::string readWhole(const Stretch& stretch, const std::string& name) const {
        FileSource source(file_, stretch.position, stretch.size);
        return readAll(source, stretch.size, path_.string() + ": " + name);
    }

    void findContents() {
        const auto found = stretches_.find("toc.dat");
        if (found == stretches_.end()) {
            throw Error(ErrorKind::Format,
                        "a tar file without toc.dat is no archive of pg_dump" +
                            (problem_.empty() ? std::string() : " (" + problem_ + ")"),
                        path_.string());
        }
        FileSource source(file_, found->second.position, found->second.size);
        readContents(source, found->second.size, Format::Tar, path_.string() + ": toc.dat");
    }

    void addMember(const TocEntry& entry, std::optional<Oid> object, const std::string& name) {
        const auto found = stretches_.find(name);
        if (found == stretches_.end()) {
            addMissing({entry.dumpId, fileOf(entry, object, name),
                        problem_.empty() ? "the member is missing" : problem_});
            return;
        }
        addFound({.entry = entry.dumpId,
                  .largeObject = object,
                  .name = fileOf(entry, object, name),
                  .fileName = {},
                  .position = found->second.position,
                  .size = found->second.size,
                  .algorithm = io::Algorithm::None,
                  .style = io::FrameStyle::Independent},
                 stretches_.size());
    }

    void addLargeObjects(const TocEntry& entry, bool& oldListRead) {
        // The entry's own file name is that of a member which pg_dump never writes.
        const std::string listName = largeObjectListName(toc_, entry.dumpId);
        if (listName == kOldObjectList && std::exchange(oldListRead, true)) return;
        const auto found = stretches_.find(listName);
        if (found == stretches_.end()) {
            missing_.push_back(
                {entry.dumpId, listName,
                 problem_.empty() ? "the list of large objects is missing" : problem_});
            return;
        }
        try {
            const std::string text = readWhole(found->second, listName);
            forEachLargeObject(text, listName, [&](Oid object, const std::string& fileName) {
                addMember(entry, object, fileName);
            });
        } catch (const Error& error) {
            missing_.push_back({entry.dumpId, listName, error.info().describe()});
        }
    }

    std::shared_ptr<const File> file_;
    std::map<std::string, Stretch, std::less<>> stretches_;
    std::vector<Stretch> paddings_;  ///< behind members, and from the end mark on
    bool ended_ = false;
    std::string problem_;
};

}  // namespace

std::unique_ptr<ArchiveReader> openTarArchive(const std::filesystem::path& path,
                                              std::shared_ptr<const File> file) {
    return std::make_unique<TarReader>(path, std::move(file));
}

}  // namespace gantry::archive
