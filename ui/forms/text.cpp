// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <QTextDocument>
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
        const QString said = part.trimmed();
        if (said.isEmpty()) continue;
        if (!line.isEmpty()) {
            // libpq breaks sentences: what goes on in small letters belongs to what was before.
            const bool ended = QStringLiteral(".?!:,;").contains(line.back());
            line += ended || said.front().isLower() ? QStringLiteral(" ") : QStringLiteral(". ");
        }
        line += said;
    }
    return line;
}

QString toolTipText(const QString& words) {
    return Qt::mightBeRichText(words)
               ? QStringLiteral("<span>%1</span>")
                     .arg(words.toHtmlEscaped().replace(u'\n', QLatin1String("<br>")))
               : words;
}

QString durationText(Duration duration) { return text(formatDuration(duration)); }
QString bytesText(uint64_t bytes) { return text(formatBytes(bytes)); }
QString countText(uint64_t count) { return text(formatCount(count)); }

QString momentText(std::string_view iso) {
    const QDateTime at = QDateTime::fromString(text(iso), Qt::ISODate).toLocalTime();
    return at.isValid() ? at.toString(QStringLiteral("yyyy-MM-dd HH:mm")) : text(iso);
}

QString whenText(std::string_view iso) {
    const QDateTime at = QDateTime::fromString(text(iso), Qt::ISODate).toLocalTime();
    const QLocale locale;
    const qint64 days = at.date().daysTo(QDate::currentDate());
    if (days <= 0) return locale.toString(at.time(), QStringLiteral("HH:mm"));
    constexpr qint64 kWeek = 7;
    return locale.toString(at.date(),
                           days < kWeek ? QStringLiteral("ddd") : QStringLiteral("d MMM"));
}

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

QString percentText(double share) { return Text::tr("%1%").arg(std::floor(share * 100)); }
QString shareText(double share) { return Text::tr("%1%").arg(std::lround(share * 100)); }

}  // namespace gantry::ui
