// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/text.h"

#include <catch2/catch_test_macros.hpp>

#include "ui/forms/label.h"

namespace gantry::ui {
namespace {

TEST_CASE("text: a tooltip shows a name that looks like HTML as it is") {
    CHECK(toolTipText(QStringLiteral("a & b")) == QStringLiteral("a & b"));
    CHECK(toolTipText(QStringLiteral("<b>bold</b>\ntwo")) ==
          QStringLiteral("<span>&lt;b&gt;bold&lt;/b&gt;<br>two</span>"));
}

TEST_CASE("label: long names may be broken behind their dots and underscores, short words not") {
    const QString broken = breakable(QStringLiteral("see public.measurements_of_2026_november"));
    CHECK(broken == QStringLiteral("see public.\u200bmeasurements_\u200bof_\u200b2026_\u200b"
                                   "november"));
    CHECK(breakable(QStringLiteral("a.b c_d")) == QStringLiteral("a.b c_d"));
}

TEST_CASE("label: a name on a button presses no key, and takes no more than its room") {
    const QLabel label;
    const QString name(200, u'x');
    CHECK(nameOnButton(QStringLiteral("R&D"), label.fontMetrics(), 500) == QStringLiteral("R&&D"));
    CHECK(label.fontMetrics().horizontalAdvance(nameOnButton(name, label.fontMetrics(), 100)) <=
          100);
}

}  // namespace
}  // namespace gantry::ui
