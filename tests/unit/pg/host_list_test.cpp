// SPDX-License-Identifier: PostgreSQL
// Which servers are left to be tried.
#include "core/pg/host_list.h"

#include <catch2/catch_test_macros.hpp>

using gantry::pg::HostList;

TEST_CASE("the hosts behind the one that is tried are what is left") {
    const HostList hosts{.host = "a,b,a", .hostaddr = "", .port = "1,2,3"};
    CHECK(hosts.behind("a", "1") == HostList{.host = "b,a", .hostaddr = "", .port = "2,3"});
    CHECK(hosts.behind("b", "2") == HostList{.host = "a", .hostaddr = "", .port = "3"});
    CHECK_FALSE(hosts.behind("a", "3"));
    CHECK_FALSE(hosts.behind("elsewhere", "1"));
    CHECK_FALSE(HostList{.host = "a", .hostaddr = "", .port = "1"}.behind("a", "1"));
    CHECK_FALSE(HostList{}.behind("/tmp", "5432"));
}

TEST_CASE("one port, or none, is that of all hosts") {
    CHECK(HostList{.host = "a,b", .hostaddr = "", .port = "1"}.behind("a", "1") ==
          HostList{.host = "b", .hostaddr = "", .port = "1"});
    CHECK(HostList{.host = "a,b", .hostaddr = "", .port = ""}.behind("a", "5432") ==
          HostList{.host = "b", .hostaddr = "", .port = ""});
}

TEST_CASE("an address takes the place of a name that is not given") {
    CHECK(HostList{.host = "", .hostaddr = "::1,127.0.0.1", .port = ""}.behind("::1", "5432") ==
          HostList{.host = "", .hostaddr = "127.0.0.1", .port = ""});
    CHECK(HostList{.host = ",b", .hostaddr = "::1,127.0.0.1", .port = ",6"}.behind("::1", "5432") ==
          HostList{.host = "b", .hostaddr = "127.0.0.1", .port = "6"});
}

TEST_CASE("what could only be said by an empty list is not said") {
    CHECK_FALSE(HostList{.host = "a,", .hostaddr = "", .port = ""}.behind("a", "5432"));
    CHECK_FALSE(HostList{.host = "a,b", .hostaddr = "", .port = "1,"}.behind("a", "1"));
}
