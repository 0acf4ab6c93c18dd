# SPDX-License-Identifier: PostgreSQL
if(GANTRY_SANITIZE)
  add_compile_options(-fsanitize=${GANTRY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GANTRY_SANITIZE})
endif()
