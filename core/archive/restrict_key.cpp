// SPDX-License-Identifier: PostgreSQL
#include "core/archive/restrict_key.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kLength = 63;
constexpr std::string_view kCharacters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

}  // namespace

std::string randomRestrictKey() {
    std::array<unsigned char, kLength> random{};
    if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
        throw systemError("read random bytes from", "the kernel", errno);
    }
    std::string key;
    for (const unsigned char byte : random) key += kCharacters[byte % kCharacters.size()];
    return key;
}

}  // namespace gantry::archive
