// SPDX-License-Identifier: PostgreSQL
// Writes what the fuzzer starts from: small archives of every format and codec, by our writers.
//
// usage: fuzz_seeds FOLDER    makes FOLDER/<target>/<seed>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "tests/unit/archive/sample_archive.h"

namespace fs = std::filesystem;
using namespace gantry;
using namespace gantry::archive;

namespace {

class Seeds {
public:
    explicit Seeds(fs::path folder) : folder_(std::move(folder)) {}

    void writeAll() {
        for (const int minor : {14, 15, 16}) {
            for (const std::string codec : {"none", "gzip", "lz4", "zstd"}) {
                for (const Format format : {Format::Custom, Format::Directory, Format::Tar}) {
                    if (format == Format::Tar && codec != "none") continue;
                    addArchive(format, codec, static_cast<uint8_t>(minor));
                }
            }
        }
        for (const std::string codec : {"none", "gzip", "lz4", "zstd"}) addFrames(codec);
    }

private:
    void put(const std::string& target, const std::string& name, const std::string& content) {
        fs::create_directories(folder_ / target);
        std::ofstream file(folder_ / target / name, std::ios::binary);
        file << content;
        if (!file.flush()) throw std::runtime_error("cannot write " + target + "/" + name);
    }

    static std::string contentOf(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    void addArchive(Format format, const std::string& codec, uint8_t minor) {
        const std::string name = fmt::format("{}-{}-1.{}", toString(format), codec, minor);
        const fs::path path = folder_ / name;
        auto options = test::writerOptions(format, path, codec);
        options.sync = false;
        test::writeSample(options, test::makeSmallSample(minor), minor);
        if (format == Format::Directory) {
            // The first byte is the choice of the script's options.
            put("toc", name, "\x01" + contentOf(path / "toc.dat"));
        } else {
            put(std::string(toString(format)), name, contentOf(path));
        }
        const fs::path manifest = manifestPath(path, format);
        put("manifest", name, contentOf(manifest));
        fs::remove_all(path);
        if (fs::exists(manifest)) fs::remove(manifest);
    }

    void addFrames(const std::string& codec) {
        const io::Compression compression = io::parseCompression(codec);
        const auto encoder = io::makeFrameEncoder(compression, io::FrameStyle::Independent);
        std::string all;
        for (const char* raw : {"-- PostgreSQL database dump\n1\tabcabcabcabcabcabc\n", "2\tx\n"}) {
            Buffer frame;
            encoder->encode(bytesOf(raw), frame);
            all += textOf(frame.span());
        }
        put("decoder", codec, static_cast<char>(compression.algorithm) + all);
        put("script", codec, all);
        // An empty zlib stream; the fuzzer makes more of it.
        if (codec == "gzip") put("decoder", "zlib", std::string("\x05\x78\x9c\3\0\0\0\0\1", 9));
    }

    fs::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: fuzz_seeds FOLDER\n";
        return 2;
    }
    try {
        Seeds(argv[1]).writeAll();
    } catch (const std::exception& error) {
        std::cerr << "fuzz_seeds: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
