// SPDX-License-Identifier: PostgreSQL
#include "app/headless/tune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/headless/quantity.h"
#include "core/options/option.h"

namespace gantry::headless {
namespace {

using tune::Point;
using tune::Row;

constexpr std::string_view kGap = "  ";

/// A column of the table; what is left empty in every line is not shown.
struct Column {
    std::string title;
    std::vector<std::string> cells;
    bool left = false;

    bool isEmpty() const {
        return std::all_of(cells.begin(), cells.end(),
                           [](const std::string& cell) { return cell.empty(); });
    }
};

std::string seconds(double value) { return fmt::format("{:.{}f}", value, value < 99.95 ? 2 : 0); }
std::string percentText(double share) { return fmt::format("{:.0f}%", share * 100); }

uint64_t archiveBytes(const Point& point) {
    return point.samples.empty() ? 0 : point.samples.back().archiveBytes;
}

std::vector<Column> columnsFor(const tune::Report& report) {
    enum { Jobs, Format, Codec, Seconds, Spread, Predicted, SpeedUp, Efficiency, Archive, Note };
    std::vector<Column> columns{{"jobs", {}},     {"format", {}, true}, {"codec", {}, true},
                                {"seconds", {}},  {"spread", {}},       {"predicted", {}},
                                {"speed-up", {}}, {"efficiency", {}},   {"archive", {}},
                                {"", {}, true}};
    for (const Row& row : tune::rowsOf(report)) {
        const Point& point = report.points[row.point];
        std::vector<std::string> cells(columns.size());
        cells[Jobs] = std::to_string(point.setting.jobs);
        if (point.setting.format) cells[Format] = archive::toString(*point.setting.format);
        if (point.setting.compression) cells[Codec] = io::toString(*point.setting.compression);
        if (point.predicted) cells[Predicted] = seconds(*point.predicted);
        if (point.measured()) {
            cells[Seconds] = seconds(point.median());
            cells[SpeedUp] = fmt::format("{:.2f}", row.speedUp);
            cells[Efficiency] = percentText(row.efficiency);
            if (point.samples.size() > 1) cells[Spread] = percentText(point.spread());
            if (archiveBytes(point) > 0) cells[Archive] = humanBytes(archiveBytes(point));
        }
        cells[Note] = row.note;
        for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
    }
    std::erase_if(columns, [](const Column& column) { return column.isEmpty(); });
    return columns;
}

std::string renderTable(const std::vector<Column>& columns) {
    std::vector<std::string> lines(columns.empty() ? 0 : columns.front().cells.size() + 1);
    for (const Column& column : columns) {
        std::size_t width = columnsOf(column.title);
        for (const std::string& cell : column.cells) width = std::max(width, columnsOf(cell));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string& cell = i == 0 ? column.title : column.cells[i - 1];
            const std::string padding(width - columnsOf(cell), ' ');
            lines[i] += kGap;
            lines[i] += column.left ? cell + padding : padding + cell;
        }
    }
    std::string text;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string times(uint32_t round) {
    switch (round) {
        case 0:
            return "a first time, which does not count";
        case 1:
            return "first time";
        case 2:
            return "second time";
        case 3:
            return "third time";
        default:
            return fmt::format("{}th time", round);
    }
}

}  // namespace

std::string renderMeasurement(const tune::Report& report, const tune::Sweep::Measurement& now,
                              std::size_t number, std::size_t all) {
    return fmt::format("{} of {}  {}, {}", number, all,
                       tune::describe(report.points[now.point].setting), times(now.round));
}

std::string renderSweep(const tune::Report& report, const TextStyle& style) {
    std::string text = printable(tune::subjectOf(report));
    if (!report.where.serverVersion.empty()) {
        const std::string& version = report.where.serverVersion;
        text += fmt::format(", PostgreSQL {}", version.substr(0, version.find(' ')));
    }
    text += fmt::format(", {} here\n\n{}\n", counted(report.cores, "core"),
                        renderTable(columnsFor(report)));
    std::string advice;
    for (const std::string& sentence : tune::adviceInWords(report)) {
        advice += (advice.empty() ? "" : " ") + oneLine(sentence);
    }
    constexpr std::size_t kWidest = 100;
    if (!advice.empty()) {
        text += options::wrapText(advice, std::min(style.width, kWidest), 0) + '\n';
    }
    return text;
}

}  // namespace gantry::headless
