// SPDX-License-Identifier: PostgreSQL
#include "tests/server/dump/script_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/io/checksum.h"

namespace gantry::test {
namespace {

constexpr std::size_t kContext = 2;
constexpr std::size_t kShown = 6;
constexpr std::size_t kLineShown = 300;

uint64_t hashOf(std::string_view text) {
    return io::checksumOf(std::as_bytes(std::span(text.data(), text.size())));
}

/// Takes the text apart line by line.
class Lines {
public:
    explicit Lines(std::string_view text) : left_(text) {}
    bool next(std::string_view& line) {
        if (left_.empty()) return false;
        const std::size_t end = std::min(left_.find('\n'), left_.size());
        line = left_.substr(0, end);
        left_.remove_prefix(std::min(end + 1, left_.size()));
        return true;
    }

private:
    std::string_view left_;
};

std::string rowsBehind(Lines& lines) {
    uint64_t rows = 0;
    uint64_t sum = 0;
    for (std::string_view row; lines.next(row);) {
        if (row == "\\.") return fmt::format("  {} rows, hash {:x}", rows, sum);
        ++rows;
        sum += hashOf(row);
    }
    return fmt::format("  {} rows without an end", rows);
}

std::string ownerLine(std::string_view line) {
    for (const std::string_view kind : {"VIEW ", "MATERIALIZED VIEW ", "SEQUENCE "}) {
        constexpr std::string_view kAlter = "ALTER ";
        if (!line.starts_with(kAlter) || !line.substr(kAlter.size()).starts_with(kind)) continue;
        return "ALTER TABLE " + std::string(line.substr(kAlter.size() + kind.size()));
    }
    return std::string(line);
}

/// Large objects in a row, told apart from whatever follows them.
class LargeObjects {
public:
    bool take(std::string_view line) {
        constexpr std::string_view kOpen = "SELECT pg_catalog.lo_open('";
        constexpr std::string_view kWrite = "SELECT pg_catalog.lowrite(0, '\\x";
        constexpr std::string_view kClose = "SELECT pg_catalog.lo_close(0);";
        if (line.starts_with(kOpen)) {
            object_ = std::string(line.substr(kOpen.size()));
            content_.clear();
        } else if (line.starts_with(kWrite)) {
            line.remove_prefix(kWrite.size());
            content_ += line.substr(0, line.find('\''));
        } else if (line == kClose) {
            found_[object_] = fmt::format("large object {} {} bytes, hash {:x}", object_,
                                          content_.size() / 2, hashOf(content_));
        } else {
            return false;
        }
        return true;
    }
    void putInto(std::vector<std::string>& lines) {
        for (auto& [object, text] : found_) lines.push_back(std::move(text));
        found_.clear();
    }

private:
    std::string object_;
    std::string content_;
    std::map<std::string, std::string> found_;
};

}  // namespace

std::vector<std::string> comparableScript(std::string_view script) {
    std::vector<std::string> comparable;
    LargeObjects objects;
    Lines lines(script);
    for (std::string_view line; lines.next(line);) {
        if (line.empty() || line.starts_with("--") || line.starts_with("\\restrict") ||
            line.starts_with("\\unrestrict") || objects.take(line)) {
            continue;
        }
        objects.putInto(comparable);
        comparable.push_back(ownerLine(line));
        if (line.starts_with("COPY ") && line.ends_with(" FROM stdin;")) {
            comparable.push_back(rowsBehind(lines));
        }
    }
    objects.putInto(comparable);
    return comparable;
}

std::string scriptDifference(const std::vector<std::string>& left,
                             const std::vector<std::string>& right) {
    const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
    if (a == left.end() && b == right.end()) return {};
    const auto at = static_cast<std::size_t>(a - left.begin());
    std::string text = fmt::format("line {} of {} and {}:", at, left.size(), right.size());
    const std::size_t begin = at < kContext ? 0 : at - kContext;
    for (const auto* side : {&left, &right}) {
        text += side == &left ? "\nleft" : "\nright";
        for (std::size_t i = begin; i < std::min(side->size(), at + kShown); ++i) {
            text += "\n  " + (*side)[i].substr(0, kLineShown);
        }
    }
    return text;
}

}  // namespace gantry::test
