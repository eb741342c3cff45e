// SPDX-License-Identifier: Apache-2.0
// EmberSM: an order of switches in which each connected part has one above all others.

#include "engines/up_down/crown.h"

#include <algorithm>
#include <limits>

namespace ember {

namespace {

constexpr std::uint16_t kNotRaised = std::numeric_limits<std::uint16_t>::max();

/// The work on one order.
class Raiser {
public:
    Raiser(const Topology& topology, std::span<const SwitchIndex> from_top, Arena& scratch)
        : topology_(topology),
          from_top_(from_top),
          place_(scratch.Take<std::uint16_t>(topology.switch_bound())),
          depth_(scratch.Take<std::uint16_t>(topology.switch_bound())),
          raised_(scratch.Take<std::uint16_t>(topology.switch_bound())),
          towards_(scratch.Take<SwitchIndex>(topology.switch_bound())),
          queue_(scratch.Take<SwitchIndex>(from_top.size())) {
        for (std::size_t i = 0; i < from_top.size(); ++i) {
            place_[Raw(from_top[i])] = static_cast<std::uint16_t>(i);
        }
        std::fill(raised_.begin(), raised_.end(), kNotRaised);
        std::fill(towards_.begin(), towards_.end(), kNoSwitch);
    }

    /// By switch: links between a raised one and the first, else kNotRaised.
    [[nodiscard]] std::span<const std::uint16_t> Raise() {
        for (const SwitchIndex at : from_top_) {
            if (towards_[Raw(at)] != kNoSwitch) continue;
            const auto island = Spread(at);
            const SwitchIndex middle = MiddleOf(island);
            if (middle != at) MakeFirst(middle, island);
        }
        for (const SwitchIndex at : from_top_) {
            if (IsTop(at)) RaisePathFrom(at);
        }
        return raised_;
    }

private:
    /// Breadth first from the first of an island, which is returned. The queue holds it.
    std::span<const SwitchIndex> Spread(SwitchIndex first) {
        std::size_t tail = 0;
        towards_[Raw(first)] = first;
        raised_[Raw(first)] = 0;
        queue_[tail++] = first;
        for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
            const SwitchIndex here = queue_[head];
            for (const Trunk& trunk : topology_.trunks(here)) {
                if (towards_[Raw(trunk.peer)] != kNoSwitch) continue;
                towards_[Raw(trunk.peer)] = here;
                depth_[Raw(trunk.peer)] = static_cast<std::uint16_t>(depth_[Raw(here)] + 1);
                queue_[tail++] = trunk.peer;
            }
        }
        return queue_.first(tail);
    }

    /// Half the way from the top that is farthest from the first to it; the first if no other is a
    /// top.
    [[nodiscard]] SwitchIndex MiddleOf(std::span<const SwitchIndex> island) const {
        SwitchIndex at = island.front();
        for (const SwitchIndex one : island) {
            if (depth_[Raw(one)] > depth_[Raw(at)] && IsTop(one)) at = one;
        }
        for (std::size_t steps = depth_[Raw(at)] / 2U; steps > 0; --steps) {
            at = towards_[Raw(at)];
        }
        return at;
    }

    /// Another search, from a switch of the island.
    void MakeFirst(SwitchIndex first, std::span<const SwitchIndex> island) {
        for (const SwitchIndex at : island) {
            towards_[Raw(at)] = kNoSwitch;
            raised_[Raw(at)] = kNotRaised;
        }
        depth_[Raw(first)] = 0;
        static_cast<void>(Spread(first));
    }

    [[nodiscard]] bool IsTop(SwitchIndex at) const {
        const auto trunks = topology_.trunks(at);
        return std::none_of(trunks.begin(), trunks.end(), [&](const Trunk& trunk) {
            return place_[Raw(trunk.peer)] < place_[Raw(at)];
        });
    }

    /// The top itself may stay where it is: the next switch on its path is above it then.
    void RaisePathFrom(SwitchIndex top) {
        SwitchIndex at = towards_[Raw(top)];
        while (raised_[Raw(at)] == kNotRaised) {  // Ends: the first of the island is raised.
            raised_[Raw(at)] = depth_[Raw(at)];
            at = towards_[Raw(at)];
        }
    }

    const Topology& topology_;
    std::span<const SwitchIndex> from_top_;
    std::span<std::uint16_t> place_;   ///< By switch: in from_top_.
    std::span<std::uint16_t> depth_;   ///< By switch: links to the first of its island.
    std::span<std::uint16_t> raised_;  ///< By switch: its depth if it is raised.
    std::span<SwitchIndex> towards_;   ///< By switch: the next on a shortest path to the first.
    std::span<SwitchIndex> queue_;
};

}  // namespace

void Crown(const Topology& topology, std::span<SwitchIndex> from_top, Arena& scratch) {
    const Arena::Frame frame(scratch);
    Raiser raiser(topology, from_top, scratch);
    const auto raised = raiser.Raise();
    const auto keys = scratch.Take<std::uint64_t>(from_top.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = raised[Raw(from_top[i])];
    }
    SortByKey(keys, from_top, scratch);
}

}  // namespace ember
