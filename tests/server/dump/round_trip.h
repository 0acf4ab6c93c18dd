// SPDX-License-Identifier: PostgreSQL
// What the tests of dumps share: databases to dump, dumps, restores by stock tools, comparisons.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/events/event.h"
#include "core/options/dump_options.h"
#include "tests/support/cluster.h"

namespace gantry::test {

/// A file or folder below tests/data.
std::filesystem::path testData(const std::filesystem::path& name);

/// Client programs of this major version, or of the next newer one that has some: those that a
/// server of that version is used with.
ServerPrograms clientToolsFor(int serverMajor);

/// Makes CREATE EXTENSION gantry_config work there.
void installTestExtension(const Cluster& cluster);
/// Fills an empty UTF8 database of a server 12 or later with one of each kind of object.
void loadEveryObject(const Cluster& cluster, const std::string& database);
/// Runs a file of statements with psql; `encoding` is the file's.
void loadFile(const Cluster& cluster, const std::string& database,
              const std::filesystem::path& file, const std::string& encoding = "UTF8");

/// What a dump told of itself.
class EventRecord final : public events::EventSink {
public:
    void post(events::Payload payload) override;

    /// All of one kind, in order.
    template <class Kind>
    std::vector<Kind> all() const {
        std::vector<Kind> found;
        const std::lock_guard lock(mutex_);
        for (const events::Payload& payload : payloads_) {
            if (const Kind* one = std::get_if<Kind>(&payload)) found.push_back(*one);
        }
        return found;
    }
    /// Chunks that tables were read in; an undivided table counts as one.
    std::size_t tableSpans() const;

private:
    mutable std::mutex mutex_;
    std::vector<events::Payload> payloads_;
};

/// Two jobs, tables of more than a page divided, client programs of the server's version.
options::DumpOptions dumpOptions(const Cluster& cluster, const std::string& database,
                                 const std::filesystem::path& output,
                                 archive::Format format = archive::Format::Directory,
                                 const std::string& compression = {});
/// Dumps to the end; throws what the run throws.
EventRecord& runDump(const options::DumpOptions& options, EventRecord& events);
void runDump(const options::DumpOptions& options);

/// pg_dump's own archive of "source", in the format of that letter.
void writeStock(const Cluster& cluster, const ServerPrograms& tools, const std::string& letter,
                const std::filesystem::path& path, const std::vector<std::string>& more = {});

/// Restores into `database`, which is made (from template0, with `databaseExtra`) first, with
/// pg_restore of this version, or psql for a plain script. Throws if there was a single error.
void restore(const Cluster& target, const std::string& database,
             const std::filesystem::path& archive, archive::Format format,
             const ServerPrograms& tools, const std::vector<std::string>& arguments = {},
             const std::string& databaseExtra = {});

/// A plain script, decoded if it is compressed.
std::string readScript(const std::filesystem::path& path);

/// What compare-databases says is different; empty if nothing is.
std::string differences(const std::string& left, const std::string& right,
                        const ServerPrograms& tools,
                        const std::vector<std::string>& arguments = {});

/// Drops a database that may hold subscriptions.
void dropDatabase(const Cluster& cluster, const std::string& database);

}  // namespace gantry::test
