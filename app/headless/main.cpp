// SPDX-License-Identifier: PostgreSQL
// gantryctl: argv in, core options out; events in, text out.
#include "app/headless/commands.h"
#include "core/base/standard_streams.h"

int main(int argc, char** argv) {
    gantry::keepStandardStreams();
    return gantry::headless::runGantryctl(argc, argv);
}
