// SPDX-License-Identifier: PostgreSQL
#include "core/restore/data_sizes.h"

#include <optional>
#include <utility>

namespace gantry::restore {
namespace {

/// Raw bytes to compressed ones, where nothing says it.
constexpr uint64_t kUsualCompression = 4;
constexpr uint64_t kUsualLz4Compression = 3;

uint64_t guessRawSize(const archive::DataMember& member) {
    switch (member.algorithm) {
        case io::Algorithm::None:
            return member.size;
        case io::Algorithm::Lz4:
            return member.size * kUsualLz4Compression;
        case io::Algorithm::Gzip:
        case io::Algorithm::Zstd:
            break;
    }
    return member.size * kUsualCompression;
}

}  // namespace

DataSizes measureData(const archive::ArchiveReader& reader) {
    std::map<std::pair<DumpId, std::optional<Oid>>, DataSize> known;
    if (reader.manifest()) {
        for (const archive::Member& member : reader.manifest()->members) {
            known[{member.dumpId, member.largeObject}] = {.bytes = member.rawSize,
                                                          .rows = member.rows};
        }
    }
    DataSizes sizes;
    for (const archive::DataMember& member : reader.members()) {
        const auto found = known.find({member.entry, member.largeObject});
        DataSize& size = sizes[member.entry];
        size.bytes += found == known.end() ? guessRawSize(member) : found->second.bytes;
        size.rows += member.largeObject ? 1 : found == known.end() ? 0 : found->second.rows;
    }
    return sizes;
}

DataSize sizeOf(const DataSizes& sizes, DumpId entry) {
    const auto found = sizes.find(entry);
    return found == sizes.end() ? DataSize{} : found->second;
}

}  // namespace gantry::restore
