// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/verbose.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/pg/sql_state.h"

namespace gantry::vacuum {
namespace {

/// Reads a text from its beginning.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool take(std::string_view expected) {
        if (!text_.starts_with(expected)) return false;
        text_.remove_prefix(expected.size());
        return true;
    }
    /// Goes on behind the next `mark`.
    bool skipTo(std::string_view mark) {
        const std::size_t at = text_.find(mark);
        if (at == std::string_view::npos) return false;
        text_.remove_prefix(at + mark.size());
        return true;
    }
    /// What stands in quotes; the server prints names with quotes in them as they are, so that the
    /// closing one is the last before `behind`.
    std::optional<std::string> quoted(std::string_view behind) {
        if (!take("\"")) return std::nullopt;
        const std::string end = "\"" + std::string(behind);
        const std::size_t at = text_.find(end);
        if (at == std::string_view::npos) return std::nullopt;
        std::string name(text_.substr(0, at));
        text_.remove_prefix(at + end.size());
        return name;
    }
    std::optional<std::string> quotedToTheEnd() {
        if (text_.size() < 2 || text_.front() != '"' || text_.back() != '"') return std::nullopt;
        return std::string(text_.substr(1, text_.size() - 2));
    }
    std::optional<uint64_t> number() {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc()) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return value;
    }
    std::string_view rest() const { return text_; }

private:
    std::string_view text_;
};

std::optional<Duration> elapsedIn(std::string_view detail) {
    Scanner scanner(detail);
    if (!scanner.skipTo("elapsed: ")) return std::nullopt;
    const double seconds = std::strtod(std::string(scanner.rest()).c_str(), nullptr);
    return Duration(std::llround(seconds * 1e6));
}

std::optional<Told> helpers(Scanner text) {
    HelpersBegun told;
    const auto launched = text.number();
    if (!launched || !text.take(" parallel vacuum worker")) return std::nullopt;
    told.launched = static_cast<uint32_t>(*launched);
    told.cleanUp = text.rest().find("index cleanup") != std::string_view::npos;
    if (text.skipTo("planned: ")) told.planned = static_cast<uint32_t>(text.number().value_or(0));
    return told;
}

bool isByHelper(const pg::ServerNotice& notice) {
    return notice.message.find("parallel vacuum worker") != std::string::npos ||
           notice.context.find("parallel worker") != std::string::npos;
}

std::optional<Told> scannedIndex(Scanner text, const pg::ServerNotice& notice) {
    IndexDone told;
    const auto index = text.quoted(" to remove ");
    if (!index) return std::nullopt;
    told.index = *index;
    told.rows = text.number().value_or(0);
    told.byHelper = isByHelper(notice);
    told.took = elapsedIn(notice.detail);
    return told;
}

std::optional<Told> cleanedIndex(Scanner text, const pg::ServerNotice& notice) {
    IndexDone told;
    const auto index = text.quoted(" now contains ");
    if (!index) return std::nullopt;
    told.index = *index;
    told.cleanUp = true;
    told.rows = Scanner(notice.detail).number().value_or(0);
    told.byHelper = isByHelper(notice);
    told.took = elapsedIn(notice.detail);
    return told;
}

std::optional<Told> finished(Scanner text) {
    TableDone told;
    const auto table = text.quoted(": index scans: ");
    if (!table) return std::nullopt;
    told.table = *table;
    told.indexPasses = static_cast<uint32_t>(text.number().value_or(0));
    if (text.skipTo("tuples: ")) {
        told.removed = text.number().value_or(0);
        if (text.skipTo(" remain, ")) told.kept = text.number().value_or(0);
    }
    return told;
}

/// Up to 14, and of VACUUM FULL in every version.
std::optional<Told> found(Scanner text, const pg::ServerNotice& notice) {
    TableDone told;
    text.take("table ");
    const auto table = text.quoted(": found ");
    if (!table) return std::nullopt;
    told.table = *table;
    told.removed = text.number().value_or(0);
    told.kept = Scanner(notice.detail).number().value_or(0);
    return told;
}

Skipped skipped(const pg::ServerNotice& notice) {
    Skipped told;
    told.message = notice.message;
    Scanner text(notice.message);
    if (text.skipTo("\"")) {
        const std::string_view rest = text.rest();
        told.table = rest.substr(0, std::min(rest.find('"'), rest.size()));
    }
    const auto says = [&](std::string_view part) {
        return notice.message.find(part) != std::string::npos;
    };
    if (notice.sqlState == pg::sql_state::kLockNotAvailable || says("lock not available")) {
        told.why = Skipped::Why::Locked;
    } else if (notice.sqlState == pg::sql_state::kUndefinedTable || says("no longer exists")) {
        told.why = Skipped::Why::Gone;
    } else if (notice.sqlState == pg::sql_state::kInsufficientPrivilege ||
               says("permission denied") || says("--- only ")) {
        told.why = Skipped::Why::NotPermitted;
    }
    return told;
}

}  // namespace

std::optional<Told> understand(const pg::ServerNotice& notice) {
    if (notice.severity == "WARNING") return skipped(notice);
    Scanner text(notice.message);
    if (text.take("launched ")) return helpers(text);
    if (text.take("scanned index ")) return scannedIndex(text, notice);
    if (text.take("index ")) return cleanedIndex(text, notice);
    if (text.take("finished vacuuming ")) return finished(text);
    if (text.take("aggressively vacuuming ") || text.take("vacuuming ")) {
        if (auto table = text.quotedToTheEnd()) return TableBegun{.table = *table};
        return std::nullopt;
    }
    if (text.take("analyzing ")) {
        // `"public.t" inheritance tree` is a second look at the same table.
        if (auto table = text.quotedToTheEnd()) return TableBegun{.table = *table, .analyze = true};
        return std::nullopt;
    }
    return found(text, notice);
}

}  // namespace gantry::vacuum
