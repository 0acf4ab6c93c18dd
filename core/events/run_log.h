// SPDX-License-Identifier: PostgreSQL
// A run written down as it happens: JSON Lines, whole lines only; and read again, compressed or
// not.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/events/event.h"

namespace gantry::events {

/// One thread at a time. Throws Error{Io}.
class RunLog {
public:
    /// Creates the file, or replaces what it held. Until the object goes, the file is locked.
    static RunLog create(const std::filesystem::path& path);
    /// Writes to a descriptor that somebody else owns, such as standard output.
    static RunLog onDescriptor(int descriptor, std::string name);

    /// The lines go out in one write, so that a crash leaves whole lines.
    void write(const Event& event) { write(std::span(&event, 1)); }
    void write(std::span<const Event> events);

private:
    explicit RunLog(int descriptor, bool owned, std::string name);

    class Descriptor {
    public:
        Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
        ~Descriptor();
        Descriptor(Descriptor&& other) noexcept
            : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
        Descriptor& operator=(Descriptor&&) = delete;
        int get() const { return fd_; }

    private:
        int fd_;
        bool owned_;
    };

    Descriptor descriptor_;
    std::string name_;
};

/// All that a log holds, whether compressRunLog() has been at it or not. Throws Error{Io}, and
/// Error{Format} that names the file.
std::vector<Event> readRunLog(const std::filesystem::path& path);

/// The same as a run to look at: to a log that breaks off, and that nobody writes any more, it adds
/// an end that is `brokenOff`.
std::vector<Event> readRecord(const std::filesystem::path& path);

/// The first event alone. Throws Error{Io}, Error{Format} that names the file.
RunStarted readRunStarted(const std::filesystem::path& path);

/// Whether somebody is writing it still. Throws Error{Io}.
bool isBeingWritten(const std::filesystem::path& path);

/// Writes `log` as zstd to `target`, which is there whole or not at all. Throws Error{Io}.
void compressRunLog(const std::filesystem::path& log, const std::filesystem::path& target);

}  // namespace gantry::events
