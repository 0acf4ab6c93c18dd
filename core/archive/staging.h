// SPDX-License-Identifier: PostgreSQL
// Where an archive grows until it is whole: PATH.partial, locked for the run that writes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/archive/manifest.h"
#include "core/archive/toc.h"
#include "core/base/file.h"

namespace gantry::archive {

/// True if `path` is what --overwrite may replace: a folder with a table of contents, a custom or
/// tar archive, or, with `scripts`, a plain dump, compressed or not. Throws Error{Io}.
bool isArchive(const std::filesystem::path& path, bool scripts);

/// Owns PATH.partial, a folder for Format::Directory and else a file, until it is published.
/// Destroyed before that, it removes what it made. One thread at a time.
class Staging {
public:
    /// Refuses with Error{Preflight}: a path that cannot be looked at, or too long for the names
    /// made of it; a target that exists, unless `overwrite` is set and it is an archive; a
    /// PATH.partial that another run writes or that is none of ours. What a killed run left behind
    /// is removed, and `leftover` set to a sentence about it.
    Staging(const std::filesystem::path& path, Format format, bool overwrite,
            std::optional<std::string>* leftover);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& path() const { return partial_; }
    /// The folder that holds PATH: spool files go there.
    std::filesystem::path parent() const;
    /// The folder's or the file's descriptor; it holds the lock.
    File& handle() { return handle_; }

    /// Gives the archive its name, and a single file, not a folder, the manifest beside it. Its
    /// content must be on disk if `sync` is set; names are then made durable too.
    void publish(const Manifest& manifest, bool sync);

private:
    /// The target is a folder with nothing in it, which gives way as it does to pg_dump.
    bool isEmptyFolder() const;
    void refuseLongName() const;
    void refuseTarget(bool overwrite) const;
    void refuseForeignManifest() const;
    bool tryCreate();
    std::string putBack() const;
    std::string removeLeftover();
    void moveIntoPlace();

    std::filesystem::path target_;
    std::filesystem::path partial_;
    Format format_;
    bool overwrite_;
    File handle_;
    bool published_ = false;
};

}  // namespace gantry::archive
