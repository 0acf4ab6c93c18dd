// SPDX-License-Identifier: PostgreSQL
// Spans as comma-separated values.
#include "core/report/span_table.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace std::chrono_literals;

TEST_CASE("each span is a line that no spreadsheet takes for a formula") {
    test::RunBuilder run(2);
    run.plan(0, 1000, true);
    run.start(0, 1, 500, 0);
    TaskStarted odd;
    odd.span = {TaskId{1}, std::nullopt};
    odd.object = "=1,\"2\"";
    odd.worker = WorkerId{2};
    run.post(odd);
    run.now = 1500ms;
    run.finish(0, 500, 0);
    run.fail(1, false);
    run.start(2, 1);
    run.now = 2s;
    run.progress(2, 0);
    CHECK(report::csvOf(run.state) ==
          "task,part,kind,object,worker,backend_pid,begin_s,end_s,rows,bytes,compressed_bytes,"
          "outcome,error\n"
          "0,1,table data,t0,1,0,0.000000,1.500000,5,500,125,done,\n"
          "1,,table data,\"'=1,\"\"2\"\"\",2,0,0.000000,1.500000,0,0,0,failed,it broke\n"
          "2,,table data,t2,1,0,1.500000,2.000000,0,0,0,running,\n");
    run.end(Outcome::Failed);
    CHECK(report::csvOf(run.state).ends_with(",cut off,\n"));
}
