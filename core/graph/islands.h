// SPDX-License-Identifier: Apache-2.0
// EmberSM: the parts of a subnet without a link between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"

namespace ember {

/// Numbers the islands of a topology from 0 on, breadth first from each switch that has no number.
class Islands {
public:
    /// In place of a number.
    static constexpr std::uint16_t kNone = 0xFFFF;

    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(limits.max_switches);
    }

    constexpr Islands() = default;
    Islands(const Islands&) = delete;
    Islands& operator=(const Islands&) = delete;

    /// Takes the memory for switches 0..bound - 1.
    void Begin(std::size_t bound, Arena& scratch) { number_ = scratch.Take<std::uint16_t>(bound); }
    /// Numbers all. `switches`: each switch of the topology; `queue`: room for as many.
    void Find(const Topology& topology, std::span<const SwitchIndex> switches,
              std::span<SwitchIndex> queue) {
        std::fill(number_.begin(), number_.end(), kNone);
        count_ = 0;
        for (const SwitchIndex root : switches) {
            if (number_[Raw(root)] == kNone) Flood(topology, root, queue);
        }
    }

    [[nodiscard]] std::uint16_t Of(SwitchIndex at) const { return number_[Raw(at)]; }
    [[nodiscard]] std::uint16_t count() const { return count_; }

private:
    void Flood(const Topology& topology, SwitchIndex root, std::span<SwitchIndex> queue) {
        std::size_t tail = 0;
        const auto reach = [&](SwitchIndex at) {
            if (number_[Raw(at)] != kNone) return;
            number_[Raw(at)] = count_;
            queue[tail++] = at;
        };
        reach(root);
        for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
            for (const Trunk& trunk : topology.trunks(queue[head])) {
                reach(trunk.peer);
            }
        }
        ++count_;
    }

    std::span<std::uint16_t> number_;  ///< By switch.
    std::uint16_t count_ = 0;
};

}  // namespace ember
