// SPDX-License-Identifier: PostgreSQL
// A sweep's folder: gone with the sweep, or with the next one if that was killed.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>

#include "core/tune/bench.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
namespace fs = std::filesystem;

TEST_CASE("a sweep takes away what a killed one left on the disk, and nothing else") {
    const test::TemporaryFolder parent;
    fs::create_directory(parent / "gantry-tune-killed");
    std::ofstream(parent / "gantry-tune-killed" / "archive") << "rows";
    fs::create_directory(parent / "gantry-tuned");
    std::ofstream(parent / "gantry-tune-file") << "no folder";
    std::optional<tune::ScratchFolder> running(parent.path());
    CHECK_FALSE(fs::exists(parent / "gantry-tune-killed"));
    CHECK(fs::exists(parent / "gantry-tuned"));
    CHECK(fs::exists(parent / "gantry-tune-file"));
    const fs::path path = running->path();
    {
        const tune::ScratchFolder other(parent.path());
        CHECK(fs::exists(path));
        CHECK(other.path() != path);
    }
    CHECK(fs::exists(path));
    running.reset();
    CHECK_FALSE(fs::exists(path));
}
