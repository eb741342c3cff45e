// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes of all switches to the subnet manager.

#include "core/routing/home_column.h"

#include <algorithm>

namespace ember {

void HomeColumn::Complete(const HomeTask& task, Arena& scratch) {
    const DestinationIndex at = task.topology->home();
    if (at == kNoDestination || task.topology->destination(at).at == kNoSwitch) return;
    const Destination& home = task.topology->destination(at);
    const Arena::Frame frame(scratch);
    HomeColumn columns(task, home, scratch);
    for (std::uint32_t i = 0; i < home.lid_count(); ++i) {
        columns.CompleteLid(static_cast<Lid>(Raw(home.lid) + i));
    }
}

HomeColumn::HomeColumn(const HomeTask& task, const Destination& home, Arena& scratch)
    : task_(task),
      topology_(*task.topology),
      home_(home),
      arrives_(scratch.Take<bool>(task.topology->switch_bound())),
      queue_(scratch.Take<SwitchIndex>(task.topology->switch_count())) {}

void HomeColumn::CompleteLid(Lid lid) {
    std::fill(arrives_.begin(), arrives_.end(), false);
    count_ = 0;
    Arrive(home_.at);
    Follow(lid, false);
    if (task_.mended == nullptr) return;
    Follow(lid, true);
    DropStrays(lid);
}

/// From switches whose packets arrive to their neighbors: a switch whose entry leads here arrives
/// too, and so does a switch whose entry is set so.
void HomeColumn::Follow(Lid lid, bool may_replace) {
    for (std::size_t head = 0; head < count_; ++head) {  // Each switch joins once.
        const SwitchIndex here = queue_[head];
        for (const Trunk& trunk : topology_.trunks(here)) {
            if (arrives_[Raw(trunk.peer)]) continue;
            const std::uint8_t port = task_.lfts[trunk.peer][Raw(lid)];
            const bool leads_here = port == Raw(trunk.peer_port);
            const bool completes = (port == kNoHops || may_replace) && topology_.IsMere(trunk.peer);
            if (!leads_here && !completes) continue;
            if (!leads_here) task_.Write(trunk.peer, lid, Raw(trunk.peer_port));
            Arrive(trunk.peer);
        }
    }
}

/// Drops entries that were completed once, where there is no way at all any more.
void HomeColumn::DropStrays(Lid lid) {
    for (const SwitchIndex at : topology_.switches_by_guid()) {
        const bool strays = !arrives_[Raw(at)] && topology_.IsMere(at);
        if (strays && task_.lfts[at][Raw(lid)] != kNoHops) task_.Write(at, lid, kNoHops);
    }
}

}  // namespace ember
