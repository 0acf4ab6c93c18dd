// SPDX-License-Identifier: PostgreSQL
// gantryctl: argv in, core options out; events in, text out.
#include "app/headless/commands.h"

int main(int argc, char** argv) { return gantry::headless::runGantryctl(argc, argv); }
