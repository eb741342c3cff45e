// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links that a sweep finds, and those that it gives up.

#include "core/discovery/sweep_links.h"

#include "core/base/assert.h"
#include "core/fabric/m_key.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {

void SweepLinks::Connect(const Probe& probe, PortIndex far, std::uint64_t now_us) {
    EMBER_ASSERT(far != kNoPortIndex);
    const std::uint32_t sweep = outcome_.sweep;
    Port& near_end = fabric_.port(probe.port);
    Port& far_end = fabric_.port(far);
    const bool agreed = near_end.peer == far && far_end.peer == probe.port;
    if (!agreed && (far_end.linked == sweep || near_end.linked == sweep)) {
        claims_.Conflict(probe, far, now_us);
        return;
    }
    if (!agreed) {
        if (outcome_.targeted) LoseRivals(probe.port, far, now_us);
        fabric_.Connect(probe.port, far);
        // The node answered; its old link may be lost.
        fabric_.node(far_end.node).seen = sweep;
        ++outcome_.links_changed;
        near_end.rated = false;
        far_end.rated = false;
        notes_.GainedLink(probe.port);
    }
    EMBER_ASSERT(near_end.peer == far);
    EMBER_ASSERT(far_end.peer == probe.port);
    near_end.linked = sweep;
    far_end.linked = sweep;
    if (fabric_.node(far_end.node).type == NodeType::kSwitch) {
        EnterTrusted(probe.port, far_end.node);
    } else if (IsSwitchPort(fabric_, probe.port)) {
        near_end.had_end_node = true;
    }
}

void SweepLinks::Lose(PortIndex at, std::uint64_t now_us) {
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

void SweepLinks::LoseReported(PortIndex at, std::uint64_t now_us) {
    flapping_.NoteLoss(at, now_us);
    Lose(at, now_us);
}

void SweepLinks::NoteRetraining(PortIndex at, const PortInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    const Port& port = fabric_.port(at);
    const bool was_down = port.has_info &&
                          port.info.Get(PortInfo::kPortState) >= PortState::kArmed &&
                          info.Get(PortInfo::kPortState) == PortState::kInitialize;
    if (was_down && flapping_.NoteLoss(at, now_us)) notes_.Retrained(at, now_us);
}

void SweepLinks::Review(std::uint64_t now_us) {
    ForEachPort(fabric_, [&](PortIndex at, Port& port) {
        if (port.peer == kNoPortIndex) return;
        if (port.linked != outcome_.sweep) {
            Lose(at, now_us);
        } else if (!port.rated) {
            notes_.Rate(at, now_us);
        }
    });
}

/// Enters a switch by an exit that never led to an end node, if there is one: no host plays it
/// then, and the port that was an end node's is one of its links.
void SweepLinks::EnterTrusted(PortIndex exit, NodeIndex at) {
    EMBER_ASSERT(fabric_.own_port() != kNoPortIndex);
    EMBER_ASSERT(fabric_.port(exit).peer != kNoPortIndex);
    Node& node = fabric_.node(at);
    EMBER_ASSERT(node.type == NodeType::kSwitch);
    const auto is_suspect = [this](PortIndex by) {
        return by != kNoPortIndex &&
               (fabric_.port(by).had_end_node || LiesBehindEndNode(fabric_, by));
    };
    const bool is_own = at == fabric_.port(fabric_.own_port()).node;
    if (is_own || !is_suspect(node.entry)) return;
    if (!is_suspect(exit)) node.entry = exit;
}

/// Two ports are found to be linked to each other. Their former peers must be read again, and
/// directed routes through the former links are re-rooted.
void SweepLinks::LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us) {
    EMBER_ASSERT(outcome_.targeted);
    for (const PortIndex at : {near_end, far_end}) {
        const PortIndex rival = fabric_.port(at).peer;
        if (rival == kNoPortIndex) continue;
        Lose(at, now_us);
        targeted_.AddNodeOf(rival);
    }
    targeted_.AddNodeOf(far_end);
}

/// The link of `exit` is given up though the port says that it is up: the node behind it is silent.
/// The node guards itself by the key that it has, should it answer again.
void SweepLinks::RememberSilent(PortIndex exit) {
    const Port& port = fabric_.port(exit);
    const Node& node = fabric_.node(port.node);
    const bool leads_on = node.type == NodeType::kSwitch || exit == fabric_.own_port();
    if (!leads_on || port.seen != outcome_.sweep || !HasLink(port.info)) return;
    EMBER_ASSERT(port.peer != kNoPortIndex);
    const Port& guard = fabric_.port(MKeyPortOf(fabric_, port.peer));
    fabric_.RememberSilentPeer({.exit_node = node.guid,
                                .exit_port = port.number,
                                .port = guard.guid,
                                .m_key = guard.info.Get(PortInfo::kMKey)});
}

}  // namespace ember
