// SPDX-License-Identifier: Apache-2.0
// EmberSM: leaf switches in an order in which neighbors of a pod follow one another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// Fills `switches`, one row for each switch, with all switches ascending by GUID as a number.
/// Takes SortByNumberBytes() from `scratch` and gives it back.
inline void SortByNumber(const Topology& topology, std::span<SwitchIndex> switches,
                         Arena& scratch) {
    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(switches.size());
    const auto all = topology.switches_by_guid();
    for (std::size_t i = 0; i < switches.size(); ++i) {
        switches[i] = all[i];
        keys[i] = Raw(topology.switch_row(all[i]).guid);
    }
    SortByKey(keys, switches, scratch);
}

/// The most that SortByNumber() takes from its arena and gives back.
[[nodiscard]] constexpr std::size_t SortByNumberBytes(const Limits& limits) {
    return Arena::BytesFor<std::uint64_t>(limits.max_switches) +
           SortScratchBytes<SwitchIndex>(limits.max_switches);
}

/// Puts leaf switches (switches with end ports) into an order: the first that waits, then all that
/// are nearest to it, at one and the same distance; then the first of the rest with its nearest,
/// and so on. In a fat tree this is pod by pod.
class LeafOrder {
public:
    /// The order of `waiting` decides which switch is first; its memory is overwritten. `hops`:
    /// least hops between any two of them.
    void Begin(std::span<SwitchIndex> waiting, Matrix<SwitchIndex, const std::uint8_t> hops) {
        waiting_ = waiting;
        hops_ = hops;
    }

    /// Calls `place(at)` for the next switches of the order.
    template <typename Place>
    [[nodiscard]] Progress Advance(Place place) {
        std::size_t looks = 0;
        while (!waiting_.empty() && looks < kLooksPerSlice) {  // Each turn places one at least.
            looks += 2 * waiting_.size();
            PlaceNearest(place);
        }
        return waiting_.empty() ? Progress::kDone : Progress::kMore;
    }

private:
    /// Switches compared in one slice.
    static constexpr std::size_t kLooksPerSlice = 1 << 17;

    /// Places the first switch that waits, then all that are nearest to it.
    template <typename Place>
    void PlaceNearest(Place place) {
        const auto row = hops_[waiting_[0]];
        place(waiting_[0]);
        const auto rest = waiting_.subspan(1);
        std::uint8_t least = kNoHops;
        for (const SwitchIndex at : rest) {
            least = std::min(least, row[Raw(at)]);
        }
        std::size_t kept = 0;
        for (const SwitchIndex at : rest) {
            if (row[Raw(at)] == least && least != kNoHops) {
                place(at);
            } else {
                rest[kept++] = at;
            }
        }
        waiting_ = rest.first(kept);
    }

    std::span<SwitchIndex> waiting_;
    Matrix<SwitchIndex, const std::uint8_t> hops_;
};

}  // namespace ember
