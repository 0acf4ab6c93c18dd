// SPDX-License-Identifier: PostgreSQL
// Text rows as binary ones: the bytes of each type, what is left to the server, and rubbish.
#include "core/rows/binary_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <string>

using namespace gantry;
using namespace gantry::rows;
using namespace std::string_literals;

namespace {

/// The field of a row with this one column, as hexadecimal digits; "?" if it is left to the server,
/// "null" for NULL.
std::string field(ColumnType type, const std::string& text) {
    Buffer out;
    const std::string row = text + "\n";
    const std::size_t taken = BinaryRows({type}).append(row, 1, out);
    if (taken == 0) {
        CHECK(out.empty());
        return "?";
    }
    REQUIRE(taken == row.size());
    const std::string bytes(textOf(out.span()));
    REQUIRE(bytes.size() >= 6);
    REQUIRE(bytes.substr(0, 2) == "\0\1"s);
    if (bytes.substr(2) == "\377\377\377\377") return "null";
    uint32_t length = 0;
    for (std::size_t i = 2; i < 6; ++i) {
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
    }
    REQUIRE(length == bytes.size() - 6);
    std::string digits;
    for (const char c : bytes.substr(6)) {
        digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        digits += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return digits;
}

void checkRefused(ColumnType type, std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(field(type, text) == "?");
    }
}

const std::vector<ColumnType> kAll = {
    ColumnType::Bool,      ColumnType::Int2,        ColumnType::Int4,    ColumnType::Int8,
    ColumnType::Float4,    ColumnType::Float8,      ColumnType::Numeric, ColumnType::Text,
    ColumnType::Jsonb,     ColumnType::Bytea,       ColumnType::Date,    ColumnType::Time,
    ColumnType::Timestamp, ColumnType::TimestampTz, ColumnType::Uuid,
};
const std::string kRow =
    "t\t-7\t70000\t-9000000000\t1.5\t-2.25e-10\t-1234.5600\ta\\tb\t{\"k\": "
    "\"\\\\\\\\\"}\t\\\\x00ff\t"
    "2024-02-29\t23:59:59.5\t1999-12-31 23:59:59.999999\t2020-01-01 00:00:37.123457+05:30\t"
    "c4ca4238-a0b9-2382-0dcc-509a6f75849b\n";

}  // namespace

TEST_CASE("numbers in binary form") {
    CHECK(field(ColumnType::Bool, "t") == "01");
    CHECK(field(ColumnType::Bool, "f") == "00");
    CHECK(field(ColumnType::Int2, "-32768") == "8000");
    CHECK(field(ColumnType::Int4, "2147483647") == "7fffffff");
    CHECK(field(ColumnType::Int8, "-1") == "ffffffffffffffff");
    CHECK(field(ColumnType::Float4, "1") == "3f800000");
    CHECK(field(ColumnType::Float8, "-0") == "8000000000000000");
    CHECK(field(ColumnType::Float8, "1.7976931348623157e+308") == "7fefffffffffffff");
    CHECK(field(ColumnType::Float8, "5e-324") == "0000000000000001");
    CHECK(field(ColumnType::Float8, "Infinity") == "7ff0000000000000");
    CHECK(field(ColumnType::Float4, "-Infinity") == "ff800000");
    CHECK(field(ColumnType::Float8, "NaN") == "7ff8000000000000");
    CHECK(field(ColumnType::Int4, "\\N") == "null");

    checkRefused(ColumnType::Bool, {"true", "1", ""});
    checkRefused(ColumnType::Int2, {"32768", "", "-", "+1", " 1", "1 ", "1.0", "0x1"});
    checkRefused(ColumnType::Int8, {"9223372036854775808", "1_000"});
    checkRefused(ColumnType::Float8, {"", "nan", "inf", "0x1p3", "1e400", " 1", "1e", "."});
    checkRefused(ColumnType::Float4, {"1e39"});
}

TEST_CASE("a numeric's digits of base 10000 stand around the decimal point") {
    CHECK(field(ColumnType::Numeric, "0") == "0000ffff00000000");
    CHECK(field(ColumnType::Numeric, "1") == "00010000000000000001");
    CHECK(field(ColumnType::Numeric, "-12345.678") ==
          "000300014000000300010929"
          "1a7c");
    CHECK(field(ColumnType::Numeric, "0.00") == "0001ffff000000020000");
    CHECK(field(ColumnType::Numeric, "0.0001") == "0001ffff000000040001");
    CHECK(field(ColumnType::Numeric, "10000") == "000200010000000000010000");
    CHECK(field(ColumnType::Numeric, "NaN") == "00000000c0000000");
    checkRefused(ColumnType::Numeric, {"", "-", ".", "1.", ".5", "1e5", "1.2.3", "Infinity", "+1",
                                       "12a", "1 ", std::string(200'000, '9')});
    CHECK(field(ColumnType::Numeric, "0." + std::string(16'384, '1')) == "?");
}

TEST_CASE("days and times are counted from the year 2000") {
    CHECK(field(ColumnType::Date, "2000-01-01") == "00000000");
    CHECK(field(ColumnType::Date, "1999-12-31") == "ffffffff");
    CHECK(field(ColumnType::Date, "0001-01-01") == "fff4dbf9");
    CHECK(field(ColumnType::Date, "9999-12-31") == "002c95d3");
    CHECK(field(ColumnType::Date, "infinity") == "7fffffff");
    CHECK(field(ColumnType::Date, "-infinity") == "80000000");
    CHECK(field(ColumnType::Time, "00:00:01") == "00000000000f4240");
    CHECK(field(ColumnType::Time, "00:00:00.000001") == "0000000000000001");
    CHECK(field(ColumnType::Timestamp, "2000-01-01 00:00:00.5") == "000000000007a120");
    CHECK(field(ColumnType::Timestamp, "-infinity") == "8000000000000000");
    CHECK(field(ColumnType::TimestampTz, "2000-01-01 00:00:01+00") == "00000000000f4240");
    CHECK(field(ColumnType::TimestampTz, "2000-01-01 05:30:01+05:30") == "00000000000f4240");
    CHECK(field(ColumnType::TimestampTz, "1999-12-31 23:00:01-01") == "00000000000f4240");
    CHECK(field(ColumnType::TimestampTz, "2000-01-01 00:19:33+00:19:32") == "00000000000f4240");

    checkRefused(ColumnType::Date, {"2023-02-29", "2000-13-01", "2000-00-10", "2000-01-00",
                                    "0000-01-01", "10000-01-01", "2000-1-1", "0044-03-15 BC", "",
                                    "01/02/2000", "today", "2000-01-01 "});
    checkRefused(ColumnType::Time, {"24:00:00", "23:60:00", "23:59:60", "1:00:00", "00:00:00.",
                                    "00:00:00.1234567", "00:00:00+01"});
    checkRefused(ColumnType::Timestamp, {"2000-01-01", "2000-01-01 00:00:00+00",
                                         "2000-01-01T00:00:00", "0044-03-15 12:00:00 BC", "now"});
    checkRefused(ColumnType::TimestampTz,
                 {"2000-01-01 00:00:00", "2000-01-01 00:00:00 UTC", "2000-01-01 00:00:00+16",
                  "2000-01-01 00:00:00+1", "2000-01-01 00:00:00+01:", "2000-01-01 00:00:00+01:60",
                  "2000-01-01 00:00:00+00 BC"});
}

TEST_CASE("characters are what COPY's escapes stand for") {
    CHECK(field(ColumnType::Text, "") == "");
    CHECK(field(ColumnType::Text, "a\\\\b") == "615c62");
    CHECK(field(ColumnType::Text, "\\b\\f\\n\\r\\t\\v") == "080c0a0d090b");
    CHECK(field(ColumnType::Text, "\xc3\xa4") == "c3a4");
    CHECK(field(ColumnType::Text, "\\\\N") == "5c4e");
    CHECK(field(ColumnType::Text, "\\N") == "null");
    CHECK(field(ColumnType::Jsonb, "{}") == "017b7d");
    CHECK(field(ColumnType::Bytea, "\\\\x") == "");
    CHECK(field(ColumnType::Bytea, "\\\\x00ff") == "00ff");
    CHECK(field(ColumnType::Uuid, "c4ca4238-a0b9-2382-0dcc-509a6f75849b") ==
          "c4ca4238a0b923820dcc509a6f75849b");

    checkRefused(ColumnType::Text, {"a\\N", "\\101", "\\x41", "\\q", "a\\", "a\rb", "a\r"});
    checkRefused(ColumnType::Bytea, {"", "abc", "\\\\x0", "\\\\x0g", "\\\\xFF", "\\000"});
    checkRefused(ColumnType::Uuid,
                 {"", "c4ca4238a0b923820dcc509a6f75849b", "{c4ca4238-a0b9-2382-0dcc-509a6f75849b}",
                  "C4CA4238-A0B9-2382-0DCC-509A6F75849B", "c4ca4238-a0b9-2382-0dcc-509a6f75849-",
                  "c4ca42380a0b9-2382-0dcc-509a6f75849b"});
}

TEST_CASE("a row with another number of fields is left to the server") {
    const BinaryRows two({ColumnType::Int4, ColumnType::Text});
    Buffer out;
    for (const std::string row : {"1\n", "1\ta\tb\n", "\n", "1\ta", "1\\\ta\n"}) {
        CAPTURE(row);
        CHECK(two.append(row, 1, out) == 0);
        CHECK(out.empty());
    }
    CHECK(two.append("1\ta\n", 1, out) == 4);
}

TEST_CASE("rows are taken until there is enough, or until one is not known") {
    const BinaryRows one({ColumnType::Int4});
    Buffer out;
    CHECK(one.append("1\n2\n3\n", 15, out) == 4);
    CHECK(out.size() == 20);
    out.clear();
    CHECK(one.append("1\nx\n3\n", 1000, out) == 2);
    CHECK(out.size() == 10);
    CHECK(one.append("x\n3\n", 1000, out) == 0);
    CHECK(out.size() == 10);
}

TEST_CASE("what is cut or changed anywhere is refused or taken, within its bounds") {
    const BinaryRows all(kAll);
    Buffer whole;
    REQUIRE(all.append(kRow, 1, whole) == kRow.size());
    for (std::size_t length = 0; length < kRow.size(); ++length) {
        Buffer out;
        const std::string cut = kRow.substr(0, length) + "\n";
        const std::size_t taken = all.append(cut, 1, out);
        CHECK((taken == 0 || taken == cut.size()));
    }
    std::mt19937 random(1);
    const auto any = [&](std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    const std::string bytes = "0123456789-+:. \\\tNtfxinfinityeE\n\r\xff{}\""s + '\0';
    for (int round = 0; round < 20'000; ++round) {
        std::string row = kRow;
        for (std::size_t changes = 1 + any(3); changes > 0; --changes) {
            const std::size_t at = any(row.size() - 1);
            switch (any(3)) {
                case 0:
                    row[at] = bytes[any(bytes.size())];
                    break;
                case 1:
                    row.insert(at, 1, bytes[any(bytes.size())]);
                    break;
                default:
                    row.erase(at, 1 + any(4));
                    break;
            }
            if (row.size() < 2) row = kRow;
        }
        if (row.back() != '\n') row += '\n';
        Buffer out;
        CHECK(all.append(row, 1, out) <= row.size());
    }
}
