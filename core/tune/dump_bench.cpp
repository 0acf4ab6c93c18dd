// SPDX-License-Identifier: PostgreSQL
// Dumps of one database, let go or written and removed again.
#include <fmt/format.h>

#include "core/advise/dump_facts.h"
#include "core/archive/nowhere_writer.h"
#include "core/dump/dump.h"
#include "core/history/forecast.h"
#include "core/tune/bench.h"

namespace gantry::tune {
namespace {

namespace fs = std::filesystem;

class DumpBench final : public Bench {
public:
    DumpBench(const options::TuneOptions& options, Voice voice, fs::path history)
        : options_(options), voice_(std::move(voice)), history_(std::move(history)) {}

    void look(const std::stop_token& stop) override {
        const pg::Connection connection =
            pg::Connection::open(options_.connection, "gantry tune", stop);
        where_ = {connection.databaseName(), connection.server(), connection.serverVersionText()};
    }
    void setUp(const std::stop_token&) override {
        if (options_.targetOrUsual() == options::TuneTarget::Disk) folder_.emplace(options_.folder);
    }
    Place place() const override { return where_; }

    void predict(std::vector<Point>& points, const std::stop_token& stop) override;

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
    const fs::path history_;
    std::optional<ScratchFolder> folder_;
    Place where_;
};

void DumpBench::predict(std::vector<Point>& points, const std::stop_token& stop) {
    pg::Connection connection = pg::Connection::open(options_.connection, "gantry tune", stop);
    advise::DumpQuestion question;
    question.surroundings = advise::collectSurroundings(connection);
    question.workload = advise::collectWorkload(connection, dumpOptions({}));
    for (Point& point : points) {
        const options::DumpOptions dump = dumpOptions(point.setting);
        question.rates =
            advise::usualRates(dump.format, dump.compression, question.surroundings.serverMajor);
        if (!history_.empty()) {
            history::History history(history_);
            question.rates =
                history::dumpRates(history, question.surroundings, dump.format, dump.compression);
        }
        const auto predicted = advise::predictDump(question, point.setting.jobs);
        point.predicted = predicted.seconds;
        point.lowerBound = predicted.lowerBound;
    }
}

}  // namespace

std::unique_ptr<Bench> makeDumpBench(const options::TuneOptions& options, Voice voice,
                                     fs::path history) {
    return std::make_unique<DumpBench>(options, std::move(voice), std::move(history));
}

}  // namespace gantry::tune
