// SPDX-License-Identifier: PostgreSQL
#include "core/archive/manifest.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry::archive {
namespace {

using nlohmann::json;

constexpr std::string_view kSuffix = ".gantry-manifest.json";
constexpr std::string_view kNameInFolder = "gantry-manifest.json";
constexpr std::string_view kKind = "gantry";
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // some 15 million frames, 120 TB of rows
constexpr std::size_t kReadAtOnce = 1 << 20;
constexpr std::size_t kWrittenAtOnce = 1 << 16;
constexpr int kDeepest = 5;  // { members [ { frames [ [ ] ] } ] }

// Names of servers that are not UTF-8 lose the bytes that JSON cannot hold, not the manifest.
std::string jsonText(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

Format formatNamed(std::string_view name) {
    for (const Format each : {Format::Directory, Format::Custom, Format::Tar, Format::Plain}) {
        if (name == toString(each)) return each;
    }
    throw Error(ErrorKind::Format, fmt::format("there is no archive format \"{}\"", name));
}

void appendMember(std::string& out, const Member& member) {
    out += fmt::format("{{\"dump_id\":{}", member.dumpId.value);
    if (member.largeObject) out += fmt::format(",\"large_object\":{}", member.largeObject->value);
    if (!member.fileName.empty()) out += fmt::format(",\"file\":{}", jsonText(member.fileName));
    out += fmt::format(",\"rows\":{},\"raw\":{},\"compressed\":{},\"frames\":[", member.rows,
                       member.rawSize, member.compressedSize);
    std::string_view comma;
    for (const Frame& frame : member.frames) {
        out += fmt::format("{}[{},{},{},{},\"{:016x}\"]", comma, frame.offset, frame.compressedSize,
                           frame.rawSize, frame.rows, frame.checksum);
        comma = ",";
    }
    out += "]}";
}

uint64_t readHex(const json& value) {
    const auto& text = value.get_ref<const std::string&>();
    uint64_t result = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
    if (code != std::errc() || end != text.data() + text.size() || text.empty()) {
        throw Error(ErrorKind::Format, fmt::format("\"{}\" is no checksum", text));
    }
    return result;
}

// get<uint64_t>() would take -1 and 1.5 without a word.
uint64_t readNumber(const json& value) {
    if (!value.is_number_unsigned()) {
        throw Error(ErrorKind::Format, "a number is negative, broken or missing");
    }
    return value.get<uint64_t>();
}

uint64_t readNumber(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        throw Error(ErrorKind::Format, fmt::format("a member has no \"{}\"", key));
    }
    return readNumber(*found);
}

template <class Narrow>
Narrow readNarrow(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<Narrow>::max())) {
        throw Error(ErrorKind::Format, fmt::format("the number {} is too large", value));
    }
    return static_cast<Narrow>(value);
}

Frame readFrame(const json& value) {
    if (value.size() != 5) {
        throw Error(ErrorKind::Format,
                    "a frame is not [offset, compressed, raw, rows, \"checksum\"]");
    }
    return {readNumber(value[0]), readNumber(value[1]), readNumber(value[2]), readNumber(value[3]),
            readHex(value[4])};
}

Member readMember(const json& value, std::vector<Frame> frames) {
    Member member;
    member.dumpId.value = readNarrow<int32_t>(readNumber(value, "dump_id"));
    if (value.contains("large_object")) {
        member.largeObject = Oid{readNarrow<uint32_t>(readNumber(value, "large_object"))};
    }
    if (value.contains("file")) member.fileName = value["file"].get<std::string>();
    member.rows = readNumber(value, "rows");
    member.rawSize = readNumber(value, "raw");
    member.compressedSize = readNumber(value, "compressed");
    member.frames = std::move(frames);
    return member;
}

std::string readText(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? std::string() : found->get<std::string>();
}

// Takes members and frames out of the stream as they end, so that no tree of the whole file is
// ever held.
class ManifestReader {
public:
    Manifest read(std::string_view text) {
        const json::parser_callback_t step = [this](int depth, json::parse_event_t event,
                                                    json& value) {
            return take(depth, event, value);
        };
        const json top = json::parse(text, step);
        if (!top.is_object() || readText(top, "manifest") != kKind) {
            throw Error(ErrorKind::Format, "it is no manifest of an archive");
        }
        const uint64_t version = top.contains("version") ? readNumber(top["version"]) : 0;
        if (version < 1 || version > Manifest::kVersion) {
            throw Error(ErrorKind::Format,
                        fmt::format("version {} of the manifest is not known, only 1 to {}",
                                    version, Manifest::kVersion),
                        {}, "Use the version of the program that wrote it, or a newer one.");
        }
        if (version == 1) result_.checksums = io::ChecksumKind::Xxh3;
        fill(top);
        return std::move(result_);
    }

private:
    bool take(int depth, json::parse_event_t event, json& value) {
        using Event = json::parse_event_t;
        if ((event == Event::array_start || event == Event::object_start) && depth >= kDeepest) {
            throw Error(ErrorKind::Format, "it is nested too deeply");
        }
        if (event == Event::key && depth == 1) inMembers_ = value == "members";
        if (event == Event::key && depth == 3) inFrames_ = value == "frames";
        if (!inMembers_) return true;
        if (event == Event::array_end && depth == 4 && inFrames_) {
            frames_.push_back(readFrame(value));
            return false;
        }
        if (event == Event::object_end && depth == 2) {
            result_.members.push_back(readMember(value, std::exchange(frames_, {})));
            return false;
        }
        return true;
    }

    void fill(const json& top) {
        result_.gantryVersion = readText(top, "gantry");
        result_.format = formatNamed(readText(top, "format"));
        result_.compression = io::parseCompression(readText(top, "compression"));
        result_.serverVersion = readText(top, "server");
        result_.pgDumpVersion = readText(top, "pg_dump");
        result_.databaseName = readText(top, "database");
        result_.snapshot = readText(top, "snapshot");
        result_.lsn = readText(top, "lsn");
        result_.startedAt = readText(top, "started");
        result_.finishedAt = readText(top, "finished");
        if (top.contains("settings")) top["settings"].get_to(result_.settings);
        if (top.contains("archive_size")) result_.archiveSize = readNumber(top["archive_size"]);
        if (top.contains("toc_checksum")) result_.tocChecksum = readHex(top["toc_checksum"]);
        if (!top.contains("members")) {
            throw Error(ErrorKind::Format, "it ends before the list of members");
        }
    }

    Manifest result_;
    std::vector<Frame> frames_;
    bool inMembers_ = false;
    bool inFrames_ = false;
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& cause,
                         const std::string& hint) {
    throw Error(ErrorKind::Format, fmt::format("the manifest cannot be read: {}", cause),
                path.string(),
                hint.empty() ? "Without it the archive can still be restored; move the file away "
                               "to check the archive as one without a manifest."
                             : hint);
}

}  // namespace

std::filesystem::path manifestPath(const std::filesystem::path& archive, Format format) {
    if (format == Format::Directory) return archive / kNameInFolder;
    auto path = archive;
    path += kSuffix;
    return path;
}

std::filesystem::path existingManifestPath(const std::filesystem::path& archive, Format format) {
    auto path = manifestPath(archive, format);
    std::error_code unreadable;
    if (std::filesystem::exists(path, unreadable) || unreadable) return path;
    const auto real = std::filesystem::canonical(archive, unreadable);
    return unreadable ? path : manifestPath(real, format);
}

void writeManifest(const Manifest& manifest, const PutText& put) {
    std::string out =
        fmt::format("{{\n\"manifest\":\"{}\",\n\"version\":{},\n", kKind, Manifest::kVersion);
    const auto text = [&out](std::string_view key, std::string_view value) {
        out += fmt::format("\"{}\":{},\n", key, jsonText(value));
    };
    text("gantry", manifest.gantryVersion);
    text("format", toString(manifest.format));
    text("compression", io::toString(manifest.compression));
    text("server", manifest.serverVersion);
    text("pg_dump", manifest.pgDumpVersion);
    text("database", manifest.databaseName);
    text("snapshot", manifest.snapshot);
    text("lsn", manifest.lsn);
    text("started", manifest.startedAt);
    text("finished", manifest.finishedAt);
    out += "\"settings\":{";
    std::string_view comma;
    for (const auto& [key, value] : manifest.settings) {
        out += fmt::format("{}{}:{}", comma, jsonText(key), jsonText(value));
        comma = ",";
    }
    out += fmt::format("}},\n\"archive_size\":{},\n\"toc_checksum\":\"{:016x}\",\n\"members\":[",
                       manifest.archiveSize, manifest.tocChecksum);
    comma = "";
    for (const Member& member : manifest.members) {
        out += comma;
        out += '\n';
        appendMember(out, member);
        comma = ",";
        if (out.size() < kWrittenAtOnce) continue;
        put(out);
        out.clear();
    }
    out += "\n]}\n";
    put(out);
}

std::string writeManifest(const Manifest& manifest) {
    std::string text;
    writeManifest(manifest, [&text](std::string_view piece) { text += piece; });
    return text;
}

Manifest readManifest(const std::filesystem::path& path) {
    // To open a pipe would wait for somebody who writes into it.
    std::error_code unreadable;  // which is told when it is opened
    const auto status = std::filesystem::status(path, unreadable);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        refuse(path, "it is no file", {});
    }
    const File file = File::openForRead(path);
    const uint64_t size = file.size();
    if (size > kMostBytes) refuse(path, "it is larger than 1 GiB", {});
    std::string text;
    std::vector<std::byte> piece(kReadAtOnce);
    while (const std::size_t got = file.readAt(text.size(), piece)) {
        text += textOf(std::span(piece).first(got));
        // It costs nothing to make a file with a hole of any length.
        if (text.find('\0', text.size() - got) != std::string::npos) {
            refuse(path, "it holds a zero byte", {});
        }
    }
    try {
        return ManifestReader().read(text);
    } catch (const json::exception& error) {
        refuse(path, error.what(), {});
    } catch (const Error& error) {
        refuse(path, error.info().message, error.info().hint);
    }
}

}  // namespace gantry::archive
