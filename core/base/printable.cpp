// SPDX-License-Identifier: PostgreSQL
#include "core/base/printable.h"

namespace gantry {

std::string printable(std::string_view text) {
    std::string clean(text);
    for (std::size_t i = 0; i < clean.size(); ++i) {
        const auto c = static_cast<unsigned char>(clean[i]);
        // C1 controls are C2 80 to C2 9F in UTF-8.
        const bool c1 =
            c == 0xC2 && i + 1 < clean.size() && static_cast<unsigned char>(clean[i + 1]) < 0xA0;
        if (c1) clean.replace(i, 2, "?");
        if (c < 0x20 || c == 0x7F) clean[i] = '?';
    }
    return clean;
}

}  // namespace gantry
