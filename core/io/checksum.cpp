// SPDX-License-Identifier: PostgreSQL
#include "core/io/checksum.h"

#include <xxhash.h>

#include <new>

namespace gantry::io {
namespace {

constexpr XXH64_hash_t kSeed = 0;

}  // namespace

void Checksum::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }
void Checksum::Free::operator()(XXH64_state_s* state) const { XXH64_freeState(state); }

Checksum::Checksum(ChecksumKind kind) {
    if (kind == ChecksumKind::Xxh3) xxh3_.reset(XXH3_createState());
    if (kind == ChecksumKind::Xxh64) xxh64_.reset(XXH64_createState());
    if (!xxh3_ && !xxh64_) throw std::bad_alloc();
    reset();
}

void Checksum::update(std::span<const std::byte> bytes) {
    if (xxh64_) {
        XXH64_update(xxh64_.get(), bytes.data(), bytes.size());
    } else {
        XXH3_64bits_update(xxh3_.get(), bytes.data(), bytes.size());
    }
}

uint64_t Checksum::value() const {
    return xxh64_ ? XXH64_digest(xxh64_.get()) : XXH3_64bits_digest(xxh3_.get());
}

void Checksum::reset() {
    if (xxh64_) {
        XXH64_reset(xxh64_.get(), kSeed);
    } else {
        XXH3_64bits_reset(xxh3_.get());
    }
}

uint64_t checksumOf(std::span<const std::byte> bytes, ChecksumKind kind) {
    return kind == ChecksumKind::Xxh64 ? XXH64(bytes.data(), bytes.size(), kSeed)
                                       : XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace gantry::io
