// SPDX-License-Identifier: PostgreSQL
#include "core/rows/binary_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>

#include "core/rows/calendar.h"

namespace gantry::rows {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNull = "\\N";
constexpr int64_t kMicroseconds = 1'000'000;
constexpr int64_t kMicrosecondsOfDay = 86'400 * kMicroseconds;
/// Before each field its length; the longest form of fixed size is a uuid's, and a numeric has at
/// most four numbers and one digit of base 10000 more than its text has characters.
constexpr std::size_t kRoomOfField = sizeof(int32_t) + 16;

/// Writes numbers in network order into memory that is known to suffice.
class Out {
public:
    explicit Out(std::byte* at) : at_(at) {}

    template <std::integral T>
    void number(T value) {
        store(at_, value);
        at_ += sizeof value;
    }
    void bytes(std::string_view text) {
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void byte(unsigned char value) { *at_++ = std::byte{value}; }
    std::byte* at() const { return at_; }
    /// Leaves room for a field's length, which `endField` fills in.
    std::byte* beginField() { return std::exchange(at_, at_ + sizeof(int32_t)); }
    void endField(std::byte* field) {
        store(field, static_cast<int32_t>(at_ - field) - static_cast<int32_t>(sizeof(int32_t)));
    }

private:
    template <std::integral T>
    static void store(std::byte* at, T value) {
        for (std::size_t i = 0; i < sizeof value; ++i) {
            at[i] = static_cast<std::byte>(static_cast<std::make_unsigned_t<T>>(value) >>
                                           (8 * (sizeof value - 1 - i)));
        }
    }
    std::byte* at_;
};

template <std::integral T>
bool putInteger(std::string_view text, Out& out) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    out.number(static_cast<int32_t>(sizeof value));
    out.number(value);
    return true;
}

template <std::floating_point T>
bool putFloat(std::string_view text, Out& out) {
    T value{};
    if (text == "NaN") {
        value = std::numeric_limits<T>::quiet_NaN();
    } else if (text == "Infinity") {
        value = std::numeric_limits<T>::infinity();
    } else if (text == "-Infinity") {
        value = -std::numeric_limits<T>::infinity();
    } else {
        if (text.find_first_not_of("0123456789.-+e") != std::string_view::npos) return false;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return false;
    }
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    out.number(static_cast<int32_t>(sizeof value));
    out.number(std::bit_cast<Bits>(value));
    return true;
}

/// Digits of base 10000 as they stand around the decimal point; "numeric_send" of numeric.c.
bool putNumeric(std::string_view text, Out& out) {
    constexpr uint16_t kNegative = 0x4000;
    constexpr uint16_t kNaN = 0xC000;
    constexpr std::size_t kLargestScale = 0x3FFF;
    constexpr std::size_t kLargestDigits = 0x7000;  // of base 10000, well within an int16
    constexpr std::size_t kGroup = 4;

    std::byte* const field = out.beginField();
    uint16_t sign = 0;
    if (text == "NaN") {
        for (const uint16_t part : {uint16_t{0}, uint16_t{0}, kNaN, uint16_t{0}}) out.number(part);
        out.endField(field);
        return true;
    }
    if (text.starts_with('-')) {
        sign = kNegative;
        text.remove_prefix(1);
    }
    const std::size_t point = text.find('.');
    std::string_view whole = text.substr(0, point);
    const std::string_view fraction =
        point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
    if (whole.empty() || (point != std::string_view::npos && fraction.empty())) return false;
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    const std::size_t wholeGroups = (whole.size() + kGroup - 1) / kGroup;
    const std::size_t fractionGroups = (fraction.size() + kGroup - 1) / kGroup;
    if (fraction.size() > kLargestScale || wholeGroups + fractionGroups > kLargestDigits) {
        return false;
    }
    out.number(static_cast<uint16_t>(wholeGroups + fractionGroups));
    out.number(static_cast<int16_t>(static_cast<int>(wholeGroups) - 1));
    out.number(sign);
    out.number(static_cast<uint16_t>(fraction.size()));

    bool digits = true;
    uint16_t group = 0;
    const auto add = [&](char c) {
        digits = digits && c >= '0' && c <= '9';
        group = static_cast<uint16_t>(group * 10 + (c - '0'));
    };
    for (std::size_t i = 0; i < whole.size(); ++i) {
        add(whole[i]);
        if ((whole.size() - 1 - i) % kGroup == 0) out.number(std::exchange(group, 0));
    }
    for (std::size_t i = 0; i < fractionGroups * kGroup; ++i) {
        add(i < fraction.size() ? fraction[i] : '0');
        if (i % kGroup == kGroup - 1) out.number(std::exchange(group, 0));
    }
    out.endField(field);
    return digits;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads numbers of a fixed count of digits from the left.
class Digits {
public:
    explicit Digits(std::string_view text) : text_(text) {}

    template <std::size_t N>
    bool number(uint32_t& value) {
        if (text_.size() < N) return false;
        value = 0;
        for (std::size_t i = 0; i < N; ++i) {
            if (!isDigit(text_[i])) return false;
            value = value * 10 + static_cast<uint32_t>(text_[i] - '0');
        }
        text_.remove_prefix(N);
        return true;
    }
    bool take(char c) {
        if (!text_.starts_with(c)) return false;
        text_.remove_prefix(1);
        return true;
    }
    bool atEnd() const { return text_.empty(); }
    std::string_view rest() const { return text_; }

    /// YYYY-MM-DD.
    bool date(int32_t& days) {
        uint32_t year = 0;
        uint32_t month = 0;
        uint32_t day = 0;
        if (!number<4>(year) || !take('-') || !number<2>(month) || !take('-') || !number<2>(day)) {
            return false;
        }
        const auto calendarYear = static_cast<int32_t>(year);
        if (year == 0 || month < 1 || month > 12 || day < 1 ||
            day > daysOfMonth(calendarYear, month)) {
            return false;
        }
        days = daysOf({calendarYear, month, day});
        return true;
    }

    /// HH:MM:SS, with up to six digits behind a point.
    bool time(int64_t& microseconds) {
        uint32_t hour = 0;
        uint32_t minute = 0;
        uint32_t second = 0;
        if (!number<2>(hour) || !take(':') || !number<2>(minute) || !take(':') ||
            !number<2>(second) || hour > 23 || minute > 59 || second > 59) {
            return false;
        }
        microseconds = (int64_t{hour} * 3600 + minute * 60 + second) * kMicroseconds;
        if (!take('.')) return true;
        int64_t unit = kMicroseconds / 10;
        const std::size_t before = text_.size();
        for (; !text_.empty() && isDigit(text_.front()) && unit > 0; unit /= 10) {
            microseconds += unit * (text_.front() - '0');
            text_.remove_prefix(1);
        }
        return text_.size() < before;
    }

    /// +HH, +HH:MM or +HH:MM:SS, east of Greenwich.
    bool zone(int64_t& seconds) {
        const bool west = text_.starts_with('-');
        uint32_t hour = 0;
        uint32_t minute = 0;
        uint32_t second = 0;
        if (!west && !text_.starts_with('+')) return false;
        text_.remove_prefix(1);
        if (!number<2>(hour) || (take(':') && !number<2>(minute)) ||
            (take(':') && !number<2>(second)) || hour > 15 || minute > 59 || second > 59) {
            return false;
        }
        seconds = int64_t{hour} * 3600 + minute * 60 + second;
        if (west) seconds = -seconds;
        return true;
    }

private:
    std::string_view text_;
};

/// "infinity" and "-infinity" are the type's ends.
template <std::integral T>
bool putEnd(std::string_view text, Out& out) {
    if (text != "infinity" && text != "-infinity") return false;
    out.number(static_cast<int32_t>(sizeof(T)));
    out.number(text.front() == '-' ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
    return true;
}

bool putDate(std::string_view text, Out& out) {
    Digits digits(text);
    int32_t days = 0;
    if (!digits.date(days) || !digits.atEnd()) return putEnd<int32_t>(text, out);
    out.number(static_cast<int32_t>(sizeof days));
    out.number(days);
    return true;
}

bool putTime(std::string_view text, Out& out) {
    Digits digits(text);
    int64_t microseconds = 0;
    if (!digits.time(microseconds) || !digits.atEnd()) return false;
    out.number(static_cast<int32_t>(sizeof microseconds));
    out.number(microseconds);
    return true;
}

bool putTimestamp(std::string_view text, bool withZone, Out& out) {
    Digits digits(text);
    int32_t days = 0;
    int64_t microseconds = 0;
    int64_t zone = 0;
    if (!digits.date(days) || !digits.take(' ') || !digits.time(microseconds) ||
        (withZone && !digits.zone(zone)) || !digits.atEnd()) {
        return putEnd<int64_t>(text, out);
    }
    out.number(static_cast<int32_t>(sizeof(int64_t)));
    out.number(days * kMicrosecondsOfDay + microseconds - zone * kMicroseconds);
    return true;
}

constexpr uint8_t kNoDigit = 0xFF;

constexpr std::array<uint8_t, 256> makeHexDigits() {
    std::array<uint8_t, 256> values{};
    values.fill(kNoDigit);
    for (uint8_t i = 0; i < 16; ++i) {
        values[static_cast<unsigned char>("0123456789abcdef"[i])] = i;
    }
    return values;
}
constexpr std::array<uint8_t, 256> kHexDigits = makeHexDigits();

/// Two digits for each byte; false for anything else.
bool putHex(std::string_view text, Out& out) {
    if (text.size() % 2 != 0) return false;
    unsigned bad = 0;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const unsigned high = kHexDigits[static_cast<unsigned char>(text[i])];
        const unsigned low = kHexDigits[static_cast<unsigned char>(text[i + 1])];
        bad |= high | low;
        out.byte(static_cast<unsigned char>(high << 4 | low));
    }
    return bad < 16;
}

bool putUuid(std::string_view text, Out& out) {
    constexpr std::size_t kLength = 36;
    constexpr std::array<std::size_t, 6> kBegins = {0, 9, 14, 19, 24, kLength + 1};
    if (text.size() != kLength) return false;
    out.number(int32_t{16});
    for (std::size_t i = 0; i + 1 < kBegins.size(); ++i) {
        if (i > 0 && text[kBegins[i] - 1] != '-') return false;
        if (!putHex(text.substr(kBegins[i], kBegins[i + 1] - kBegins[i] - 1), out)) return false;
    }
    return true;
}

/// The escapes that COPY TO writes; false for any other that COPY FROM would read.
bool putUnescaped(std::string_view text, Out& out) {
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find('\\'), text.size());
        out.bytes(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) break;
        if (text.size() < 2) return false;
        switch (text[1]) {
            case '\\':
                out.byte('\\');
                break;
            case 'b':
                out.byte('\b');
                break;
            case 'f':
                out.byte('\f');
                break;
            case 'n':
                out.byte('\n');
                break;
            case 'r':
                out.byte('\r');
                break;
            case 't':
                out.byte('\t');
                break;
            case 'v':
                out.byte('\v');
                break;
            default:
                return false;
        }
        text.remove_prefix(2);
    }
    return true;
}

bool putText(std::string_view text, Out& out) {
    std::byte* const field = out.beginField();
    if (!putUnescaped(text, out)) return false;
    out.endField(field);
    return true;
}

bool putJsonb(std::string_view text, Out& out) {
    constexpr unsigned char kVersion = 1;
    std::byte* const field = out.beginField();
    out.byte(kVersion);
    if (!putUnescaped(text, out)) return false;
    out.endField(field);
    return true;
}

bool putBytea(std::string_view text, Out& out) {
    constexpr std::string_view kHex = "\\\\x";  // its backslash is escaped
    if (!text.starts_with(kHex)) return false;
    std::byte* const field = out.beginField();
    if (!putHex(text.substr(kHex.size()), out)) return false;
    out.endField(field);
    return true;
}

bool putBool(std::string_view text, Out& out) {
    if (text != "t" && text != "f") return false;
    out.number(int32_t{1});
    out.byte(text == "t" ? 1 : 0);
    return true;
}

bool putField(ColumnType type, std::string_view text, Out& out) {
    if (text == kNull) {
        out.number(int32_t{-1});
        return true;
    }
    switch (type) {
        case ColumnType::Bool:
            return putBool(text, out);
        case ColumnType::Int2:
            return putInteger<int16_t>(text, out);
        case ColumnType::Int4:
            return putInteger<int32_t>(text, out);
        case ColumnType::Int8:
            return putInteger<int64_t>(text, out);
        case ColumnType::Float4:
            return putFloat<float>(text, out);
        case ColumnType::Float8:
            return putFloat<double>(text, out);
        case ColumnType::Numeric:
            return putNumeric(text, out);
        case ColumnType::Text:
            return putText(text, out);
        case ColumnType::Jsonb:
            return putJsonb(text, out);
        case ColumnType::Bytea:
            return putBytea(text, out);
        case ColumnType::Date:
            return putDate(text, out);
        case ColumnType::Time:
            return putTime(text, out);
        case ColumnType::Timestamp:
            return putTimestamp(text, false, out);
        case ColumnType::TimestampTz:
            return putTimestamp(text, true, out);
        case ColumnType::Uuid:
            return putUuid(text, out);
    }
    return false;
}

}  // namespace

BinaryRows::BinaryRows(std::vector<ColumnType> columns) : columns_(std::move(columns)) {}

std::string_view BinaryRows::header() { return "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv; }

std::string_view BinaryRows::trailer() { return "\377\377"sv; }

std::size_t BinaryRows::append(std::string_view text, std::size_t enough, Buffer& out) const {
    std::size_t taken = 0;
    while (taken < text.size() && out.size() < enough) {
        const std::size_t row = appendRow(text.substr(taken), out);
        if (row == 0) break;
        taken += row;
    }
    return taken;
}

/// The length of the first row with its newline; 0, and nothing appended, if it is not known.
std::size_t BinaryRows::appendRow(std::string_view text, Buffer& out) const {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return 0;
    std::string_view row = text.substr(0, end);
    // Bare, it may be the end of a line of another system: COPY finds that out.
    if (row.find('\r') != std::string_view::npos) return 0;

    const std::size_t before = out.size();
    out.resize(before + sizeof(int16_t) + columns_.size() * kRoomOfField + row.size());
    Out to(out.data() + before);
    to.number(static_cast<int16_t>(columns_.size()));
    bool known = true;
    for (std::size_t i = 0; known && i < columns_.size(); ++i) {
        const std::size_t tab = row.find('\t');
        const bool last = i + 1 == columns_.size();
        known = last == (tab == std::string_view::npos) &&
                putField(columns_[i], row.substr(0, tab), to);
        if (!last && known) row.remove_prefix(tab + 1);
    }
    out.resize(known ? static_cast<std::size_t>(to.at() - out.data()) : before);
    return known ? end + 1 : 0;
}

}  // namespace gantry::rows
