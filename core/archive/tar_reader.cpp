// SPDX-License-Identifier: PostgreSQL
#include "core/archive/tar_reader.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr uint64_t kBlock = 512;
constexpr std::size_t kNameSize = 100;
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kSizeSize = 12;
constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kChecksumSize = 8;
constexpr std::size_t kLargestContents = std::size_t{1} << 30;

struct Stretch {
    uint64_t position = 0;
    uint64_t size = 0;
};

uint64_t octal(std::string_view digits) {
    uint64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '7') {
            if (c == ' ' && value == 0) continue;
            break;
        }
        value = value * 8 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

uint64_t memberSize(std::string_view field) {
    if ((static_cast<unsigned char>(field[0]) & 0x80) == 0) return octal(field);
    uint64_t value = 0;
    for (const char c : field.substr(kSizeSize - sizeof value)) {
        value = (value << 8) | static_cast<unsigned char>(c);
    }
    return value;
}

uint64_t headerChecksum(std::string_view header) {
    uint64_t sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool own = i >= kChecksumAt && i < kChecksumAt + kChecksumSize;
        sum += static_cast<unsigned char>(own ? ' ' : header[i]);
    }
    return sum;
}

class TarReader final : public ArchiveReader {
public:
    TarReader(const std::filesystem::path& path, std::shared_ptr<const File> file)
        : file_(std::move(file)) {
        path_ = path;
        readHeaders();
        readContents();
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
        return std::make_unique<FileSource>(file_, member.position, member.size);
    }

private:
    void readHeaders() {
        const uint64_t fileSize = file_->size();
        std::array<std::byte, kBlock> block{};
        for (uint64_t position = 0; position + kBlock <= fileSize;) {
            if (file_->readAt(position, block) != kBlock) break;
            const std::string_view header = textOf(block);
            if (header.find_first_not_of('\0') == std::string_view::npos) {
                ended_ = true;
                break;
            }
            if (octal(header.substr(kChecksumAt, kChecksumSize)) != headerChecksum(header)) {
                problem_ = fmt::format("damaged tar header at byte {}", position);
                break;
            }
            const std::string_view name = header.substr(0, kNameSize);
            const uint64_t size = memberSize(header.substr(kSizeAt, kSizeSize));
            position += kBlock;
            if (size > fileSize - position) {
                problem_ = fmt::format("the archive ends inside the member at byte {}", position);
                break;
            }
            stretches_.emplace(name.substr(0, name.find('\0')), Stretch{position, size});
            position += (size + kBlock - 1) / kBlock * kBlock;
        }
        if (!ended_ && problem_.empty()) problem_ = "the archive ends before its end mark";
    }

    std::string readWhole(const Stretch& stretch, const std::string& name) const {
        FileSource source(file_, stretch.position, stretch.size);
        return readAll(source, kLargestContents, path_.string() + ": " + name);
    }

    void readContents() {
        const auto found = stretches_.find("toc.dat");
        if (found == stretches_.end()) {
            throw Error(ErrorKind::Format,
                        "a tar file without toc.dat is no archive of pg_dump" +
                            (problem_.empty() ? std::string() : " (" + problem_ + ")"),
                        path_.string());
        }
        const std::string text = readWhole(found->second, "toc.dat");
        FileSource source(file_, found->second.position, found->second.size);
        try {
            toc_ = readToc(source);
        } catch (const Error& error) {
            ErrorInfo info = error.info();
            info.object = path_.string() + ": toc.dat";
            throw Error(std::move(info));
        }
        toc_.format = Format::Tar;
        findManifest(io::frameChecksum(bytesOf(text)));
    }

    void addMember(const TocEntry& entry, std::optional<Oid> object, const std::string& name) {
        const auto found = stretches_.find(name);
        if (found == stretches_.end()) {
            missing_.push_back(
                {entry.dumpId, name, problem_.empty() ? "the member is missing" : problem_});
            return;
        }
        members_.push_back({.entry = entry.dumpId,
                            .largeObject = object,
                            .name = name,
                            .fileName = {},
                            .position = found->second.position,
                            .size = found->second.size,
                            .algorithm = io::Algorithm::None,
                            .style = io::FrameStyle::Independent});
    }

    void addLargeObjects(const TocEntry& entry, bool& oldListRead) {
        const std::string named = entry.fileName.value_or("");
        const bool grouped = named.starts_with("blobs_");
        if (!grouped && std::exchange(oldListRead, true)) return;
        const std::string listName = grouped ? named : "blobs.toc";
        const auto found = stretches_.find(listName);
        if (found == stretches_.end()) {
            missing_.push_back(
                {entry.dumpId, listName,
                 problem_.empty() ? "the list of large objects is missing" : problem_});
            return;
        }
        try {
            const std::string text = readWhole(found->second, listName);
            for (const LargeObjectLine& line : parseLargeObjectList(text, listName)) {
                addMember(entry, line.object, line.fileName);
            }
        } catch (const Error& error) {
            missing_.push_back({entry.dumpId, listName, error.info().describe()});
        }
    }

    std::shared_ptr<const File> file_;
    std::map<std::string, Stretch, std::less<>> stretches_;
    bool ended_ = false;
    std::string problem_;
};

}  // namespace

std::unique_ptr<ArchiveReader> openTarArchive(const std::filesystem::path& path,
                                              std::shared_ptr<const File> file) {
    return std::make_unique<TarReader>(path, std::move(file));
}

}  // namespace gantry::archive
