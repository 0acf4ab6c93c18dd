// SPDX-License-Identifier: PostgreSQL
#include "core/options/profile.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::options;

namespace {

std::string refusal(std::string_view json) {
    try {
        dumpOptionsFromProfile(json);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Format);
        std::string text = error.info().object;
        if (!text.empty()) text += ": ";
        return text + error.info().message;
    }
    return "accepted";
}

std::string profileWith(const std::string& options) {
    return R"({"gantry_profile": 1, "operation": "dump", "options": )" + options + "}";
}

}  // namespace

TEST_CASE("a profile holds what differs from the standard, in its own types") {
    DumpOptions options;
    options.connection.database = "shop";
    options.connection.password = "secret";
    options.output = "/backup/shop";
    options.jobs = 4;
    options.selection.schemas = {"a", "b"};
    options.content.schemaOnly = true;
    CHECK(toProfile(options) == R"({
  "gantry_profile": 1,
  "operation": "dump",
  "options": {
    "dbname": "shop",
    "file": "/backup/shop",
    "jobs": 4,
    "schema": [
      "a",
      "b"
    ],
    "schema-only": true
  }
}
)");
}

TEST_CASE("no password gets into a profile, not even within a connection string") {
    DumpOptions options;
    options.connection.database = "postgresql://me:secret@db/shop";
    CHECK(toProfile(options).find("secret") == std::string::npos);
    CHECK(toProfile(options).find("user=me dbname=shop host=db") != std::string::npos);
}

TEST_CASE("a profile that is not understood is refused, whatever is wrong with it") {
    CHECK(refusal("") == "this is not a saved profile");
    CHECK(refusal("[1]") == "this is not a saved profile");
    CHECK(refusal("{\"options\": {}}") == "this is not a saved profile");
    CHECK(refusal(R"({"gantry_profile": 2})") == "profile version 2 is not known here");
    CHECK(refusal(R"({"gantry_profile": 1, "operation": "restore"})") ==
          "the profile is not for a dump");
    CHECK(refusal(profileWith(R"({"no-such": true})")) == "--no-such: there is no such option");
    CHECK(refusal(profileWith("7")) == "--: there is no such option");
    CHECK(refusal(profileWith(R"({"schema-only": "yes"})")) ==
          "--schema-only: the profile must say true or false");
    CHECK(refusal(profileWith(R"({"schema": "a"})")) == "--schema: the profile must hold a list");
    CHECK(refusal(profileWith(R"({"schema": [1]})")) == "--schema: the list must hold texts");
    CHECK(refusal(profileWith(R"({"jobs": "4"})")) ==
          "--jobs: the profile must hold a whole number");
    CHECK(refusal(profileWith(R"({"file": null})")) == "--file: the profile must hold a text");
}

TEST_CASE("a restore's profile keeps the archive and all options") {
    RestoreOptions options;
    options.archive = "/backup/shop";
    options.connection.database = "host=db password=secret dbname=shop";
    options.connection.password = "secret";
    options.jobs = 3;
    options.content.clean = true;
    options.selection.schemas = {"sales"};
    const std::string json = toProfile(options);
    CHECK(json.find("secret") == std::string::npos);
    CHECK(operationOfProfile(json) == "restore");
    const RestoreOptions read = restoreOptionsFromProfile(json);
    CHECK(read.archive == "/backup/shop");
    CHECK(read.jobs == 3U);
    CHECK(read.content.clean);
    CHECK(read.selection.schemas == std::vector<std::string>{"sales"});
    CHECK(toProfile(read) == json);
    CHECK(operationOfProfile(toProfile(DumpOptions())) == "dump");
    CHECK_THROWS_AS(dumpOptionsFromProfile(json), Error);
}
