// SPDX-License-Identifier: PostgreSQL
// Whether a session's rows may come in COPY's binary form, to be made text here.
#pragma once

#include <optional>

#include "core/dump/catalog.h"
#include "core/pg/connection.h"
#include "core/rows/text_rows.h"
#include "core/rows/time_zone.h"

namespace gantry::dump {

/// Binary rows cost the server a quarter less than text does, and the archive is the same (but for
/// offsets of times where the two machines' IANA databases differ): they are taken where the text
/// is known to be the one that this session would have written.
class SessionForm {
public:
    /// Asks a session of a dump for what decides; it changes nothing there. Throws Error{Server,
    /// Connection}.
    explicit SessionForm(pg::Connection& connection);

    /// Empty if the server has to write the table's text itself.
    std::optional<rows::TextRows> textRowsOf(const TableFacts& table) const;

private:
    bool takes(rows::ColumnType type) const;

    bool binary_ = false;
    bool overNetwork_ = false;
    bool isoDates_ = false;
    bool hexBytea_ = false;
    bool shortestFloats_ = false;
    std::optional<rows::TimeZone> zone_;
};

}  // namespace gantry::dump
