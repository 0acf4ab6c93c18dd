// SPDX-License-Identifier: PostgreSQL
#include "core/rows/text_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/rows/binary_rows.h"
#include "core/rows/calendar.h"
#include "core/rows/float_text.h"

namespace gantry::rows {
namespace {

constexpr int16_t kEndOfRows = -1;
constexpr int32_t kNullLength = -1;
constexpr int64_t kMicrosecondsOfSecond = 1'000'000;
constexpr int64_t kSecondsOfDay = 86'400;
constexpr int64_t kMicrosecondsOfWholeDay = kSecondsOfDay * kMicrosecondsOfSecond;
constexpr int64_t kFirstTimestamp = kFirstDay * kMicrosecondsOfWholeDay;
/// A zone's time may be of the day before.
constexpr int32_t kFirstLocalDay = kFirstDay - 1;
/// It begins at this second, counted from 1970.
constexpr int64_t kFirstLocalSecond =
    (int64_t{kFirstLocalDay} - daysOf({1970, 1, 1})) * kSecondsOfDay;
/// The server makes no longer one, and reads none.
constexpr std::size_t kLongestRow = 0x3FFF'FFFF;

/// Every character may need a backslash; the longest form of fixed size is that of a time in
/// another era and at an offset in seconds.
constexpr std::size_t kRoomOfCharacter = 2;
constexpr std::size_t kRoomOfValue = 48;
/// Digits before and behind the point, "numeric.c" of the server.
constexpr std::size_t kMostWholeDigits = 131'072;
constexpr std::size_t kMostScale = 16'383;
constexpr std::size_t kRoomOfNumber = kMostWholeDigits + kMostScale + kRoomOfValue;

[[noreturn, gnu::cold, gnu::noinline]] void refuse(std::string_view why) {
    throw Error(ErrorKind::Internal,
                fmt::format("a binary row of the server cannot be read: {}", why), {},
                "With --no-binary the server writes all rows as text.");
}

/// To and from it.
template <std::unsigned_integral T>
T inNetworkOrder(T value) {
    if constexpr (std::endian::native == std::endian::little) {
        if constexpr (sizeof value == 2) return __builtin_bswap16(value);
        if constexpr (sizeof value == 4) return __builtin_bswap32(value);
        if constexpr (sizeof value == 8) return __builtin_bswap64(value);
    }
    return value;
}

/// Takes numbers in network order, and never more than there is.
class In {
public:
    explicit In(std::string_view bytes) : bytes_(bytes) {}

    template <std::integral T>
    T number() {
        std::make_unsigned_t<T> value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return static_cast<T>(inNetworkOrder(value));
    }
    std::string_view take(std::size_t size) {
        if (bytes_.size() < size) refuse("it is too short");
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    std::string_view rest() const { return bytes_; }
    /// Whatever has been read must be all.
    void finish() const {
        if (!bytes_.empty()) refuse("it is too long");
    }

private:
    std::string_view bytes_;
};

/// A value that is one number and nothing else.
template <std::integral T>
T onlyNumber(std::string_view value) {
    In in(value);
    const T number = in.number<T>();
    in.finish();
    return number;
}

char* write(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

template <std::integral T>
char* writeInteger(char* at, T value) {
    return std::to_chars(at, at + std::numeric_limits<T>::digits10 + 2, value).ptr;
}

/// For each number its two digits.
constexpr std::array<char, 200> makePairs() {
    std::array<char, 200> pairs{};
    for (unsigned i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}
constexpr std::array<char, 200> kPairs = makePairs();

char* writeTwo(char* at, uint32_t value) {
    std::memcpy(at, kPairs.data() + std::size_t{2} * value, 2);
    return at + 2;
}

char* writeFour(char* at, uint32_t value) {
    return writeTwo(writeTwo(at, value / 100), value % 100);
}

/// Two digits for each of four bytes, in network order: their halves drawn apart, then to letters.
uint64_t hexDigits(uint32_t bytes) {
    constexpr uint64_t kOnes = 0x0101'0101'0101'0101;
    constexpr uint64_t kLetterGap = 'a' - '9' - 1;
    uint64_t digits = bytes;
    digits = (digits | digits << 16) & 0x0000'FFFF'0000'FFFF;
    digits = (digits | digits << 8) & 0x00FF'00FF'00FF'00FF;
    digits = (digits | digits << 4) & 0x0F0F'0F0F'0F0F'0F0F;
    const uint64_t letters = (digits + 6 * kOnes) >> 4 & kOnes;
    return digits + '0' * kOnes + letters * kLetterGap;
}

char* writeHex(char* at, std::string_view bytes) {
    In in(bytes);
    while (in.rest().size() >= sizeof(uint32_t)) {
        const uint64_t digits = inNetworkOrder(hexDigits(in.number<uint32_t>()));
        std::memcpy(at, &digits, sizeof digits);
        at += sizeof digits;
    }
    for (const char byte : in.rest()) {
        const auto value = static_cast<unsigned char>(byte);
        *at++ = "0123456789abcdef"[value >> 4];
        *at++ = "0123456789abcdef"[value & 0xF];
    }
    return at;
}

char* writeBool(char* at, std::string_view value) {
    const auto number = onlyNumber<uint8_t>(value);
    if (number > 1) refuse("a boolean is neither true nor false");
    *at = number == 1 ? 't' : 'f';
    return at + 1;
}

/// Digits of base 10000; numeric_send and get_str_from_var of numeric.c.
char* writeNumeric(char* at, std::string_view value) {
    constexpr uint16_t kPositive = 0x0000;
    constexpr uint16_t kNegative = 0x4000;
    constexpr uint16_t kNaN = 0xC000;
    constexpr uint16_t kInfinity = 0xD000;
    constexpr uint16_t kMinusInfinity = 0xF000;

    In in(value);
    const int count = in.number<uint16_t>();
    const int weight = in.number<int16_t>();
    const auto sign = in.number<uint16_t>();
    const int scale = in.number<uint16_t>();
    if (sign == kNaN) return write(at, "NaN");
    if (sign == kInfinity) return write(at, "Infinity");
    if (sign == kMinusInfinity) return write(at, "-Infinity");
    if (sign != kPositive && sign != kNegative) refuse("a number has an unknown sign");
    if (scale > static_cast<int>(kMostScale)) refuse("a number has too many digits");
    In groups(in.take(std::size_t{2} * static_cast<unsigned>(count)));
    in.finish();
    // Groups before the first and behind the last are zeros.
    const auto group = [&](int position) -> uint32_t {
        if (position < 0 || position >= count) return 0;
        const auto digits = groups.number<uint16_t>();
        if (digits > 9999) refuse("a number has an unknown digit");
        return digits;
    };

    if (sign == kNegative) *at++ = '-';
    if (weight < 0) *at++ = '0';
    for (int i = 0; i <= weight; ++i) {
        at = i == 0 ? writeInteger(at, group(i)) : writeFour(at, group(i));
    }
    if (scale > 0) {
        *at++ = '.';
        char* const end = at + scale;
        for (int i = weight + 1; at < end; ++i) at = writeFour(at, group(i));
        at = end;
    }
    return at;
}

constexpr std::array<char, 256> makeEscapes() {
    std::array<char, 256> escapes{};
    const std::string_view bytes = "\b\f\n\r\t\v\\";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        escapes[static_cast<unsigned char>(bytes[i])] = "bfnrtv\\"[i];
    }
    return escapes;
}
constexpr std::array<char, 256> kEscapes = makeEscapes();

char* writeCharacter(char* at, char c) {
    const char escape = kEscapes[static_cast<unsigned char>(c)];
    if (escape == '\0') {
        *at = c;
        return at + 1;
    }
    at[0] = '\\';
    at[1] = escape;
    return at + 2;
}

/// True if one of eight characters is a control character or a backslash ("Bit Twiddling Hacks",
/// "Determine if a word has a byte less than n").
bool mayNeedEscapes(uint64_t word) {
    constexpr uint64_t kEach = 0x0101'0101'0101'0101;
    constexpr uint64_t kHighBits = kEach * 0x80;
    const uint64_t backslashes = word ^ (kEach * '\\');
    return ((((word - kEach * ' ') & ~word) | ((backslashes - kEach) & ~backslashes)) &
            kHighBits) != 0;
}

/// Most text has nothing to escape.
char* writeText(char* at, std::string_view text) {
    const char* from = text.data();
    const char* const end = from + text.size();
    uint64_t word = 0;
    constexpr std::size_t kWord = sizeof word;
    while (static_cast<std::size_t>(end - from) >= kWord) {
        std::memcpy(&word, from, kWord);
        if (mayNeedEscapes(word)) {
            for (std::size_t i = 0; i < kWord; ++i) at = writeCharacter(at, *from++);
        } else {
            std::memcpy(at, &word, kWord);
            at += kWord;
            from += kWord;
        }
    }
    const auto left = static_cast<std::size_t>(end - from);
    if (left > 0 && text.size() >= kWord) {
        // The last eight, some of which have been written already, each as itself.
        std::memcpy(&word, end - kWord, kWord);
        if (!mayNeedEscapes(word)) {
            std::memcpy(at + left - kWord, &word, kWord);
            return at + left;
        }
    }
    while (from < end) at = writeCharacter(at, *from++);
    return at;
}

char* writeJsonb(char* at, std::string_view value) {
    In in(value);
    if (in.number<uint8_t>() != 1) refuse("jsonb of an unknown version");
    return writeText(at, in.rest());
}

char* writeBytea(char* at, std::string_view value) {
    return writeHex(write(at, R"(\\x)"), value);  // its backslash is escaped
}

char* writeDate(char* at, CalendarDay date) {
    const auto year = static_cast<uint32_t>(date.year > 0 ? date.year : 1 - date.year);
    at = year < 10'000 ? writeFour(at, year) : writeInteger(at, year);
    *at++ = '-';
    at = writeTwo(at, date.month);
    *at++ = '-';
    return writeTwo(at, date.day);
}

void turnTo(DayText& day, int32_t days) {
    const CalendarDay date = dayAt(days);
    day.days = days;
    day.beforeChrist = date.year <= 0;
    day.length = static_cast<std::size_t>(writeDate(day.text.data(), date) - day.text.data());
}

char* writeDay(char* at, DayText& day, int32_t days) {
    if (day.days != days) turnTo(day, days);
    std::memcpy(at, day.text.data(), day.text.size());
    return at + day.length;
}

char* writeEra(char* at, const DayText& day) { return day.beforeChrist ? write(at, " BC") : at; }

/// At most a whole day.
char* writeTimeOfDay(char* at, int64_t microseconds) {
    const auto seconds = static_cast<uint32_t>(microseconds / kMicrosecondsOfSecond);
    const auto fraction = static_cast<uint32_t>(microseconds % kMicrosecondsOfSecond);
    at = writeTwo(at, seconds / 3600);
    *at++ = ':';
    at = writeTwo(at, seconds / 60 % 60);
    *at++ = ':';
    at = writeTwo(at, seconds % 60);
    if (fraction == 0) return at;
    *at++ = '.';
    at = writeFour(writeTwo(at, fraction / 10'000), fraction % 10'000);
    while (at[-1] == '0') --at;
    return at;
}

char* writeDate(char* at, std::string_view value, DayText& day) {
    const auto days = onlyNumber<int32_t>(value);
    if (days == std::numeric_limits<int32_t>::max()) return write(at, "infinity");
    if (days == std::numeric_limits<int32_t>::min()) return write(at, "-infinity");
    if (days < kFirstDay || days > kLastDay) refuse("a date is out of range");
    return writeEra(writeDay(at, day, days), day);
}

char* writeTime(char* at, std::string_view value) {
    const auto microseconds = onlyNumber<int64_t>(value);
    if (microseconds < 0 || microseconds > kMicrosecondsOfWholeDay) {
        refuse("a time is out of range");
    }
    return writeTimeOfDay(at, microseconds);
}

/// Hours, and what is not zero of minutes and seconds.
void turnTo(OffsetText& offset, const TimeZone::Span& span) {
    const auto seconds = static_cast<uint32_t>(std::abs(span.offset));
    char* at = offset.text.data();
    *at++ = span.offset < 0 ? '-' : '+';
    at = writeTwo(at, seconds / 3600);
    if (seconds % 3600 != 0) {
        *at++ = ':';
        at = writeTwo(at, seconds / 60 % 60);
    }
    if (seconds % 60 != 0) {
        *at++ = ':';
        at = writeTwo(at, seconds % 60);
    }
    offset.span = span;
    offset.length = static_cast<std::size_t>(at - offset.text.data());
}

char* writeTimestamp(char* at, std::string_view value, bool withZone, TimeTexts& times) {
    const auto microseconds = onlyNumber<int64_t>(value);
    if (microseconds == std::numeric_limits<int64_t>::max()) return write(at, "infinity");
    if (microseconds == std::numeric_limits<int64_t>::min()) return write(at, "-infinity");
    if (microseconds < kFirstTimestamp) refuse("a timestamp is out of range");
    // From the first day on, so that divisions round down.
    constexpr auto kDay = static_cast<uint64_t>(kMicrosecondsOfWholeDay);
    constexpr auto kSecond = static_cast<uint64_t>(kMicrosecondsOfSecond);
    uint64_t since =
        static_cast<uint64_t>(microseconds) - static_cast<uint64_t>(kFirstTimestamp) + kDay;
    OffsetText& offset = times.offset;
    if (withZone) {
        const int64_t second = static_cast<int64_t>(since / kSecond) + kFirstLocalSecond;
        if (!offset.span.holds(second)) turnTo(offset, times.zone.spanAt(second));
        since += static_cast<uint64_t>(offset.span.offset * kMicrosecondsOfSecond);
    }
    at = writeDay(at, times.day, static_cast<int32_t>(since / kDay) + kFirstLocalDay);
    *at++ = ' ';
    at = writeTimeOfDay(at, static_cast<int64_t>(since % kDay));
    if (withZone) at = write(at, {offset.text.data(), offset.length});
    return writeEra(at, times.day);
}

/// Eight, four, four, four and twelve digits.
char* writeUuid(char* at, std::string_view value) {
    constexpr std::size_t kBytes = 16;
    if (value.size() != kBytes) refuse("a uuid has another size");
    std::array<char, 2 * kBytes> digits;
    writeHex(digits.data(), value);
    std::memcpy(at, digits.data(), 8);
    std::memcpy(at + 9, digits.data() + 8, 4);
    std::memcpy(at + 14, digits.data() + 12, 4);
    std::memcpy(at + 19, digits.data() + 16, 4);
    std::memcpy(at + 24, digits.data() + 20, 4);
    std::memcpy(at + 28, digits.data() + 24, 8);
    at[8] = at[13] = at[18] = at[23] = '-';
    return at + digits.size() + 4;
}

char* writeValue(char* at, ColumnType type, std::string_view value, TimeTexts& times) {
    switch (type) {
        case ColumnType::Bool:
            return writeBool(at, value);
        case ColumnType::Int2:
            return writeInteger(at, onlyNumber<int16_t>(value));
        case ColumnType::Int4:
            return writeInteger(at, onlyNumber<int32_t>(value));
        case ColumnType::Int8:
            return writeInteger(at, onlyNumber<int64_t>(value));
        case ColumnType::Numeric:
            return writeNumeric(at, value);
        case ColumnType::Text:
            return writeText(at, value);
        case ColumnType::Jsonb:
            return writeJsonb(at, value);
        case ColumnType::Bytea:
            return writeBytea(at, value);
        case ColumnType::Date:
            return writeDate(at, value, times.day);
        case ColumnType::Time:
            return writeTime(at, value);
        case ColumnType::Timestamp:
            return writeTimestamp(at, value, false, times);
        case ColumnType::TimestampTz:
            return writeTimestamp(at, value, true, times);
        case ColumnType::Uuid:
            return writeUuid(at, value);
        case ColumnType::Float4:
            return writeFloat(at, std::bit_cast<float>(onlyNumber<uint32_t>(value)));
        case ColumnType::Float8:
            return writeFloat(at, std::bit_cast<double>(onlyNumber<uint64_t>(value)));
    }
    refuse("a column of a type that is not known");
}

}  // namespace

TextRows::TextRows(std::vector<ColumnType> columns, TimeZone zone)
    : columns_(std::move(columns)), times_{.zone = std::move(zone), .day = {}, .offset = {}} {
    for (const ColumnType type : columns_) {
        fixedRoom_ += type == ColumnType::Numeric ? kRoomOfNumber : kRoomOfValue;
    }
}

std::size_t TextRows::room(std::size_t messageSize) const {
    return fixedRoom_ + kRoomOfCharacter * messageSize;
}

bool TextRows::append(std::string_view message, Buffer& out) {
    In in(message);
    if (ended_) refuse("it comes behind the last one");
    if (!begun_ && in.take(BinaryRows::header().size()) != BinaryRows::header()) {
        refuse("the rows' header is an unknown one");
    }
    begun_ = true;
    const auto columns = in.number<int16_t>();
    if (columns == kEndOfRows) {
        in.finish();
        ended_ = true;
        return false;
    }
    if (columns != static_cast<int>(columns_.size())) {
        refuse(fmt::format("it has {} columns instead of {}", columns, columns_.size()));
    }
    // The size grows only once the row is whole.
    const std::size_t before = out.size();
    out.resize(before + room(message.size()));
    char* const begin = reinterpret_cast<char*>(out.data() + before);
    out.resize(before);
    const auto length = static_cast<std::size_t>(writeRow(in.rest(), begin) - begin);
    if (length > kLongestRow) refuse("as text it is longer than 1 GiB, which no server takes");
    out.resize(before + length);
    return true;
}

// All of it in one piece: most values are short, and a call costs as much as they do.
[[gnu::flatten]] char* TextRows::writeRow(std::string_view row, char* at) {
    In in(row);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) *at++ = '\t';
        const auto length = in.number<int32_t>();
        if (length >= 0) {
            at = writeValue(at, columns_[i], in.take(static_cast<std::size_t>(length)), times_);
        } else if (length == kNullLength) {
            at = write(at, R"(\N)");
        } else {
            refuse("a value has a negative length");
        }
    }
    in.finish();
    *at = '\n';
    return at + 1;
}

}  // namespace gantry::rows
