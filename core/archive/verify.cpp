// SPDX-License-Identifier: PostgreSQL
#include "core/archive/verify.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sync.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kReadSize = std::size_t{256} << 10;
/// What follows the last row in a member: the end-of-data line and two empty ones.
constexpr std::string_view kEndOfData = "\\.\n\n\n";
constexpr uint64_t kEndOfDataLines = 3;

/// Looks at rows as they pass: counts them and checks how they end.
class RowWatcher {
public:
    void see(std::span<const std::byte> bytes) {
        const std::string_view text = textOf(bytes);
        lines_ += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
        // An end-of-data line in the middle would make the server ignore all that follows.
        std::string seam = tail_;
        seam += text.substr(0, kEndOfData.size());
        early_ = early_ || endsEarly(seam, total_ == tail_.size());
        early_ = early_ || endsEarly(text, total_ == 0);
        total_ += text.size();
        if (text.size() >= kEndOfData.size()) {
            tail_ = text.substr(text.size() - kEndOfData.size());
        } else {
            tail_ += text;
            if (tail_.size() > kEndOfData.size()) tail_.erase(0, tail_.size() - kEndOfData.size());
        }
    }

    bool ended() const { return tail_ == kEndOfData; }
    bool endedEarly() const { return early_; }
    uint64_t rows() const { return lines_ - (ended() ? kEndOfDataLines : 0); }

private:
    /// "\." alone on a line with more than empty lines behind it.
    static bool endsEarly(std::string_view text, bool atStart) {
        const auto behind = [&](std::size_t at) {
            return text.find_first_not_of('\n', at) != std::string_view::npos;
        };
        if (atStart && text.starts_with("\\.\n") && behind(3)) return true;
        const std::size_t at = text.find("\n\\.\n");
        return at != std::string_view::npos && behind(at + 4);
    }

    uint64_t lines_ = 0;
    uint64_t total_ = 0;
    std::string tail_;
    bool early_ = false;
};

/// Compares what passes with the frames that the manifest lists.
class FrameWatcher {
public:
    explicit FrameWatcher(const std::vector<Frame>& frames) : frames_(frames) {
        XXH3_64bits_reset(hash_.get());
    }

    /// False at the first difference; `problem` and `offset` then say which.
    bool see(std::span<const std::byte> bytes, Finding& finding) {
        while (!bytes.empty()) {
            skipEmptyFrames();
            if (index_ == frames_.size()) {
                finding.problem = "it holds more than the manifest lists";
                return false;
            }
            const Frame& frame = frames_[index_];
            const auto count =
                static_cast<std::size_t>(std::min<uint64_t>(bytes.size(), frame.rawSize - seen_));
            XXH3_64bits_update(hash_.get(), bytes.data(), count);
            lines_ += static_cast<uint64_t>(
                std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count),
                           std::byte{'\n'}));
            seen_ += count;
            bytes = bytes.subspan(count);
            if (seen_ == frame.rawSize && !finishFrame(frame, finding)) return false;
        }
        return true;
    }

    bool finish(Finding& finding) {
        skipEmptyFrames();
        if (index_ == frames_.size()) return true;
        finding.problem =
            fmt::format("it ends early: {} of {} frames are there", index_, frames_.size());
        finding.offset = frames_[index_].offset;
        return false;
    }

private:
    void skipEmptyFrames() {
        while (index_ < frames_.size() && frames_[index_].rawSize == 0) ++index_;
    }

    bool finishFrame(const Frame& frame, Finding& finding) {
        finding.offset = frame.offset;
        if (XXH3_64bits_digest(hash_.get()) != frame.checksum) {
            finding.problem = fmt::format("frame {} differs from what was dumped", index_ + 1);
            return false;
        }
        // Only rows end lines, but for the end-of-data lines, whose frame may hold rows too.
        if (lines_ != frame.rows && lines_ != frame.rows + kEndOfDataLines && frame.rows > 0) {
            finding.problem = fmt::format("frame {} holds {} rows, the manifest says {}",
                                          index_ + 1, lines_, frame.rows);
            return false;
        }
        finding.offset.reset();
        ++index_;
        seen_ = 0;
        lines_ = 0;
        XXH3_64bits_reset(hash_.get());
        return true;
    }

    const std::vector<Frame>& frames_;
    std::size_t index_ = 0;
    uint64_t seen_ = 0;
    uint64_t lines_ = 0;
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> hash_{XXH3_createState()};
};

class Verifier {
public:
    Verifier(const ArchiveReader& reader, const VerifyOptions& options, const std::stop_token& stop)
        : reader_(reader), options_(options), stop_(stop) {
        for (const DataMember& member : reader_.members()) all_ += member.size;
        if (!reader_.manifest()) return;
        for (const Member& member : reader_.manifest()->members) {
            expected_.emplace(std::pair(member.dumpId, member.largeObject), &member);
        }
    }

    VerifyReport run() {
        report_.usedManifest = reader_.manifest().has_value();
        report_.manifestProblem = reader_.manifestProblem();
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
        const TocEntry* entry = reader_.toc().find(member.entry);
        const bool isCopy =
            !member.largeObject && entry != nullptr && entry->copyStmt && !entry->copyStmt->empty();
        const Member* expected = nullptr;
        if (const auto found = expected_.find({member.entry, member.largeObject});
            found != expected_.end()) {
            expected = found->second;
        }
        if (reader_.manifest() && expected == nullptr) {
            finding.problem = "the manifest does not list it";
            return;
        }
        static const std::vector<Frame> kNone;
        FrameWatcher frames(expected ? expected->frames : kNone);
        RowWatcher rows;
        uint64_t raw = 0;
        const std::unique_ptr<io::ByteSource> source = reader_.openData(member);
        std::vector<std::byte> buffer(kReadSize);
        while (const std::size_t got = source->read(buffer)) {
            if (stop_.stop_requested()) return;
            const auto bytes = std::span(buffer).first(got);
            raw += got;
            if (isCopy) rows.see(bytes);
            if (expected && !expected->frames.empty() && !frames.see(bytes, finding)) return;
        }
        {
            const MutexLock lock(mutex_);
            report_.rawBytes += raw;
            if (isCopy) report_.rows += rows.rows();
        }
        if (expected && !expected->frames.empty() && !frames.finish(finding)) return;
        if (isCopy && !rows.ended()) {
            finding.problem = "its rows do not end with the end-of-data line: the end is missing";
        } else if (isCopy && rows.endedEarly()) {
            finding.problem = "an end-of-data line stands in the middle of its rows";
        } else if (expected && raw != expected->rawSize) {
            finding.problem =
                fmt::format("it holds {} bytes, the manifest says {}", raw, expected->rawSize);
        } else if (expected && isCopy && rows.rows() != expected->rows) {
            finding.problem = fmt::format("it holds {} rows, the manifest says {}",
                                          formatCount(rows.rows()), formatCount(expected->rows));
        }
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
            const bool told =
                std::any_of(report_.findings.begin(), report_.findings.end(),
                            [&](const Finding& finding) { return finding.member == name; });
            if (!told) {
                report_.findings.push_back(
                    {name, "the manifest lists it, the archive lacks it", std::nullopt});
            }
        }
    }

    void checkArchiveSize() {
        const uint64_t size = std::filesystem::file_size(reader_.path());
        if (size == reader_.manifest()->archiveSize) return;
        report_.findings.push_back({reader_.path().filename().string(),
                                    fmt::format("it has {} bytes, the manifest says {}", size,
                                                reader_.manifest()->archiveSize),
                                    std::nullopt});
    }

    const ArchiveReader& reader_;
    const VerifyOptions& options_;
    const std::stop_token& stop_;
    std::map<std::pair<DumpId, std::optional<Oid>>, const Member*> expected_;
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

}  // namespace gantry::archive
