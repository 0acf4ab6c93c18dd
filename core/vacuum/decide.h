// SPDX-License-Identifier: PostgreSQL
// What each table needs, and why. Pure: facts in, decisions out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/vacuum/facts.h"

namespace gantry::vacuum {

/// Less is not worth building an index anew for.
inline constexpr uint64_t kIndexWasteWorthIt = uint64_t{8} << 20;
/// An age is told, or acted upon, from this share of what makes autovacuum come by itself.
inline constexpr double kOldShare = 0.75;

enum class Action { Nothing, Analyze, Reindex, Vacuum, Freeze, Full };
std::string_view toString(Action action);

struct Decision {
    Action action = Action::Nothing;   ///< the foremost of what it needs
    bool analyze = false;              ///< as well
    std::vector<std::size_t> reindex;  ///< of TableFacts::indexes, those that are mostly waste
    std::vector<std::string> reasons;  ///< the most pressing first; of Nothing: why not
    /// 1: autovacuum would begin, or the table is in the way; more than 2: it is too old.
    double urgency = 0;
    uint64_t rewriteGain = 0;     ///< bytes that a rewrite would give back, estimated; 0 unknown
    double daysToWraparound = 0;  ///< at the measured rate; 0 unknown

    /// "vacuum, analyze"; "nothing".
    std::string what() const;
    std::string why() const;  ///< the reasons as one text
};

/// VACUUM FULL, which nobody else can live beside, is decided upon only if `allowFull`; else a
/// reason says what it would give.
Decision decide(const TableFacts& table, const ServerFacts& server, bool allowFull);

/// Bytes that the dead rows of its TOAST table take.
uint64_t deadToastBytes(const TableFacts& table);
/// Bytes that a table written anew would give back, with its TOAST table and indexes, as far as
/// statistics tell.
uint64_t rewriteGain(const TableFacts& table);
/// The share of an index that is neither entries nor what a new one would have; 0 if unknown.
double wasteOf(const IndexFacts& index);
bool isMostlyWaste(const IndexFacts& index);
/// An index that is worth building anew, and can be beside its users.
bool isBloated(const IndexFacts& index);
/// The copy that an interrupted rebuild of one of the table's indexes has left.
bool isLeftover(const TableFacts& table, const IndexFacts& index);

/// The order in which a person wants to see them: most urgent first, then largest.
std::vector<std::size_t> rank(const std::vector<TableFacts>& tables,
                              const std::vector<Decision>& decisions);

}  // namespace gantry::vacuum
