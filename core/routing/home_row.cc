// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes of the subnet manager to all switches.

#include "core/routing/home_row.h"

namespace ember {

void HomeRow::Begin(const HomeTask& task, Arena& scratch) {
    task_ = task;
    home_ = kNoSwitch;
    next_ = 0;
    const Topology& topology = *task.topology;
    const DestinationIndex at = topology.home();
    if (at == kNoDestination || !topology.IsBareHome(topology.destination(at).at)) return;
    home_ = topology.destination(at).at;
    queue_ = scratch.Take<SwitchIndex>(topology.switch_bound());
    came_ = scratch.Take<Step>(topology.switch_bound());
    seen_ = scratch.Take<std::uint32_t>(topology.switch_bound());
    searches_ = 0;
}

Progress HomeRow::Advance() {
    if (home_ == kNoSwitch) return Progress::kDone;
    const auto destinations = task_.topology->destinations();
    for (steps_ = 0; next_ < destinations.size() && steps_ < kStepsPerSlice; ++next_) {
        const Destination& to = destinations[next_];
        const bool is_mere = to.is_switch() && task_.topology->IsMere(to.at);
        for (std::uint32_t i = 0; is_mere && i < to.lid_count(); ++i) {
            const auto lid = static_cast<Lid>(Raw(to.lid) + i);
            if (!Arrives(home_, to.at, lid)) Complete(to.at, lid);
        }
    }
    return next_ == destinations.size() ? Progress::kDone : Progress::kMore;
}

bool HomeRow::Arrives(SwitchIndex from, SwitchIndex to, Lid lid) {
    SwitchIndex at = from;
    for (std::size_t i = 0; i < task_.topology->switch_count(); ++i) {  // A longer path is a loop.
        ++steps_;
        if (at == to) return true;
        const std::uint8_t port = task_.lfts[at][Raw(lid)];
        const auto exits = task_.topology->exits(at);
        if (port >= exits.size() || exits[port].peer == kNoSwitch) return false;
        at = exits[port].peer;
    }
    return false;
}

/// Breadth first, through mere switches from which packets do not arrive.
void HomeRow::Complete(SwitchIndex to, Lid lid) {
    ++searches_;
    queued_ = 0;
    queue_[queued_++] = home_;
    seen_[Raw(home_)] = searches_;
    for (std::size_t head = 0; head < queued_; ++head) {  // Each switch joins once.
        const SwitchIndex here = queue_[head];
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (!Meet(here, trunk) || !Arrives(trunk.peer, to, lid)) continue;
            WriteWay(trunk.peer, lid);
            return;
        }
    }
    // There is none: it stays apart, which the verifier counts.
}

/// False when the search has met the switch behind `trunk` already.
bool HomeRow::Meet(SwitchIndex here, const Trunk& trunk) {
    ++steps_;
    if (seen_[Raw(trunk.peer)] == searches_) return false;
    seen_[Raw(trunk.peer)] = searches_;
    came_[Raw(trunk.peer)] = {here, Raw(trunk.port)};
    if (task_.topology->IsMere(trunk.peer)) queue_[queued_++] = trunk.peer;
    return true;
}

void HomeRow::WriteWay(SwitchIndex last, Lid lid) const {
    for (SwitchIndex at = last; at != home_; at = came_[Raw(at)].from) {
        const Step& step = came_[Raw(at)];
        task_.Write(step.from, lid, step.port);
    }
}

}  // namespace ember
