// SPDX-License-Identifier: PostgreSQL
#include "core/dump/large_object_list.h"

#include <fmt/format.h>

#include <charconv>

namespace gantry::dump {
namespace {

/// OIDs at the start of each line; a line may say more behind the number.
std::vector<Oid> parseOidLines(std::string_view text) {
    std::vector<Oid> oids;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        uint32_t value = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        if (error == std::errc() && stop != line.data()) oids.push_back(Oid{value});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return oids;
}

std::vector<Oid> objectsInCatalog(pg::Connection& connection) {
    const pg::Result result =
        connection.query("SELECT oid FROM pg_catalog.pg_largeobject_metadata ORDER BY oid");
    std::vector<Oid> oids;
    for (int row = 0; row < result.rows(); ++row) {
        oids.push_back(result.oid(row, 0));
    }
    return oids;
}

}  // namespace

std::vector<LargeObjectGroup> listLargeObjects(const archive::Toc& toc,
                                               pg::Connection& connection) {
    std::vector<LargeObjectGroup> groups;
    std::vector<Oid> single;
    for (const archive::TocEntry& entry : toc.entries) {
        if (entry.description() == "BLOB") single.push_back(entry.catalogOid);
        if (entry.description() != "BLOBS" || !entry.hadDumper) continue;
        LargeObjectGroup group{.entry = entry.dumpId, .name = "large objects", .objects = {}};
        for (const DumpId dependency : entry.dependencies) {
            const archive::TocEntry* metadata = toc.find(dependency);
            if (metadata != nullptr && metadata->description() == "BLOB METADATA") {
                group.objects = parseOidLines(metadata->defn.value_or(""));
            }
        }
        groups.push_back(std::move(group));
    }
    const bool grouped = groups.size() > 1 || (groups.size() == 1 && !groups[0].objects.empty());
    if (!grouped && !groups.empty()) {
        groups[0].objects = single.empty() ? objectsInCatalog(connection) : std::move(single);
    }
    if (groups.size() > 1) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            groups[i].name = fmt::format("large objects, group {}", i + 1);
        }
    }
    return groups;
}

uint64_t largeObjectBytes(pg::Connection& connection) {
    return connection
        .query(
            "SELECT pg_catalog.pg_relation_size('pg_catalog.pg_largeobject'::"
            "pg_catalog.regclass)")
        .number(0, 0);
}

}  // namespace gantry::dump
