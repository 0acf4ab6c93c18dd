// SPDX-License-Identifier: PostgreSQL
#include "core/restore/index_cost.h"

#include <array>
#include <string>

#include "core/base/text.h"
#include "core/restore/definition_words.h"

namespace gantry::restore {
namespace {

// Processor time of PostgreSQL 17 over 450,000 rows of each kind, in seconds for a row.
constexpr double kInOrder = 0.2e-6;       // nothing is left to sort
constexpr double kFixedLength = 0.45e-6;  // integers, dates, uuid, …
constexpr double kText = 0.65e-6;  // and all else of which there may be much, and expressions
constexpr double kFurtherColumn = 0.08e-6;
constexpr double kHash = 0.6e-6;
constexpr double kBrin = 0.05e-6;
constexpr double kGist = 1.4e-6;
constexpr double kGin = 8e-6;  // a row has several words
constexpr double kReadByte = 1 / 1e9;

constexpr std::array<std::string_view, 3> kIntegers = {"smallint", "integer", "bigint"};
// As the first word tells them.
constexpr std::array<std::string_view, 9> kFixed = {"boolean", "date", "time",  "timestamp", "real",
                                                    "double",  "uuid", "money", "oid"};

struct Shape {
    bool key = false;  ///< primary or unique
    std::string_view method = "btree";
    std::string_view columns{};  ///< "(a, lower(b) DESC)"
};

Shape shapeOf(std::string_view definition) {
    Words words(definition);
    Shape shape;
    if (words.take("CREATE ")) {
        (void)words.take("UNIQUE ");
        if (!words.take("INDEX ")) return {};
        (void)words.name();
        (void)words.take("ON ");
        (void)words.take("ONLY ");
    } else if (words.take("ALTER TABLE ")) {
        (void)words.take("ONLY ");
        (void)words.name();
        if (!words.take("ADD CONSTRAINT ")) return {};
    }
    (void)words.name();
    shape.key = words.take("PRIMARY KEY ") || words.take("UNIQUE ");
    (void)words.take("NULLS NOT DISTINCT ");
    (void)words.take("EXCLUDE ");
    if (words.take("USING ")) shape.method = words.name();
    shape.columns = words.parentheses();
    return shape;
}

/// The first word of a column's type as CREATE TABLE has it; empty if it has no such column.
std::string_view typeOf(std::string_view column, std::string_view table) {
    const std::string line = "\n    " + std::string(column) + " ";
    const std::size_t at = table.find(line);
    if (at == std::string_view::npos) return {};
    return Words(table.substr(at + line.size())).name();
}

double sortOf(const Shape& shape, std::string_view table) {
    if (shape.columns.size() < 2) return kFixedLength;
    Words columns(shape.columns.substr(1, shape.columns.size() - 2));
    Words first(columns.item());
    const std::string_view name = first.name();
    const std::string_view type = typeOf(name, table);
    double seconds = kText;
    if (!name.empty() && !first.rest().starts_with('(')) {
        if (isOneOf(type, kIntegers)) {
            // Keys are mostly given out in the order in which rows come.
            seconds = shape.key ? kInOrder : kFixedLength;
        } else if (type.empty() || isOneOf(type, kFixed)) {
            seconds = kFixedLength;
        }
    }
    while (!columns.rest().empty()) {
        (void)columns.item();
        seconds += kFurtherColumn;
    }
    return seconds;
}

double secondsOfRow(const Shape& shape, std::string_view table) {
    if (shape.method == "hash") return kHash;
    if (shape.method == "brin") return kBrin;
    if (shape.method == "gin") return kGin;
    if (isOneOf(shape.method, {"gist", "spgist"})) return kGist;
    return sortOf(shape, table);
}

}  // namespace

double indexSeconds(std::string_view definition, std::string_view table, const DataSize& rows) {
    return kReadByte * static_cast<double>(rows.bytes) +
           secondsOfRow(shapeOf(definition), table) * static_cast<double>(rows.rows);
}

}  // namespace gantry::restore
