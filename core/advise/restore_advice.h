// SPDX-License-Identifier: PostgreSQL
// How long a restore will take over each number of connections, and which settings to take.
//
// Pure: facts in, figures and sentences out. The curve comes from the restore's own plan in virtual
// time; as long as no restore on this server was recorded, costs are those of a usual machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/cost_factors.h"
#include "core/advise/curve.h"
#include "core/advise/surroundings.h"
#include "core/archive/toc.h"
#include "core/options/restore_options.h"
#include "core/restore/data_sizes.h"
#include "core/restore/selection.h"
#include "core/restore/server_gates.h"

namespace gantry::advise {

struct RestoreQuestion {
    std::shared_ptr<const archive::Toc> toc;              ///< `choice` points into it
    std::shared_ptr<const restore::ServerGates> gates{};  ///< as may `choice`
    restore::Choice choice;
    restore::DataSizes sizes;
    options::RestoreOptions options;
    Surroundings surroundings;
    CostFactors factors;
    std::optional<double> networkPerSecond{};  ///< bytes that the way to the server carries
};

/// Recommends "jobs", "maintenance_work_mem", "max_parallel_maintenance_workers",
/// "synchronous_commit" and "analyze"; what is no option of gantryctl restore the run sets itself.
Advice adviseRestore(const RestoreQuestion& question);
CurvePoint predictRestore(const RestoreQuestion& question, uint32_t jobs);

/// A table as it stands in a database, with what a restore would have to build for it.
struct StandingTable {
    std::string schema;
    std::string name;
    uint64_t bytes = 0;     ///< heap and TOAST
    uint64_t rows = 0;      ///< as last counted; 0: never
    std::string columns{};  ///< with their types, as CREATE TABLE has them
    struct Index {
        std::string name;
        std::string columns{};  ///< "id, name"
        std::string method = "btree";
    };
    std::vector<Index> indexes{};  ///< those of no key
    std::vector<Index> keys{};     ///< of primary keys and unique constraints
    struct ForeignKey {
        std::string name;
        std::size_t target = 0;  ///< which of the tables
    };
    std::vector<ForeignKey> foreignKeys{};
};

/// What an archive of these tables would hold, as far as a plan goes by it. `rowsPerByte`: of the
/// bytes of their rows to theirs; 0 `largeObjectBytes`: there are none.
std::shared_ptr<const archive::Toc> contentsOf(const std::vector<StandingTable>& tables,
                                               double rowsPerByte, uint64_t largeObjectBytes,
                                               restore::DataSizes& sizes);

}  // namespace gantry::advise
