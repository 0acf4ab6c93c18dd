// SPDX-License-Identifier: PostgreSQL
// Files by descriptor: whole reads and writes, durable renames; every failure names its path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// Owns a descriptor together with the path that error messages name. Positional calls may come
/// from several threads at once. All functions throw Error{Io}.
class File {
public:
    File() = default;
    File(int descriptor, std::filesystem::path path) : fd_(descriptor), path_(std::move(path)) {}
    ~File();
    File(File&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
    File& operator=(File&& other) noexcept;

    static File openForRead(const std::filesystem::path& path);
    /// Fails if the path exists. Mode 0600: a dump holds whatever the database holds.
    static File create(const std::filesystem::path& path);
    /// A file without a name in `folder`: gone with its descriptor, whatever happens.
    static File createAnonymous(const std::filesystem::path& folder);

    bool isOpen() const { return fd_ >= 0; }
    int descriptor() const { return fd_; }
    const std::filesystem::path& path() const { return path_; }
    uint64_t size() const;

    /// Reads until `into` is full or the file ends; returns the count read.
    std::size_t readAt(uint64_t offset, std::span<std::byte> into) const;
    void writeAt(uint64_t offset, std::span<const std::byte> bytes);
    /// Copies a range of another file to `offset` without passing it through this process where
    /// the kernel can.
    void copyRangeFrom(const File& source, uint64_t sourceOffset, uint64_t length, uint64_t offset);
    /// Returns the disk space of the blocks within the range to the file system, where that is
    /// possible.
    void punchHole(uint64_t offset, uint64_t length);
    void truncate(uint64_t size);
    /// Tells the kernel to begin writing this range back now (length 0: to the file's end), so that
    /// a later sync has little to wait for.
    void startWriteback(uint64_t offset = 0, uint64_t length = 0);
    void sync();
    /// Closes and reports what close() reports; the destructor closes silently.
    void close();

private:
    int fd_ = -1;
    std::filesystem::path path_;
};

/// Writes to a file from `position` on. The file must outlive it; one thread at a time.
class FileAppender {
public:
    explicit FileAppender(File& file, uint64_t position = 0) : file_(file), position_(position) {}

    void put(std::string_view text) {
        file_.writeAt(position_, std::as_bytes(std::span(text)));
        position_ += text.size();
    }
    uint64_t position() const { return position_; }

private:
    File& file_;
    uint64_t position_;
};

/// fsync of a folder, so that names made or renamed in it survive a power cut.
void syncFolder(const std::filesystem::path& folder);

/// Renames, failing if the target exists. The name is safe after syncFolder() of the one above.
void renameToNew(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes the folder and those above it that are not there. Throws Error{Io} that names the one that
/// cannot be made.
void createFolders(const std::filesystem::path& folder);

/// Free bytes that an unprivileged user may still write on the file system of `path`.
uint64_t freeSpace(const std::filesystem::path& path);

}  // namespace gantry
