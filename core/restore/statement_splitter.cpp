// SPDX-License-Identifier: PostgreSQL
#include "core/restore/statement_splitter.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::restore {
namespace {

constexpr std::size_t kLongestWord = 32;  // of those that matter
constexpr unsigned kFirstWords = 4;       // CREATE OR REPLACE FUNCTION

bool isHigh(char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool beginsWord(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || isHigh(c); }
bool isOfTag(char c) { return beginsWord(c) || isDigit(c); }
bool isOfWord(char c) { return isOfTag(c) || c == '$'; }
bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

}  // namespace

void StatementSplitter::setEncoding(const std::string& name) {
    // Those that are for clients alone, since no server could work with them.
    constexpr std::array<std::string_view, 7> kUnsafe{"SJIS",    "BIG5",  "GBK",           "UHC",
                                                      "GB18030", "JOHAB", "SHIFT_JIS_2004"};
    const int number = pg_char_to_encoding(name.c_str());
    const std::string_view known = number < 0 ? "" : pg_encoding_to_char(number);
    const bool unsafe = std::find(kUnsafe.begin(), kUnsafe.end(), known) != kUnsafe.end();
    unsafeEncoding_ = unsafe ? number : -1;
}

void StatementSplitter::add(std::string_view text) {
    text_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    text_ += text;
}

std::string StatementSplitter::takeRest() {
    std::string rest = text_.substr(scanned_);
    text_.clear();
    begin_ = scanned_ = 0;
    return rest;
}

bool StatementSplitter::isOpen() const {
    const bool inside = state_ == State::Literal || state_ == State::Name ||
                        state_ == State::Dollar || state_ == State::BlockComment;
    return inside || parentheses_ > 0 || bodyDepth_ > 0;
}

void StatementSplitter::begin() {
    if (begun_) return;
    begun_ = true;
    begin_ = scanned_;
    beginLine_ = line_;
}

void StatementSplitter::advance(std::size_t count) {
    const std::size_t end = std::min(scanned_ + count, text_.size());
    for (; scanned_ < end; ++scanned_) {
        if (text_[scanned_] != '\n') continue;
        ++line_;
        lineEnded_ = true;
    }
    if (!begun_) begin_ = scanned_;
}

SqlPiece StatementSplitter::take(SqlPiece::Kind kind, std::size_t end) {
    SqlPiece piece{.kind = kind,
                   .text = text_.substr(begin_, end - begin_),
                   .firstWords = std::move(firstWords_),
                   .line = beginLine_,
                   .copiesIn = copiesIn_};
    begin_ = scanned_;
    begun_ = copiesIn_ = mayGoOn_ = touchesWord_ = false;
    words_ = parentheses_ = bodyDepth_ = 0;
    word_.clear();
    wordBefore_.clear();
    firstWords_.clear();
    return piece;
}

std::optional<SqlPiece> StatementSplitter::next() {
    while (scanned_ < text_.size()) {
        switch (look()) {
            case Found::Nothing:
                break;
            case Found::More:
                return std::nullopt;
            case Found::Statement:
                return take(SqlPiece::Kind::Statement, scanned_);
            case Found::Command: {
                const std::size_t end = std::min(text_.find('\n', scanned_), text_.size());
                if (end == text_.size() && !finished_) return std::nullopt;
                const bool cutsIn = std::exchange(begun_, false);
                begin();
                scanned_ = end;  // the line end is for the statement that follows
                SqlPiece piece = take(SqlPiece::Kind::Command, end);
                piece.cutsIn = cutsIn;
                return piece;
            }
        }
    }
    if (!finished_ || !begun_) return std::nullopt;
    if (state_ == State::Word) endWord();
    if (isOpen()) return std::nullopt;
    state_ = State::Plain;
    return take(SqlPiece::Kind::Statement, scanned_);
}

StatementSplitter::Found StatementSplitter::look() {
    if (skip_ > 0) {
        const std::size_t count = std::min(skip_, text_.size() - scanned_);
        skip_ -= count;
        advance(count);
        return Found::Nothing;
    }
    const char c = text_[scanned_];
    if (unsafeEncoding_ >= 0 && isHigh(c)) {
        if (!knowsNext()) return Found::More;
        const char start[] = {c, nextChar(), '\0'};
        skip_ = static_cast<std::size_t>(std::max(PQmblen(start, unsafeEncoding_), 1)) - 1;
    }
    switch (state_) {
        case State::Plain:
            return lookPlain(c);
        case State::Word:
            if (isOfWord(c)) {
                if (word_.size() < kLongestWord) word_ += lower(c);
                advance(1);
            } else {
                endWord();
            }
            return Found::Nothing;
        case State::Literal:
            return lookLiteral(c);
        case State::Name:
            if (c == '"') state_ = State::Plain;  // a doubled quote opens it at once again
            advance(1);
            return Found::Nothing;
        case State::Dollar:
            return lookDollar();
        case State::LineComment:
            if (c == '\n' || c == '\r') state_ = State::Plain;
            advance(1);
            return Found::Nothing;
        case State::BlockComment:
            return lookComment(c);
    }
    return Found::Nothing;
}

StatementSplitter::Found StatementSplitter::lookPlain(char c) {
    if (isBlank(c)) {
        touchesWord_ = false;
        advance(1);
        return Found::Nothing;
    }
    if (c == '-' || c == '/') {
        if (!knowsNext()) return Found::More;
        if (c == '-' && nextChar() == '-') {
            state_ = State::LineComment;
            touchesWord_ = false;
            advance(2);
            return Found::Nothing;
        }
        if (c == '/' && nextChar() == '*') {
            state_ = State::BlockComment;
            commentDepth_ = 1;
            touchesWord_ = false;
            advance(2);
            return Found::Nothing;
        }
    }
    if (commands_ && c == '\\') return Found::Command;
    if (beginsWord(c)) {
        begin();
        wordBefore_ = std::exchange(word_, {});
        mayGoOn_ = false;
        state_ = State::Word;
        // A character of several bytes is looked at once: its first byte must not be met again.
        if (skip_ > 0) advance(1);
        return Found::Nothing;
    }
    if (c == '\'') {
        openLiteral();
        return Found::Nothing;
    }
    if (c == '$') return openDollar();
    mayGoOn_ = touchesWord_ = false;
    word_.clear();
    if (c == ';' && parentheses_ == 0 && bodyDepth_ == 0) {
        advance(1);
        return begun_ ? Found::Statement : Found::Nothing;
    }
    begin();
    if (c == '"') state_ = State::Name;
    if (c == '(') ++parentheses_;
    if (c == ')' && parentheses_ > 0) --parentheses_;
    advance(1);
    return Found::Nothing;
}

void StatementSplitter::openLiteral() {
    begin();
    if (!(mayGoOn_ && lineEnded_)) {
        const bool prefixed = touchesWord_ && word_.size() == 1;
        const char prefix = prefixed ? word_.front() : '\0';
        escapes_ = prefix == 'e' || (!standardStrings_ && prefix != 'b' && prefix != 'x');
    }
    word_.clear();
    mayGoOn_ = touchesWord_ = false;
    state_ = State::Literal;
    advance(1);
}

StatementSplitter::Found StatementSplitter::lookLiteral(char c) {
    const bool escape = escapes_ && c == '\\';
    if (!escape && c != '\'') {
        advance(1);
        return Found::Nothing;
    }
    if (!knowsNext()) return Found::More;
    if (escape) {
        // What it escapes may be a character of several bytes.
        advance(1);
        if (unsafeEncoding_ < 0 || !isHigh(text_[std::min(scanned_, text_.size() - 1)])) advance(1);
        return Found::Nothing;
    }
    if (nextChar() == '\'') {
        advance(2);
        return Found::Nothing;
    }
    state_ = State::Plain;
    advance(1);
    mayGoOn_ = true;
    lineEnded_ = false;
    return Found::Nothing;
}

StatementSplitter::Found StatementSplitter::openDollar() {
    std::size_t end = scanned_ + 1;
    while (end < text_.size() && isOfTag(text_[end])) ++end;
    if (end == text_.size() && !finished_) return Found::More;
    begin();
    mayGoOn_ = touchesWord_ = false;
    word_.clear();
    // $1 is a parameter.
    if (end == text_.size() || text_[end] != '$' || isDigit(text_[scanned_ + 1])) {
        advance(1);
        return Found::Nothing;
    }
    dollarTag_ = text_.substr(scanned_, end + 1 - scanned_);
    state_ = State::Dollar;
    advance(dollarTag_.size());
    return Found::Nothing;
}

StatementSplitter::Found StatementSplitter::lookDollar() {
    skip_ = 0;  // a dollar is no character's later byte
    const std::size_t at = text_.find(dollarTag_, scanned_);
    if (at == std::string::npos) {
        const std::size_t left = text_.size() - scanned_;
        if (finished_) {
            advance(left);
        } else if (left >= dollarTag_.size()) {
            advance(left + 1 - dollarTag_.size());
        }
        return Found::More;
    }
    advance(at + dollarTag_.size() - scanned_);
    state_ = State::Plain;
    return Found::Nothing;
}

StatementSplitter::Found StatementSplitter::lookComment(char c) {
    if (c != '*' && c != '/') {
        advance(1);
        return Found::Nothing;
    }
    if (!knowsNext()) return Found::More;
    if (c == '/' && nextChar() == '*') {
        ++commentDepth_;
        advance(2);
    } else if (c == '*' && nextChar() == '/') {
        if (--commentDepth_ == 0) state_ = State::Plain;
        advance(2);
    } else {
        advance(1);
    }
    return Found::Nothing;
}

bool StatementSplitter::definesRoutine() const {
    return firstWords_.starts_with("create function ") ||
           firstWords_.starts_with("create procedure ") ||
           firstWords_.starts_with("create or replace function ") ||
           firstWords_.starts_with("create or replace procedure ");
}

void StatementSplitter::endWord() {
    state_ = State::Plain;
    touchesWord_ = true;
    if (words_ < kFirstWords) firstWords_ += word_ + ' ';
    ++words_;
    if (wordBefore_ == "from" && word_ == "stdin" && parentheses_ == 0) {
        copiesIn_ = firstWords_.starts_with("copy ");
    } else if (bodyDepth_ > 0) {
        if (word_ == "case") ++bodyDepth_;
        if (word_ == "end") --bodyDepth_;
    } else if (wordBefore_ == "begin" && word_ == "atomic" && definesRoutine()) {
        bodyDepth_ = 1;
    }
}

}  // namespace gantry::restore
