// SPDX-License-Identifier: PostgreSQL
#include "core/archive/tar_header.h"

#include <fmt/format.h>

namespace gantry::archive {
namespace {

struct Field {
    std::size_t offset;
    std::size_t size;
};

constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kModified{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagicField{257, 8};  // with the version behind it
constexpr Field kUserName{265, 32};
constexpr Field kGroupName{297, 32};

constexpr uint64_t kLargestOctal = uint64_t{1} << 33;
constexpr std::string_view kOwner = "postgres";

std::string_view at(std::string_view block, Field field) {
    return block.substr(field.offset, field.size);
}

void put(std::string& block, Field field, std::string_view text) {
    block.replace(field.offset, text.size(), text);
}

uint64_t octal(std::string_view digits) {
    uint64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '7') {
            if (c == ' ' && value == 0) continue;
            break;
        }
        value = value * 8 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

// The sum of all bytes, those of the checksum itself taken as blanks.
uint64_t checksumOf(std::string_view block) {
    uint64_t sum = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
        sum += static_cast<unsigned char>(own ? ' ' : block[i]);
    }
    return sum;
}

std::string sizeField(uint64_t size) {
    if (size < kLargestOctal) return fmt::format("{:011o}", size);
    std::string bytes(kSize.size, '\0');
    bytes[0] = '\x80';
    for (std::size_t i = kSize.size; i-- > 1; size >>= 8) bytes[i] = static_cast<char>(size & 0xFF);
    return bytes;
}

uint64_t parseSize(std::string_view field) {
    if ((static_cast<unsigned char>(field[0]) & 0x80) == 0) return octal(field);
    uint64_t value = 0;
    for (const char c : field.substr(kSize.size - sizeof value)) {
        value = (value << 8) | static_cast<unsigned char>(c);
    }
    return value;
}

}  // namespace

std::string tarHeader(std::string_view name, uint64_t size, std::time_t modified) {
    std::string block(kTarBlock, '\0');
    put(block, kName, name);
    put(block, kMode, "0000600");
    put(block, kUser, "0000000");
    put(block, kGroup, "0000000");
    put(block, kSize, sizeField(size));
    put(block, kModified, fmt::format("{:011o}", modified));
    put(block, kType, "0");
    put(block, kMagicField, std::string_view("ustar\00000", 8));
    put(block, kUserName, kOwner);
    put(block, kGroupName, kOwner);
    put(block, kChecksum, fmt::format("{:06o}", checksumOf(block)) + std::string("\0 ", 2));
    return block;
}

TarHeader parseTarHeader(std::string_view block) {
    const std::string_view name = at(block, kName);
    return {.name = name.substr(0, name.find('\0')),
            .size = parseSize(at(block, kSize)),
            .intact = octal(at(block, kChecksum)) == checksumOf(block)};
}

}  // namespace gantry::archive
