// SPDX-License-Identifier: PostgreSQL
// Dumps of one database, let go or written and removed again.
#include <utility>

#include "core/advise/advisor.h"
#include "core/dump/dump.h"
#include "core/tune/bench.h"

namespace gantry::tune {
namespace {

namespace fs = std::filesystem;

class DumpBench final : public Bench {
public:
    DumpBench(const options::TuneOptions& options, Voice voice)
        : options_(options), voice_(std::move(voice)) {}

    void look(const std::stop_token& stop) override {
        pg::Connection connection = pg::Connection::open(options_.connection, kApplication, stop);
        where_ = {connection.databaseName(), connection.server(), connection.serverVersionText()};
        tellLeftovers(connection, voice_.tell);
    }
    void setUp(const std::stop_token&) override {
        if (options_.targetOrUsual() == options::TuneTarget::Disk) folder_.emplace(options_.folder);
    }
    Place place() const override { return where_; }

    std::optional<advise::Curve> predict(std::vector<Point>& points, history::History& history,
                                         const std::stop_token& stop) override;
    const options::ConnectionOptions& target() const override { return options_.connection; }

    void run(const Setting& setting, events::EventSink& events,
             const std::stop_token& stop) override {
        dump::dump(dumpOptions(setting), events, stop);
    }

    void tidyUp() override {
        if (!folder_) return;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(folder_->path(), ignored)) {
            fs::remove_all(entry.path(), ignored);
        }
    }

    bool needsWarmUp() const override { return true; }

    std::vector<std::string> remarks() const override {
        if (folder_) return {};
        return {"What was read was let go: add to these times what the disk of a real dump needs."};
    }

private:
    options::DumpOptions dumpOptions(const Setting& setting) const {
        options::DumpOptions dump;
        dump.connection = options_.connection;
        dump.output = folder_ ? folder_->path() / "archive" : fs::path("/dev/null");
        dump.clientToolsFolder = options_.clientToolsFolder;
        dump.jobs = setting.jobs;
        if (setting.format) dump.format = *setting.format;
        dump.compression = setting.compression;
        dump.selection.schemas = options_.schemas;
        dump.selection.tables = options_.tables;
        return dump;
    }

    const options::TuneOptions options_;
    const Voice voice_;
    std::optional<ScratchFolder> folder_;
    Place where_;
};

std::optional<advise::Curve> DumpBench::predict(std::vector<Point>& points,
                                                history::History& history,
                                                const std::stop_token& stop) {
    std::optional<advise::Curve> advised;
    for (const std::vector<std::size_t>& series : seriesOf(points)) {
        options::DumpOptions dump = dumpOptions(points[series.front()].setting);
        if (!folder_) dump.output.clear();  // no disk takes part
        advise::DumpQuestion question = advise::questionFor(dump, history, stop);
        question.codecs.clear();  // it is settled
        for (const std::size_t i : series) {
            points[i].foresee(advise::predictDump(question, points[i].setting.jobs));
        }
        if (!advised) advised = advise::adviseDump(question).curve;
    }
    return advised;
}

}  // namespace

std::unique_ptr<Bench> makeDumpBench(const options::TuneOptions& options, Voice voice) {
    return std::make_unique<DumpBench>(options, std::move(voice));
}

}  // namespace gantry::tune
