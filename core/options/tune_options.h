// SPDX-License-Identifier: PostgreSQL
// Everything that a sweep can be told: what is measured, with which settings, for how long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/toc.h"
#include "core/io/compression.h"
#include "core/options/connection_options.h"

namespace gantry::options {

enum class TuneOperation { Dump, Restore, Vacuum };
std::string_view toString(TuneOperation operation);

/// Where a dump goes.
enum class TuneTarget { Nowhere, Disk };
std::string_view toString(TuneTarget target);

struct TuneOptions {
    ConnectionOptions connection;
    std::optional<TuneOperation> operation;     ///< --for
    std::vector<uint32_t> jobs;                 ///< -j; empty: from 1 to twice the cores
    std::vector<archive::Format> formats;       ///< -F; empty: directory
    std::vector<io::Compression> compressions;  ///< -Z; empty: what a dump takes by itself
    std::optional<TuneTarget> target;  ///< --to; empty: nowhere, unless formats are compared
    std::filesystem::path folder;      ///< --folder: for what is on disk meanwhile; empty: usual
    std::filesystem::path archive;     ///< the operand: what is restored
    std::vector<std::string> schemas;  ///< -n: of a dump patterns, else names
    std::vector<std::string> tables;   ///< -t: likewise
    std::filesystem::path clientToolsFolder;  ///< --pg-bindir; empty: discovered
    bool scratch = false;                     ///< --scratch: on a throwaway server
    bool copy = false;                        ///< --copy: a vacuum of a copy, made dirty each time
    bool inPlace = false;                     ///< --in-place: a vacuum of the tables themselves
    std::optional<int> rounds;                ///< --rounds; empty: 3
    std::string budget;       ///< --budget: as parseDuration() reads it; empty: none
    bool everything = false;  ///< --everything: spares nothing

    TuneTarget targetOrUsual() const {
        return target.value_or(formats.size() > 1 ? TuneTarget::Disk : TuneTarget::Nowhere);
    }
};

/// What none was given for: 1, 2, 4, … and twice the cores at most, but two at least.
std::vector<uint32_t> usualJobs(uint32_t cores);

}  // namespace gantry::options
