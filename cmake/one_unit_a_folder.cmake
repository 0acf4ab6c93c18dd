# SPDX-License-Identifier: PostgreSQL
# Whole builds (releases, sanitizers, CI) compile each folder of a target as one translation unit,
# which takes a fraction of the time: -DCMAKE_UNITY_BUILD=ON. A private name may therefore occur only
# once in a folder.
function(compile_folders_as_units target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(target_folder ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${target_folder}")
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # private types in private classes
endfunction()

function(compile_all_folders_as_units directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(wanted ${target} UNITY_BUILD)
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL OBJECT_LIBRARY)
      # Qt's resources, whose objects it has named by their sources beforehand (from CMake 3.26 on).
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    elseif(wanted)
      compile_folders_as_units(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    compile_all_folders_as_units(${folder})
  endforeach()
endfunction()
