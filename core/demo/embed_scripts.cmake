# SPDX-License-Identifier: PostgreSQL
# Turns resources/demo/*.sql into a source file, so that the binary needs nothing beside it.
file(GLOB demo_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/resources/demo/*.sql")
list(SORT demo_files)
set(demo_rows "")
foreach(demo_file ${demo_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${demo_file}")
  get_filename_component(demo_name "${demo_file}" NAME_WE)
  string(REGEX MATCH "^[0-9]+" demo_stage "${demo_name}")
  if(demo_stage STREQUAL "")
    message(FATAL_ERROR "${demo_file}: its name must begin with the number of its stage")
  endif()
  # "08" is no octal number.
  string(REGEX REPLACE "^0+([0-9])" "\\1" demo_stage "${demo_stage}")
  file(READ "${demo_file}" demo_sql)
  string(APPEND demo_rows
    "    {\"${demo_name}\", ${demo_stage}, R\"gantry_sql(${demo_sql})gantry_sql\"},\n")
endforeach()
set(demo_source "${CMAKE_CURRENT_BINARY_DIR}/demo_scripts.cpp")
file(CONFIGURE OUTPUT "${demo_source}" @ONLY CONTENT
"// Made from resources/demo; do not edit.
#include \"core/demo/demo_scripts.h\"

#include <vector>

namespace gantry::demo {

std::span<const DemoScript> demoScripts() {
    static const std::vector<DemoScript> scripts{
@demo_rows@    };
    return scripts;
}

}  // namespace gantry::demo
")
