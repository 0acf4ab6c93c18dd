// SPDX-License-Identifier: PostgreSQL
// A run written down as it happens: JSON Lines, whole lines only.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/events/event.h"

namespace gantry::events {

/// One thread at a time. Throws Error{Io}.
class RunLog {
public:
    /// Creates the file, or replaces what it held.
    static RunLog create(const std::filesystem::path& path);
    /// Writes to a descriptor that somebody else owns, such as standard output.
    static RunLog onDescriptor(int descriptor, std::string name);

    /// Each line goes out in one write, so that a crash leaves whole lines.
    void write(const Event& event);

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

}  // namespace gantry::events
