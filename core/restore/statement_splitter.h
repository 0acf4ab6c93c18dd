// SPDX-License-Identifier: PostgreSQL
// Cuts SQL text into statements where psql would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::restore {

/// A statement, or a psql command (a backslash and the rest of its line).
struct SqlPiece {
    enum class Kind { Statement, Command };
    Kind kind = Kind::Statement;
    std::string text;  ///< without the blanks and comments before it; ends with its semicolon
    std::string firstWords = {};  ///< "create or replace function ", in lower case
    uint64_t line = 1;            ///< on which it begins
    bool copiesIn = false;        ///< COPY … FROM STDIN: rows follow on the next line
    bool cutsIn = false;          ///< a command in the middle of a statement, which it ends
};

/// Knows '…' with doubled quotes, backslashes where they escape (E'…', or everywhere once
/// standard_conforming_strings is off) and literals that go on behind a line end, "…", $tag$…$tag$,
/// -- and nested /* */ comments, parentheses, and the bodies of functions between BEGIN ATOMIC and
/// END. Text may arrive cut anywhere. Not thread-safe.
class StatementSplitter {
public:
    /// With `commands` a backslash outside of all these begins a psql command.
    explicit StatementSplitter(bool commands = false) : commands_(commands) {}

    void setStandardStrings(bool on) { standardStrings_ = on; }
    /// In some client encodings the later bytes of a character look like quotes or backslashes.
    void setEncoding(const std::string& name);

    void add(std::string_view text);
    /// No more text comes: what stands behind the last semicolon is a statement too.
    void finish() { finished_ = true; }
    /// Empty until more is added; after finish() until the end.
    std::optional<SqlPiece> next();

    /// True if nothing but blanks and comments is left.
    bool isAtEnd() const { return !begun_ && !isOpen(); }
    /// True inside a literal, a comment, parentheses or a function's body.
    bool isOpen() const;
    /// Line of the statement that has begun, or else of what comes next.
    uint64_t line() const { return begun_ ? beginLine_ : line_; }
    /// Bytes of the statement that has begun.
    std::size_t pending() const { return text_.size() - begin_; }

    /// Text that has not been looked at yet, which is taken away: rows of a COPY.
    std::string takeRest();
    /// These lines went by outside of add().
    void countLines(uint64_t lines) { line_ += lines; }

private:
    enum class State { Plain, Word, Literal, Name, Dollar, LineComment, BlockComment };
    enum class Found { Nothing, More, Statement, Command };

    Found look();
    Found lookPlain(char c);
    Found lookLiteral(char c);
    Found lookDollar();
    Found lookComment(char c);
    Found openDollar();
    void openLiteral();
    void endWord();
    bool definesRoutine() const;
    void begin();
    void advance(std::size_t count);
    bool knowsNext() const { return finished_ || scanned_ + 1 < text_.size(); }
    char nextChar() const { return scanned_ + 1 < text_.size() ? text_[scanned_ + 1] : '\0'; }
    SqlPiece take(SqlPiece::Kind kind, std::size_t end);

    const bool commands_;
    bool standardStrings_ = true;
    int unsafeEncoding_ = -1;  ///< libpq's number; -1: bytes of ASCII stand for themselves
    bool finished_ = false;

    std::string text_;
    std::size_t begin_ = 0;    ///< of the statement that has begun
    std::size_t scanned_ = 0;  ///< what has been looked at of text_
    std::size_t skip_ = 0;     ///< later bytes of a character, to come
    uint64_t line_ = 1;        ///< at scanned_
    uint64_t beginLine_ = 1;

    State state_ = State::Plain;
    bool begun_ = false;
    bool escapes_ = false;      ///< in the literal, or in the one before
    bool mayGoOn_ = false;      ///< nothing but blanks and comments since a literal
    bool lineEnded_ = false;    ///< among them a line end: a quote goes on with the literal
    bool touchesWord_ = false;  ///< the last character belonged to word_
    std::string dollarTag_;     ///< with both dollars
    unsigned commentDepth_ = 0;
    unsigned parentheses_ = 0;
    unsigned bodyDepth_ = 0;  ///< BEGIN ATOMIC and CASE in it
    std::string word_;        ///< the last one, in lower case
    std::string wordBefore_;  ///< if nothing but blanks lies between
    std::string firstWords_;  ///< as in "create or replace function"
    unsigned words_ = 0;
    bool copiesIn_ = false;
};

}  // namespace gantry::restore
