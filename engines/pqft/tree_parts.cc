// SPDX-License-Identifier: Apache-2.0
// EmberSM: the roots of fat trees that cables join.

#include "engines/pqft/tree_parts.h"

#include <algorithm>

namespace ember {

Status TreeParts::Find(const Topology& topology, Arena& scratch) {
    complaint_ = {};
    const auto room = scratch.Take<Guid>(topology.switch_count());
    roots_ = {};
    const std::size_t mark = scratch.used_bytes();
    heights_ = scratch.Take<std::uint16_t>(topology.switch_bound());
    queue_ = scratch.Take<SwitchIndex>(topology.switch_count());
    if (MeasureHeights(topology) == 0) complaint_ = {.what = EngineFault::kNoLeafSwitch};
    std::size_t count = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (complaint_.what != EngineFault::kNone) break;
        if (IsRoot(topology, at)) {
            room[count++] = topology.switch_row(at).guid;
        } else {
            complaint_ = LowLink(topology, at);
        }
    }
    scratch.Rewind(mark);
    roots_ = room.first(count);
    std::make_heap(roots_.begin(), roots_.end());
    std::sort_heap(roots_.begin(), roots_.end());
    return complaint_.what == EngineFault::kNone ? Status::kOk : Status::kUnreachable;
}

/// From all leaf switches at once. Returns how many switches have a height.
std::size_t TreeParts::MeasureHeights(const Topology& topology) {
    std::fill(heights_.begin(), heights_.end(), kNoHeight);
    std::size_t end = 0;
    for (const Destination& row : topology.destinations()) {
        if (row.is_switch() || row.at == kNoSwitch || heights_[Raw(row.at)] == 0) continue;
        heights_[Raw(row.at)] = 0;
        queue_[end++] = row.at;
    }
    for (std::size_t next = 0; next < end; ++next) {
        const SwitchIndex at = queue_[next];
        for (const Trunk& trunk : topology.trunks(at)) {
            std::uint16_t& height = heights_[Raw(trunk.peer)];
            if (height != kNoHeight) continue;
            height = static_cast<std::uint16_t>(heights_[Raw(at)] + 1);
            queue_[end++] = trunk.peer;
        }
    }
    return end;
}

bool TreeParts::IsRoot(const Topology& topology, SwitchIndex at) const {
    const auto trunks = topology.trunks(at);
    return heights_[Raw(at)] != kNoHeight &&
           std::none_of(trunks.begin(), trunks.end(), [&](const Trunk& trunk) {
               return heights_[Raw(trunk.peer)] > heights_[Raw(at)];
           });
}

/// A cable of a switch that is no root to one of its own height.
EngineComplaint TreeParts::LowLink(const Topology& topology, SwitchIndex at) const {
    for (const Trunk& trunk : topology.trunks(at)) {
        if (heights_[Raw(trunk.peer)] != heights_[Raw(at)]) continue;
        return {.what = EngineFault::kLowLink,
                .guid = topology.switch_row(at).guid,
                .port = trunk.port};
    }
    return {};
}

}  // namespace ember
