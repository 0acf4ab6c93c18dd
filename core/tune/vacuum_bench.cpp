// SPDX-License-Identifier: PostgreSQL
// Vacuums of the tables themselves, or of a copy that gets the same amount of dead rows before
// each.
#include <fmt/format.h>

#include "core/advise/advisor.h"
#include "core/dump/dump.h"
#include "core/restore/restore.h"
#include "core/restore/scratch_target.h"
#include "core/tune/bench.h"
#include "core/tune/dead_rows.h"
#include "core/vacuum/vacuum.h"

namespace gantry::tune {
namespace {

/// For the dump and the restore that make a copy; nobody looks at them.
class Unseen final : public events::EventSink {
public:
    void post(events::Payload) override {}
};

class VacuumBench final : public Bench {
public:
    VacuumBench(const options::TuneOptions& options, Voice voice)
        : options_(options), voice_(std::move(voice)) {}

    void look(const std::stop_token& stop) override {
        pg::Connection connection = pg::Connection::open(options_.connection, kApplication, stop);
        target_ = options_.connection;
        target_.password = connection.password();
        where_ = {connection.databaseName(), connection.server(), connection.serverVersionText()};
        encoding_ = connection.query("SHOW server_encoding").string(0, 0);
        tellLeftovers(connection, voice_.tell);
    }
    void setUp(const std::stop_token& stop) override {
        if (options_.copy) makeCopy(stop);
    }
    Place place() const override { return where_; }

    std::optional<advise::Curve> predict(std::vector<Point>& points, history::History& history,
                                         const std::stop_token& stop) override {
        const advise::VacuumQuestion question = advise::questionFor(vacuumOptions(), history, stop);
        for (Point& point : points) {
            point.foresee(advise::predictVacuum(question, point.setting.jobs));
        }
        return advise::adviseVacuum(question).curve;
    }
    const options::ConnectionOptions& target() const override { return target_; }

    void makeReady(const Setting&, const std::stop_token& stop) override {
        if (!copy_ || std::exchange(dirty_, false)) return;
        voice_.step("replacing a tenth of the rows");
        deadRows_->make(stop);
    }
    void run(const Setting& setting, events::EventSink& events,
             const std::stop_token& stop) override {
        options::VacuumOptions vacuum = vacuumOptions();
        vacuum.jobs = setting.jobs;
        vacuum::vacuum(vacuum, events, stop);
    }

    /// The copy was vacuumed when it was made.
    bool needsWarmUp() const override { return !options_.copy; }

    std::vector<std::string> remarks() const override {
        if (copy_) {
            return {
                "Measured on a copy of the database, in which a tenth of all rows was replaced "
                "before each vacuum: what your tables have to be cleaned of may be more or "
                "less."};
        }
        return {
            "The first vacuum took away what dead rows there were. Those that were measured "
            "read every page all the same, but found little to clean: where there are many "
            "dead rows, indexes take longer than these times tell (--copy measures that)."};
    }

private:
    options::VacuumOptions vacuumOptions() const {
        options::VacuumOptions vacuum;
        vacuum.connection = target_;
        if (copy_) return vacuum;
        vacuum.selection.schemas = options_.schemas;
        vacuum.selection.tables = options_.tables;
        vacuum.work.disablePageSkipping = true;
        return vacuum;
    }
    void makeCopy(const std::stop_token& stop);

    const options::TuneOptions options_;
    const Voice voice_;
    Place where_;
    std::string encoding_;
    options::ConnectionOptions target_;
    std::optional<restore::ScratchTarget> server_;
    std::optional<ScratchDatabase> copy_;
    std::optional<DeadRows> deadRows_;
    bool dirty_ = false;  ///< before the first vacuum
};

void VacuumBench::makeCopy(const std::stop_token& stop) {
    const ScratchFolder folder(options_.folder);
    Unseen unseen;
    voice_.step("copying the database");
    options::DumpOptions dump;
    dump.connection = target_;
    dump.output = folder.path() / "copy";
    dump.compression = io::parseCompression("zstd:1");
    dump.noSync = true;
    dump.clientToolsFolder = options_.clientToolsFolder;
    dump.selection.schemas = options_.schemas;
    dump.selection.tables = options_.tables;
    dump::dump(dump, unseen, stop);

    options::RestoreOptions restore;
    restore.connection = target_;
    restore.archive = dump.output;
    restore.failedList = folder.path() / "failed.list";
    restore.content.noOwner = true;
    restore.content.noPrivileges = true;
    restore.content.noTablespaces = true;
    if (options_.scratch) {
        server_.emplace(restore::makeScratchTarget(
            restore, [this](std::string_view step) { voice_.step(std::string(step)); }, stop));
        target_ = server_->options.connection;
        where_.serverVersion = server_->server.info().version;
    }
    copy_.emplace(target_, encoding_, voice_.tell, stop);
    target_ = restore.connection = copy_->connection();
    voice_.step("copying the database");
    restore::restore(restore, unseen, stop);
    // What was just loaded has never been vacuumed, unlike what it is a copy of: that the first
    // vacuum reads all of it says nothing of the next ones.
    options::VacuumOptions vacuum;
    vacuum.connection = target_;
    vacuum::vacuum(vacuum, unseen, stop);
    deadRows_.emplace(target_, stop);
    voice_.step("replacing a tenth of the rows");
    deadRows_->make(stop);
    dirty_ = true;
}

}  // namespace

std::unique_ptr<Bench> makeVacuumBench(const options::TuneOptions& options, Voice voice) {
    return std::make_unique<VacuumBench>(options, std::move(voice));
}

}  // namespace gantry::tune
