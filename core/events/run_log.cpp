// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <variant>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/events/event_json.h"
#include "core/io/codec.h"

namespace gantry::events {

RunLog::Descriptor::~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
}

RunLog::RunLog(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor, owned), name_(std::move(name)) {}

RunLog RunLog::create(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) throw systemError("create the run log", path.string(), errno);
    // Held until the run is over: who would resume it sees that it is not.
    (void)::flock(fd, LOCK_EX | LOCK_NB);
    return RunLog(fd, true, path.string());
}

RunLog RunLog::onDescriptor(int descriptor, std::string name) {
    return RunLog(descriptor, false, std::move(name));
}

void RunLog::write(std::span<const Event> events) {
    std::string lines;
    for (const Event& event : events) {
        lines += toJson(event);
        lines += '\n';
    }
    std::string_view left = lines;
    while (!left.empty()) {
        const ssize_t put = ::write(descriptor_.get(), left.data(), left.size());
        if (put < 0) {
            if (errno == EINTR) continue;
            throw systemError("write the run log", name_, errno);
        }
        left.remove_prefix(static_cast<std::size_t>(put));
    }
}

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

class FileBytes final : public io::ByteSource {
public:
    explicit FileBytes(const std::filesystem::path& path) : file_(File::openForRead(path)) {}

    std::size_t read(std::span<std::byte> into) override {
        const std::size_t got = file_.readAt(offset_, into);
        offset_ += got;
        return got;
    }
    bool isCompressed() const {
        static constexpr std::array kZstdMagic{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f},
                                               std::byte{0xfd}};
        std::array<std::byte, kZstdMagic.size()> begin{};
        return file_.readAt(0, begin) == begin.size() && begin == kZstdMagic;
    }

private:
    File file_;
    uint64_t offset_ = 0;
};

/// What comes from a source, as a stream buffer.
class SourceBuffer final : public std::streambuf {
public:
    explicit SourceBuffer(io::ByteSource& source) : source_(source), block_(kBlock) {}

protected:
    int_type underflow() override {
        const std::size_t got = source_.read(std::as_writable_bytes(std::span(block_)));
        setg(block_.data(), block_.data(), block_.data() + got);
        return got == 0 ? traits_type::eof() : traits_type::to_int_type(block_.front());
    }

private:
    io::ByteSource& source_;
    std::vector<char> block_;
};

/// Hands the log's text to `read` as a stream; errors name the file.
template <class Read>
auto withText(const std::filesystem::path& path, Read read) {
    FileBytes file(path);
    std::unique_ptr<io::ByteSource> decoder;
    if (file.isCompressed()) {
        decoder = io::makeDecoder(io::Algorithm::Zstd, file, io::FrameStyle::Independent);
    }
    SourceBuffer buffer(decoder ? *decoder : file);
    std::istream lines(&buffer);
    // What the source throws is told as it is.
    lines.exceptions(std::ios::badbit);
    try {
        return read(lines);
    } catch (const Error& error) {
        ErrorInfo info = error.info();
        info.object = info.object.empty() ? path.string() : path.string() + ", " + info.object;
        throw Error(std::move(info));
    }
}

}  // namespace

std::vector<Event> readRunLog(const std::filesystem::path& path) {
    return withText(path, [](std::istream& lines) { return readEvents(lines); });
}

std::vector<Event> readRecord(const std::filesystem::path& path) {
    const bool goesOn = isBeingWritten(path);
    std::vector<Event> events = readRunLog(path);
    const bool ended = std::any_of(events.begin(), events.end(), [](const Event& event) {
        return std::holds_alternative<RunFinished>(event.payload);
    });
    if (events.empty() || ended || goesOn) return events;
    RunFinished end;
    end.outcome = Outcome::Failed;
    end.brokenOff = true;
    events.push_back({.at = events.back().at, .payload = std::move(end)});
    return events;
}

RunStarted readRunStarted(const std::filesystem::path& path) {
    // Before a run begins it tells at most what it waits for.
    constexpr int kMostBefore = 10'000;
    return withText(path, [](std::istream& lines) {
        std::string line;
        for (int i = 0; i < kMostBefore && std::getline(lines, line); ++i) {
            std::optional<Event> event = fromJson(line);
            if (!event) continue;
            if (auto* started = std::get_if<RunStarted>(&event->payload)) return *started;
        }
        throw Error(ErrorKind::Format, "this is not the record of a run", {},
                    "Choose a file that was written by Gantry or with --events.");
    });
}

bool isBeingWritten(const std::filesystem::path& path) {
    const File file = File::openForRead(path);
    return ::flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0;
}

void compressRunLog(const std::filesystem::path& log, const std::filesystem::path& target) {
    const File source = File::openForRead(log);
    const std::filesystem::path partial = target.string() + ".partial";
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    File out = File::create(partial);
    // Whoever started the run waits for this.
    constexpr int kFast = 1;
    const auto encoder = io::makeFrameEncoder({.algorithm = io::Algorithm::Zstd, .level = kFast},
                                              io::FrameStyle::Independent);
    Buffer block;
    block.resize(std::min<std::size_t>(source.size() + 1, kBlock));
    Buffer frame;
    uint64_t written = 0;
    for (uint64_t offset = 0;;) {
        const std::size_t got = source.readAt(offset, block.span());
        if (got == 0) break;
        encoder->encode(block.span().first(got), frame);
        out.writeAt(written, frame.span());
        written += frame.size();
        offset += got;
    }
    out.close();
    std::filesystem::rename(partial, target, ignored);
    if (ignored) throw systemError("rename the run log to", target.string(), ignored.value());
}

}  // namespace gantry::events
