// SPDX-License-Identifier: PostgreSQL
#include "core/archive/archive_reader.h"

#include <array>
#include <charconv>

#include "core/archive/custom_reader.h"
#include "core/archive/directory_reader.h"
#include "core/archive/file_source.h"
#include "core/archive/script_file.h"
#include "core/archive/tar_header.h"
#include "core/archive/tar_reader.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kMagic = "PGDMP";
constexpr std::size_t kTarMark = 257;  // "ustar"

/// A decoder together with the compressed stream that it reads from.
class DecodedSource final : public io::ByteSource {
public:
    DecodedSource(std::unique_ptr<io::ByteSource> compressed, const DataMember& member)
        : compressed_(std::move(compressed)),
          decoder_(io::makeDecoder(member.algorithm, *compressed_, member.style)),
          name_(member.name) {}

    std::size_t read(std::span<std::byte> into) override {
        try {
            return decoder_->read(into);
        } catch (const Error& error) {
            if (!error.info().object.empty()) throw;
            ErrorInfo info = error.info();
            info.object = name_;
            throw Error(std::move(info));
        }
    }

private:
    std::unique_ptr<io::ByteSource> compressed_;
    std::unique_ptr<io::ByteSource> decoder_;
    std::string name_;
};

}  // namespace

std::unique_ptr<io::ByteSource> ArchiveReader::openData(const DataMember& member) const {
    return std::make_unique<DecodedSource>(openCompressed(member), member);
}

void ArchiveReader::findManifest(uint64_t tocChecksum) {
    const std::filesystem::path path = manifestPath(path_, toc_.format);
    if (!std::filesystem::exists(path)) return;
    try {
        Manifest manifest = readManifest(path);
        if (manifest.tocChecksum == tocChecksum) {
            manifest_ = std::move(manifest);
        } else {
            manifestProblem_ = path.filename().string() + " belongs to another archive";
        }
    } catch (const Error& error) {
        manifestProblem_ = error.info().describe();
    }
}

std::unique_ptr<ArchiveReader> openArchive(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) return openDirectoryArchive(path);
    auto file = std::make_shared<const File>(File::openForRead(path));
    std::array<std::byte, kTarBlock> start{};
    const std::size_t got = file->readAt(0, start);
    const std::string_view text = textOf(std::span(start).first(got));
    if (text.starts_with(kMagic)) return openCustomArchive(path, std::move(file));
    if (got == kTarBlock && text.substr(kTarMark).starts_with("ustar")) {
        return openTarArchive(path, std::move(file));
    }
    if (isDumpScript(*file)) {
        throw Error(ErrorKind::Format, "a plain SQL script, which has no table of contents",
                    path.string(), "Run it with psql.");
    }
    throw Error(ErrorKind::Format, "not an archive of pg_dump", path.string(),
                "Archives are folders with a toc.dat, files that begin with PGDMP, and tar files "
                "with a toc.dat.");
}

bool isPlainFileName(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

std::vector<LargeObjectLine> parseLargeObjectList(std::string_view text, const std::string& name) {
    std::vector<LargeObjectLine> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        uint32_t oid = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), oid);
        const auto used = static_cast<std::size_t>(stop - line.data());
        if (error != std::errc() || used >= line.size() || line[used] != ' ' ||
            !isPlainFileName(line.substr(used + 1))) {
            throw Error(ErrorKind::Format, "the list of large objects has a line that is none",
                        name);
        }
        lines.push_back({Oid{oid}, std::string(line.substr(used + 1))});
    }
    return lines;
}

std::string readAll(io::ByteSource& source, std::size_t limit, const std::string& name) {
    std::string text;
    std::array<std::byte, 64 * 1024> buffer;
    while (const std::size_t got = source.read(buffer)) {
        text += textOf(std::span(buffer).first(got));
        if (text.size() > limit) throw Error(ErrorKind::Format, "larger than it can be", name);
    }
    return text;
}

}  // namespace gantry::archive
