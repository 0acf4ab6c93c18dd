// SPDX-License-Identifier: PostgreSQL
#include "core/archive/staging.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/archive/manifest.h"
#include "core/archive/script_file.h"
#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivateFolder = 0700;
constexpr std::string_view kDraftSuffix = ".partial";
constexpr std::string_view kReplacedSuffix = ".replaced";

fs::path withSuffix(fs::path path, std::string_view suffix) {
    path += suffix;
    return path;
}

bool isArchiveFile(const File& file, bool scripts) {
    std::array<std::byte, 512> head{};
    const std::size_t size = file.readAt(0, head);
    const std::string_view start = textOf(std::span(head).first(size));
    if (start.starts_with("PGDMP")) return true;
    constexpr std::string_view tocMember("toc.dat\0", 8);
    if (start.starts_with(tocMember) &&
        start.substr(257 < size ? 257 : size).starts_with("ustar")) {
        return true;
    }
    return scripts && isDumpScript(file);
}

// Whether archives have files of this name: toc.dat, 123.dat, oid_123.dat, blob_123.dat,
// blobs_123.toc and so on, with the suffix of a codec.
bool ourName(std::string_view name) {
    if (name == "blobs.toc" || name == "gantry-manifest.json") return true;
    for (const std::string_view suffix : {".gz", ".lz4", ".zst"}) {
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    }
    if (name == "toc.dat") return true;
    const std::string_view ending = name.starts_with("blobs_") ? ".toc" : ".dat";
    if (!name.ends_with(ending)) return false;
    name.remove_suffix(ending.size());
    for (const std::string_view prefix : {"oid_", "blob_", "blobs_"}) {
        if (!name.starts_with(prefix)) continue;
        name.remove_prefix(prefix.size());
        break;
    }
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// The first name in a folder that no archive has; empty if there is none.
std::string foreignName(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (entry.is_symlink() || !entry.is_regular_file() || !ourName(name)) return name;
    }
    return {};
}

[[noreturn]] void refuseForeign(const fs::path& partial) {
    throw Error(ErrorKind::Preflight,
                "it is in the way and does not look like an archive that was being written",
                partial.string(), "Move it away or choose another path, then run it again.");
}

struct Content {
    uint64_t bytes = 0;
    uint64_t files = 0;
};

// Whether a left-over is ours: a folder that holds members and nothing else, or a file that begins
// as an archive does (an empty one is a run killed at its very start).
Content examineLeftover(const fs::path& partial, const File& handle, bool folder) {
    Content content;
    if (!folder) {
        content = {handle.size(), 1};
        if (content.bytes > 0 && !isArchiveFile(handle, true)) {
            std::array<std::byte, 4> head{};
            const std::string_view start = textOf(std::span(head).first(handle.readAt(0, head)));
            if (algorithmOfStart(start) == io::Algorithm::None) refuseForeign(partial);
        }
        return content;
    }
    if (!foreignName(partial).empty()) refuseForeign(partial);
    for (const auto& entry : fs::directory_iterator(partial)) {
        content.bytes += entry.file_size();
        ++content.files;
    }
    return content;
}

bool sameFile(const File& file, const fs::path& path) {
    struct stat open {};
    struct stat named {};
    return ::fstat(file.descriptor(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

[[noreturn]] void refuseUnseen(const fs::path& target, const std::error_code& cause) {
    throw Error(ErrorKind::Preflight, fmt::format("cannot look there: {}", cause.message()),
                target.string(),
                "Check the permissions of the folders above it, or choose another path.");
}

[[noreturn]] void refuseConcurrent(const fs::path& target) {
    throw Error(ErrorKind::Preflight, "another run is writing this archive right now",
                target.string(), "Wait until it ends or choose another path.");
}

}  // namespace

bool isArchive(const fs::path& path, bool scripts) {
    const auto status = fs::status(path);
    if (fs::is_directory(status)) {
        for (const char* name : {"toc.dat", "toc.dat.gz", "toc.dat.lz4", "toc.dat.zst"}) {
            if (fs::is_regular_file(path / name)) return true;
        }
        return false;
    }
    if (!fs::is_regular_file(status)) return false;
    return isArchiveFile(File::openForRead(path), scripts);
}

Staging::Staging(const fs::path& path, Format format, bool overwrite,
                 std::optional<std::string>* leftover)
    : target_(path.has_filename() ? path : path.parent_path()),
      format_(format),
      overwrite_(overwrite) {
    if (target_.empty()) throw Error(ErrorKind::Usage, "the archive's path is empty");
    std::error_code missing;
    if (auto real = fs::canonical(target_, missing); !missing) target_ = std::move(real);
    partial_ = withSuffix(target_, kDraftSuffix);
    try {
        refuseLongName();
        const std::string sentence = putBack();
        if (leftover != nullptr && !sentence.empty()) *leftover = sentence;
        refuseTarget(overwrite);
        if (!fs::is_directory(parent())) {
            throw Error(ErrorKind::Preflight, "the folder for the archive does not exist",
                        parent().string(), "Create it or choose another path.");
        }
    } catch (const fs::filesystem_error& error) {
        refuseUnseen(target_, error.code());
    }
    for (int attempt = 0; !tryCreate(); ++attempt) {
        if (attempt == 3) refuseConcurrent(target_);
        const std::string sentence = removeLeftover();
        if (leftover == nullptr) continue;
        *leftover = leftover->has_value() ? **leftover + " " + sentence : sentence;
    }
}

Staging::~Staging() {
    if (published_ || !handle_.isOpen()) return;
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
}

fs::path Staging::parent() const {
    const auto above = target_.parent_path();
    return above.empty() ? fs::path(".") : above;
}

bool Staging::isEmptyFolder() const {
    std::error_code unreadable;  // then who knows
    return format_ == Format::Directory && fs::is_directory(fs::symlink_status(target_)) &&
           fs::is_empty(target_, unreadable);
}

/// What cannot be named in the end must not be begun.
void Staging::refuseLongName() const {
    fs::path longest = overwrite_ ? withSuffix(target_, kReplacedSuffix) : partial_;
    if (format_ != Format::Directory) {
        longest = withSuffix(manifestPath(target_, format_), kDraftSuffix);
    }
    std::error_code failure;
    (void)fs::symlink_status(longest, failure);
    if (failure != std::errc::filename_too_long) return;
    throw Error(ErrorKind::Preflight,
                "the name is too long for what is added to it until the archive is whole",
                target_.string(),
                fmt::format("Choose one that leaves room for {} more characters.",
                            longest.native().size() - target_.native().size()));
}

/// One of ours is replaced: without its archive it says nothing, with it both are.
void Staging::refuseForeignManifest() const {
    const fs::path manifest = manifestPath(target_, format_);
    if (format_ == Format::Directory || !fs::exists(fs::symlink_status(manifest))) return;
    try {
        (void)readManifest(manifest);
    } catch (const Error&) {
        throw Error(ErrorKind::Preflight, "it is where the archive's manifest belongs, and is none",
                    manifest.string(), "Move it away or choose another path.");
    }
}

void Staging::refuseTarget(bool overwrite) const {
    refuseForeignManifest();
    const auto status = fs::symlink_status(target_);
    if (status.type() == fs::file_type::not_found || isEmptyFolder()) return;
    if (!overwrite) {
        throw Error(ErrorKind::Preflight, "the target exists already", target_.string(),
                    "Choose another path, or replace the archive with --overwrite.");
    }
    // A script may be anybody's: one of ours has its manifest beside it.
    const bool scripts =
        format_ == Format::Plain || fs::exists(manifestPath(target_, Format::Plain));
    if (!isArchive(target_, scripts)) {
        throw Error(ErrorKind::Preflight, "the target exists and is not an archive",
                    target_.string(),
                    "--overwrite replaces archives only; choose another path or remove it "
                    "yourself.");
    }
    if (!fs::is_directory(target_)) return;
    if (const std::string name = foreignName(target_); !name.empty()) {
        throw Error(ErrorKind::Preflight,
                    "the target holds an archive, but other files too: " + name, target_.string(),
                    "--overwrite would delete them; move them away or choose another path.");
    }
}

// False if something is there already.
bool Staging::tryCreate() {
    const bool folder = format_ == Format::Directory;
    int fd = -1;
    if (folder) {
        if (::mkdir(partial_.c_str(), kPrivateFolder) != 0) {
            if (errno == EEXIST) return false;
            throw systemError("create the folder", partial_.string(), errno);
        }
        fd = ::open(partial_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } else {
        fd = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) return false;
    }
    if (fd < 0) throw systemError("create the file", partial_.string(), errno);
    File made(fd, partial_);
    // Between the two calls another run may have taken it for a left-over.
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0 || !sameFile(made, partial_)) {
        refuseConcurrent(target_);
    }
    handle_ = std::move(made);
    return true;
}

/// A run may have been killed while it replaced an archive, after the old one had made way (see
/// moveIntoPlace()).
std::string Staging::putBack() const {
    const fs::path old = withSuffix(target_, kReplacedSuffix);
    std::error_code unseen;  // also where the name is too long
    if (!fs::exists(fs::symlink_status(old, unseen)) || !isArchive(old, true)) return {};
    const bool there = fs::exists(fs::symlink_status(target_));
    if (there && !overwrite_) return {};
    if (there || !overwrite_) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("an archive lies where \"{}\" goes while it is replaced: a run "
                                "seems to have been killed at that",
                                target_.filename().string()),
                    old.string(),
                    there ? "It is the old one then: remove it, or move it away."
                          : fmt::format("Name it \"{}\" again, or move it away.",
                                        target_.filename().string()));
    }
    renameToNew(old, target_);
    return fmt::format("Named {} \"{}\" again: a run was killed while it replaced it.",
                       old.string(), target_.filename().string());
}

std::string Staging::removeLeftover() {
    const int fd = ::open(partial_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) return {};
        if (errno == ELOOP) refuseForeign(partial_);
        throw systemError("open the left-over", partial_.string(), errno);
    }
    const File found(fd, partial_);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) refuseConcurrent(target_);
    if (!sameFile(found, partial_)) return {};
    const auto status = fs::symlink_status(partial_);
    const bool folder = fs::is_directory(status);
    if (!folder && !fs::is_regular_file(status)) refuseForeign(partial_);
    const Content content = examineLeftover(partial_, found, folder);
    std::error_code failure;
    fs::remove_all(partial_, failure);
    if (failure) throw systemError("remove the left-over", partial_.string(), failure.value());
    return fmt::format(
        "Removed {}, which a run that was killed had left behind ({} bytes in {} {}).",
        partial_.string(), content.bytes, content.files, content.files == 1 ? "file" : "files");
}

// A file replaces a file in one step. A folder, or a file for a folder, trades places with what is
// there, which then goes under the name PATH.partial.
void Staging::moveIntoPlace() {
    if (isEmptyFolder()) {
        if (::rename(partial_.c_str(), target_.c_str()) != 0) {
            throw systemError("rename the finished archive to", target_.string(), errno);
        }
        return;
    }
    if (!overwrite_ || !fs::exists(fs::symlink_status(target_))) {
        renameToNew(partial_, target_);
        return;
    }
    const bool folderThere = fs::is_directory(target_);
    std::error_code ignored;  // of removals: the next run finds and removes what stays
    if (format_ != Format::Directory && !folderThere) {
        if (::rename(partial_.c_str(), target_.c_str()) != 0) {
            throw systemError("rename the finished archive to", target_.string(), errno);
        }
        return;
    }
#ifdef RENAME_EXCHANGE
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(partial_, ignored);
        return;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        throw systemError("rename the finished archive to", target_.string(), errno);
    }
#endif
    const fs::path old = withSuffix(target_, kReplacedSuffix);
    renameToNew(target_, old);
    try {
        renameToNew(partial_, target_);
    } catch (...) {
        fs::rename(old, target_, ignored);
        throw;
    }
    fs::remove_all(old, ignored);
}

void Staging::publish(const Manifest& manifest, bool sync) {
    // Beside a folder it can only be that of a file which the folder replaces.
    const fs::path path = manifestPath(target_, Format::Custom);
    const fs::path draft = withSuffix(path, kDraftSuffix);
    const bool beside = format_ != Format::Directory;
    std::error_code ignored;
    try {
        if (beside) {
            fs::remove(draft, ignored);
            File file = File::create(draft);
            FileAppender appender(file);
            writeManifest(manifest, [&](std::string_view piece) { appender.put(piece); });
            if (sync) file.sync();
            file.close();
        }
        // A manifest must never describe another archive than the one it lies beside.
        fs::remove(path, ignored);
        moveIntoPlace();
        published_ = true;
        if (beside) renameToNew(draft, path);
    } catch (...) {
        if (beside) fs::remove(draft, ignored);
        throw;
    }
    if (sync) syncFolder(parent());
}

}  // namespace gantry::archive
