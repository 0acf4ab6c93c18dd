// SPDX-License-Identifier: PostgreSQL
// What the fuzzer made up, as a file without a name, and how an archive is put through its paces.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "core/archive/archive_reader.h"
#include "core/archive/list.h"
#include "core/archive/verify.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry::fuzz {

inline std::string_view textOfInput(const uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// A promise that does not hold ends the process, which the fuzzer reports.
inline void require(bool holds) {
    if (!holds) std::abort();
}

inline std::shared_ptr<File> makeInputFile(std::string_view content) {
    auto file = std::make_shared<File>(::memfd_create("input", MFD_CLOEXEC), "input");
    file->writeAt(0, std::as_bytes(std::span(content)));
    return file;
}

/// Lists and verifies; returns normally or throws gantry::Error.
inline void useArchive(const archive::ArchiveReader& reader) {
    require(!archive::renderList(reader, archive::listEntries(reader)).empty());
    const archive::VerifyReport report = archive::verify(reader, {}, {});
    require(report.members == reader.members().size());
    require(report.findings.size() >= reader.missing().size());
}

}  // namespace gantry::fuzz
