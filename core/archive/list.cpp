// SPDX-License-Identifier: PostgreSQL
#include "core/archive/list.h"

#include <fmt/format.h>

#include <map>

#include "core/base/format.h"
#include "core/base/printable.h"

namespace gantry::archive {
namespace {

std::string oneLine(std::string_view text) {
    std::string line(text);
    for (char& c : line) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    return printable(line);
}

std::string sizeComment(const ListedEntry& listed) {
    if (!listed.compressedSize) return {};
    std::string text = " ; " + formatBytes(*listed.compressedSize);
    if (listed.rawSize) text += fmt::format(" of {}", formatBytes(*listed.rawSize));
    if (listed.rows) text += fmt::format(", {} rows", formatCount(*listed.rows));
    if (listed.largeObjects > 0) text += fmt::format(", {} objects", listed.largeObjects);
    return text;
}

}  // namespace

std::vector<ListedEntry> listEntries(const ArchiveReader& reader) {
    std::map<DumpId, ListedEntry> data;
    for (const DataMember& member : reader.members()) {
        ListedEntry& listed = data[member.entry];
        listed.compressedSize = listed.compressedSize.value_or(0) + member.size;
        if (member.largeObject) ++listed.largeObjects;
    }
    if (reader.manifest()) {
        for (const Member& member : reader.manifest()->members) {
            ListedEntry& listed = data[member.dumpId];
            listed.rawSize = listed.rawSize.value_or(0) + member.rawSize;
            if (!member.largeObject) listed.rows = member.rows;
        }
    }
    std::vector<ListedEntry> entries;
    entries.reserve(reader.toc().entries.size());
    for (const TocEntry& entry : reader.toc().entries) {
        ListedEntry listed;
        if (const auto found = data.find(entry.dumpId); found != data.end()) listed = found->second;
        listed.entry = &entry;
        entries.push_back(listed);
    }
    return entries;
}

std::string renderList(const ArchiveReader& reader, const std::vector<ListedEntry>& entries) {
    const Toc& toc = reader.toc();
    const CreationTime& t = toc.created;
    std::string format(toString(toc.format));
    for (char& c : format) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::string text = fmt::format(
        ";\n; Archive created at {:04}-{:02}-{:02} {:02}:{:02}:{:02}\n"
        ";     dbname: {}\n;     TOC Entries: {}\n;     Compression: {}\n"
        ";     Dump Version: {}.{}-{}\n;     Format: {}\n;     Integer: {} bytes\n"
        ";     Offset: {} bytes\n;     Dumped from database version: {}\n"
        ";     Dumped by pg_dump version: {}\n",
        t.yearSince1900 + 1900, t.month + 1, t.day, t.hour, t.minute, t.second,
        oneLine(toc.databaseName.value_or("")), toc.entries.size(),
        io::toString(toc.compression.algorithm), toc.version.major, toc.version.minor,
        toc.version.revision, format, toc.intSize, toc.offsetSize,
        oneLine(toc.serverVersion.value_or("?")), oneLine(toc.dumpVersion.value_or("?")));
    if (reader.manifest()) {
        text += fmt::format(";     Data copied by gantry: {}, snapshot {}\n",
                            oneLine(reader.manifest()->gantryVersion),
                            oneLine(reader.manifest()->snapshot));
    } else if (!reader.manifestProblem().empty()) {
        text += fmt::format(";     Manifest not used: {}\n", oneLine(reader.manifestProblem()));
    }
    text += ";\n;\n; Selected TOC Entries:\n;\n";
    for (const ListedEntry& listed : entries) {
        const TocEntry& entry = *listed.entry;
        text += fmt::format("{}; {} {} {} {} {} {}{}\n", entry.dumpId.value,
                            entry.catalogTableOid.value, entry.catalogOid.value,
                            oneLine(entry.description()),
                            oneLine(entry.namespaceName.value_or("-")), oneLine(entry.name()),
                            oneLine(entry.owner.value_or("")), sizeComment(listed));
    }
    return text;
}

}  // namespace gantry::archive
