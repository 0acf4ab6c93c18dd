// SPDX-License-Identifier: PostgreSQL
// An archive is read back from the window, and what is damaged is named.
#include "ui/pages/verify_dialog.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/pages/page_bench.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::ui;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

class Reading {
public:
    explicit Reading(const fs::path& archive)
        : dialog_(new VerifyDialog(QString::fromStdString(archive.string()), nullptr)) {
        dialog_->show();
    }
    ~Reading() { delete dialog_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    std::string verdict() {
        REQUIRE(waitFor([this] { return !dialog_->verdict().isEmpty(); }));
        return QTextDocumentFragment::fromHtml(dialog_->verdict()).toPlainText().toStdString();
    }
    std::string problems() const {
        const auto* list = dialog_->findChild<QPlainTextEdit*>();
        return list->isVisible() ? list->toPlainText().toStdString() : std::string();
    }
    VerifyDialog& dialog() { return *dialog_; }
    bool isOpen() const { return dialog_ != nullptr; }

private:
    QPointer<VerifyDialog> dialog_;
};

}  // namespace

TEST_CASE("verify: an archive is whole, damaged, or none at all") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("shop");
    cluster.execute(
        "CREATE TABLE orders AS SELECT g, md5(g::text) AS note FROM generate_series(1, 3000) g",
        "shop");
    const fs::path archive = folder / "shop.dump";
    const bool plain = GENERATE(false, true);
    runDump(dumpOptions(cluster, "shop", archive,
                        plain ? archive::Format::Plain : archive::Format::Custom, "none"));
    SECTION("whole") {
        Reading reading(archive);
        CHECK_THAT(reading.verdict(), StartsWith("It is whole. 3,000 rows, "));
        CHECK_THAT(reading.verdict(),
                   ContainsSubstring("Every byte and every row count agrees with the manifest."));
        CHECK(reading.problems().empty());
        reading.dialog().findChild<QPushButton*>()->click();
        CHECK(waitFor([&] { return !reading.isOpen(); }));
    }
    SECTION("damaged") {
        {
            std::fstream stream(archive, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(static_cast<std::streamoff>(fs::file_size(archive) / 2));
            stream.put('\x55');
        }
        Reading reading(archive);
        CHECK_THAT(reading.verdict(), StartsWith("It is damaged. Do not rely on it"));
        CHECK_THAT(reading.problems(), ContainsSubstring("(public.orders): "));
        CHECK_THAT(reading.problems(), ContainsSubstring(" at byte "));
    }
    SECTION("gone") {
        fs::remove(archive);
        Reading reading(archive);
        CHECK_THAT(reading.verdict(), StartsWith("It cannot be read. " + archive.string()));
    }
}
