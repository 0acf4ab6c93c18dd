// SPDX-License-Identifier: PostgreSQL
#include "core/rows/zone_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/rows/calendar.h"

namespace gantry::rows {
namespace {

constexpr int64_t kSinceEver = std::numeric_limits<int64_t>::min();
constexpr int64_t kSecondsOfHour = 3600;
constexpr int64_t kSecondsOfZoneDay = 24 * kSecondsOfHour;
constexpr int64_t kSecondsOfYear = 31'556'952;  // on average
/// Offsets and times of rules, RFC 8536, 3.2 and 3.3.1.
constexpr int64_t kMostHours = 167;
/// Where the listed changes end, the rule's are listed for a cycle, and what is left of two years.
constexpr int32_t kYearsOfRule = 402;
/// No list is as long.
constexpr int64_t kLatestList = 1000 * kSecondsOfYear;

bool isOffset(int64_t seconds) {
    constexpr int64_t kMost = 26 * kSecondsOfHour;
    return seconds > -kMost && seconds < kMost;
}

/// Takes from the front; what is not there makes it bad, and everything zero.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::string_view take(uint64_t size) {
        if (bad_ || size > bytes_.size()) {
            bad_ = true;
            return {};
        }
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    /// Of `size` bytes, in network order.
    int64_t number(std::size_t size) {
        const std::string_view taken = take(size);
        if (taken.empty()) return 0;
        uint64_t value = (static_cast<uint8_t>(taken[0]) & 0x80) != 0 ? ~uint64_t{0} : 0;
        for (const char byte : taken) value = value << 8 | static_cast<uint8_t>(byte);
        return static_cast<int64_t>(value);
    }
    bool isAt(char wanted) const { return !bytes_.empty() && bytes_.front() == wanted; }
    bool skip(char wanted) {
        const bool there = isAt(wanted);
        if (there) bytes_.remove_prefix(1);
        return there;
    }
    void expect(char wanted) { bad_ |= !skip(wanted); }
    /// Decimal digits, at most three.
    int64_t digits(int64_t most) {
        int64_t value = 0;
        std::size_t count = 0;
        while (count < bytes_.size() && count < 3 && bytes_[count] >= '0' && bytes_[count] <= '9') {
            value = value * 10 + (bytes_[count++] - '0');
        }
        bad_ |= count == 0 || value > most;
        bytes_.remove_prefix(count);
        return value;
    }
    /// "[+-]hh[:mm[:ss]]" in seconds.
    int64_t time() {
        const bool negative = skip('-');
        if (!negative) (void)skip('+');
        int64_t seconds = digits(kMostHours) * kSecondsOfHour;
        if (skip(':')) seconds += digits(59) * 60;
        if (skip(':')) seconds += digits(59);
        return negative ? -seconds : seconds;
    }
    /// "CET" or "<+01>", which nobody asks for.
    void name() {
        const bool quoted = skip('<');
        std::size_t length = 0;
        const auto isOfName = [quoted](char c) {
            if (quoted) return c != '>';
            return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        };
        while (length < bytes_.size() && isOfName(bytes_[length])) ++length;
        bad_ |= length == 0;
        bytes_.remove_prefix(length);
        if (quoted) expect('>');
    }

    bool bad() const { return bad_; }
    std::string_view rest() const { return bytes_; }

private:
    std::string_view bytes_;
    bool bad_ = false;
};

/// "Mm.w.d/time": on a day of the week in the w-th week of a month, the fifth being its last.
struct YearlyChange {
    uint32_t month = 1;
    int64_t week = 1;
    int64_t weekday = 0;  ///< 0 is Sunday
    int64_t time = 2 * kSecondsOfHour;

    /// Seconds from 1970 on by the clock that is put forward or back.
    int64_t in(int32_t year) const {
        const int64_t first = int64_t{daysOf({year, month, 1})} - daysOf({1970, 1, 1});
        constexpr int64_t kThursday = 4;  // of 1970-01-01
        const int64_t weekdayOfFirst = ((first + kThursday) % 7 + 7) % 7;
        int64_t day = (weekday - weekdayOfFirst + 7) % 7 + 7 * (week - 1);
        if (day >= int64_t{daysOfMonth(year, month)}) day -= 7;
        return (first + day) * kSecondsOfZoneDay + time;
    }
};

YearlyChange readYearlyChange(Reader& rule) {
    YearlyChange change;
    rule.expect(',');
    rule.expect('M');
    change.month = static_cast<uint32_t>(std::max<int64_t>(rule.digits(12), 1));
    rule.expect('.');
    change.week = std::max<int64_t>(rule.digits(5), 1);
    rule.expect('.');
    change.weekday = rule.digits(6);
    if (rule.skip('/')) change.time = rule.time();
    return change;
}

/// Lists what the rule makes of the years behind the last change; false for a rule that cannot be
/// read. POSIX counts offsets to the west.
bool extend(ZoneOffsets& zone, std::string_view text) {
    if (text.empty()) return true;
    Reader rule(text);
    rule.name();
    const int64_t standard = -rule.time();
    if (rule.rest().empty()) return !rule.bad();
    rule.name();
    const int64_t summer = rule.isAt(',') ? standard + kSecondsOfHour : -rule.time();
    const YearlyChange toSummer = readYearlyChange(rule);
    const YearlyChange toStandard = readYearlyChange(rule);
    const int64_t last = std::max(zone.changes.back().from, int64_t{0});
    const bool sound = isOffset(standard) && isOffset(summer) && last < kLatestList;
    if (rule.bad() || !rule.rest().empty() || !sound) return false;

    const auto year = static_cast<int32_t>(1969 + last / kSecondsOfYear);
    for (int32_t i = 0; i <= kYearsOfRule; ++i) {
        std::array changes{
            OffsetChange{toSummer.in(year + i) - standard, static_cast<int32_t>(summer)},
            OffsetChange{toStandard.in(year + i) - summer, static_cast<int32_t>(standard)}};
        if (changes[1].from < changes[0].from) std::swap(changes[0], changes[1]);
        for (const OffsetChange& change : changes) {
            if (change.from > zone.changes.back().from) zone.changes.push_back(change);
        }
    }
    zone.recur = true;
    return true;
}

struct Counts {
    uint64_t utIndicators, standardIndicators, leapSeconds, changes, types, characters;

    uint64_t size(uint64_t bytesOfTime) const {
        constexpr uint64_t kType = 6;
        return changes * (bytesOfTime + 1) + types * kType + characters +
               leapSeconds * (bytesOfTime + 4) + standardIndicators + utIndicators;
    }
};

Counts readHeader(Reader& file, char& version) {
    const std::string_view magic = file.take(4);
    const std::string_view number = file.take(1);
    version = magic == "TZif" && !number.empty() ? number[0] : '\0';
    file.take(15);
    const auto count = [&file] { return static_cast<uint64_t>(file.number(4)) & 0xFFFF'FFFF; };
    Counts counts{};
    counts.utIndicators = count();
    counts.standardIndicators = count();
    counts.leapSeconds = count();
    counts.changes = count();
    counts.types = count();
    counts.characters = count();
    return counts;
}

}  // namespace

std::optional<ZoneOffsets> parseZoneFile(std::string_view bytes) {
    Reader file(bytes);
    char version = '\0';
    file.take(readHeader(file, version).size(4));  // of 32 bits, for old programs
    if (file.bad() || version < '2') return std::nullopt;
    const Counts counts = readHeader(file, version);
    if (file.bad() || version < '2' || counts.leapSeconds > 0 || counts.types == 0) {
        return std::nullopt;
    }
    Reader times(file.take(counts.changes * 8));
    Reader typesOfChanges(file.take(counts.changes));
    Reader types(file.take(counts.types * 6));
    file.take(counts.characters + counts.standardIndicators + counts.utIndicators);
    file.expect('\n');
    if (file.bad()) return std::nullopt;

    std::vector<int32_t> offsets;
    for (uint64_t i = 0; i < counts.types; ++i) {
        offsets.push_back(static_cast<int32_t>(types.number(4)));
        types.take(2);  // whether it is summer, and its name
        if (!isOffset(offsets.back())) return std::nullopt;
    }
    ZoneOffsets zone;
    zone.changes.push_back({kSinceEver, offsets[0]});
    for (uint64_t i = 0; i < counts.changes; ++i) {
        const int64_t from = times.number(8);
        const auto type = static_cast<uint64_t>(typesOfChanges.number(1)) & 0xFF;
        if (from <= zone.changes.back().from || type >= offsets.size()) return std::nullopt;
        zone.changes.push_back({from, offsets[type]});
    }
    std::string_view rule = file.rest();
    if (!rule.ends_with('\n')) return std::nullopt;
    rule.remove_suffix(1);
    if (!extend(zone, rule)) return std::nullopt;
    return zone;
}

}  // namespace gantry::rows
