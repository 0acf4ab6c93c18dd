// SPDX-License-Identifier: PostgreSQL
// Looks for a sample's rows and large objects in archives and in scripts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "tests/unit/archive/sample_archive.h"

namespace gantry::test {

/// What is wrong with the tables and objects of an archive of any format; empty if our reader, or
/// for a plain dump our decoder, finds the whole sample, and verifying against the manifest
/// nothing.
std::vector<std::string> differencesInArchive(const std::filesystem::path& path,
                                              archive::Format format, const Sample& sample);

/// The same for the text of a script, ours or pg_restore's.
std::vector<std::string> differencesInScript(const std::string& script, const Sample& sample);

/// The bytes of a file.
std::string readFile(const std::filesystem::path& path);
/// A plain dump as text, whatever its codec.
std::string readScript(const std::filesystem::path& path);
/// The names in a folder, sorted.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

}  // namespace gantry::test
