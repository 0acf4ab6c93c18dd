// SPDX-License-Identifier: PostgreSQL
// A survey and what one wants as a graph of tasks. Pure: no connection, no clock.
//
//   statements of tables, longest first, small ones several at a time
//   FULL of catalogs one after the other, behind all other tables
//   indexes of a table behind its vacuum, one at a time for each table
//   each stage of --analyze-in-stages behind the one before
//   at last, of each database, what the server knows of it as a whole
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/plan/task_graph.h"
#include "core/vacuum/decide.h"
#include "core/vacuum/facts.h"
#include "core/vacuum/proposals.h"

namespace gantry::vacuum {

/// What a task does.
struct Step {
    enum class Kind {
        Tables,     ///< one VACUUM or ANALYZE of `tables`
        Reindex,    ///< builds an index anew beside the old one
        DropIndex,  ///< an invalid one that an earlier attempt left
        Database,   ///< brings the database's own age up to date
        Barrier     ///< nothing; all before it is done
    };
    Kind kind = Kind::Tables;
    uint32_t database = 0;            ///< of Survey::databases
    std::vector<std::size_t> tables;  ///< of Survey::tables; of an index its table
    std::size_t index = 0;            ///< of TableFacts::indexes, or ::toastCopies
    bool vacuum = false;
    bool freeze = false;
    bool full = false;
    bool analyze = false;
    bool toastAlone = false;  ///< the TOAST table by its own name, or an index of it
    bool withToast = true;
    uint32_t stage = 0;    ///< 1 to 3 of --analyze-in-stages
    uint32_t helpers = 0;  ///< for the indexes
    uint32_t passes = 0;   ///< over the indexes, as planned
    double seconds = 0;    ///< as estimated
    double asleep = 0;     ///< of them, in which the throttle lets it rest
    std::string note;      ///< what and why
};

struct VacuumPlan {
    plan::TaskGraph graph;
    std::vector<Step> steps;          ///< by TaskId
    std::vector<Decision> decisions;  ///< by table
    Proposals proposals;
};

/// What a run tells of its options when it starts, by their names; flags have no value.
std::map<std::string, std::string> toldOptions(const options::VacuumOptions& options);

/// Takes what is chosen and permitted; `--plan auto` leaves out what needs nothing.
VacuumPlan planVacuum(const Survey& survey, const options::VacuumOptions& options);

/// The index that a step is about, and the schema that it is in; `table` is the step's.
const IndexFacts& indexOf(const Step& step, const TableFacts& table);
std::string indexSchema(const Step& step, const TableFacts& table);

/// Who names a partitioned table means all below it: each is a step of its own, weighed and told
/// by itself, of which several run side by side. Statistics alone are the server's to divide.
bool takesPartitionsApart(const options::VacuumOptions& options);

/// A partitioned table that nobody named: all that is wanted is done to its partitions.
bool isLeftToPartitions(const TableFacts& table, const options::VacuumOptions& options, int major);

struct VacuumEffort {
    bool freeze = false;
    bool everyBlock = false;  ///< reads what it could skip
    bool toast = true;        ///< the TOAST table, too
    uint32_t passes = 0;      ///< over the indexes
    uint32_t helpers = 0;     ///< for them
};

/// Seconds that these take on one worker.
double estimateVacuum(const TableFacts& table, const VacuumEffort& effort);
double estimateFull(const TableFacts& table);
double estimateAnalyze(const TableFacts& table);
double estimateReindex(const IndexFacts& index);

/// Bytes that a vacuum reads of the heap once more, after a pass over the indexes.
uint64_t bytesVisitedAgain(const Step& step, const TableFacts& table);

/// Bytes of disk that VACUUM FULL needs beside the table until it is done, at most.
uint64_t extraDisk(const TableFacts& table);

}  // namespace gantry::vacuum
