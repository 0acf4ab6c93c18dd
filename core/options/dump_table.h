// SPDX-License-Identifier: PostgreSQL
// The option table of a dump: every option once, in the order in which help shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/options/dump_options.h"
#include "core/options/option.h"

namespace gantry::options {

/// Rows bound to `target`, which must outlive them. What a password is has no row.
std::vector<Option> connectionTable(ConnectionOptions& target);
std::vector<Option> dumpTable(DumpOptions& target);

/// "d", "directory", "c", "custom", "t", "tar", "p", "plain", in any case, as in pg_dump -F.
/// Throws Error{Usage}.
archive::Format parseFormat(std::string_view text);
/// The letter that -F takes.
char formatLetter(archive::Format format);

/// An option of pg_dump that Gantry deliberately does not have.
struct UnsupportedOption {
    std::string_view name;
    char letter = 0;
    bool takesValue = false;
    std::string_view reason;  ///< why, and what to use; a full sentence
};
const std::vector<UnsupportedOption>& unsupportedDumpOptions();

}  // namespace gantry::options
