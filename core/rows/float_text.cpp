// SPDX-License-Identifier: PostgreSQL
#include "core/rows/float_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace gantry::rows {
namespace {

__extension__ using Wide = unsigned __int128;

/// 0.d1d2d3… times a power of ten: digits without zeros at either end.
struct Decimal {
    char digits[std::numeric_limits<double>::max_digits10];
    int count = 0;
    int exponent = 0;  ///< of the first digit: 0 for 1 to below 10
};

/// "d.ddde±xx", as std::to_chars writes it.
Decimal readScientific(const char* at, const char* end) {
    Decimal decimal;
    for (; at < end && *at != 'e'; ++at) {
        if (*at != '.') decimal.digits[decimal.count++] = *at;
    }
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
    ++at;
    if (*at == '+') ++at;
    std::from_chars(at, end, decimal.exponent);
    return decimal;
}

/// odd * 2^exponent
struct Product {
    Wide odd;
    int exponent;

    bool operator==(const Product&) const = default;
};

Product productOf(Wide factor, int exponent) {
    while ((factor & 1) == 0) {
        factor >>= 1;
        ++exponent;
    }
    return {factor, exponent};
}

/// True if the decimal is as far from `value` as from its neighbour. Only whole numbers and those
/// with few binary places have so few digits.
template <std::floating_point T>
bool liesBetweenTwo(const Decimal& decimal, T value) {
    // Beyond, its factor 5^power is larger than that of any number between two.
    constexpr int kMostPower = 23;
    constexpr int kLeastPower = -4;
    int power = decimal.exponent - (decimal.count - 1);
    if (power > kMostPower || power < kLeastPower) return false;
    Wide whole = 0;
    for (int i = 0; i < decimal.count; ++i) {
        whole = whole * 10 + static_cast<unsigned>(decimal.digits[i] - '0');
    }
    Wide fives = 1;
    for (int i = std::abs(power); i > 0; --i) fives *= 5;
    int exponent = 0;
    const T fraction = std::frexp(value, &exponent);
    constexpr int kDigits = std::numeric_limits<T>::digits;
    const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, kDigits));
    exponent -= kDigits;
    const auto isAt = [&](uint64_t middle, int of) {
        // whole * 10^power == middle * 2^of
        return power >= 0 ? productOf(whole * fives, power) == productOf(middle, of)
                          : productOf(whole, 0) == productOf(middle * fives, of - power);
    };
    // Below a power of two they lie closer.
    const bool powerOfTwo = fraction == T{0.5};
    return isAt(2 * mantissa + 1, exponent - 1) ||
           (powerOfTwo ? isAt(4 * mantissa - 1, exponent - 2)
                       : isAt(2 * mantissa - 1, exponent - 1));
}

/// Smaller ones have more binary places than digits.
template <std::floating_point T>
constexpr T kHasFewPlaces = T{uint64_t{1} << (std::numeric_limits<T>::digits - 6)};

template <std::floating_point T>
Decimal shortest(T value) {
    char text[kRoomOfFloat];
    char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    Decimal decimal = readScientific(text, end);
    if (value < kHasFewPlaces<T> || !liesBetweenTwo(decimal, value)) return decimal;
    for (int digits = decimal.count + 1; digits <= std::numeric_limits<T>::max_digits10; ++digits) {
        end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific,
                            digits - 1)
                  .ptr;
        T back{};
        std::from_chars(text, end, back);
        decimal = readScientific(text, end);
        if (back == value && !liesBetweenTwo(decimal, value)) break;
    }
    return decimal;
}

char* put(char* at, std::string_view text) { return std::copy(text.begin(), text.end(), at); }

char* putZeros(char* at, int count) { return std::fill_n(at, count, '0'); }

char* writeFixed(char* at, const Decimal& decimal) {
    const std::string_view digits(decimal.digits, static_cast<std::size_t>(decimal.count));
    if (decimal.exponent < 0) {
        return put(putZeros(put(at, "0."), -decimal.exponent - 1), digits);
    }
    const int whole = decimal.exponent + 1;
    if (decimal.count <= whole) return putZeros(put(at, digits), whole - decimal.count);
    const auto split = static_cast<std::size_t>(whole);
    return put(put(put(at, digits.substr(0, split)), "."), digits.substr(split));
}

char* writeScientific(char* at, const Decimal& decimal) {
    *at++ = decimal.digits[0];
    if (decimal.count > 1) {
        *at++ = '.';
        at = put(at, {decimal.digits + 1, static_cast<std::size_t>(decimal.count - 1)});
    }
    at = put(at, decimal.exponent < 0 ? "e-" : "e+");
    const int exponent = std::abs(decimal.exponent);
    if (exponent < 10) *at++ = '0';
    return std::to_chars(at, at + 3, exponent).ptr;
}

template <std::floating_point T>
char* write(char* at, T value, int firstScientific) {
    constexpr int kLeastFixed = -4;
    if (std::isnan(value)) return put(at, "NaN");
    if (std::signbit(value)) {
        *at++ = '-';
        value = -value;
    }
    if (std::isinf(value)) return put(at, "Infinity");
    if (value == 0) return put(at, "0");
    if (value >= static_cast<T>(1e-4) && value < kHasFewPlaces<T>) {
        return std::to_chars(at, at + kRoomOfFloat, value, std::chars_format::fixed).ptr;
    }
    const Decimal decimal = shortest(value);
    return decimal.exponent >= kLeastFixed && decimal.exponent < firstScientific
               ? writeFixed(at, decimal)
               : writeScientific(at, decimal);
}

}  // namespace

char* writeFloat(char* at, double value) { return write(at, value, 15); }

char* writeFloat(char* at, float value) { return write(at, value, 6); }

}  // namespace gantry::rows
