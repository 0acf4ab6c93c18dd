// SPDX-License-Identifier: PostgreSQL
#include "core/archive/archive_writer.h"

#include "core/archive/directory_writer.h"
#include "core/archive/nowhere_writer.h"
#include "core/archive/single_file_writer.h"
#include "core/archive/staging.h"
#include "core/base/error.h"

namespace gantry::archive {

std::unique_ptr<ArchiveWriter> createArchiveWriter(const ArchiveWriter::Options& options,
                                                   std::optional<std::string>* leftover) {
    if (options.format == Format::Tar && options.compression.algorithm != io::Algorithm::None) {
        throw Error(ErrorKind::Usage, "the tar format takes no compression",
                    io::toString(options.compression),
                    "Use the custom or directory format, or no compression.");
    }
    if (isNowhere(options.path)) return makeNowhereWriter(options);
    auto staging =
        std::make_unique<Staging>(options.path, options.format, options.overwrite, leftover);
    switch (options.format) {
        case Format::Directory:
            return makeDirectoryWriter(options, std::move(staging));
        case Format::Custom:
            return makeSingleFileWriter(options, std::move(staging), makeCustomLayout(options));
        case Format::Tar:
            return makeSingleFileWriter(options, std::move(staging), makeTarLayout(options));
        case Format::Plain:
            return makeSingleFileWriter(options, std::move(staging), makePlainLayout(options));
    }
    throw Error(ErrorKind::Internal, "unknown archive format");
}

}  // namespace gantry::archive
