// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"

namespace gantry::ui {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Text)
};

}  // namespace

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString inOneLine(const QString& lines) {
    QString line;
    for (const QString& part : lines.split(u'\n', Qt::SkipEmptyParts)) {
        if (!line.isEmpty())
            line += QStringLiteral(".?!:").contains(line.back()) ? QStringLiteral(" ")
                                                                 : QStringLiteral(". ");
        line += part.trimmed();
    }
    return line;
}

QString durationText(Duration duration) { return text(formatDuration(duration)); }
QString bytesText(uint64_t bytes) { return text(formatBytes(bytes)); }
QString countText(uint64_t count) { return text(formatCount(count)); }

QString rateText(double bytesPerSecond) {
    return Text::tr("%1/s").arg(
        bytesText(static_cast<uint64_t>(std::llround(std::max(bytesPerSecond, 0.0)))));
}

QString shortCountText(uint64_t count) {
    constexpr uint64_t kThousand = 1'000;
    constexpr uint64_t kMillion = 1'000'000;
    constexpr uint64_t kFull = 100'000;
    if (count < kFull) return countText(count);
    if (count < kMillion) return Text::tr("%1 k").arg(count / kThousand);
    const double millions = static_cast<double>(count) / static_cast<double>(kMillion);
    return Text::tr("%1 M").arg(millions, 0, 'f', millions < 100 ? 1 : 0);
}

// The space does not break: a lone "%" must not begin a line.
QString percentText(double share) { return Text::tr("%1\u00a0%").arg(std::floor(share * 100)); }
QString shareText(double share) { return Text::tr("%1\u00a0%").arg(std::lround(share * 100)); }

}  // namespace gantry::ui
