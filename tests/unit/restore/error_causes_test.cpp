// SPDX-License-Identifier: PostgreSQL
// Errors grouped by cause, what to do about them, and what a restore has brought about.
#include "core/restore/error_causes.h"

#include <catch2/catch_test_macros.hpp>

#include "core/restore/ledger.h"

using namespace gantry;
using namespace gantry::restore;

namespace {

ErrorInfo error(std::string state, std::string object, std::string message) {
    ErrorInfo info;
    info.kind = ErrorKind::Server;
    info.sqlState = std::move(state);
    info.object = std::move(object);
    info.message = std::move(message);
    return info;
}

}  // namespace

TEST_CASE("errors of one cause stand together, whatever their objects are called") {
    const auto causes = groupByCause({
        error("42704", "TABLE public.t", "role \"alice\" does not exist"),
        error("42P07", "TABLE public.a", "relation \"a\" already exists"),
        error("42P07", "TABLE public.b", "relation \"b\" already exists"),
        error("23505", "public.k k_pkey",
              "could not create unique index \"k_pkey\" (Key (id)=(1) is duplicated.)"),
        error("23505", "public.l l_pkey",
              "could not create unique index \"l_pkey\" (Key (id)=(2) is duplicated.)"),
        error("42704", "TABLE public.u", "role \"bob\" does not exist"),
        error("42P07", "TABLE public.c", "relation \"c\" already exists"),
    });
    REQUIRE(causes.size() == 4);
    CHECK(causes[0].message == "relation \"…\" already exists");
    CHECK(causes[0].objects ==
          std::vector<std::string>{"TABLE public.a", "TABLE public.b", "TABLE public.c"});
    CHECK(causes[0].errors == std::vector<std::size_t>{1, 2, 6});
    CHECK(causes[1].message == "could not create unique index \"…\"");
    CHECK(causes[2].message == "role \"alice\" does not exist");
    CHECK(causes[3].message == "role \"bob\" does not exist");
}

TEST_CASE("schemas that are missing are causes of their own") {
    const auto causes = groupByCause({
        error("3F000", "TABLE crm.a", "schema \"crm\" does not exist"),
        error("3F000", "TABLE ref.a", "schema \"ref\" does not exist"),
        error("3F000", "crm.a", "schema \"crm\" does not exist"),
    });
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].message == "schema \"crm\" does not exist");
    CHECK(causes[0].objects == std::vector<std::string>{"TABLE crm.a", "crm.a"});
    CHECK(causes[1].message == "schema \"ref\" does not exist");
}

TEST_CASE("damage of one kind is told with the place in each member") {
    ErrorInfo first = error("", "public.a", "the data ends in the middle");
    ErrorInfo second = error("", "public.b", "the data ends in the middle");
    first.byteOffset = 7;
    second.byteOffset = 0;
    const auto causes = groupByCause({first, second});
    REQUIRE(causes.size() == 1);
    CHECK(causes[0].objects ==
          std::vector<std::string>{"public.a, at byte 7", "public.b, at byte 0"});
}

TEST_CASE("one error keeps its own words") {
    const auto causes = groupByCause({error("23505", "x", "duplicate key \"x\" (Key (id)=(1))")});
    CHECK(causes.at(0).message == "duplicate key \"x\" (Key (id)=(1))");
    CHECK(groupByCause({error("42601", "x", "at \"or near")}).at(0).message == "at \"or near");
}

TEST_CASE("the next step: the server's, else ours") {
    ErrorInfo info = error("42501", "x", "permission denied for schema public");
    CHECK(nextStep(info, {}) ==
          "Restore as a superuser or as the owner (-U, --role), or leave owners and privileges out "
          "(--no-owner, --no-privileges).");
    info.hint = "Ask the server's owner.";
    CHECK(nextStep(info, {}) == "Ask the server's owner.");
    CHECK(nextStep(error("42704", "x", "role \"a\" does not exist"), {}) ==
          "Create the role (--create-roles), or leave owners and privileges out (--no-owner, "
          "--no-privileges).");
    CHECK(nextStep(error("XX000", "x", "cache lookup failed"), {}) == "");
    CHECK(isDiskFull(error("53100", "x", "")));
    CHECK(isDeadlock(error("40P01", "x", "")));
}

TEST_CASE("the next step goes by what the run has been through") {
    const ErrorInfo missing = error("42P01", "x", "relation \"t\" does not exist");
    CHECK(nextStep(missing, {}) ==
          "It needs something that is missing: create that first, or restore it too.");
    CHECK(nextStep(missing, {.others = true}) ==
          "It needs something that is missing: look at the errors before.");

    const ErrorInfo schema = error("3F000", "TABLE Crm.t", "schema \"Crm\" does not exist");
    for (const bool others : {false, true}) {
        CHECK(nextStep(schema, {.others = others}) ==
              "The schema Crm is missing: CREATE SCHEMA \"Crm\"; first, or restore its own entry "
              "too (--create-schemas makes it).");
    }
    CHECK(nextStep(error("3F000", "x", "Schema »crm« existiert nicht"), {}) ==
          "A schema is missing: create it first, or restore its own entry too (--create-schemas).");

    const ErrorInfo there = error("42P07", "TABLE public.t", "relation \"t\" already exists");
    CHECK(nextStep(there, {.others = true}) ==
          "Drop what is there first (--clean --if-exists), or restore into an empty database.");
    CHECK(nextStep(there, {.others = true, .withoutRows = true}) ==
          "Rows that are not restored with it would go with what is there: drop it only if nobody "
          "needs them (--clean --if-exists), or restore into an empty database.");
    CHECK(nextStep(there, {.others = true, .clean = true}) ==
          "--clean could not drop what is there, since something that is not restored depends on "
          "it (the errors before name it): restore or drop that as well, or restore into an empty "
          "database.");
    CHECK(nextStep(there, {.others = false, .clean = true}) ==
          "--clean does not drop what is there: drop it yourself, or restore into an empty "
          "database.");
}

TEST_CASE("a ledger knows what is there and what is not") {
    const auto entry = [](int32_t id, std::string desc, std::string tag, archive::Section section) {
        archive::TocEntry made;
        made.dumpId = DumpId{id};
        made.desc = std::move(desc);
        made.tag = std::move(tag);
        made.section = section;
        return made;
    };
    const auto table = entry(1, "TABLE", "a", archive::Section::PreData);
    auto rows = entry(2, "TABLE DATA", "a", archive::Section::Data);
    rows.dependencies = {table.dumpId};
    const auto key = entry(3, "FK CONSTRAINT", "a fk", archive::Section::PostData);
    Ledger ledger;
    ledger.expect({{Step::Kind::Define, {&table}},
                   {Step::Kind::Rows, {&rows}},
                   {Step::Kind::AddForeignKey, {&key}},
                   {Step::Kind::ValidateForeignKey, {&key}}});
    ledger.done(table);
    ledger.created(table);
    CHECK(ledger.createdTableOf(rows));
    CHECK(ledger.anyStands());
    CHECK_FALSE(ledger.failedTableOf(rows));
    CHECK(
        ledger.describe() ==
        "There: 1 of 1 definitions, 0 of 1 tables' rows, 0 of 1 foreign keys. Not there: the rows "
        "of a, a fk.");
    ledger.committing(rows);
    CHECK(ledger.isInDoubt(rows));
    ledger.done(rows);
    CHECK_FALSE(ledger.isInDoubt(rows));
    ledger.half(key, "DROP …");
    CHECK(ledger.halves().at(0).undo == "DROP …");
    ledger.finished(key);
    CHECK(ledger.halves().empty());
    ledger.failed(key);
    CHECK(ledger.failures() == std::set<DumpId>{key.dumpId});
    ledger.done(key);
    CHECK(ledger.anyStands());
    CHECK(ledger.describe() ==
          "There: 1 of 1 definitions, 1 of 1 tables' rows, 0 of 1 foreign keys. Not there: a fk.");
}

TEST_CASE("of a restore that made nothing nothing stands") {
    archive::TocEntry schema;
    schema.dumpId = DumpId{1};
    schema.desc = "SCHEMA";
    schema.defn = "-- *not* creating schema, since initdb creates it\n";
    archive::TocEntry table;
    table.dumpId = DumpId{2};
    table.desc = "TABLE";
    archive::TocEntry rows;  // none, in a table that is not there
    rows.dumpId = DumpId{3};
    rows.desc = "TABLE DATA";
    Ledger ledger;
    ledger.expect({{Step::Kind::Define, {&schema, &table}}, {Step::Kind::Rows, {&rows}}});
    CHECK_FALSE(ledger.anyStands());
    ledger.done(schema);
    ledger.done(rows);
    ledger.failed(table);
    CHECK_FALSE(ledger.anyStands());
}
