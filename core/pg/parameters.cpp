// SPDX-License-Identifier: PostgreSQL
#include "core/pg/parameters.h"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace gantry::pg {

Parameters::Parameters(pg_conn* connection) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfo(connection), &PQconninfoFree);
    for (const PQconninfoOption* option = options.get(); option && option->keyword; ++option) {
        all_.push_back({.keyword = option->keyword,
                        .value = option->val == nullptr ? "" : option->val,
                        .byDefault = option->compiled == nullptr
                                         ? std::nullopt
                                         : std::optional<std::string>(option->compiled),
                        .variable = option->envvar == nullptr ? "" : option->envvar,
                        .secret = *option->dispchar == '*'});
    }
}

std::string_view Parameters::operator[](std::string_view keyword) const {
    const auto found = std::find_if(begin(), end(), [keyword](const Parameter& parameter) {
        return parameter.keyword == keyword;
    });
    return found == end() ? std::string_view() : found->value;
}

std::chrono::seconds Parameters::connectTimeout() const {
    constexpr int kUnlimited = 60;
    constexpr int kShortest = 2;  // libpq's
    const std::string_view text = (*this)["connect_timeout"];
    int given = 0;
    std::from_chars(text.data(), text.data() + text.size(), given);
    return std::chrono::seconds(given > 0 ? std::max(given, kShortest) : kUnlimited);
}

HostList Parameters::hosts() const {
    const std::string_view balance = (*this)["load_balance_hosts"];
    const bool shuffled = !balance.empty() && balance != "disable";
    if (shuffled || (*this)["target_session_attrs"] == "prefer-standby") return {};
    return {.host = std::string((*this)["host"]),
            .hostaddr = std::string((*this)["hostaddr"]),
            .port = std::string((*this)["port"])};
}

}  // namespace gantry::pg
