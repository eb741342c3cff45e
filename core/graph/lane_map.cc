// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.

#include "core/graph/lane_map.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

inline constexpr std::uint64_t kAllDropped = ~std::uint64_t{0};  // kNoLane for each SL.
inline constexpr unsigned kPortBits = 8;                         // Of a word about a switch.

[[nodiscard]] constexpr unsigned ShiftOf(std::uint8_t sl) {
    return 4U * sl;
}

}  // namespace

Status LaneMap::BeginByPorts(std::size_t switches) {
    if (FixedWords(switches) > words_.size()) return Status::kFull;
    std::fill_n(words_.begin(), switches, 0);
    switches_ = used_ = switches;
    return Status::kOk;
}

Status LaneMap::Add(SwitchIndex at, std::uint8_t port_count) {
    EMBER_ASSERT(Raw(at) < switches_ && port_count < 0xFF);
    const std::size_t count = WordsOf(port_count);
    if (count > words_.size() - used_) return Status::kFull;
    std::fill_n(words_.begin() + static_cast<std::ptrdiff_t>(used_), count, kAllDropped);
    words_[Raw(at)] = std::uint64_t{used_} << kPortBits | (port_count + 1U);
    used_ += count;
    return Status::kOk;
}

void LaneMap::Copy(const LaneMap& other) {
    EMBER_ASSERT(other.used_ <= words_.size());
    std::copy_n(other.words_.begin(), other.used_, words_.begin());
    switches_ = other.switches_;
    used_ = other.used_;
}

void LaneMap::Set(const LaneTurn& turn, std::uint8_t sl, std::uint8_t lane) {
    EMBER_ASSERT(Has(turn.at));
    EMBER_ASSERT(sl < 16 && lane <= kNoLane);
    std::uint64_t& word = WordOf(turn);
    word = (word & ~(std::uint64_t{kNoLane} << ShiftOf(sl))) | std::uint64_t{lane} << ShiftOf(sl);
}

std::uint8_t LaneMap::Of(const LaneTurn& turn, std::uint8_t sl) const {
    EMBER_ASSERT(sl < 16);
    if (!Has(turn.at)) return sl;
    return static_cast<std::uint8_t>(WordOf(turn) >> ShiftOf(sl) & kNoLane);
}

std::uint64_t& LaneMap::WordOf(const LaneTurn& turn) const {
    const std::uint64_t place = words_[Raw(turn.at)];
    const auto first = static_cast<std::size_t>(place >> kPortBits);
    const auto ports = static_cast<std::size_t>(place & ((1U << kPortBits) - 1));
    EMBER_ASSERT(Raw(turn.in) < ports && Raw(turn.out) < ports);
    return words_[first + Raw(turn.out) * ports + Raw(turn.in)];
}

}  // namespace ember
