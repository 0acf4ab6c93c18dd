// SPDX-License-Identifier: PostgreSQL
// Restores of one archive, each into a database of its own that is dropped again.
#include <fmt/format.h>

#include "core/advise/advisor.h"
#include "core/archive/archive_reader.h"
#include "core/restore/restore.h"
#include "core/restore/scratch_target.h"
#include "core/restore/sql_script.h"
#include "core/tune/bench.h"

namespace gantry::tune {
namespace {

class RestoreBench final : public Bench {
public:
    RestoreBench(const options::TuneOptions& options, Voice voice)
        : options_(options), voice_(std::move(voice)) {}

    void look(const std::stop_token& stop) override {
        if (restore::isScript(options_.archive)) {
            throw Error(ErrorKind::Preflight,
                        "a plain script is restored over one connection: there is nothing to "
                        "compare",
                        options_.archive.string(),
                        "Name an archive in the directory, custom or tar format.");
        }
        encoding_ = encodingOf(archive::openArchive(options_.archive)->toc());
        if (options_.scratch) return;
        target_ = options_.connection;
        lookAtServer(stop);
    }
    void setUp(const std::stop_token& stop) override {
        folder_.emplace(options_.folder);
        if (!options_.scratch) return;
        server_.emplace(restore::makeScratchTarget(
            restoreOptions(), [this](std::string_view step) { voice_.step(std::string(step)); },
            stop));
        target_ = server_->options.connection;
        lookAtServer(stop);
    }
    Place place() const override { return where_; }

    std::optional<advise::Curve> predict(std::vector<Point>& points, history::History& history,
                                         const std::stop_token& stop) override {
        if (target_.database.empty()) return std::nullopt;  // the server is not there yet
        options::RestoreOptions restore = restoreOptions();
        restore.connection = target_;
        const advise::RestoreQuestion question = advise::questionFor(restore, history, stop);
        for (Point& point : points) {
            point.foresee(advise::predictRestore(question, point.setting.jobs));
        }
        return advise::adviseRestore(question).curve;
    }
    const options::ConnectionOptions& target() const override { return target_; }

    void makeReady(const Setting&, const std::stop_token& stop) override {
        database_.emplace(target_, encoding_, voice_.tell, stop);
    }
    void run(const Setting& setting, events::EventSink& events,
             const std::stop_token& stop) override {
        options::RestoreOptions restore = restoreOptions();
        restore.connection = database_->connection();
        restore.jobs = setting.jobs;
        restore::restore(restore, events, stop);
    }
    void tidyUp() override { database_.reset(); }

    std::vector<std::string> remarks() const override {
        if (!server_) {
            return {
                "Each restore went into a database of its own on the server, without owners, "
                "privileges and tablespaces."};
        }
        return {
            fmt::format("Measured on a throwaway server (PostgreSQL {}) with settings of its "
                        "own: on yours, with others, times differ.",
                        server_->server.info().version)};
    }

private:
    void lookAtServer(const std::stop_token& stop) {
        pg::Connection connection = pg::Connection::open(target_, kApplication, stop);
        target_.password = connection.password();
        where_ = {connection.databaseName(), connection.server(), connection.serverVersionText()};
        tellLeftovers(connection, voice_.tell);
    }

    static std::string encodingOf(const archive::Toc& toc) {
        for (const archive::TocEntry& entry : toc.entries) {
            if (entry.description() != "ENCODING") continue;
            const std::string text = entry.defn.value_or("");
            const std::size_t begin = text.find('\'');
            const std::size_t end = text.rfind('\'');
            if (begin < end) return text.substr(begin + 1, end - begin - 1);
        }
        return {};
    }

    options::RestoreOptions restoreOptions() const {
        options::RestoreOptions restore;
        restore.connection = options_.connection;
        restore.archive = options_.archive;
        restore.selection.schemas = options_.schemas;
        restore.selection.tables = options_.tables;
        restore.content.noOwner = true;
        restore.content.noPrivileges = true;
        restore.content.noTablespaces = true;
        if (folder_) restore.failedList = folder_->path() / "failed.list";
        return restore;
    }

    const options::TuneOptions options_;
    const Voice voice_;
    std::string encoding_;
    Place where_;
    std::optional<ScratchFolder> folder_;
    std::optional<restore::ScratchTarget> server_;
    options::ConnectionOptions target_;
    std::optional<ScratchDatabase> database_;
};

}  // namespace

std::unique_ptr<Bench> makeRestoreBench(const options::TuneOptions& options, Voice voice) {
    return std::make_unique<RestoreBench>(options, std::move(voice));
}

}  // namespace gantry::tune
