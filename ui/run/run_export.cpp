// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_export.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

namespace gantry::ui {
namespace {

constexpr int kLeastWidth = 1280;
constexpr int kFineness = 2;

/// As RFC 4180 wants it. A cell that a spreadsheet would take for a formula is told to be text.
std::string cell(const std::string& value) {
    std::string text = value;
    if (!text.empty() &&
        std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
        text.insert(0, 1, '\'');
    }
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

}  // namespace

QByteArray csvOf(const events::RunState& run) {
    std::string text =
        "task,part,kind,object,worker,backend_pid,begin_s,end_s,rows,bytes,compressed_bytes,"
        "outcome,error\n";
    for (const events::SpanState& span : run.spans()) {
        const char* outcome = span.running() ? "running" : "done";
        if (span.error) outcome = span.retried ? "tried again" : "failed";
        text +=
            fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{},{},{},{},{}\n", span.span.task.value,
                        span.span.chunk ? std::to_string(*span.span.chunk + 1) : std::string(),
                        plan::toString(span.kind), cell(span.object), span.worker.value,
                        span.backendPid, seconds(span.begin), seconds(span.end.value_or(run.now())),
                        span.rows, span.bytes, span.compressedBytes, outcome,
                        span.error ? cell(span.error->describe()) : std::string());
    }
    return QByteArray::fromStdString(text);
}

QByteArray pngOf(const ChartPicture& picture) {
    const QSize size = picture.wholeSize(std::max(picture.width, kLeastWidth));
    QImage image(size * kFineness, QImage::Format_RGB32);
    image.setDevicePixelRatio(kFineness);
    image.fill(Qt::white);
    QPainter painter(&image);
    picture.paint(painter, size, false);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QByteArray svgOf(const ChartPicture& picture, const QString& title) {
    const QSize size = picture.wholeSize(std::max(picture.width, kLeastWidth));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(title);
    QPainter painter(&generator);
    picture.paint(painter, size, true);
    painter.end();
    return bytes;
}

}  // namespace gantry::ui
