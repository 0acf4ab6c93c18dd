// SPDX-License-Identifier: PostgreSQL
// Verifying a plain dump: frame by frame where the manifest tells them, else by its end.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/archive/file_source.h"
#include "core/archive/script_file.h"
#include "core/archive/verify.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sync.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kScriptReadSize = std::size_t{256} << 10;
constexpr std::string_view kLastComment = "-- PostgreSQL database dump complete\n";
constexpr std::string_view kCopy = "\nCOPY ";
constexpr std::size_t kLongestCopy = std::size_t{256} << 10;
/// Behind the last comment stand at most empty lines and \unrestrict with its key.
constexpr std::size_t kTailSize = 1024;

class ScriptVerifier {
public:
    ScriptVerifier(std::shared_ptr<const File> file, const VerifyOptions& options,
                   const std::stop_token& stop)
        : file_(std::move(file)), options_(options), stop_(stop), size_(file_->size()) {}

    VerifyReport run() {
        const auto path = existingManifestPath(file_->path(), Format::Plain);
        std::error_code unreadable;
        if (std::filesystem::exists(path, unreadable) || unreadable) {
            try {
                const Manifest manifest = readManifest(path);
                report_.usedManifest = true;
                checkAgainst(manifest);
                return std::move(report_);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::Cancelled) throw;
                report_.usedManifest = false;
                find(path.filename().string(), error.info().describe());
            }
        }
        decodeAll();
        return std::move(report_);
    }

private:
    struct Place {
        const Member* member;
        const Frame* frame;
    };

    void find(std::string member, std::string problem, std::optional<uint64_t> offset = {}) {
        const MutexLock lock(mutex_);
        report_.findings.push_back({std::move(member), std::move(problem), offset});
    }

    std::string name() const { return file_->path().filename().string(); }

    void checkAgainst(const Manifest& manifest) {
        std::vector<Place> places;
        for (const Member& member : manifest.members) {
            ++report_.members;
            if (member.largeObject) ++report_.largeObjects;
            report_.rows += member.rows;
            report_.rawBytes += member.rawSize;
            for (const Frame& frame : member.frames) places.push_back({&member, &frame});
        }
        std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            // Empty ones first, where two stand at one place.
            return std::pair(a.frame->offset, a.frame->compressedSize) <
                   std::pair(b.frame->offset, b.frame->compressedSize);
        });
        if (size_ != manifest.archiveSize) {
            find(name(),
                 fmt::format("it has {} bytes, the manifest says {}", size_, manifest.archiveSize));
            return;
        }
        uint64_t behind = 0;
        for (const Place& place : places) {
            const uint64_t begin = place.frame->offset;
            if (begin < behind || begin > size_ || place.frame->compressedSize > size_ - begin) {
                find(name(), "the frames that the manifest lists do not follow each other in it");
                return;
            }
            behind = begin + place.frame->compressedSize;
        }
        checkStatements(places, manifest);
        std::atomic<std::size_t> next = 0;
        {
            std::vector<std::jthread> threads;
            for (uint32_t i = 0; i < std::max(options_.threads, 1U); ++i) {
                threads.emplace_back([&] {
                    for (std::size_t at; (at = next++) < places.size();) {
                        if (stop_.stop_requested()) return;
                        checkFrame(manifest, places, places[at]);
                    }
                });
            }
        }
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
    }

    /// What lies between the frames: the statements.
    void checkStatements(const std::vector<Place>& places, const Manifest& manifest) {
        io::Checksum checksum(manifest.checksums);
        std::vector<std::byte> buffer(kScriptReadSize);
        uint64_t position = 0;
        const auto hashUpTo = [&](uint64_t end) {
            while (position < end) {
                const auto count =
                    static_cast<std::size_t>(std::min<uint64_t>(end - position, buffer.size()));
                const std::size_t got = file_->readAt(position, std::span(buffer).first(count));
                if (got == 0) return;
                checksum.update(std::span(buffer).first(got));
                position += got;
                countBytes(got);
            }
        };
        for (const Place& place : places) {
            hashUpTo(place.frame->offset);
            position = place.frame->offset + place.frame->compressedSize;
        }
        hashUpTo(size_);
        if (checksum.value() != manifest.tocChecksum) {
            find(name(), "its statements differ from what was dumped");
        }
    }

    /// The COPY before the member's first frame says which table it is of.
    std::string nameOf(const Manifest& manifest, const std::vector<Place>& places,
                       const Member& member) const {
        if (member.largeObject) return fmt::format("large object {}", member.largeObject->value);
        const auto first =
            std::find_if(places.begin(), places.end(),
                         [&member](const Place& place) { return place.member == &member; });
        uint64_t begin = 0;
        if (first != places.begin()) {
            const Frame& before = *(first - 1)->frame;
            begin = before.offset + before.compressedSize;
        }
        std::string text;
        try {
            FileSource statements(file_, begin, first->frame->offset - begin);
            const auto decoder = io::makeDecoder(manifest.compression.algorithm, statements,
                                                 io::FrameStyle::Independent);
            std::vector<std::byte> buffer(kScriptReadSize);
            while (const std::size_t got = decoder->read(buffer)) {
                text += textOf(std::span(buffer).first(got));
                if (text.size() > kLongestCopy) text.erase(0, text.size() - kLongestCopy);
            }
        } catch (const Error&) {  // damaged, too
        }
        const std::string entry = fmt::format("entry {}", member.dumpId.value);
        const std::size_t copy = text.rfind(kCopy);
        if (copy == std::string::npos) return entry;
        const std::size_t table = copy + kCopy.size();
        const std::size_t end = std::min(text.find(" (", table), text.find(" FROM ", table));
        return entry + fmt::format(" ({})", text.substr(table, end - table));
    }

    void checkFrame(const Manifest& manifest, const std::vector<Place>& places,
                    const Place& place) {
        const Frame& frame = *place.frame;
        const auto member = [&] { return nameOf(manifest, places, *place.member); };
        try {
            FileSource compressed(file_, frame.offset, frame.compressedSize);
            const auto decoder = io::makeDecoder(manifest.compression.algorithm, compressed,
                                                 io::FrameStyle::Independent);
            io::Checksum checksum(manifest.checksums);
            std::vector<std::byte> buffer(kScriptReadSize);
            uint64_t raw = 0;
            while (const std::size_t got = raw <= frame.rawSize ? decoder->read(buffer) : 0) {
                checksum.update(std::span(buffer).first(got));
                raw += got;
            }
            if (raw != frame.rawSize || checksum.value() != frame.checksum) {
                find(member(), "a frame differs from what was dumped", frame.offset);
            }
        } catch (const Error& error) {
            find(member(), error.info().message, frame.offset);
        }
        countBytes(frame.compressedSize);
    }

    void decodeAll() {
        report_.members = 1;
        report_.compressedBytes = size_;
        const auto source = openScript(file_);
        std::vector<std::byte> buffer(kScriptReadSize);
        std::string tail;
        try {
            while (const std::size_t got = source->read(buffer)) {
                if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
                report_.rawBytes += got;
                tail += textOf(std::span(buffer).first(got));
                if (tail.size() > kTailSize) tail.erase(0, tail.size() - kTailSize);
            }
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            find(name(), error.info().message, error.info().byteOffset);
            return;
        }
        if (tail.find(kLastComment) == std::string::npos) {
            find(name(),
                 "it does not end with the comment that ends every dump: the end is "
                 "missing");
        }
    }

    void countBytes(uint64_t bytes) {
        const MutexLock lock(mutex_);
        report_.compressedBytes += bytes;
        if (options_.progress) options_.progress(report_.compressedBytes, size_);
    }

    std::shared_ptr<const File> file_;
    const VerifyOptions& options_;
    const std::stop_token& stop_;
    uint64_t size_;
    Mutex mutex_;
    VerifyReport report_;
};

}  // namespace

VerifyReport verifyScript(const std::filesystem::path& path, const VerifyOptions& options,
                          std::stop_token stop) {
    auto file = std::make_shared<const File>(File::openForRead(path));
    return ScriptVerifier(std::move(file), options, stop).run();
}

}  // namespace gantry::archive
