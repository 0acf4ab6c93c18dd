// SPDX-License-Identifier: PostgreSQL
// One COPY of an archive's rows into the server: in binary form where that is known to mean the
// same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/buffer.h"
#include "core/pg/connection.h"
#include "core/restore/row_source.h"
#include "core/rows/binary_rows.h"

namespace gantry::restore {

/// As binary rows a table takes the server half the work that its text takes, since no numbers,
/// times and identifiers need be read there. From the first row on that has a value which is not
/// known here, the rest goes as text, in a second COPY of the same transaction: what is in the
/// table afterwards, and which row the server refuses, are the same. A table with triggers, to
/// which two statements are not one, takes text alone.
class RowFeed {
public:
    struct Form {
        bool binary = true;
        bool freeze = false;
    };

    /// Is told each statement as it is sent.
    using OnStatement = std::function<void(const std::string& statement)>;

    /// Wants a transaction. Looks at the table's columns and begins `statement`, a COPY as the
    /// archive has it. The connection must outlive the feed. Throws Error{Server, Connection}.
    RowFeed(pg::Connection& connection, std::string statement, Form form, OnStatement onStatement);

    /// Whole rows as the archive has them, in which lines end in this way. Throws Error{Server}
    /// where they do not: the server would not see it in the first line of a COPY.
    void send(std::span<const std::byte> rows, LineEnd lineEnd);
    /// Returns the rows that the server says it copied.
    uint64_t end();
    /// What comes next goes in binary form.
    bool isBinary() const { return binary_.has_value(); }

private:
    void begin();
    void goOnAsText();

    pg::Connection& connection_;
    const std::string statement_;
    const bool freeze_;
    bool atFirstLine_ = true;  ///< of the COPY under way
    const OnStatement onStatement_;
    std::optional<rows::BinaryRows> binary_;  ///< empty: as text
    Buffer converted_;
    uint64_t rows_ = 0;  ///< of COPYs that have ended
};

/// The statement of an entry's rows with options of COPY; as it stands without any, or if it is
/// worded in a way that is not known here.
std::string copyStatement(const std::string& statement, bool binary, bool freeze);

/// The columns that a COPY statement names, without their quotes; empty if it names none.
std::vector<std::string> copiedColumns(const std::string& statement);

}  // namespace gantry::restore
