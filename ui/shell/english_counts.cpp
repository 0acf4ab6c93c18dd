// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/english_counts.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 26> kSingulars{{
    {"%n errors", "%n error"},
    {"%n notices", "%n notice"},
    {"%n relations", "%n relation"},
    {"%n tables", "%n table"},
    {"%1 in %n databases", "%1 in %n database"},
    {"%n cores here", "%n core here"},
    {"%n connections in use, %1 free", "%n connection in use, %1 free"},
    {"Needs or brings %n more: %1.", "Needs or brings one more: %1."},
    {"Leaves out %n that depend on it: %1.", "Leaves out one that depends on it: %1."},
    {"%n connections that load and build at once", "one connection that loads and builds"},
    {"Whatever of the %n chosen objects exists in %1 is dropped with its rows.",
     "If the chosen object exists in %1, it is dropped with its rows."},
    {"The sweep goes up until more jobs gain nothing. This machine has %n cores.",
     "The sweep goes up until more jobs gain nothing. This machine has one core."},
    {"connections that read at once · this machine has %n cores",
     "connections that read at once · this machine has one core"},
    {"%1 of %n runs", "%1 of one run"},
    {"%n runs forgotten, %1 of records removed", "One run forgotten, %1 of records removed"},
    {"%1: size and time of its last %n runs of this kind",
     "%1: size and time of its only run of this kind"},
    {"%n indexes were built anew or dropped: %1 before, %2 now.",
     "One index was built anew or dropped: %1 before, %2 now."},
    {"%n tables have some.", "One table has some."},
    {"%n tables are not yours to vacuum", "One table is not yours to vacuum"},
    {"%n tables may not be read by this role: %1", "One table may not be read by this role: %1"},
    {"%n tables are locked against everybody while they are written anew. To confirm, type “%1”:",
     "The table is locked against everybody while it is written anew. To confirm, type “%1”:"},
    {"With %n jobs it takes %1 to %2.", "With one job it takes %1 to %2."},
    {"Delete %n runs?", "Delete one run?"},
    {"%n tables of %1 are dropped with their rows (%2).",
     "One table of %1 is dropped with its rows (%2)."},
    {"The database %1 (%n tables, %2) is replaced by what is restored.",
     "The database %1 (one table, %2) is replaced by what is restored."},
    {"Measuring %1; up to %n more", "Measuring %1; up to one more"},
}};

}  // namespace

EnglishCounts::EnglishCounts() { QCoreApplication::installTranslator(this); }

QString EnglishCounts::translate(const char* /*context*/, const char* text, const char* /*meaning*/,
                                 int count) const {
    if (count < 0) return {};  // nothing is counted
    if (count != 1) {
        return QString::fromUtf8(text).replace(QStringLiteral("%n"),
                                               countText(static_cast<uint64_t>(count)));
    }
    const auto* const found = std::find_if(kSingulars.begin(), kSingulars.end(),
                                           [text](const auto& row) { return row.first == text; });
    return found == kSingulars.end() ? QString() : QString::fromUtf8(found->second);
}

}  // namespace gantry::ui
