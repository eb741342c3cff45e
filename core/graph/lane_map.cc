// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.

#include "core/graph/lane_map.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/crc32.h"

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

std::uint32_t LaneMap::Sum() const {
    EMBER_ASSERT(words() <= words_.size());
    return Crc32(std::as_bytes(words_.first(words())));
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
