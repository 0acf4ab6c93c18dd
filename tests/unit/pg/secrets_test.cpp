// SPDX-License-Identifier: PostgreSQL
#include "core/pg/secrets.h"

#include <catch2/catch_test_macros.hpp>

using gantry::pg::withoutSecrets;

TEST_CASE("no password of a statement is shown") {
    CHECK(withoutSecrets("ALTER ROLE a WITH LOGIN PASSWORD 'se''cret' VALID UNTIL 'infinity';") ==
          "ALTER ROLE a WITH LOGIN PASSWORD '***' VALID UNTIL 'infinity';");
    CHECK(withoutSecrets("CREATE ROLE a ENCRYPTED PASSWORD E'se\\'cret';") ==
          "CREATE ROLE a ENCRYPTED PASSWORD E'***';");
    CHECK(
        withoutSecrets("CREATE USER MAPPING FOR a SERVER s OPTIONS (\n    password 'secret',\n"
                       "    \"user\" 'me'\n);") ==
        "CREATE USER MAPPING FOR a SERVER s OPTIONS (\n    password '***',\n    \"user\" 'me'\n);");
    CHECK(withoutSecrets("… OPTIONS (\"password\" 'secret')") == "… OPTIONS (\"password\" '***')");
    CHECK(withoutSecrets("CREATE SUBSCRIPTION s CONNECTION 'host=h password=secret dbname=d' "
                         "PUBLICATION p;") ==
          "CREATE SUBSCRIPTION s CONNECTION 'host=h password=*** dbname=d' PUBLICATION p;");
    CHECK(withoutSecrets("CREATE SUBSCRIPTION s CONNECTION 'password = ''my secret'' host=h';") ==
          "CREATE SUBSCRIPTION s CONNECTION 'password = ''***'' host=h';");
    CHECK(withoutSecrets("… CONNECTION 'host=h sslpassword=secret'") ==
          "… CONNECTION 'host=h sslpassword=***'");
    CHECK(withoutSecrets("… CONNECTION 'postgresql://me:secret@h:5432/d?sslpassword=secret'") ==
          "… CONNECTION 'postgresql://me:***@h:5432/d?sslpassword=***'");
}

TEST_CASE("what is no password stays") {
    for (const char* statement :
         {"", "SELECT 1", "ALTER ROLE a PASSWORD NULL;", "CREATE TABLE password (a int);",
          "COMMENT ON COLUMN u.password IS NULL;", "CONNECTION 'postgresql://me@h:5432/d'",
          "SELECT 'http://example.org/a:b@c'"}) {
        CHECK(withoutSecrets(statement) == statement);
    }
}

TEST_CASE("of a statement that was cut off no part of a password is shown") {
    for (const std::string statement :
         {"ALTER ROLE a PASSWORD 'SECRET' VALID UNTIL 'x';",
          "CREATE SUBSCRIPTION s CONNECTION 'password=SECRET host=h';",
          "CREATE SUBSCRIPTION s CONNECTION 'password=''SECRET'' host=h';",
          "CREATE SUBSCRIPTION s CONNECTION 'postgresql://me:SECRET@h/d';"}) {
        for (std::size_t size = 0; size <= statement.size(); ++size) {
            const std::string shown = withoutSecrets(std::string_view(statement).substr(0, size));
            CAPTURE(shown);
            CHECK(shown.find("SEC") == std::string::npos);
        }
    }
}
