// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.

#include "core/graph/lane_map.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Status LaneMap::Begin(std::size_t switches, std::uint8_t most_ports) {
    if (Words(switches, most_ports, 1) > words_.size()) return Status::kFull;
    switches_ = switches;
    ports_ = most_ports + std::size_t{1};
    first_row_ = TurnWords(switches, most_ports);
    std::fill_n(words_.begin(), first_row_, 0);
    words_[first_row_] = LaneRow().bits();
    rows_ = 1;
    classes_ = 0;
    return Status::kOk;
}

Status LaneMap::BeginClasses(std::size_t switches, std::uint8_t most_ports, std::size_t classes) {
    EMBER_ASSERT(classes >= 1 && classes <= kMostClasses);
    if (ClassWords(switches, most_ports, classes) > words_.size()) return Status::kFull;
    switches_ = switches;
    ports_ = most_ports + std::size_t{1};
    first_row_ = OctetWords(switches * ports_);
    std::fill_n(words_.begin(), first_row_, 0);
    classes_ = classes;
    rows_ = classes * classes;
    const auto rows = words_.subspan(first_row_, rows_);
    std::fill(rows.begin(), rows.end(), LaneRow().bits());
    return Status::kOk;
}

void LaneMap::SetClass(SwitchIndex at, PortNumber port, std::uint8_t port_class) {
    EMBER_ASSERT(port_class < classes_ && Has({.at = at, .in = port, .out = port}));
    SetOctet(PortPlace(at, port), port_class);
}

void LaneMap::SetRow(std::uint8_t in_class, std::uint8_t out_class, LaneRow row) {
    EMBER_ASSERT(in_class < classes_ && out_class < classes_);
    words_[RowOfClasses(in_class, out_class)] = row.bits();
}

Status LaneMap::Set(const LaneTurn& turn, LaneRow row) {
    EMBER_ASSERT(form() == Form::kByPorts && Has(turn));
    const auto rows = words_.subspan(first_row_);
    const auto found = static_cast<std::size_t>(
        std::find(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows_), row.bits()) -
        rows.begin());
    if (found == rows_) {
        if (rows_ == kMostRows || rows_ == rows.size()) return Status::kFull;
        rows[rows_++] = row.bits();
    }
    EMBER_ASSERT(found < kMostRows);
    SetOctet(PlaceOf(turn), found);
    return Status::kOk;
}

bool LaneMap::IsLike(const LaneMap& other) const {
    const bool has_sizes = switches_ == other.switches_ && ports_ == other.ports_;
    if (rows_ != other.rows_ || classes_ != other.classes_) return false;
    if (rows_ == 0) return true;
    EMBER_ASSERT(words() <= words_.size());
    const auto rows = words_.subspan(first_row_, rows_);
    return has_sizes &&
           std::equal(rows.begin(), rows.end(), other.words_.subspan(other.first_row_).begin());
}

bool LaneMap::IsSameAt(const LaneMap& other, SwitchIndex at) const {
    EMBER_ASSERT(rows_ == other.rows_ && classes_ == other.classes_);
    if (Raw(at) >= switches_ || rows_ == 0) return true;  // All is dropped there, or nothing.
    const std::size_t first = Raw(at) * OctetsAt();
    for (std::size_t place = first; place < first + OctetsAt(); ++place) {
        if (OctetAt(place) != other.OctetAt(place)) return false;
    }
    return true;
}

bool LaneMap::IsSameTo(const LaneMap& other, SwitchIndex at, PortNumber out) const {
    for (std::size_t in = 0; rows_ != 0 && in < ports_; ++in) {
        const LaneTurn turn{.at = at, .in = static_cast<PortNumber>(in), .out = out};
        if (RowOf(turn) != other.RowOf(turn)) return false;
    }
    return true;
}

void LaneMap::Copy(const LaneMap& other) {
    switches_ = other.switches_;
    ports_ = other.ports_;
    first_row_ = other.first_row_;
    rows_ = other.rows_;
    classes_ = other.classes_;
    if (rows_ == 0) return;
    EMBER_ASSERT(first_row_ + rows_ <= words_.size());
    std::copy_n(other.words_.begin(), first_row_ + rows_, words_.begin());
}

}  // namespace ember
