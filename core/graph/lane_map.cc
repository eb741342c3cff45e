// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.

#include "core/graph/lane_map.h"

#include <algorithm>

namespace ember {

Status LaneMap::Begin(std::size_t switches, std::uint8_t most_ports) {
    if (Words(switches, most_ports, 1) > words_.size()) return Status::kFull;
    switches_ = switches;
    ports_ = most_ports + std::size_t{1};
    first_row_ = TurnWords(switches, most_ports);
    std::fill_n(words_.begin(), first_row_, 0);
    words_[first_row_] = LaneRow().bits();
    rows_ = 1;
    return Status::kOk;
}

Status LaneMap::Set(const LaneTurn& turn, LaneRow row) {
    EMBER_ASSERT(rows_ > 0 && Has(turn));
    const auto rows = words_.subspan(first_row_);
    const auto found = static_cast<std::size_t>(
        std::find(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows_), row.bits()) -
        rows.begin());
    if (found == rows_) {
        if (rows_ == kMostRows || rows_ == rows.size()) return Status::kFull;
        rows[rows_++] = row.bits();
    }
    const std::size_t place = PlaceOf(turn);
    std::uint64_t& word = words_[place / kPlaces];
    word &= ~(std::uint64_t{0xFF} << ShiftOf(place));
    word |= std::uint64_t{found} << ShiftOf(place);
    return Status::kOk;
}

void LaneMap::Copy(const LaneMap& other) {
    switches_ = other.switches_;
    ports_ = other.ports_;
    first_row_ = other.first_row_;
    rows_ = other.rows_;
    if (rows_ == 0) return;
    EMBER_ASSERT(first_row_ + rows_ <= words_.size());
    std::copy_n(other.words_.begin(), first_row_ + rows_, words_.begin());
}

}  // namespace ember
