// SPDX-License-Identifier: PostgreSQL
#include "core/restore/sql_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace gantry::restore {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
/// No server takes a longer one.
constexpr std::size_t kLongestStatement = std::size_t{1} << 30;
constexpr std::size_t kTail = 1024;
constexpr std::string_view kEndOfRows = "\\.";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// What a script says at its end if it begins like this; pg_dump's and pg_dumpall's.
std::string lastCommentOf(std::string_view start) {
    for (const std::string_view what : {"database dump", "database cluster dump"}) {
        const std::string comment = fmt::format("-- PostgreSQL {}", what);
        if (start.starts_with(fmt::format("--\n{}\n", comment))) return comment + " complete\n";
    }
    return {};
}

struct RowsEnd {
    std::size_t bytes = 0;  ///< that are rows for sure
    bool found = false;     ///< the line that ends them follows
};

/// `last`: no more text comes.
RowsEnd findRowsEnd(std::string_view text, bool atLineStart, bool last) {
    const auto lineAfter = [&](std::size_t from) {
        const std::size_t at = text.find("\n\\.", from);
        return at == text.npos ? at : at + 1;
    };
    std::size_t at = atLineStart && text.starts_with(kEndOfRows) ? 0 : lineAfter(0);
    for (; at != text.npos; at = lineAfter(at + 1)) {
        const std::string_view behind = text.substr(at + kEndOfRows.size());
        const bool cut = behind.empty() || behind == "\r";
        if (cut && !last) return {at, false};
        if (cut || behind.starts_with('\n') || behind.starts_with("\r\n")) return {at, true};
    }
    // What ends the rows may have arrived in part.
    for (const std::string_view part : {"\n\\", "\n"}) {
        if (!last && text.ends_with(part)) return {text.size() - part.size() + 1, false};
    }
    if (!last && atLineStart && text == "\\") return {0, false};
    return {text.size(), false};
}

}  // namespace

bool isScript(const std::filesystem::path& path) {
    std::error_code unreadable;  // which opening it then tells
    if (std::filesystem::is_directory(path, unreadable)) return false;
    const File file = File::openForRead(path);
    return archive::isText(file);
}

SqlScript::SqlScript(const std::filesystem::path& path)
    : name_(path.filename().string()),
      file_(std::make_shared<const File>(File::openForRead(path))),
      source_(archive::openScript(file_)) {}

void SqlScript::setSession(bool standardStrings, const std::string& encoding) {
    splitter_.setStandardStrings(standardStrings);
    splitter_.setEncoding(encoding);
}

std::string SqlScript::place(uint64_t line) const {
    return fmt::format("{}, line {}", name_, line);
}

void SqlScript::endsEarly(uint64_t line, std::string message) const {
    throw Error(ErrorKind::Format, std::move(message), place(line),
                "The script was cut off: get the whole of it.");
}

bool SqlScript::readMore() {
    piece_.resize(kPiece);
    const std::size_t got = source_->read(std::as_writable_bytes(std::span(piece_)));
    piece_.resize(got);
    if (got == 0) return false;
    if (textBytes_ == 0) {
        lastComment_ = lastCommentOf(piece_);
        if (piece_.starts_with(kByteOrderMark)) piece_.erase(0, kByteOrderMark.size());
    }
    textBytes_ += got;
    if (piece_.size() < kTail) {
        tail_ += piece_;
        if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
    } else {
        tail_ = piece_.substr(piece_.size() - kTail);
    }
    return true;
}

void SqlScript::requireEnd() const {
    if (lastComment_.empty() || tail_.find(lastComment_) != std::string::npos) return;
    endsEarly(splitter_.line(), "the comment that ends every dump is missing");
}

std::optional<SqlPiece> SqlScript::next() {
    for (;;) {
        if (auto piece = splitter_.next()) {
            rowsFrom_ = piece->copiesIn ? piece->line : 0;
            return piece;
        }
        if (splitter_.pending() > kLongestStatement) {
            throw Error(ErrorKind::Format,
                        fmt::format("a statement of more than {}, which no server takes",
                                    formatBytes(kLongestStatement)),
                        place(splitter_.line()), "Look for a quote that is not closed.");
        }
        if (readMore()) {
            splitter_.add(piece_);
            continue;
        }
        requireEnd();
        splitter_.finish();
        auto last = splitter_.next();
        if (!last && !splitter_.isAtEnd()) {
            endsEarly(splitter_.line(), "the script ends in the middle of a statement");
        }
        return last;
    }
}

void SqlScript::readRows(const Take& take) {
    const uint64_t begin = std::exchange(rowsFrom_, 0);
    std::string text = splitter_.takeRest();
    const auto cutOff = [&] {
        endsEarly(begin, "the script ends within the rows of this COPY: the line \\. is missing");
    };
    std::size_t rest = text.find('\n');
    while (rest == std::string::npos) {
        if (!readMore()) cutOff();
        text += piece_;
        rest = text.find('\n');
    }
    if (text.find_first_not_of(" \t\r") < rest) {
        throw Error(ErrorKind::Format, "something stands behind COPY … FROM stdin on its line",
                    place(begin), "Put it on a line behind the rows.");
    }
    splitter_.countLines(1);
    text.erase(0, rest + 1);
    bool atLineStart = true;
    for (bool last = false;; last = !readMore(), text += piece_) {
        const RowsEnd end = findRowsEnd(text, atLineStart, last);
        if (end.bytes > 0) {
            const std::string_view rows = std::string_view(text).substr(0, end.bytes);
            take(bytesOf(rows));
            splitter_.countLines(static_cast<uint64_t>(std::count(rows.begin(), rows.end(), '\n')));
            atLineStart = rows.back() == '\n';
            text.erase(0, end.bytes);
        }
        if (end.found) {
            splitter_.add(std::string_view(text).substr(kEndOfRows.size()));
            return;
        }
        if (last) cutOff();
    }
}

}  // namespace gantry::restore
