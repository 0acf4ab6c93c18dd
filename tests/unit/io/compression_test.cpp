// SPDX-License-Identifier: PostgreSQL
#include "core/io/compression.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::io;

TEST_CASE("compression is spelled as pg_dump spells it") {
    using A = Algorithm;
    const std::vector<std::pair<std::string, Compression>> cases = {
        {"none", {A::None, {}, false, false}},
        {"none:0", {A::None, {}, false, false}},
        {"0", {A::None, {}, false, false}},
        {"6", {A::Gzip, 6, false, false}},
        {"-1", {A::Gzip, {}, false, false}},
        {"gzip", {A::Gzip, {}, false, false}},
        {"gzip:9", {A::Gzip, 9, false, false}},
        {"gzip:level=1", {A::Gzip, 1, false, false}},
        {"lz4", {A::Lz4, {}, false, false}},
        {"lz4:0", {A::Lz4, {}, false, false}},
        {"lz4:12", {A::Lz4, 12, false, false}},
        {"zstd:-7", {A::Zstd, -7, false, false}},
        {"zstd:22", {A::Zstd, 22, false, false}},
        {"zstd:long", {A::Zstd, {}, true, false}},
        {"zstd:long=off", {A::Zstd, {}, false, false}},
        {"zstd:level=5,long", {A::Zstd, 5, true, false}},
        {"zstd:5,long", {A::Zstd, 5, true, false}},
        {"auto", {A::Zstd, {}, false, true}},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(parseCompression(text) == expected);
        CHECK(parseCompression(toString(expected)) == expected);
    }
    CHECK(toString(parseCompression("zstd:5,long")) == "zstd:level=5,long");
    CHECK(toString(parseCompression("zstd:level=5")) == "zstd:5");
    CHECK(toString(parseCompression("4")) == "gzip:4");
}

TEST_CASE("compression that does not fit is refused with what would") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"",
         "compression \"\": there is no compression algorithm \"\". Choose none, gzip, lz4, "
         "zstd or auto."},
        {"ZSTD",
         "compression \"ZSTD\": there is no compression algorithm \"ZSTD\". Choose none, "
         "gzip, lz4, zstd or auto."},
        {"10",
         "compression \"10\": gzip has no level 10, its levels go from 1 to 9. Choose a level "
         "in that range or leave it out."},
        {"gzip:0",
         "compression \"gzip:0\": gzip has no level 0, its levels go from 1 to 9. Choose "
         "a level in that range or leave it out."},
        {"lz4:13",
         "compression \"lz4:13\": lz4 has no level 13, its levels go from 1 to 12. Choose "
         "a level in that range or leave it out."},
        {"zstd:23",
         "compression \"zstd:23\": zstd has no level 23, its levels go from -131072 to "
         "22. Choose a level in that range or leave it out."},
        {"none:1", "compression \"none:1\": none takes no level. Write none, or a codec: gzip:6."},
        {"gzip:",
         "compression \"gzip:\": an option is missing. Remove the comma or the colon at "
         "the end."},
        {"zstd:3,",
         "compression \"zstd:3,\": an option is missing. Remove the comma or the colon "
         "at the end."},
        {"zstd:level",
         "compression \"zstd:level\": the option level has no value. Write for "
         "example level=3."},
        {"zstd:level=x",
         "compression \"zstd:level=x\": the level \"x\" is not an integer. Write "
         "for example gzip:6 or zstd:level=3,long."},
        {"gzip:long",
         "compression \"gzip:long\": gzip has no long mode. Only zstd has it: "
         "zstd:long."},
        {"zstd:long=7",
         "compression \"zstd:long=7\": the value \"7\" of long is neither on nor "
         "off. Write long, long=on or long=off."},
        {"zstd:workers=2",
         "compression \"zstd:workers=2\": workers is no option of the codec "
         "here. Set the number of compressor threads with --compress-jobs."},
        {"zstd:fast",
         "compression \"zstd:fast\": there is no compression option \"fast\". The "
         "options are level=N and, for zstd, long."},
    };
    for (const auto& [text, message] : cases) {
        CAPTURE(text);
        std::string got = "(accepted)";
        try {
            parseCompression(text);
        } catch (const Error& error) {
            got = error.what();
            CHECK(error.kind() == ErrorKind::Usage);
        }
        CHECK(got == message);
    }
}
