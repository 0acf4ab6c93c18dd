// SPDX-License-Identifier: PostgreSQL
// gantryctl: argv in, core options out; events in, text out.
int main() { return 0; }
