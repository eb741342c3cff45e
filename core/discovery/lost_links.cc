// SPDX-License-Identifier: Apache-2.0
// EmberSM: links that a sweep gives up, and what is remembered of them.

#include "core/base/assert.h"
#include "core/discovery/discovery.h"
#include "core/fabric/m_key.h"

namespace ember {

/// Drops links that this sweep did not confirm, and rates new ones.
void Discovery::ReviewLinks(std::uint64_t now_us) {
    ForEachPort(fabric_, [&](PortIndex at, Port& port) {
        if (port.peer == kNoPortIndex) return;
        if (port.linked != sweep_) {
            LoseLink(at, now_us);
        } else if (!port.rated) {
            notes_.Rate(at, now_us);
        }
    });
}

void Discovery::LoseLink(PortIndex at, std::uint64_t now_us) {
    const PortIndex far = fabric_.port(at).peer;
    EMBER_ASSERT(far != kNoPortIndex);
    EMBER_ASSERT(fabric_.port(far).peer == at);
    notes_.LostLink(at, now_us);
    RememberSilent(at);
    RememberSilent(far);
    fabric_.Disconnect(at);
    ++outcome_.links_changed;
    if (outcome_.targeted) targeted_.OnLostLink(at, far);
}

/// Two ports are found to be linked to each other. Their former peers must be read again, and
/// directed routes through the former links are re-rooted.
void Discovery::LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us) {
    EMBER_ASSERT(outcome_.targeted);
    for (const PortIndex at : {near_end, far_end}) {
        const PortIndex rival = fabric_.port(at).peer;
        if (rival == kNoPortIndex) continue;
        LoseLink(at, now_us);
        targeted_.AddNodeOf(rival);
    }
    targeted_.AddNodeOf(far_end);
}

/// The link of `exit` is given up though the port says that it is up: the node behind it is silent.
/// The node guards itself by the key that it has, should it answer again.
void Discovery::RememberSilent(PortIndex exit) {
    const Port& port = fabric_.port(exit);
    const Node& node = fabric_.node(port.node);
    const bool leads_on = node.type == NodeType::kSwitch || exit == fabric_.own_port();
    if (!leads_on || port.seen != sweep_ || !HasLink(port.info)) return;
    EMBER_ASSERT(port.peer != kNoPortIndex);
    const Port& guard = fabric_.port(MKeyPortOf(fabric_, port.peer));
    fabric_.RememberSilentPeer({.exit_node = node.guid,
                                .exit_port = port.number,
                                .port = guard.guid,
                                .m_key = guard.info.Get(PortInfo::kMKey)});
}

}  // namespace ember
