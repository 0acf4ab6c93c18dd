// SPDX-License-Identifier: PostgreSQL
// The commands of gantryctl: each takes the words behind its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace gantry::headless {

/// What the exit code says; part of the contract with scripts.
enum ExitCode : int {
    kClean = 0,
    kFinishedWithErrors = 1,  ///< errors on the way were ignored, counted and listed
    kRefused = 2,             ///< before anything began: usage, pre-flight
    kFailed = 3,
    kCancelled = 130,
};

using Words = std::vector<std::string>;

int dumpCommand(const Words& words);
int restoreCommand(const Words& words);
int vacuumCommand(const Words& words);
int adviseCommand(const Words& words);
int listCommand(const Words& words);
int verifyCommand(const Words& words);
int scratchCommand(const Words& words);
int demoCommand(const Words& words);
int runsCommand(const Words& words);
int tuneCommand(const Words& words);

/// argv as a whole.
int runGantryctl(int argc, char** argv);

}  // namespace gantry::headless
