// SPDX-License-Identifier: PostgreSQL
// Contents for archives, handed to any writer by several threads in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/archive/archive_writer.h"

namespace gantry::test {

/// Tables as frames of rows without their line ends; table N is relation firstRelation + N and
/// entry 500 + N. Large objects by BLOBS entry, then by OID.
struct Sample {
    static constexpr uint32_t firstRelation = 20000;
    std::vector<std::vector<std::vector<std::string>>> tables;
    std::map<int32_t, std::map<uint32_t, std::string>> objects;

    uint64_t rowsOf(std::size_t table) const;
    /// All rows of a table, sorted.
    std::vector<std::string> sortedRows(std::size_t table) const;
};

/// Tables of no to eight frames, some of 3,000 rows, and large objects of no bytes to just over a
/// frame. From 1.16 on the objects are in two entries with BLOB METADATA, before in one.
Sample makeSample(int tables, uint8_t minorVersion);
/// A few rows and objects: for tests that write it often.
Sample makeSmallSample(uint8_t minorVersion);

/// As pg_dump would describe the sample's database. Throws if the sample was made for a version
/// with other large-object entries.
archive::Toc makeToc(const Sample& sample, uint8_t minorVersion);

struct FeedOptions {
    int threads = 4;
    unsigned seed = 1;
    double tocAfter =
        0.3;  ///< the part of all frames that is written before the contents are known
};

/// Writes all of the sample, and frames of one relation that is discarded again. Rethrows what the
/// first thread that failed threw.
void feed(archive::ArchiveWriter& writer, const Sample& sample, const io::Compression& compression,
          archive::Toc toc, const FeedOptions& options);

/// The rows as a frame of the writer's style.
archive::EncodedFrame encodeRows(io::FrameEncoder& encoder, const std::vector<std::string>& rows);

archive::ArchiveWriter::Options writerOptions(archive::Format format,
                                              const std::filesystem::path& path,
                                              const std::string& compression);

/// Creates the writer, feeds it and finishes; returns what finish() returned.
uint64_t writeSample(const archive::ArchiveWriter::Options& options, const Sample& sample,
                     uint8_t minorVersion, const FeedOptions& feedOptions = {});

}  // namespace gantry::test
