# SPDX-License-Identifier: PostgreSQL
# gantry_warnings: what our own targets are compiled with.
add_library(gantry_warnings INTERFACE)
target_compile_options(gantry_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(gantry_warnings INTERFACE -Wthread-safety)
endif()
if(GANTRY_WERROR)
  target_compile_options(gantry_warnings INTERFACE -Werror)
endif()
