# SPDX-License-Identifier: PostgreSQL
if(GANTRY_SANITIZE)
  add_compile_options(-fsanitize=${GANTRY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GANTRY_SANITIZE})
endif()
# libFuzzer finds its way by what an input reaches in the core.
if(GANTRY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
