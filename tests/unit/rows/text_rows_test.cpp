// SPDX-License-Identifier: PostgreSQL
// Binary rows become the text that the server would have written, or an error, and nothing else.
#include "core/rows/text_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rows/binary_rows.h"
#include "core/rows/calendar.h"
#include "core/rows/encoding.h"
#include "core/rows/time_zone.h"

using namespace gantry;
using namespace gantry::rows;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

using Type = ColumnType;
using Values = std::vector<std::optional<std::string>>;

/// A number in network order.
template <class T>
std::string number(T value) {
    std::string bytes;
    for (int i = static_cast<int>(sizeof value) - 1; i >= 0; --i) {
        bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    }
    return bytes;
}

std::string tuple(const Values& values) {
    std::string bytes = number(static_cast<int16_t>(values.size()));
    for (const auto& value : values) {
        bytes += number(value ? static_cast<int32_t>(value->size()) : -1);
        bytes += value.value_or("");
    }
    return bytes;
}

std::string header() { return std::string(BinaryRows::header()); }
std::string trailer() { return std::string(BinaryRows::trailer()); }

/// One message to somebody who has read the header already. It lies in memory of just its size, so
/// that a sanitizer sees each byte beyond.
std::string textOfTuple(const std::vector<Type>& types, const std::string& bytes) {
    TextRows rows(types);
    Buffer out;
    (void)rows.append(header() + tuple(Values(types.size())), out);
    out.clear();
    const auto exact = std::make_unique<char[]>(bytes.size());
    bytes.copy(exact.get(), bytes.size());
    const bool row = rows.append({exact.get(), bytes.size()}, out);
    CHECK(row);
    CHECK(out.size() <= rows.room(bytes.size()));
    return std::string(textOf(out.span()));
}

/// One value's text, without the newline.
std::string text(Type type, const std::string& value) {
    std::string row = textOfTuple({type}, tuple({value}));
    CHECK(row.ends_with('\n'));
    row.pop_back();
    return row;
}

std::string numeric(const std::vector<uint16_t>& groups, int16_t weight, uint16_t sign,
                    uint16_t scale) {
    std::string bytes = number(static_cast<uint16_t>(groups.size())) + number(weight) +
                        number(sign) + number(scale);
    for (const uint16_t group : groups) bytes += number(group);
    return text(Type::Numeric, bytes);
}

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

std::string date(int32_t days) { return text(Type::Date, number(days)); }
std::string timestamp(int64_t value) { return text(Type::Timestamp, number(value)); }
std::string timestampTz(int64_t value) { return text(Type::TimestampTz, number(value)); }

void checkUnreadable(const std::vector<Type>& types, const std::string& bytes,
                     const std::string& why) {
    CHECK_THROWS_MATCHES(textOfTuple(types, bytes), Error, MessageMatches(ContainsSubstring(why)));
}

}  // namespace

TEST_CASE("values are written as the server's output functions write them", "[rows]") {
    CHECK(text(Type::Bool, "\1") == "t");
    CHECK(text(Type::Bool, "\0"s) == "f");
    CHECK(text(Type::Int2, number(int16_t{INT16_MIN})) == "-32768");
    CHECK(text(Type::Int2, number(int16_t{INT16_MAX})) == "32767");
    CHECK(text(Type::Int4, number(int32_t{INT32_MIN})) == "-2147483648");
    CHECK(text(Type::Int4, number(int32_t{0})) == "0");
    CHECK(text(Type::Int8, number(int64_t{INT64_MIN})) == "-9223372036854775808");
    CHECK(text(Type::Int8, number(int64_t{INT64_MAX})) == "9223372036854775807");
    CHECK(text(Type::Bytea, "\0\x7F\xFF\\"s) == R"(\\x007fff5c)");
    CHECK(text(Type::Bytea, "") == R"(\\x)");
    CHECK(text(Type::Uuid, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF"s) ==
          "00112233-4455-6677-8899-aabbccddeeff");
    CHECK(text(Type::Jsonb, "\1{\"a\": \"\\n\"}") == R"({"a": "\\n"})");
    CHECK(textOfTuple({Type::Int4, Type::Text, Type::Numeric},
                      tuple({std::nullopt, std::nullopt, std::nullopt})) == "\\N\t\\N\t\\N\n");
}

TEST_CASE("numerics of any size keep each digit", "[rows]") {
    constexpr uint16_t kPlus = 0;
    constexpr uint16_t kMinus = 0x4000;
    CHECK(numeric({}, 0, kPlus, 0) == "0");
    CHECK(numeric({}, 0, kPlus, 3) == "0.000");
    CHECK(numeric({12, 3400}, 0, kMinus, 2) == "-12.34");
    CHECK(numeric({1}, 1, kPlus, 0) == "10000");
    CHECK(numeric({1, 2}, 2, kPlus, 5) == "100020000.00000");
    CHECK(numeric({5}, -1, kPlus, 4) == "0.0005");
    CHECK(numeric({5}, -2, kMinus, 9) == "-0.000000050");
    CHECK(numeric({9999, 9999, 9990}, 0, kPlus, 7) == "9999.9999999");
    CHECK(numeric({1}, 32'767, kPlus, 0) == "1" + std::string(131'068, '0'));
    CHECK(numeric({1}, 32'767, kMinus, 16'383) ==
          "-1" + std::string(131'068, '0') + "." + std::string(16'383, '0'));
    CHECK(numeric({}, 0, 0xC000, 0) == "NaN");
    CHECK(numeric({}, 0, 0xD000, 32) == "Infinity");
    CHECK(numeric({}, 0, 0xF000, 32) == "-Infinity");
}

TEST_CASE("text is escaped wherever a character needs it", "[rows]") {
    CHECK(text(Type::Text, "") == "");
    CHECK(text(Type::Text, "\\N") == R"(\\N)");
    CHECK(text(Type::Text, "\b\f\n\r\t\v\\") == R"(\b\f\n\r\t\v\\)");
    CHECK(text(Type::Text, "\x01\x1F\x7F ") == "\x01\x1F\x7F ");
    CHECK(text(Type::Text, "größer als € 𝄞 \xFF\xFE") == "größer als € 𝄞 \xFF\xFE");
    for (std::size_t length = 0; length < 40; ++length) {
        const std::string plain(length, '\xC3');
        CHECK(text(Type::Text, plain) == plain);
        for (std::size_t at = 0; at < length; ++at) {
            for (const auto& [c, escaped] : {std::pair{'\\', "\\\\"}, {'\n', "\\n"}}) {
                std::string one = plain;
                one[at] = c;
                CHECK(text(Type::Text, one) ==
                      plain.substr(0, at) + escaped + plain.substr(at + 1));
            }
        }
    }
}

TEST_CASE("times have their fractions without trailing zeros", "[rows]") {
    const auto time = [](int64_t value) { return text(Type::Time, number(value)); };
    CHECK(time(0) == "00:00:00");
    CHECK(time(1) == "00:00:00.000001");
    CHECK(time(100'000) == "00:00:00.1");
    CHECK(time(((13 * 60 + 5) * 60 + 9) * kSecond + 120'300) == "13:05:09.1203");
    CHECK(time(kDay - 1) == "23:59:59.999999");
    CHECK(time(kDay) == "24:00:00");
}

TEST_CASE("dates reach from 4714 BC to the year 5874897", "[rows]") {
    CHECK(date(0) == "2000-01-01");
    CHECK(date(-1) == "1999-12-31");
    CHECK(date(59) == "2000-02-29");
    CHECK(date(kFirstDay) == "4714-11-24 BC");
    CHECK(date(kLastDay) == "5874897-12-31");
    CHECK(date(-730'119) == "0001-01-01");
    CHECK(date(-730'120) == "0001-12-31 BC");
    CHECK(date(daysOf({9999, 12, 31}) + 1) == "10000-01-01");
    CHECK(date(INT32_MAX) == "infinity");
    CHECK(date(INT32_MIN) == "-infinity");
    CHECK(timestamp(0) == "2000-01-01 00:00:00");
    CHECK(timestamp(-1) == "1999-12-31 23:59:59.999999");
    CHECK(timestampTz(12 * 3600 * kSecond + 500'000) == "2000-01-01 12:00:00.5+00");
    CHECK(timestampTz(-730'120 * kDay) == "0001-12-31 00:00:00+00 BC");
    CHECK(timestamp(kFirstDay * kDay) == "4714-11-24 00:00:00 BC");
    CHECK(timestamp(9'223'371'331'199'999'999) == "294276-12-31 23:59:59.999999");
    CHECK(timestampTz(INT64_MAX) == "infinity");
    CHECK(timestampTz(INT64_MIN) == "-infinity");
}

TEST_CASE("times with a zone are those of its clocks, with the offset of that time", "[rows]") {
    const auto in = [](const std::string& zone, int64_t value) {
        TextRows rows({Type::TimestampTz}, TimeZone::named(zone).value());
        Buffer out;
        CHECK(rows.append(header() + tuple({number(value)}), out));
        std::string row(textOf(out.span()));
        row.pop_back();
        return row;
    };
    CHECK(in("Europe/Berlin", 0) == "2000-01-01 01:00:00+01");
    CHECK(in("Europe/Berlin", -3600 * kSecond - 1) == "1999-12-31 23:59:59.999999+01");
    CHECK(in("Europe/Berlin", 200 * kDay) == "2000-07-19 02:00:00+02");
    CHECK(in("Asia/Kolkata", 0) == "2000-01-01 05:30:00+05:30");
    CHECK(in("America/St_Johns", 0) == "1999-12-31 20:30:00-03:30");
    CHECK(in("Europe/Amsterdam", -50'000 * kDay) == "1863-02-08 00:19:32+00:19:32");
    CHECK(in("America/New_York", kFirstDay * kDay) == "4714-11-23 19:03:58-04:56:02 BC");
    CHECK(in("Asia/Tokyo", 9'223'371'331'199'999'999) == "294277-01-01 08:59:59.999999+09");
    CHECK(in("Asia/Tokyo", INT64_MAX) == "infinity");
    CHECK(in("Asia/Tokyo", INT64_MAX - 1).ends_with("+09"));  // what no server sends
}

TEST_CASE("the days of the calendar are counted back to their dates", "[rows]") {
    for (int32_t days = daysOf({1, 1, 1}); days < daysOf({2801, 1, 1}); ++days) {
        if (daysOf(dayAt(days)) != days) FAIL(days);
    }
    CalendarDay before = dayAt(kFirstDay);
    for (int32_t days = kFirstDay + 1; days < daysOf({1, 1, 1}); ++days) {
        const CalendarDay day = dayAt(days);
        const bool follows = day == CalendarDay{before.year, before.month, before.day + 1} ||
                             day == CalendarDay{before.year, before.month + 1, 1} ||
                             day == CalendarDay{before.year + 1, 1, 1};
        if (!follows) FAIL(days);
        before = day;
    }
}

TEST_CASE("what comes before and behind the rows is no row", "[rows]") {
    const std::string row = tuple({number(int32_t{7})});
    Buffer out;
    TextRows empty({Type::Int4});
    CHECK_FALSE(empty.append(header() + trailer(), out));
    CHECK(empty.atEnd());
    CHECK(out.empty());

    TextRows rows({Type::Int4});
    CHECK(rows.append(header() + row, out));
    CHECK(rows.append(row, out));
    CHECK_FALSE(rows.atEnd());
    CHECK_FALSE(rows.append(trailer(), out));
    CHECK(rows.atEnd());
    CHECK(textOf(out.span()) == "7\n7\n");
    CHECK_THROWS_AS(rows.append(row, out), Error);

    std::string other = header();
    other[12] = '\1';  // with OIDs, of old
    CHECK_THROWS_AS(TextRows({Type::Int4}).append(other + row, out), Error);
    CHECK_THROWS_AS(TextRows({Type::Int4}).append(row, out), Error);
    CHECK(textOf(out.span()) == "7\n7\n");
}

TEST_CASE("a row that is cut off or too long is refused wherever that is", "[rows]") {
    const std::vector<Type> types{Type::Bool,    Type::Int2, Type::Int4,      Type::Int8,
                                  Type::Numeric, Type::Text, Type::Jsonb,     Type::Bytea,
                                  Type::Date,    Type::Time, Type::Timestamp, Type::TimestampTz,
                                  Type::Uuid};
    const std::string row =
        tuple({"\1", number(int16_t{1}), number(int32_t{2}), number(int64_t{3}),
               number(uint64_t{0x0001'0000'0000'0000}) + number(int16_t{4}), "five", "\1{}", "\x07",
               number(int32_t{8}), number(int64_t{9}), number(int64_t{10}), number(int64_t{11}),
               std::string(16, '\x0C')});
    CHECK(textOfTuple(types, row) ==
          "t\t1\t2\t3\t4\tfive\t{}\t\\\\x07\t2000-01-09\t00:00:00.000009\t"
          "2000-01-01 00:00:00.00001\t2000-01-01 00:00:00.000011+00\t"
          "0c0c0c0c-0c0c-0c0c-0c0c-0c0c0c0c0c0c\n");
    for (std::size_t length = 0; length < row.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(textOfTuple(types, row.substr(0, length)), Error);
    }
    checkUnreadable(types, row + '\0', "too long");
}

TEST_CASE("values that no server sends are refused", "[rows]") {
    for (const Type type :
         {Type::Bool, Type::Int2, Type::Int4, Type::Int8, Type::Numeric, Type::Date, Type::Time,
          Type::Timestamp, Type::TimestampTz, Type::Uuid}) {
        for (std::size_t length = 0; length <= 20; ++length) {
            CAPTURE(static_cast<int>(type), length);
            const bool right =
                (type == Type::Bool && length == 1) || (type == Type::Int2 && length == 2) ||
                ((type == Type::Int4 || type == Type::Date) && length == 4) ||
                ((type == Type::Int8 || type == Type::Time || type == Type::Timestamp ||
                  type == Type::TimestampTz || type == Type::Numeric) &&
                 length == 8) ||
                (type == Type::Uuid && length == 16);
            if (right) continue;
            CHECK_THROWS_AS(text(type, std::string(length, '\0')), Error);
        }
    }
    checkUnreadable({Type::Bool}, tuple({"\2"}), "neither true nor false");
    checkUnreadable({Type::Jsonb}, tuple({"\2{}"}), "unknown version");
    checkUnreadable({Type::Time}, tuple({number(int64_t{-1})}), "out of range");
    checkUnreadable({Type::Time}, tuple({number(kDay + 1)}), "out of range");
    checkUnreadable({Type::Date}, tuple({number(kFirstDay - 1)}), "out of range");
    checkUnreadable({Type::Date}, tuple({number(kLastDay + 1)}), "out of range");
    checkUnreadable({Type::Timestamp}, tuple({number(kFirstDay * kDay - 1)}), "out of range");
    CHECK_THROWS_AS(numeric({}, 0, 0x1000, 0), Error);
    CHECK_THROWS_AS(numeric({10'000}, 0, 0, 0), Error);
    CHECK_THROWS_AS(numeric({}, 0, 0, 16'384), Error);
    checkUnreadable({Type::Int4}, number(int16_t{2}) + number(int64_t{-1}),
                    "2 columns instead of 1");
    checkUnreadable({Type::Int4}, number(int16_t{-2}), "-2 columns instead of 1");
    checkUnreadable({Type::Int4}, number(int16_t{1}) + number(int32_t{-2}), "negative length");
    checkUnreadable({Type::Text}, number(int16_t{1}) + number(INT32_MAX), "too short");
}

TEST_CASE("text made binary and text again is the same", "[rows]") {
    const std::vector<Type> types{Type::Bool,      Type::Int8,        Type::Numeric, Type::Text,
                                  Type::Jsonb,     Type::Bytea,       Type::Date,    Type::Time,
                                  Type::Timestamp, Type::TimestampTz, Type::Uuid,    Type::Int2,
                                  Type::Int4};
    const std::string text =
        "t\t-12345678901\t12345678.0900\tplain\t{\"a\": 1}\t\\\\x00ff\t2024-02-29\t"
        "12:34:56.789\t1999-12-31 23:59:59.999999\t0001-01-01 00:00:00+00\t"
        "00112233-4455-6677-8899-aabbccddeeff\t-1\t0\n"
        "f\t0\t-0.00000001\ttab\\tand\\\\back\\nslash\t\"x\\\\ty\"\t\\\\x\t9999-12-31\t"
        "00:00:00\tinfinity\t-infinity\tffffffff-ffff-ffff-ffff-ffffffffffff\t32767\t-2147483648\n"
        "\\N\t\\N\tNaN\t\\N\t\\N\t\\N\tinfinity\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n"
        "\\N\t\\N\t0.000\t\t\\N\t\\N\t-infinity\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n";
    Buffer binary;
    const BinaryRows toBinary(types);
    TextRows toText(types);
    Buffer again;
    binary.append(BinaryRows::header());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t row =
            toBinary.append(std::string_view(text).substr(at), binary.size() + 1, binary);
        REQUIRE(row > 0);
        at += row;
        CHECK(toText.append(textOf(binary.span()), again));
        binary.clear();
    }
    CHECK(textOf(again.span()) == text);
}

TEST_CASE("encodings in which each ASCII byte stands for itself", "[rows]") {
    for (const char* name : {"UTF8", "SQL_ASCII", "LATIN1", "LATIN10", "ISO_8859_5", "WIN1252",
                             "WIN866", "EUC_JP", "EUC_JIS_2004"}) {
        CHECK(keepsAsciiApart(name));
    }
    for (const char* name : {"SJIS", "BIG5", "GBK", "UHC", "GB18030", "JOHAB", "SHIFT_JIS_2004"}) {
        CHECK_FALSE(keepsAsciiApart(name));
    }
}
