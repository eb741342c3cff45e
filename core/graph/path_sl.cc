// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of every path of a routing.

#include "core/graph/path_sl.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Status PathSl::Begin(Form form, std::size_t switches, Lid top) {
    const std::size_t bytes = Bytes(form, switches, top);
    if (bytes > octets_.size()) return Status::kFull;
    std::fill_n(octets_.begin(), bytes, std::uint8_t{0});
    form_ = form;
    rows_ = RowsOf(form, switches);
    columns_ = ColumnsOf(form, switches, top);
    EMBER_ASSERT(this->bytes() == bytes);
    return Status::kOk;
}

void PathSl::Copy(const PathSl& other) {
    EMBER_ASSERT(other.bytes() <= octets_.size());
    std::copy_n(other.octets_.begin(), other.bytes(), octets_.begin());
    form_ = other.form_;
    rows_ = other.rows_;
    columns_ = other.columns_;
}

bool PathSl::IsLike(const PathSl& other) const {
    if (form_ != other.form_ || bytes() != other.bytes()) return false;
    if (form_ == Form::kNone) return true;
    const auto octets = octets_.first(bytes());
    return rows_ == other.rows_ && std::equal(octets.begin(), octets.end(), other.octets_.begin());
}

void PathSl::SetRadix(const GridPlace& radix) {
    EMBER_ASSERT(form_ == Form::kByPlaces && std::count(radix.begin(), radix.end(), 0) == 0);
    std::copy(radix.begin(), radix.end(), octets_.subspan((rows_ - 1) * RowBytes()).begin());
}

void PathSl::SetRings(const std::array<RingRule, std::tuple_size_v<GridPlace>>& rings) {
    EMBER_ASSERT(form_ == Form::kByRings);
    auto octets = octets_.subspan(SwitchRows() * RowBytes());
    for (const RingRule& ring : rings) {
        const std::array<std::uint8_t, kRuleRows> row = {
            ring.radix,    static_cast<std::uint8_t>(ring.splits_ties ? 1 : 0),
            ring.plus[0],  ring.plus[1],
            ring.minus[0], ring.minus[1]};
        std::copy(row.begin(), row.end(), octets.begin());
        octets = octets.subspan(row.size());
    }
}

void PathSl::SetPlace(SwitchIndex at, const GridPlace& place) {
    EMBER_ASSERT(IsByGrid(form_) && Raw(at) < SwitchRows());
    for (std::size_t d = 0; d < place.size(); ++d) {
        const std::uint8_t radix =
            form_ == Form::kByRings ? RingAt(d).radix : PlaceAt(rows_ - 1)[d];
        EMBER_ASSERT(place[d] < radix);
    }
    std::copy(place.begin(), place.end(), octets_.subspan(Raw(at) * RowBytes()).begin());
}

void PathSl::Set(const SlPath& path, std::uint8_t sl) {
    EMBER_ASSERT(!IsByGrid(form_) && Has(path) && sl < kServiceLevels);
    std::uint8_t& octet = octets_[OctetOf(path)];
    octet = (ColumnOf(path) & 1U) == 0 ? static_cast<std::uint8_t>((octet & 0xF0U) | sl)
                                       : static_cast<std::uint8_t>((octet & 0x0FU) | sl * 16U);
}

std::uint8_t PathSl::Of(const SlPath& path) const {
    if (form_ == Form::kNone) return 0;
    if (form_ == Form::kByPlaces) return ByPlaces(path);
    if (form_ == Form::kByRings) return ByRings(path);
    if (!Has(path)) return kNoSl;
    const unsigned shift = (ColumnOf(path) & 1U) * 4;
    return static_cast<std::uint8_t>(octets_[OctetOf(path)] >> shift & 0x0FU);
}

GridPlace PathSl::PlaceAt(std::size_t row) const {
    EMBER_ASSERT(row < rows_);
    GridPlace place{};
    std::copy_n(octets_.subspan(row * RowBytes()).begin(), place.size(), place.begin());
    return place;
}

std::uint8_t PathSl::ByPlaces(const SlPath& path) const {
    const std::size_t switches = rows_ - 1;
    if (Raw(path.from) >= switches || Raw(path.to) >= switches) return kNoSl;
    const GridPlace from = PlaceAt(Raw(path.from));
    const GridPlace to = PlaceAt(Raw(path.to));
    const GridPlace radix = PlaceAt(switches);
    unsigned sl = 0;
    for (std::size_t d = 0; d < radix.size(); ++d) {
        const unsigned within = std::max(from[d], to[d]) - std::min(from[d], to[d]);
        if (2 * within > radix[d]) sl |= 1U << d;
    }
    return static_cast<std::uint8_t>(sl);
}

RingRule PathSl::RingAt(std::size_t dimension) const {
    EMBER_ASSERT(dimension < RowBytes());
    const auto row = octets_.subspan(SwitchRows() * RowBytes() + dimension * kRuleRows, kRuleRows);
    return {.radix = row[0],
            .splits_ties = row[1] != 0,
            .plus = {row[2], row[3]},
            .minus = {row[4], row[5]}};
}

std::uint8_t PathSl::ByRings(const SlPath& path) const {
    if (Raw(path.from) >= SwitchRows() || Raw(path.to) >= SwitchRows()) return kNoSl;
    const GridPlace from = PlaceAt(Raw(path.from));
    const GridPlace to = PlaceAt(Raw(path.to));
    unsigned sl = 0;
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (from[d] == to[d]) continue;
        const std::uint8_t lane = LaneRound(RingAt(d), from[d], to[d]);
        EMBER_ASSERT(lane != kNoRingLane);  // As SetRings() was told.
        sl |= static_cast<unsigned>(lane) << d;
    }
    return static_cast<std::uint8_t>(sl);
}

bool PathSl::Has(const SlPath& path) const {
    return form_ != Form::kNone && RowOf(path) < rows_ && ColumnOf(path) < columns_;
}

std::size_t PathSl::OctetOf(const SlPath& path) const {
    return RowOf(path) * RowBytes() + ColumnOf(path) / 2;
}

}  // namespace ember
