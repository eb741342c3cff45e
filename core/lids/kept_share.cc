// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many GUIDs that left one port have LIDs kept for them.

#include "core/lids/kept_share.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kMostCounted = 255;  // KeptExit::arrivals has 8 bits.
static_assert(kKeptArrivals < kMostCounted);

}  // namespace

/// A switch hangs on the exit that it had `before`, while a link leads from there to it: which of
/// its links a sweep crosses first may change with every sweep, and each change would be written.
PortIndex KeptShare::ExitOf(const Port& port, const KeptExit& before) const {
    const Node& node = fabric_.node(port.node);
    PortIndex exit = port.peer;
    if (node.type == NodeType::kSwitch) {
        const PortIndex had = Find(before);
        const PortIndex beyond = had == kNoPortIndex ? had : fabric_.port(had).peer;
        exit = beyond != kNoPortIndex && fabric_.port(beyond).node == port.node ? had : node.entry;
    }
    if (exit == kNoPortIndex || fabric_.port(exit).node == kNoNode) return kNoPortIndex;
    const PortIndex suspect = FormerEndNodePortOn(fabric_, exit);
    return suspect == kNoPortIndex ? exit : suspect;
}

/// By what is kept for its node, and so outlives a restart; a switch that is left out has no LID.
KeptExit KeptShare::NameOf(PortIndex exit) const {
    EMBER_ASSERT(exit != kNoPortIndex);
    const Port& port = fabric_.port(exit);
    const Node& node = fabric_.node(port.node);
    const bool is_switch = node.type == NodeType::kSwitch;
    const Port& end_port = is_switch ? fabric_.port(node.first_port) : port;
    const KeptLids* const kept = map_.Find(end_port.guid);
    if (kept == nullptr) return {};
    return {.lid = kept->least, .port = port.number};
}

/// kNoPortIndex: its node is not there.
PortIndex KeptShare::Find(const KeptExit& exit) const {
    const PortIndex end_port = exit.lid == kNoLid ? kNoPortIndex : fabric_.PortByLid(exit.lid);
    if (end_port == kNoPortIndex) return kNoPortIndex;
    return fabric_.PortOf(fabric_.port(end_port).node, exit.port);
}

void KeptShare::NotePresent(std::span<const PortIndex> present) {
    for (const PortIndex at : present) {
        const Port& port = fabric_.port(at);
        const KeptLids* const kept = map_.Find(port.guid);
        if (kept == nullptr) continue;
        present_.Add(Raw(kept->least));
        const PortIndex exit = ExitOf(port, kept->exit);
        const KeptExit now = exit == kNoPortIndex ? KeptExit{} : NameOf(exit);
        if (now == KeptExit{} || now == kept->exit) continue;
        const Status noted = map_.NoteExit(port.guid, now);
        EMBER_ASSERT(noted == Status::kOk);
        if (arrivals_[exit] < kMostCounted) ++arrivals_[exit];
    }
}

void KeptShare::CountArrivals() {
    for (std::size_t i = map_.entries().size(); i > 0;
         --i) {  // Forget() fills the hole from there.
        const KeptLids kept = map_.entries()[i - 1];
        if (kept.exit.lid == kNoLid || present_.Has(Raw(kept.least))) continue;
        const PortIndex at = Find(kept.exit);
        const std::uint32_t came = at == kNoPortIndex ? 0U : arrivals_[at];
        if (came == 0) continue;
        KeptExit exit = kept.exit;
        exit.arrivals = static_cast<std::uint8_t>(std::min(kMostCounted, exit.arrivals + came));
        if (exit.arrivals > kKeptArrivals) {
            map_.Forget(kept.guid);
            continue;
        }
        const Status noted = map_.NoteExit(kept.guid, exit);
        EMBER_ASSERT(noted == Status::kOk);
    }
}

/// Forgets absent ports that hung on a node whose own LIDs are forgotten: they have no place to
/// come back to. False: there is none.
bool KeptShare::ForgetUnplaced() {
    const std::size_t before = map_.entries().size();
    for (std::size_t i = before; i > 0; --i) {  // Forget() fills the hole from there.
        const KeptLids kept = map_.entries()[i - 1];
        if (kept.exit.lid == kNoLid || present_.Has(Raw(kept.least))) continue;
        if (!map_.IsKept(kept.exit.lid)) map_.Forget(kept.guid);
    }
    return map_.entries().size() != before;
}

void KeptShare::Run(std::span<const PortIndex> present, Arena& scratch) {
    const Arena::Frame frame(scratch);
    arrivals_ = Table<PortIndex, std::uint8_t>(scratch.Take<std::uint8_t>(fabric_.port_bound()));
    arrivals_.fill(0);
    present_ =
        BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(fabric_.max_lid() + std::size_t{1})));
    present_.clear();
    NotePresent(present);
    CountArrivals();
    while (ForgetUnplaced()) {  // Ends: each turn but the last forgets an entry.
    }
}

}  // namespace ember
