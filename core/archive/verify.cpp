// SPDX-License-Identifier: PostgreSQL
#include "core/archive/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <unordered_set>

#include "core/archive/frame_watcher.h"
#include "core/archive/script_file.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sync.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kReadSize = std::size_t{256} << 10;
/// What follows the last row in a member: the end-of-data line and two empty ones.
constexpr std::string_view kEndOfDataLine = "\n\\.\n";  // behind the line before
constexpr uint64_t kEndOfDataLines = 3;

/// Looks at rows as they pass: counts them and checks how they end.
class RowWatcher {
public:
    void see(std::span<const std::byte> bytes) {
        const std::string_view text = textOf(bytes);
        lines_ += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
        if (found_) return seeBehind(text);
        // Over the seam first: the line may have begun in what passed before.
        constexpr std::size_t most = kEndOfDataLine.size() - 1;
        const std::string seam = before_ + std::string(text.substr(0, most));
        if (const std::size_t at = seam.find(kEndOfDataLine); at != std::string::npos) {
            found_ = true;
            return seeBehind(text.substr(at + kEndOfDataLine.size() - before_.size()));
        }
        if (const std::size_t at = text.find(kEndOfDataLine); at != std::string_view::npos) {
            found_ = true;
            return seeBehind(text.substr(at + kEndOfDataLine.size()));
        }
        before_ = text.size() >= most ? std::string(text.substr(text.size() - most)) : seam;
        if (before_.size() > most) before_.erase(0, before_.size() - most);
    }

    bool ended() const { return found_ && behind_ == kEndOfDataLines - 1 && !otherBehind_; }
    /// More than two empty lines stand behind the end-of-data line; the server ignores all that.
    bool endedEarly() const { return found_ && (otherBehind_ || behind_ > kEndOfDataLines - 1); }
    uint64_t rows() const { return lines_ - (ended() ? kEndOfDataLines : 0); }

private:
    void seeBehind(std::string_view text) {
        behind_ += text.size();
        otherBehind_ = otherBehind_ || text.find_first_not_of('\n') != std::string_view::npos;
    }

    uint64_t lines_ = 0;
    std::string before_ = "\n";  // what passed last; the start counts as a line's end
    bool found_ = false;
    uint64_t behind_ = 0;
    bool otherBehind_ = false;
};

class Verifier {
public:
    Verifier(const ArchiveReader& reader, const VerifyOptions& options, const std::stop_token& stop)
        : reader_(reader), options_(options), stop_(stop) {
        for (const DataMember& member : reader_.members()) all_ += member.size;
        for (const TocEntry& entry : reader_.toc().entries) {
            if (entry.copyStmt && !entry.copyStmt->empty()) copied_.insert(entry.dumpId);
        }
        if (!reader_.manifest()) return;
        for (const Member& member : reader_.manifest()->members) {
            expected_.emplace(std::pair(member.dumpId, member.largeObject), &member);
        }
    }

    VerifyReport run() {
        report_.usedManifest = reader_.manifest().has_value();
        if (!reader_.manifestProblem().empty()) {
            report_.findings.push_back(
                {manifestPath(reader_.path(), reader_.format()).filename().string(),
                 reader_.manifestProblem(), std::nullopt});
        }
        for (const MissingMember& missing : reader_.missing()) {
            report_.findings.push_back({missing.name, missing.problem, std::nullopt});
        }
        checkManifestIsCovered();
        // Largest first, so that no thread is left with a long one at the end.
        order_.resize(reader_.members().size());
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return reader_.members()[a].size > reader_.members()[b].size;
        });
        {
            std::vector<std::jthread> threads;
            for (uint32_t i = 0; i < std::max(options_.threads, 1U); ++i) {
                threads.emplace_back([this] { work(); });
            }
        }
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        if (report_.usedManifest && reader_.manifest()->archiveSize > 0) checkArchiveSize();
        checkStrayBytes();
        return std::move(report_);
    }

private:
    void work() {
        for (;;) {
            const std::size_t next = next_++;
            if (next >= order_.size() || stop_.stop_requested()) return;
            const DataMember& member = reader_.members()[order_[next]];
            Finding finding{member.name, {}, std::nullopt};
            try {
                checkMember(member, finding);
            } catch (const Error& error) {
                finding.problem = error.info().message;
                if (!error.info().hint.empty()) finding.problem += ". " + error.info().hint;
                finding.offset = error.info().byteOffset;
            } catch (const std::exception& error) {
                finding.problem = error.what();
            }
            const MutexLock lock(mutex_);
            if (!finding.problem.empty()) report_.findings.push_back(std::move(finding));
            ++report_.members;
            report_.compressedBytes += member.size;
            if (member.largeObject) ++report_.largeObjects;
            if (options_.progress) options_.progress(report_.compressedBytes, all_);
        }
    }

    /// Leaves `finding.problem` empty if all is well.
    void checkMember(const DataMember& member, Finding& finding) {
        const bool isCopy = !member.largeObject && copied_.contains(member.entry);
        const Member* expected = nullptr;
        if (const auto found = expected_.find({member.entry, member.largeObject});
            found != expected_.end()) {
            expected = found->second;
        }
        if (reader_.manifest() && expected == nullptr) {
            finding.problem = "the manifest does not list it";
            return;
        }
        if (expected && !framesCover(*expected, member)) {
            finding.problem = "the frames that the manifest lists do not follow each other in it";
            return;
        }
        if (isEmptyFile(member)) {
            finding.problem = "the file is empty";
            return;
        }
        std::optional<FrameWatcher> frames;
        if (expected && !expected->frames.empty()) {
            frames.emplace(expected->frames, reader_.manifest()->checksums);
        }
        RowWatcher rows;
        uint64_t raw = 0;
        const std::unique_ptr<io::ByteSource> source = reader_.openData(member);
        std::vector<std::byte> buffer(kReadSize);
        while (const std::size_t got = source->read(buffer)) {
            if (stop_.stop_requested()) return;
            const auto bytes = std::span(buffer).first(got);
            raw += got;
            if (isCopy) rows.see(bytes);
            if (frames && !frames->see(bytes, finding)) return;
        }
        {
            const MutexLock lock(mutex_);
            report_.rawBytes += raw;
            if (isCopy) report_.rows += rows.rows();
        }
        if (frames && !frames->finish(finding)) return;
        if (isCopy && rows.endedEarly()) {
            finding.problem = "an end-of-data line stands in the middle of its rows";
        } else if (isCopy && !rows.ended()) {
            finding.problem = "its rows do not end with the end-of-data line: the end is missing";
        } else if (expected && raw != expected->rawSize) {
            finding.problem =
                fmt::format("it holds {} bytes, the manifest says {}", raw, expected->rawSize);
        } else if (expected && isCopy && rows.rows() != expected->rows) {
            finding.problem = fmt::format("it holds {} rows, the manifest says {}",
                                          formatCount(rows.rows()), formatCount(expected->rows));
        }
    }

    /// An encoder writes something even for nothing, except that pg_dump leaves the file of an
    /// empty large object empty with lz4 and, in some versions, with zstd.
    bool isEmptyFile(const DataMember& member) const {
        return reader_.format() == Format::Directory && member.size == 0 &&
               (member.algorithm == io::Algorithm::Gzip ||
                (member.algorithm == io::Algorithm::Zstd && !member.largeObject));
    }

    /// Where frames can be told from their positions alone: nothing stands between them.
    bool framesCover(const Member& expected, const DataMember& member) const {
        if (reader_.format() == Format::Custom || expected.frames.empty()) return true;
        const uint64_t begin = reader_.format() == Format::Tar ? member.position : 0;
        uint64_t next = begin;
        for (const Frame& frame : expected.frames) {
            if (frame.offset != next || frame.compressedSize > member.size) return false;
            next += frame.compressedSize;
        }
        return next == begin + member.size;
    }

    void checkManifestIsCovered() {
        std::map<std::pair<DumpId, std::optional<Oid>>, bool> present;
        for (const DataMember& member : reader_.members()) {
            present[{member.entry, member.largeObject}] = true;
        }
        for (const auto& [key, member] : expected_) {
            if (present.contains(key)) continue;
            const std::string name = member->fileName.empty()
                                         ? fmt::format("entry {}", key.first.value)
                                         : member->fileName;
            const bool told = std::any_of(
                report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
                    return finding.member == name || finding.member.starts_with(name + " (");
                });
            if (!told) {
                report_.findings.push_back(
                    {name, "the manifest lists it, the archive lacks it", std::nullopt});
            }
        }
    }

    void checkStrayBytes() {
        Finding finding{reader_.path().filename().string(),
                        "a byte that belongs to no member is not zero", std::nullopt};
        try {
            finding.offset = reader_.strayByte();
            if (!finding.offset) return;
        } catch (const Error& error) {
            finding.problem = error.info().message;
        }
        report_.findings.push_back(std::move(finding));
    }

    void checkArchiveSize() {
        std::error_code error;
        const uint64_t size = std::filesystem::file_size(reader_.path(), error);
        if (!error && size == reader_.manifest()->archiveSize) return;
        report_.findings.push_back({reader_.path().filename().string(),
                                    fmt::format("it has {} bytes, the manifest says {}", size,
                                                reader_.manifest()->archiveSize),
                                    std::nullopt});
    }

    const ArchiveReader& reader_;
    const VerifyOptions& options_;
    const std::stop_token& stop_;
    std::map<std::pair<DumpId, std::optional<Oid>>, const Member*> expected_;
    std::unordered_set<DumpId> copied_;  ///< entries whose data is rows as COPY gives them
    std::vector<std::size_t> order_;
    std::atomic<std::size_t> next_ = 0;
    uint64_t all_ = 0;
    Mutex mutex_;
    VerifyReport report_;
};

}  // namespace

VerifyReport verify(const ArchiveReader& reader, const VerifyOptions& options,
                    std::stop_token stop) {
    return Verifier(reader, options, stop).run();
}

VerifyReport verifyPath(const std::filesystem::path& path, const VerifyOptions& options,
                        std::stop_token stop) {
    std::error_code ignored;
    const bool script =
        std::filesystem::is_regular_file(path, ignored) && isDumpScript(File::openForRead(path));
    return script ? verifyScript(path, options, std::move(stop))
                  : verify(*openArchive(path), options, std::move(stop));
}

}  // namespace gantry::archive
