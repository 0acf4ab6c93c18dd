// SPDX-License-Identifier: PostgreSQL
// Figures and facts as the sentences of any advice word them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/curve.h"
#include "core/advise/surroundings.h"

namespace gantry::advise {

/// "320 MB/s".
std::string rateText(double bytesPerSecond);
/// "12.3 s", "1:40".
std::string secondsText(double seconds);
/// "one core", "4 cores".
std::string coresText(uint32_t count);
/// "this machine's 8 cores", "4 of this machine's 64 cores".
std::string localCoresText(const Surroundings& where);
/// "the server's 16 cores", with how they are known if that is in doubt, and what is left of them.
std::string serverCoresText(const Surroundings& where);

/// What is known of the surroundings, in sentences: server, its settings and its load, this
/// machine, the way between them.
std::vector<std::string> factsOf(const Surroundings& where);

/// "65 tables of 1.8 GB, 300 MB of it TOAST, with 90 MB of indexes"; these left out if they are of
/// no account.
std::string sizesText(std::size_t tables, uint64_t rows, uint64_t toast,
                      std::optional<uint64_t> indexes);

/// What to mind of the server whatever is done with it, as sentences: others at work, room.
std::vector<std::string> cautionsOf(const Surroundings& where);

/// Jobs that leave a connection for others where there are few: of `free` ones, of which a run
/// needs `beside` for itself. At least 1.
uint32_t politeJobs(uint32_t free, uint32_t beside);

/// "2 to 6"; empty if both are the same.
std::string rangeText(uint32_t low, uint32_t high);

}  // namespace gantry::advise
