// SPDX-License-Identifier: PostgreSQL
#include "core/restore/scratch_target.h"

#include <set>

#include "core/archive/archive_reader.h"
#include "core/pg/connection.h"
#include "core/restore/archive_needs.h"
#include "core/restore/sql_script.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kSuperuser = "postgres";

/// What an archive takes for granted, in few words.
struct Wants {
    std::set<std::string> roles;
    std::string database;
    std::string encoding;
};

Wants wantsOfArchive(const options::RestoreOptions& options) {
    const auto reader = archive::openArchive(options.archive);
    const Choice choice = choose(reader->toc(), options);
    const ArchiveNeeds needs = needsOf(choice, {}, reader->toc(), options);
    Wants wants{.roles = {},
                .database = reader->toc().databaseName.value_or(""),
                .encoding = needs.encoding};
    for (const auto* names : {&needs.owners, &needs.grantees}) {
        for (const auto& [role, objects] : *names) wants.roles.insert(role);
    }
    return wants;
}

Wants wantsOfScript(const options::RestoreOptions& options) {
    Wants wants{.roles = {}, .database = options.archive.stem().stem().string(), .encoding = {}};
    constexpr std::string_view kCreate = "CREATE ROLE ";
    std::set<std::string> created;  // by the script itself
    SqlScript script(options.archive);
    while (const auto piece = script.next()) {
        if (piece->copiesIn) script.readRows([](std::span<const std::byte>) {});
        const bool creates = piece->text.starts_with(kCreate);
        const std::string text =
            creates ? "ALTER ROLE " + piece->text.substr(kCreate.size()) : piece->text;
        for (std::string& role : rolesNamedIn(text)) {
            (creates ? created : wants.roles).insert(std::move(role));
        }
    }
    for (const std::string& role : created) wants.roles.erase(role);
    return wants;
}

}  // namespace

ScratchTarget makeScratchTarget(const options::RestoreOptions& options,
                                std::function<void(std::string_view)> onStep,
                                const std::stop_token& stop) {
    Wants wants = isScript(options.archive) ? wantsOfScript(options) : wantsOfArchive(options);
    if (wants.database.empty() || options.content.create) wants.database = kSuperuser;
    scratch::ScratchOptions server;
    server.onStep = std::move(onStep);
    ScratchTarget target{.server = scratch::ScratchServer::start(server, stop),
                         .options = options,
                         .database = wants.database};
    target.options.scratch = false;
    target.options.connection = {};
    target.options.connection.database = target.server.info().conninfo();
    if (!isScript(options.archive)) {
        target.options.content.noTablespaces = true;
        target.options.content.createSchemas = true;
    }
    pg::Connection connection =
        pg::Connection::open(target.options.connection, "gantry restore: scratch", stop);
    wants.roles.erase(std::string(kSuperuser));
    for (const std::string& role : wants.roles) {
        if (role.starts_with("pg_")) continue;  // every server has them
        connection.execute("CREATE ROLE " + pg::quoteIdentifier(role));
    }
    if (wants.database != kSuperuser) {
        connection.execute(
            "CREATE DATABASE " + pg::quoteIdentifier(wants.database) + " TEMPLATE template0" +
            (wants.encoding.empty() ? std::string()
                                    : " ENCODING " + pg::quoteLiteral(wants.encoding)));
    }
    target.options.connection.database = target.server.info().conninfo(wants.database);
    return target;
}

}  // namespace gantry::restore
