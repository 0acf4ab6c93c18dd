// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>

#include "core/base/error.h"
#include "core/events/event_json.h"

namespace gantry::ui {

namespace fs = std::filesystem;

RunRecord readRecord(const fs::path& path) {
    std::ifstream file(path);
    if (!file) throw systemError("open", path.string(), errno);
    std::string line;
    std::getline(file, line);
    const std::optional<events::Event> event = events::fromJson(line);
    const auto* started = event ? std::get_if<events::RunStarted>(&event->payload) : nullptr;
    if (!started) {
        throw Error(ErrorKind::Format, "this is not the record of a run", path.string(),
                    "Choose a file that was written by Gantry or with --events.");
    }
    return {path, started->operation, started->database, started->startedAt};
}

std::vector<RunRecord> listRecords(const fs::path& folder, std::size_t most, std::size_t keep) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    }
    // Their names begin with the time.
    std::sort(files.begin(), files.end(), std::greater<>());
    for (std::size_t i = keep; i < files.size(); ++i) fs::remove(files[i], ignored);
    files.resize(std::min(files.size(), keep));
    std::vector<RunRecord> records;
    for (const fs::path& file : files) {
        if (records.size() == most) break;
        try {
            records.push_back(readRecord(file));
        } catch (const Error&) {
            continue;  // cut off at its very beginning, or somebody else's
        }
    }
    return records;
}

}  // namespace gantry::ui
