// SPDX-License-Identifier: Apache-2.0
// EmberSM: proves that what a multicast LID's packets do is a tree.

#include "core/multicast/tree_check.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

[[nodiscard]] bool IsOpen(std::span<const std::uint16_t> masks,
                          const MftTables::Run& run,
                          PortNumber port) {
    const std::size_t at = run.first + Raw(port) / MftTables::kPorts;
    const unsigned mask = masks[at];
    return (mask >> (Raw(port) % MftTables::kPorts) & 1U) != 0;
}

}  // namespace

TreeCheck::Spot& TreeCheck::Meet(SwitchIndex at) {
    Spot& spot = spots_[Raw(at)];
    if (spot.stamp != stamp_) spot = Spot{.stamp = stamp_, .root = at};
    return spot;
}

/// What a packet meets that leaves the switch at hand by this port.
void TreeCheck::Leave(const Port& port, std::span<const std::uint16_t> masks, Finding& finding) {
    const bool is_own = port.number == kManagementPort;
    if (!is_own && port.peer == kNoPortIndex) return;  // Into a port without a cable.
    const Port& peer = is_own ? port : fabric_.port(port.peer);
    const SwitchIndex beyond = is_own ? kNoSwitch : fabric_.node(peer.node).switch_index;
    if (beyond == kNoSwitch) {
        ++finding.reached;
        return;
    }
    if (!IsOpen(masks, tables_.run(beyond), peer.number)) {
        finding.has_one_way = true;
        return;
    }
    if (spots_[Raw(beyond)].stamp == stamp_) {
        finding.has_loop = true;
        return;
    }
    Meet(beyond).entry = peer.number;
    queue_[known_++] = beyond;
}

TreeCheck::Finding TreeCheck::Follow(SwitchIndex from, std::span<const std::uint16_t> masks) {
    BeginCables();  // A fresh stamp.
    Finding finding;
    known_ = 0;
    queue_[known_++] = from;
    static_cast<void>(Meet(from));
    for (std::size_t next = 0; next < known_; ++next) {  // Every switch once.
        const SwitchIndex at = queue_[next];
        const PortNumber entry = Meet(at).entry;
        const MftTables::Run& run = tables_.run(at);
        for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
            if (port.number != entry && IsOpen(masks, run, port.number))
                Leave(port, masks, finding);
        }
    }
    return finding;
}

void TreeCheck::BeginCables() {
    if (++stamp_ != 0) return;
    std::fill(spots_.begin(), spots_.end(), Spot{});  // Old stamps would hold again.
    stamp_ = 1;
}

SwitchIndex TreeCheck::RootOf(SwitchIndex at) {
    while (Meet(at).root != at) {  // Ways halve as they are walked; ends at the root.
        Spot& spot = Meet(at);
        spot.root = Meet(spot.root).root;
        at = spot.root;
    }
    return at;
}

bool TreeCheck::AddCable(SwitchIndex one, SwitchIndex other) {
    const SwitchIndex first = RootOf(one);
    const SwitchIndex second = RootOf(other);
    if (first == second) return true;
    Meet(first).root = second;
    return false;
}

}  // namespace ember
