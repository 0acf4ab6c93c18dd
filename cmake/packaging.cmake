# SPDX-License-Identifier: PostgreSQL
# cpack: a package with the desktop application, and one without Qt for servers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Gantry developers <gantry@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "parallel dump, restore and vacuum for PostgreSQL")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL gantryctl)
if(GANTRY_DESKTOP)
  list(APPEND CPACK_COMPONENTS_ALL gantry)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# What the binaries are linked with is found out; the rest is what they start.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GANTRYCTL_PACKAGE_NAME gantryctl)
set(CPACK_DEBIAN_GANTRYCTL_PACKAGE_RECOMMENDS "postgresql-client, tzdata")
set(CPACK_DEBIAN_GANTRYCTL_PACKAGE_SUGGESTS "postgresql, gantry")
set(CPACK_COMPONENT_GANTRYCTL_DESCRIPTION
  "gantryctl dumps, restores and vacuums PostgreSQL databases over many
connections at once. Its archives are read by pg_restore, and it restores those
of pg_dump.")
set(CPACK_DEBIAN_GANTRY_PACKAGE_NAME gantry)
set(CPACK_DEBIAN_GANTRY_PACKAGE_RECOMMENDS "postgresql-client, tzdata, qt6-wayland")
set(CPACK_DEBIAN_GANTRY_PACKAGE_SUGGESTS "postgresql, gantryctl, gnome-keyring")
set(CPACK_COMPONENT_GANTRY_DESCRIPTION
  "Gantry backs up, restores and vacuums PostgreSQL databases over many
connections at once and shows on a live chart what each of them does.")
include(CPack)
