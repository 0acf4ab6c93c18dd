// SPDX-License-Identifier: PostgreSQL
#include "core/io/compression.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <charconv>

#include "core/base/error.h"

namespace gantry::io {
namespace {

struct LevelRange {
    int lowest;
    int highest;
    int standard;  // the spelling of "the codec's default" in pg_dump, valid outside the range too
};

LevelRange levelsOf(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::Gzip:
            return {1, 9, -1};
        case Algorithm::Lz4:
            return {1, 12, 0};
        case Algorithm::Zstd:
            return {ZSTD_minCLevel(), ZSTD_maxCLevel(), ZSTD_defaultCLevel()};
        case Algorithm::None:
            break;
    }
    return {0, 0, 0};
}

[[noreturn]] void refuse(std::string_view text, std::string message, std::string hint) {
    throw Error(ErrorKind::Usage, std::move(message), fmt::format("compression \"{}\"", text),
                std::move(hint));
}

std::optional<int> wholeInteger(std::string_view text) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<bool> truth(std::string_view text) {
    if (text == "on" || text == "true" || text == "yes" || text == "1") return true;
    if (text == "off" || text == "false" || text == "no" || text == "0") return false;
    return std::nullopt;
}

std::optional<Algorithm> algorithmNamed(std::string_view name) {
    for (const Algorithm each :
         {Algorithm::None, Algorithm::Gzip, Algorithm::Lz4, Algorithm::Zstd}) {
        if (name == toString(each)) return each;
    }
    return std::nullopt;
}

void setLevel(Compression& result, std::string_view text, std::string_view value) {
    const auto level = wholeInteger(value);
    if (!level) {
        refuse(text, fmt::format("the level \"{}\" is not an integer", value),
               "Write for example gzip:6 or zstd:level=3,long.");
    }
    const LevelRange range = levelsOf(result.algorithm);
    if (result.algorithm == Algorithm::None) {
        if (*level != 0) refuse(text, "none takes no level", "Write none, or a codec: gzip:6.");
        return;
    }
    if (*level != range.standard && (*level < range.lowest || *level > range.highest)) {
        refuse(text,
               fmt::format("{} has no level {}, its levels go from {} to {}",
                           toString(result.algorithm), *level, range.lowest, range.highest),
               "Choose a level in that range or leave it out.");
    }
    const bool inRange = *level >= range.lowest && *level <= range.highest;
    result.level = inRange ? std::optional<int>(*level) : std::nullopt;
}

void setOption(Compression& result, std::string_view text, std::string_view option) {
    const auto equals = option.find('=');
    const auto key = option.substr(0, equals);
    const bool hasValue = equals != std::string_view::npos;
    const auto value = hasValue ? option.substr(equals + 1) : std::string_view();
    if (key == "level") {
        if (!hasValue || value.empty()) {
            refuse(text, "the option level has no value", "Write for example level=3.");
        }
        setLevel(result, text, value);
    } else if (key == "long") {
        const auto wanted = hasValue ? truth(value) : std::optional<bool>(true);
        if (!wanted) {
            refuse(text, fmt::format("the value \"{}\" of long is neither on nor off", value),
                   "Write long, long=on or long=off.");
        }
        if (result.algorithm != Algorithm::Zstd) {
            refuse(text, fmt::format("{} has no long mode", toString(result.algorithm)),
                   "Only zstd has it: zstd:long.");
        }
        result.longWindow = *wanted;
    } else if (key == "workers") {
        refuse(text, "workers is no option of the codec here",
               "Set the number of compressor threads with --compress-jobs.");
    } else if (!hasValue && wholeInteger(key)) {
        setLevel(result, text, key);
    } else if (key.empty()) {
        refuse(text, "an option is missing", "Remove the comma or the colon at the end.");
    } else {
        refuse(text, fmt::format("there is no compression option \"{}\"", key),
               "The options are level=N and, for zstd, long.");
    }
}

}  // namespace

Compression parseCompression(std::string_view text) {
    Compression result;
    if (text == "auto") {
        result.algorithm = Algorithm::Zstd;
        result.automatic = true;
        return result;
    }
    if (const auto digit = wholeInteger(text)) {
        if (*digit == 0) return result;
        result.algorithm = Algorithm::Gzip;
        setLevel(result, text, text);
        return result;
    }
    const auto colon = text.find(':');
    const auto algorithm = algorithmNamed(text.substr(0, colon));
    if (!algorithm) {
        refuse(text, fmt::format("there is no compression algorithm \"{}\"", text.substr(0, colon)),
               "Choose none, gzip, lz4, zstd or auto.");
    }
    result.algorithm = *algorithm;
    if (colon == std::string_view::npos) return result;
    std::string_view rest = text.substr(colon + 1);
    for (;;) {
        const auto comma = rest.find(',');
        setOption(result, text, rest.substr(0, comma));
        if (comma == std::string_view::npos) return result;
        rest.remove_prefix(comma + 1);
    }
}

std::string toString(const Compression& compression) {
    if (compression.automatic) return "auto";
    const auto name = toString(compression.algorithm);
    if (compression.longWindow) {
        if (!compression.level) return fmt::format("{}:long", name);
        return fmt::format("{}:level={},long", name, *compression.level);
    }
    if (!compression.level) return std::string(name);
    return fmt::format("{}:{}", name, *compression.level);
}

std::string_view toString(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::None:
            return "none";
        case Algorithm::Gzip:
            return "gzip";
        case Algorithm::Lz4:
            return "lz4";
        case Algorithm::Zstd:
            return "zstd";
    }
    return "unknown";
}

std::string_view fileSuffix(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::None:
            return "";
        case Algorithm::Gzip:
            return ".gz";
        case Algorithm::Lz4:
            return ".lz4";
        case Algorithm::Zstd:
            return ".zst";
    }
    return "";
}

}  // namespace gantry::io
