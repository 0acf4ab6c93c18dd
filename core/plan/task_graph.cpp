// SPDX-License-Identifier: PostgreSQL
#include "core/plan/task_graph.h"

namespace gantry::plan {

std::string_view toString(TaskKind kind) {
    switch (kind) {
        case TaskKind::Schema:
            return "schema";
        case TaskKind::TableData:
            return "table data";
        case TaskKind::LargeObjects:
            return "large objects";
        case TaskKind::Index:
            return "index";
        case TaskKind::Constraint:
            return "constraint";
        case TaskKind::ForeignKey:
            return "foreign key";
        case TaskKind::MaterializedView:
            return "materialized view";
        case TaskKind::PostData:
            return "post-data";
        case TaskKind::Acl:
            return "acl";
        case TaskKind::Statistics:
            return "statistics";
        case TaskKind::Vacuum:
            return "vacuum";
        case TaskKind::Analyze:
            return "analyze";
        case TaskKind::Finish:
            return "finish";
    }
    return "";
}

}  // namespace gantry::plan
