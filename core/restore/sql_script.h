// SPDX-License-Identifier: PostgreSQL
// A plain SQL script as a stream: statements, psql's commands, and the rows behind COPY.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/archive/script_file.h"
#include "core/restore/statement_splitter.h"

namespace gantry::restore {

/// True for a file that openArchive() knows nothing about and that decodes to text. Throws
/// Error{Io}, and Error{Format} for a compressed file that is damaged at its beginning.
bool isScript(const std::filesystem::path& path);

/// Reads once from beginning to end, in pieces: what it holds is one statement or one piece of
/// rows. One thread at a time.
class SqlScript {
public:
    /// Throws Error{Io}.
    explicit SqlScript(const std::filesystem::path& path);

    /// How the session that the statements go to reads literals and characters.
    void setSession(bool standardStrings, const std::string& encoding);

    /// Empty at the end. Throws Error{Format} for a script that ends in the middle of a statement,
    /// or early though it says itself where it ends, and for a compressed file that is damaged.
    std::optional<SqlPiece> next();

    using Take = std::function<void(std::span<const std::byte>)>;
    /// Behind a statement that copies in: gives its rows away up to the line that ends them. Throws
    /// Error{Format} if that line never comes.
    void readRows(const Take& take);

    /// "dump.sql, line 12".
    std::string place(uint64_t line) const;
    uint64_t fileBytes() const { return file_->size(); }
    uint64_t fileBytesRead() const { return source_->position(); }
    uint64_t textBytesRead() const { return textBytes_; }

private:
    bool readMore();
    void requireEnd() const;
    [[noreturn]] void endsEarly(uint64_t line, std::string message) const;

    std::string name_;
    std::shared_ptr<const File> file_;
    std::unique_ptr<archive::ScriptSource> source_;
    StatementSplitter splitter_{true};
    std::string piece_;        ///< what was read last
    std::string tail_;         ///< of the text
    std::string lastComment_;  ///< that a dump must end with
    uint64_t textBytes_ = 0;
    uint64_t rowsFrom_ = 0;  ///< line of the COPY whose rows come next; 0: of none
};

}  // namespace gantry::restore
