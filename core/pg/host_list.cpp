// SPDX-License-Identifier: PostgreSQL
#include "core/pg/host_list.h"

#include <algorithm>
#include <vector>

namespace gantry::pg {
namespace {

using Items = std::vector<std::string_view>;

Items itemsOf(std::string_view list) {
    Items items;
    if (list.empty()) return items;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        items.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

std::string_view itemOf(const Items& items, std::size_t index) {
    return index < items.size() ? items[index] : std::string_view();
}

/// What is left of a list without its first items, which are not all.
std::string withoutFirst(std::string_view list, std::size_t count) {
    for (std::size_t i = 0; i < count && !list.empty(); ++i) {
        list.remove_prefix(std::min(list.find(',') + 1, list.size()));
    }
    return std::string(list);
}

}  // namespace

std::optional<HostList> HostList::behind(std::string_view triedHost,
                                         std::string_view triedPort) const {
    const Items hosts = itemsOf(host);
    const Items addresses = itemsOf(hostaddr);
    const Items ports = itemsOf(port);
    const std::size_t count = std::max(hosts.size(), addresses.size());
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const std::string_view name = itemOf(hosts, i).empty() ? itemOf(addresses, i) : hosts[i];
        const std::string_view at = ports.size() == 1 ? ports.front() : itemOf(ports, i);
        if (name != triedHost || (!at.empty() && at != triedPort)) continue;
        HostList rest{.host = withoutFirst(host, i + 1),
                      .hostaddr = withoutFirst(hostaddr, i + 1),
                      .port = ports.size() == 1 ? port : withoutFirst(port, i + 1)};
        // libpq takes what is empty for what is not given.
        const bool sayable = rest.host.empty() == host.empty() &&
                             rest.hostaddr.empty() == hostaddr.empty() &&
                             rest.port.empty() == port.empty();
        return sayable ? std::optional(rest) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace gantry::pg
