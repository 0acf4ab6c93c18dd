// SPDX-License-Identifier: PostgreSQL
#include "core/events/trace_export.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace std::chrono_literals;

TEST_CASE("a run as a trace: workers are threads, spans and idle times have their lengths") {
    RunBuilder run(1);
    run.idle(1, IdleCause::Lock, "t\"7");
    run.now = 2ms;
    run.start(4, 1, 100, 2);
    run.post(Notice{.severity = Severity::Warning, .message = "old \xff server"});
    run.now = 5ms;
    run.progress(4, 300, 2);
    CHECK(traceOf(run.state) ==
          R"({"displayTimeUnit":"ms","traceEvents":[)"
          R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"dump of shop"}},)"
          R"({"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"worker 1"}},)"
          R"({"name":"t4 #3","cat":"table data","ph":"X","ts":2000,"dur":3000,"pid":1,"tid":1,)"
          R"("args":{"task":4,"bytes":300,"rows":3}},)"
          R"x({"name":"idle: lock (t\"7)","cat":"idle","ph":"X","ts":0,"dur":2000,)x"
          R"("pid":1,"tid":1},)"
          "{\"name\":\"old \xEF\xBF\xBD server\",\"cat\":\"warning\","
          R"("ph":"i","ts":2000,"pid":1,"tid":0,"s":"g"}]})");
}

TEST_CASE("a failure stands in the trace, and an empty run is an empty trace") {
    RunBuilder run(0);
    run.start(0, 0);
    run.now = 1ms;
    run.fail(0, true);
    const std::string trace = traceOf(run.state);
    CHECK(trace.find(R"("args":{"name":"coordinator"})") != std::string::npos);
    CHECK(trace.find(R"("error":"it broke","retried":true)") != std::string::npos);
    CHECK(traceOf(RunState()) == R"({"displayTimeUnit":"ms","traceEvents":[]})");
}
