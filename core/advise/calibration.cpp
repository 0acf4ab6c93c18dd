// SPDX-License-Identifier: PostgreSQL
#include "core/advise/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/advise/wording.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/pg/environment.h"
#include "core/pg/server_versions.h"

namespace gantry::advise {
namespace {

using nlohmann::json;

constexpr int kOldDays = 30;

/// Rates that others are divided by.
double positive(const json& value) {
    const double number = value.get<double>();
    if (!(number > 0) || std::isinf(number)) {
        throw Error(ErrorKind::Format, "not a rate");
    }
    return number;
}

/// Days of an ISO 8601 date since some day; 0 if it is none.
int64_t dayOf(const std::string& time) {
    int year = 0;
    int month = 0;
    int day = 0;
    if (std::sscanf(time.c_str(), "%d-%d-%d", &year, &month, &day) != 3) return 0;
    // Years begin in March, so that the odd day is the last one.
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day;
}

DumpRates usual(const io::Compression& compression) {
    return usualRates(archive::Format::Directory, compression, pg::kZstdEverywhere);
}

/// The measured codec of the same kind whose level is nearest; null if there is none.
const Calibration::Codec* nearest(const Calibration& calibration,
                                  const io::Compression& compression) {
    const Calibration::Codec* best = nullptr;
    double distance = 0;
    for (const Calibration::Codec& codec : calibration.codecs) {
        const io::Compression known = io::parseCompression(codec.compression);
        if (known.algorithm != compression.algorithm) continue;
        const double away = std::abs(
            std::log(usual(known).compressPerSecond / usual(compression).compressPerSecond));
        if (best == nullptr || away < distance) {
            best = &codec;
            distance = away;
        }
    }
    return best;
}

}  // namespace

std::optional<double> Calibration::readTotal() const {
    for (std::size_t i = 1; i < reading.size(); ++i) {
        if (reading[i].bytesPerSecond >= reading[i - 1].bytesPerSecond * kGrows) continue;
        return std::max(reading[i].bytesPerSecond, reading[i - 1].bytesPerSecond);
    }
    return std::nullopt;
}

uint32_t Calibration::scaledTo() const {
    uint32_t most = reading.empty() ? 1 : reading.front().connections;
    for (std::size_t i = 1; i < reading.size(); ++i) {
        if (reading[i].bytesPerSecond < reading[i - 1].bytesPerSecond * kGrows) break;
        most = reading[i].connections;
    }
    return most;
}

std::string staleness(const Calibration& calibration, const Surroundings& surroundings,
                      const std::string& now) {
    const int64_t days = dayOf(now) - dayOf(calibration.takenAt);
    if (days > kOldDays) return fmt::format("it is {} days old", days);
    if (calibration.serverVersion != surroundings.serverVersion) {
        return fmt::format("the server was {} then, and is {} now", calibration.serverVersion,
                           surroundings.serverVersion);
    }
    if (surroundings.sharedBuffers != 0 &&
        calibration.sharedBuffers != surroundings.sharedBuffers) {
        return fmt::format("shared_buffers was {} then, and is {} now",
                           formatSetting(calibration.sharedBuffers),
                           formatSetting(surroundings.sharedBuffers));
    }
    if (calibration.localCores != surroundings.localCores) {
        return fmt::format("we could use {} of this machine's cores then, and {} now",
                           calibration.localCores, surroundings.localCores);
    }
    return {};
}

std::optional<DumpRates> ratesOf(const Calibration& calibration,
                                 const io::Compression& compression) {
    if (calibration.reading.empty()) return std::nullopt;
    DumpRates rates = usual(compression);
    rates.readPerSecond =
        calibration.reading.front().bytesPerSecond / calibration.reading.front().connections;
    rates.readTotal = calibration.readTotal();
    rates.measured = true;
    rates.sampledAt = calibration.takenAt;
    const double copied = std::max(calibration.copyRatio, 1e-6);
    if (compression.algorithm == io::Algorithm::None) {
        rates.compressPerSecond /= copied;
        rates.ratio = copied;
        return rates;
    }
    const Calibration::Codec* codec = nearest(calibration, compression);
    if (codec == nullptr) return rates;
    // What the levels are to each other, nobody has to measure.
    const DumpRates other = usual(io::parseCompression(codec->compression));
    rates.compressPerSecond *= codec->bytesPerSecond / other.compressPerSecond / copied;
    rates.ratio *= codec->ratio / other.ratio * copied;
    return rates;
}

std::vector<CodecRate> codecsOf(const Calibration& calibration, int serverMajor) {
    std::vector<CodecRate> codecs;
    for (const Calibration::Codec& codec : calibration.codecs) {
        const io::Compression compression = io::parseCompression(codec.compression);
        // pg_restore of the server's version is to read it.
        if (serverMajor < pg::kZstdEverywhere && compression.algorithm != io::Algorithm::Gzip)
            continue;
        codecs.push_back({.compression = compression,
                          .compressPerSecond = codec.bytesPerSecond / calibration.copyRatio,
                          .ratio = codec.ratio * calibration.copyRatio});
    }
    return codecs;
}

std::string serverKey(const Surroundings& surroundings) {
    return surroundings.cluster.empty() ? surroundings.server : surroundings.cluster;
}

std::string serverKey(pg::Connection& connection) {
    const std::string cluster = pg::systemIdentifier(connection);
    return cluster.empty() ? connection.server() : cluster;
}

std::vector<std::string> describe(const Calibration& calibration) {
    std::vector<std::string> sentences;
    std::vector<std::string> parts;
    for (const Calibration::Reading& one : calibration.reading) {
        parts.push_back(fmt::format("{} over {}", rateText(one.bytesPerSecond),
                                    one.connections == 1 ? std::string("one connection")
                                                         : std::to_string(one.connections)));
    }
    if (parts.empty()) return {};
    sentences.push_back(fmt::format("On {}, tables were read at {} ({} of {} sampled).",
                                    calibration.takenAt.substr(0, 10), fmt::join(parts, ", "),
                                    formatBytes(calibration.sampledBytes), calibration.database));
    parts.clear();
    for (const Calibration::Codec& one : calibration.codecs) {
        parts.push_back(fmt::format("{} {} to {:.0f}%", one.compression,
                                    rateText(one.bytesPerSecond), one.ratio * 100));
    }
    if (!parts.empty()) {
        sentences.push_back(
            fmt::format("A core compressed their rows with {}.", fmt::join(parts, ", ")));
    }
    if (calibration.writing) {
        sentences.push_back(fmt::format("{} took {}.", calibration.writing->folder,
                                        rateText(calibration.writing->bytesPerSecond)));
    }
    return sentences;
}

std::string toJson(const Calibration& c) {
    json reading = json::array();
    for (const Calibration::Reading& one : c.reading) {
        reading.push_back({{"connections", one.connections}, {"bytes_per_s", one.bytesPerSecond}});
    }
    json codecs = json::array();
    for (const Calibration::Codec& one : c.codecs) {
        codecs.push_back({{"compress", one.compression},
                          {"bytes_per_s", one.bytesPerSecond},
                          {"ratio", one.ratio}});
    }
    json whole = {{"taken_at", c.takenAt},
                  {"database", c.database},
                  {"server_version", c.serverVersion},
                  {"shared_buffers", c.sharedBuffers},
                  {"local_cores", c.localCores},
                  {"round_trip_s", c.roundTrip},
                  {"copy_ratio", c.copyRatio},
                  {"sampled_bytes", c.sampledBytes},
                  {"reading", std::move(reading)},
                  {"codecs", std::move(codecs)},
                  {"notes", c.notes}};
    if (c.writing) {
        whole["writing"] = {{"folder", c.writing->folder},
                            {"bytes_per_s", c.writing->bytesPerSecond}};
    }
    return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

Calibration calibrationFrom(const std::string& text) {
    try {
        const json whole = json::parse(text);
        Calibration c;
        whole.at("taken_at").get_to(c.takenAt);
        whole.at("database").get_to(c.database);
        whole.at("server_version").get_to(c.serverVersion);
        whole.at("shared_buffers").get_to(c.sharedBuffers);
        whole.at("local_cores").get_to(c.localCores);
        whole.at("round_trip_s").get_to(c.roundTrip);
        c.copyRatio = positive(whole.at("copy_ratio"));
        whole.at("sampled_bytes").get_to(c.sampledBytes);
        whole.at("notes").get_to(c.notes);
        for (const json& one : whole.at("reading")) {
            c.reading.push_back({.connections = std::max(one.at("connections").get<uint32_t>(), 1U),
                                 .bytesPerSecond = positive(one.at("bytes_per_s"))});
        }
        for (const json& one : whole.at("codecs")) {
            c.codecs.push_back({.compression = one.at("compress").get<std::string>(),
                                .bytesPerSecond = positive(one.at("bytes_per_s")),
                                .ratio = positive(one.at("ratio"))});
            (void)io::parseCompression(c.codecs.back().compression);
        }
        if (const auto found = whole.find("writing"); found != whole.end()) {
            c.writing = {.folder = found->at("folder").get<std::string>(),
                         .bytesPerSecond = positive(found->at("bytes_per_s"))};
        }
        return c;
    } catch (const json::exception&) {
        throw Error(ErrorKind::Format, "a calibration that the history keeps cannot be read");
    } catch (const Error&) {
        throw Error(ErrorKind::Format, "a calibration that the history keeps cannot be read");
    }
}

}  // namespace gantry::advise
