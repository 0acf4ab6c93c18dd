// SPDX-License-Identifier: PostgreSQL
#include "ui/models/vacuum_tables.h"

#include <QDateTime>
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/pg/connection.h"
#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

QString shortDuration(double seconds) {
    constexpr double kMoment = 0.05;
    if (seconds < kMoment) return QStringLiteral("< 0.1 s");
    return QString::fromStdString(formatDuration(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))));
}

/// As short as a name may be in what is no SQL statement, where key words mean nothing.
std::string quoted(const std::string& name) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const bool plain = !name.empty() && name.find_first_not_of(kPlain) == std::string::npos &&
                       (name.front() < '0' || name.front() > '9');
    return plain ? name : pg::quoteIdentifier(name);
}

double deadShare(const vacuum::TableFacts& table) {
    const auto dead = static_cast<double>(table.deadRows);
    return dead > 0 ? dead / (dead + std::max(table.rowsLeft(), 0.0)) : 0;
}

/// "today 14:02", "2026-11-20", "never".
QString dayOf(const std::string& iso) {
    if (iso.empty()) return VacuumTables::tr("never");
    const QDateTime at = QDateTime::fromString(text(iso), Qt::ISODate).toLocalTime();
    if (!at.isValid()) return text(iso);
    if (at.date() == QDate::currentDate()) {
        return VacuumTables::tr("today %1").arg(at.toString(QStringLiteral("HH:mm")));
    }
    return at.date().toString(Qt::ISODate);
}

/// What the step does, in the words of a decision.
void addWords(const vacuum::Step& step, QStringList& words) {
    const auto add = [&words](const QString& word) {
        if (!words.contains(word)) words << word;
    };
    if (step.kind == vacuum::Step::Kind::Reindex) add(VacuumTables::tr("reindex"));
    if (step.kind == vacuum::Step::Kind::DropIndex) add(VacuumTables::tr("drop index"));
    if (step.full) {
        add(VacuumTables::tr("full"));
    } else if (step.vacuum) {
        add(step.freeze ? VacuumTables::tr("freeze") : VacuumTables::tr("vacuum"));
    }
    if (step.analyze) add(VacuumTables::tr("analyze"));
}

/// Bytes that its dead rows take, which a vacuum makes free for others.
uint64_t reusable(const vacuum::TableFacts& table) {
    return static_cast<uint64_t>(deadShare(table) * static_cast<double>(table.heapBytes)) +
           vacuum::deadToastBytes(table);
}

}  // namespace

std::string VacuumTables::nameOf(const vacuum::TableFacts& table) {
    return quoted(table.schema) + "." + quoted(table.name);
}

void VacuumTables::setSurvey(std::shared_ptr<const vacuum::Survey> survey) {
    beginResetModel();
    survey_ = std::move(survey);
    rows_.assign(survey_->tables.size(), {});
    rank_.resize(rows_.size());
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        rows_[place].chosen = facts(place).permitted;
        rank_[place] = place;
    }
    arrange();
    endResetModel();
}

void VacuumTables::setPlan(const vacuum::VacuumPlan& plan) {
    if (!survey_ || plan.decisions.size() != rows_.size()) return;
    Q_EMIT layoutAboutToBeChanged();
    std::vector<QStringList> words(rows_.size());
    for (Row& row : rows_) {
        row.seconds = 0;
        row.toDisk = row.toReuse = 0;
    }
    for (const vacuum::Step& step : plan.steps) {
        const auto sharers = static_cast<double>(std::max<std::size_t>(step.tables.size(), 1));
        for (const std::size_t place : step.tables) {
            rows_[place].seconds += step.seconds / sharers;
            addWords(step, words[place]);
            if (step.full) rows_[place].toDisk = plan.decisions[place].rewriteGain;
            if (step.vacuum && !step.full) rows_[place].toReuse = reusable(facts(place));
            if (step.kind == vacuum::Step::Kind::Reindex) {
                const vacuum::IndexFacts& index = facts(place).indexes[step.index];
                rows_[place].toDisk += static_cast<uint64_t>(vacuum::wasteOf(index) *
                                                             static_cast<double>(index.bytes));
            }
        }
    }
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        Row& row = rows_[place];
        row.action = plan.decisions[place].action;
        row.what = words[place].isEmpty() ? tr("nothing") : words[place].join(QStringLiteral(", "));
        row.why = QString::fromStdString(plan.decisions[place].why());
        if (!facts(place).permitted) {
            row.what = tr("not permitted");
            row.why = tr("only its owner, or who has MAINTAIN on it, may");
        }
    }
    rank_ = vacuum::rank(survey_->tables, plan.decisions);
    arrange();
    Q_EMIT layoutChanged();
}

void VacuumTables::clear() {
    beginResetModel();
    survey_.reset();
    rows_.clear();
    rank_.clear();
    shown_.clear();
    endResetModel();
}

void VacuumTables::setFilter(const QString& text) {
    beginResetModel();
    filter_ = text;
    arrange();
    endResetModel();
}

void VacuumTables::arrange() {
    shown_.clear();
    for (const std::size_t place : rank_) {
        const Row& row = rows_[place];
        if (filter_.isEmpty() || textOf(place, Relation).contains(filter_, Qt::CaseInsensitive) ||
            row.what.contains(filter_, Qt::CaseInsensitive) ||
            row.why.contains(filter_, Qt::CaseInsensitive)) {
            shown_.push_back(place);
        }
    }
    if (column_ < 0) return;
    std::stable_sort(shown_.begin(), shown_.end(), [this](std::size_t one, std::size_t other) {
        return order_ == Qt::AscendingOrder ? isBefore(one, other, column_)
                                            : isBefore(other, one, column_);
    });
}

bool VacuumTables::isBefore(std::size_t one, std::size_t other, int column) const {
    const vacuum::TableFacts& a = facts(one);
    const vacuum::TableFacts& b = facts(other);
    switch (column) {
        case Size:
            return a.bytes() < b.bytes();
        case Dead:
            return a.deadRows < b.deadRows;
        case Age:
            return a.xidAge < b.xidAge;
        case Vacuumed:
            return a.lastVacuum < b.lastVacuum;
        case Analyzed:
            return a.lastAnalyze < b.lastAnalyze;
        case Action:
            return rows_[one].what < rows_[other].what;
        case Time:
            return rows_[one].seconds < rows_[other].seconds;
        case Gain:
            return std::pair(rows_[one].toDisk, rows_[one].toReuse) <
                   std::pair(rows_[other].toDisk, rows_[other].toReuse);
        case Why:
            return rows_[one].why < rows_[other].why;
        default:
            return textOf(one, Relation) < textOf(other, Relation);
    }
}

void VacuumTables::sort(int column, Qt::SortOrder order) {
    Q_EMIT layoutAboutToBeChanged();
    column_ = column;
    order_ = order;
    arrange();
    Q_EMIT layoutChanged();
}

void VacuumTables::chosenAnew() {
    if (!shown_.empty()) {
        Q_EMIT dataChanged(index(0, Relation), index(rowCount() - 1, Relation),
                           {Qt::CheckStateRole});
    }
    Q_EMIT choiceChanged();
}

void VacuumTables::setShownChosen(bool chosen) {
    for (const std::size_t place : shown_) {
        rows_[place].chosen = chosen && facts(place).permitted;
    }
    chosenAnew();
}

void VacuumTables::chooseAll() {
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        rows_[place].chosen = facts(place).permitted;
    }
    chosenAnew();
}

void VacuumTables::chooseByAction(vacuum::Action action) {
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        rows_[place].chosen = facts(place).permitted && rows_[place].action == action;
    }
    chosenAnew();
}

void VacuumTables::choose(const std::vector<std::string>& names) {
    const std::set<std::string> wanted(names.begin(), names.end());
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        rows_[place].chosen = facts(place).permitted && wanted.contains(nameOf(facts(place)));
    }
    chosenAnew();
}

std::vector<std::size_t> VacuumTables::chosen() const {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        if (rows_[place].chosen) places.push_back(place);
    }
    return places;
}

bool VacuumTables::everything() const {
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        const vacuum::TableFacts& table = facts(place);
        const bool passedOver = table.catalog && !table.permitted;
        if (!rows_[place].chosen && !passedOver) return false;
    }
    return true;
}

int VacuumTables::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int VacuumTables::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

Qt::ItemFlags VacuumTables::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    const std::size_t place = shown_[static_cast<std::size_t>(index.row())];
    if (index.column() == Relation && facts(place).permitted && !ofSeveral()) {
        flags |= Qt::ItemIsUserCheckable;
    }
    return flags;
}

QString VacuumTables::textOf(std::size_t place, int column) const {
    const vacuum::TableFacts& table = facts(place);
    const bool whole = table.relkind == 'p';  // whose rows are those of its partitions
    switch (column) {
        case Size:
            if (whole) return QStringLiteral("–");
            return QString::fromStdString(formatBytes(table.bytes()));
        case Dead:
            if (table.deadRows == 0) return QStringLiteral("0");
            return tr("%1 (%2%)")
                .arg(QString::fromStdString(formatCount(table.deadRows)))
                .arg(deadShare(table) * 100, 0, 'f', 0);
        case Age:
            return shortCountText(table.xidAge);
        case Vacuumed:
            return whole ? QStringLiteral("–") : dayOf(table.lastVacuum);
        case Analyzed:
            return dayOf(table.lastAnalyze);
        case Action:
            return rows_[place].what;
        case Time:
            return rows_[place].seconds > 0 ? shortDuration(rows_[place].seconds)
                                            : QStringLiteral("–");
        case Gain:
            if (rows_[place].toDisk > 0) {
                return QString::fromStdString(formatBytes(rows_[place].toDisk));
            }
            return rows_[place].toReuse > 0
                       ? tr("%1 to reuse")
                             .arg(QString::fromStdString(formatBytes(rows_[place].toReuse)))
                       : QStringLiteral("–");
        case Why:
            return rows_[place].why;
        default:
            return ofSeveral()
                       ? QStringLiteral("%1 · %2").arg(text(survey_->databases[table.database]),
                                                       text(table.displayName()))
                       : text(table.displayName());
    }
}

QVariant VacuumTables::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::size_t place = shown_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return textOf(place, column);
        case Qt::ToolTipRole:
            if (column == Why || column == Action) return toolTipText(textOf(place, column));
            if (column == Relation) {
                return toolTipText(tr("%1\nlast vacuumed: %2\nlast analyzed: %3")
                                       .arg(textOf(place, Relation), textOf(place, Vacuumed),
                                            textOf(place, Analyzed)));
            }
            if (column == Age) {
                return tr("%1 transactions since its oldest row; autovacuum freezes it at %2")
                    .arg(countText(survey_->tables[place].xidAge),
                         countText(survey_->server.freezeMaxAge));
            }
            if (column == Gain && rows_[place].toDisk > 0) {
                return tr("Goes back to the disk, an estimate");
            }
            if (column == Gain && rows_[place].toReuse > 0) {
                return tr(
                    "Becomes free for new rows of the table, an estimate; the disk gets "
                    "nothing back");
            }
            return {};
        case Qt::CheckStateRole:
            if (column != Relation || ofSeveral()) return {};
            return rows_[place].chosen ? Qt::Checked : Qt::Unchecked;
        case Qt::TextAlignmentRole:
            if (column == Size || column == Dead || column == Age || column == Time ||
                column == Gain) {
                return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
            }
            return {};
        default:
            return {};
    }
}

bool VacuumTables::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !(flags(index) & Qt::ItemIsUserCheckable)) return false;
    rows_[shown_[static_cast<std::size_t>(index.row())]].chosen = value.toInt() == Qt::Checked;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT choiceChanged();
    return true;
}

QVariant VacuumTables::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && (section == Size || section == Dead || section == Age ||
                                          section == Time || section == Gain)) {
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Size:
            return tr("Size");
        case Dead:
            return tr("Dead rows");
        case Age:
            return tr("Age");
        case Vacuumed:
            return tr("Vacuumed");
        case Analyzed:
            return tr("Analyzed");
        case Action:
            return tr("Would do");
        case Time:
            return tr("About");
        case Gain:
            return tr("Frees");
        case Why:
            return tr("Why");
        default:
            return tr("Relation");
    }
}

}  // namespace gantry::ui
