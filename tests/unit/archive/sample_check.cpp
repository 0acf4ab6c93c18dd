// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/archive/sample_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/archive/archive_reader.h"
#include "core/archive/script_file.h"
#include "core/archive/verify.h"
#include "core/base/file.h"
#include "tests/support/byte_sources.h"

namespace gantry::test {
namespace {

using namespace archive;

constexpr std::string_view kEndOfData = "\\.\n\n\n";

std::vector<std::string> sortedLines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto newline = text.find('\n');
        lines.emplace_back(text.substr(0, newline));
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string hexOf(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex(bytes.size() * 2, '\0');
    char* next = hex.data();
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        *next++ = kDigits.data()[value >> 4];
        *next++ = kDigits.data()[value & 15];
    }
    return hex;
}

// The rows of one table as they stand between COPY and the end-of-data line.
std::string_view rowsIn(std::string_view script, std::size_t table) {
    const std::string copy = fmt::format("\nCOPY public.t{} (a, b, c) FROM stdin;\n", table);
    const auto start = script.find(copy);
    if (start == std::string_view::npos) return "no COPY";
    script.remove_prefix(start + copy.size());
    if (script.starts_with(kEndOfData)) return {};
    return script.substr(0, script.find(fmt::format("\n{}", kEndOfData)) + 1);
}

// The bytes of one large object in hex, whatever the size of the pieces it is written in.
std::string objectIn(std::string_view script, uint32_t oid) {
    const auto start = script.find(fmt::format("SELECT pg_catalog.lo_open('{}', 131072);\n", oid));
    if (start == std::string_view::npos) return "missing";
    script.remove_prefix(start);
    script = script.substr(0, script.find("SELECT pg_catalog.lo_close(0);"));
    constexpr std::string_view kWrite = "SELECT pg_catalog.lowrite(0, '\\x";
    std::string hex;
    for (std::size_t at = 0; (at = script.find(kWrite, at)) != std::string_view::npos;) {
        at += kWrite.size();
        hex += script.substr(at, script.find('\'', at) - at);
    }
    return hex;
}

void addFindings(const VerifyReport& report, std::vector<std::string>& found) {
    if (!report.usedManifest) found.push_back("there is no manifest to use");
    for (const auto& finding : report.findings) {
        found.push_back(finding.member + ": " + finding.problem);
    }
}

}  // namespace

std::vector<std::string> differencesInScript(const std::string& script, const Sample& sample) {
    std::vector<std::string> found;
    for (std::size_t t = 0; t < sample.tables.size(); ++t) {
        if (sortedLines(rowsIn(script, t)) == sample.sortedRows(t)) continue;
        found.push_back(fmt::format("the rows of table {} differ", t));
    }
    for (const auto& [entry, objects] : sample.objects) {
        for (const auto& [oid, content] : objects) {
            if (objectIn(script, oid) == hexOf(content)) continue;
            found.push_back(fmt::format("large object {} differs", oid));
        }
    }
    if (script.find("must not appear") != std::string::npos) {
        found.emplace_back("rows of the discarded relation are there");
    }
    return found;
}

std::vector<std::string> differencesInArchive(const std::filesystem::path& path, Format format,
                                              const Sample& sample) {
    std::vector<std::string> found;
    if (format == Format::Plain) {
        addFindings(verifyScript(path, {}, {}), found);
        const auto more = differencesInScript(readScript(path), sample);
        found.insert(found.end(), more.begin(), more.end());
        return found;
    }
    const auto reader = openArchive(path);
    if (reader->format() != format) found.emplace_back("another format");
    for (const auto& member : reader->missing()) {
        found.push_back(member.name + " is missing: " + member.problem);
    }
    addFindings(verify(*reader, {}, {}), found);
    std::size_t expected = sample.tables.size();
    for (const auto& [entry, objects] : sample.objects) expected += objects.size();
    if (reader->members().size() != expected) {
        found.push_back(fmt::format("{} members for {}", reader->members().size(), expected));
    }
    for (const DataMember& member : reader->members()) {
        const std::string data = readAll(*reader->openData(member), 1 << 20);
        if (member.largeObject) {
            const auto& objects = sample.objects.at(member.entry.value);
            if (objects.at(member.largeObject->value) != data) {
                found.push_back(fmt::format("large object {} differs", member.largeObject->value));
            }
            continue;
        }
        const auto table = static_cast<std::size_t>(member.entry.value - 500);
        const std::string_view rows = std::string_view(data).substr(
            0, data.size() - std::min(data.size(), kEndOfData.size()));
        if (!data.ends_with(kEndOfData) || sortedLines(rows) != sample.sortedRows(table)) {
            found.push_back(fmt::format("the rows of table {} differ", table));
        }
    }
    return found;
}

std::string readFile(const std::filesystem::path& path) {
    std::string text(std::filesystem::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(text.data(), std::ssize(text));
    return text;
}

std::string readScript(const std::filesystem::path& path) {
    const auto file = std::make_shared<const File>(File::openForRead(path));
    return readAll(*openScript(file), 1 << 20);
}

std::vector<std::string> namesIn(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace gantry::test
