// SPDX-License-Identifier: Apache-2.0
// EmberSM: the light sweep, which asks whether anything changed.

#include "core/discovery/light_sweep.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/discovery/port_quotas.h"

namespace ember {
namespace {

/// Turns of one Step(), so that a step stays short on a large and quiet fabric.
inline constexpr std::size_t kTurnsAtOnce = 8192;
/// M_Keys with which a silent node is asked in one sweep: the likeliest, and some of the others in
/// turn. A node that never answers must not make each sweep long.
inline constexpr std::size_t kKnocks = 4;

}  // namespace

void LightSweep::Begin(std::uint64_t now_us) {
    EMBER_ASSERT(done());
    outcome_ = Outcome{};
    ++sweeps_;
    switch_cursor_ = 0;
    port_turn_ = 0;
    at_end_ = false;
    Step(now_us);
}

void LightSweep::Abandon() {
    asker_.Abandon();
    at_end_ = true;
}

void LightSweep::Step(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kTurnsAtOnce && !at_end_ && asker_.has_room(); ++i) {
        if (switch_cursor_ < fabric_.switch_bound()) {
            AskSwitch(static_cast<SwitchIndex>(switch_cursor_++), now_us);
        } else if (port_turn_ / 2 < fabric_.port_bound()) {
            AskPort(static_cast<PortIndex>(port_turn_ / 2), port_turn_ % 2 != 0, now_us);
            ++port_turn_;
        } else {
            at_end_ = true;
        }
    }
}

void LightSweep::Post(Kind kind, AttributeId attribute, Ask& ask, std::uint32_t subject,
                      std::uint64_t now_us) {
    EMBER_ASSERT(asker_.has_room());
    ask.attribute = attribute;
    asker_.Post(ask, kind, subject, now_us);
}

void LightSweep::AskSwitch(SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(at) < fabric_.switch_bound());
    if (!fabric_.IsLive(at)) return;
    Ask ask{};
    ++outcome_.asked;
    if (!asker_.FindPath(fabric_.ManagementPortOf(at), ask)) {
        ++outcome_.silent;
        return;
    }
    Post(Kind::kSwitch, AttributeId::kSwitchInfo, ask, Raw(at), now_us);
}

void LightSweep::AskPort(PortIndex at, bool knocks, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(at) < fabric_.port_bound());
    const Port& port = fabric_.port(at);
    if (port.node == kNoNode || !port.has_info) return;
    if (knocks) {
        Knock(at, now_us);
    } else {
        AskDescription(at, now_us);
    }
}

void LightSweep::AskDescription(PortIndex at, std::uint64_t now_us) {
    const Node& node = fabric_.node(fabric_.port(at).node);
    const bool speaks_for_node = at == node.first_port || at == fabric_.own_port();
    Ask ask{};
    if (!speaks_for_node || node.has_description || !asker_.FindPath(at, ask)) return;
    Post(Kind::kDescription, AttributeId::kNodeDescription, ask, Raw(at), now_us);
}

void LightSweep::Knock(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).has_info);
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    const bool leads_on = at == fabric_.own_port()
                              ? node.type != NodeType::kSwitch
                              : node.type == NodeType::kSwitch && port.number != kManagementPort;
    const PortState state = port.info.Get(PortInfo::kPortState);
    if (!leads_on || port.peer != kNoPortIndex || state < PortState::kInitialize) return;
    static_cast<void>(AskBeyond(at, 0, now_us));
}

/// Asks the node behind `exit` after so many knocks in this sweep. A node answers to its own M_Key
/// only, and which one that is may not be known: see KnownMKeys. False: there is no key more, or no
/// path.
bool LightSweep::AskBeyond(PortIndex exit, std::size_t knocks, std::uint64_t now_us) {
    const std::size_t turns = keys_.TurnsBeyond(exit);
    EMBER_ASSERT(turns != 0);
    if (knocks >= std::min(turns, kKnocks)) return false;
    Ask ask{};
    if (!asker_.has_room() || !asker_.FindPathBeyond(exit, ask)) return false;
    if (knocks != 0) asker_.Hasten(ask);  // A key that it may have is rarely right.
    const Result<std::uint64_t> m_key = keys_.KeyBeyond(exit, TurnOf(knocks, turns));
    EMBER_ASSERT(m_key.ok());
    ask.m_key = m_key.value();
    ask.cookie.detail = static_cast<std::uint16_t>(knocks);
    Post(Kind::kKnock, AttributeId::kNodeInfo, ask, Raw(exit), now_us);
    return true;
}

/// The turn of KeyBeyond() that is taken after so many knocks in this sweep.
std::size_t LightSweep::TurnOf(std::size_t knocks, std::size_t turns) const {
    EMBER_ASSERT(knocks < turns);
    return knocks == 0 ? 0 : 1 + (sweeps_ * (kKnocks - 1) + knocks - 1) % (turns - 1);
}

/// A heavy sweep asks all keys in their order, and may end before it comes to the one to which the
/// node has answered: that one is the first from now on.
void LightSweep::RememberKey(PortIndex exit, Guid port, std::size_t knocks) {
    const std::size_t turns = keys_.TurnsBeyond(exit);
    if (knocks == 0 || knocks >= turns) return;
    const Result<std::uint64_t> m_key = keys_.KeyBeyond(exit, TurnOf(knocks, turns));
    EMBER_ASSERT(m_key.ok());
    fabric_.RememberSilentPeer({.exit_node = fabric_.node(fabric_.port(exit).node).guid,
                                .exit_port = fabric_.port(exit).number,
                                .port = port,
                                .m_key = m_key.value()});
}

void LightSweep::Hear(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.client == kLightSweepClient);
    if (!asker_.Take()) return;
    switch (static_cast<Kind>(answer.cookie.kind)) {
        case Kind::kSwitch:
            OnSwitch(answer);
            break;
        case Kind::kKnock:
            if (answer.status == Status::kOk) OnKnock(answer);
            if (answer.status == Status::kTimeout) OnMute(answer, now_us);
            break;
        case Kind::kDescription:
            if (answer.status == Status::kOk) OnDescription(answer);
            break;
    }
}

void LightSweep::OnSwitch(const Answer& answer) {
    if (answer.status == Status::kTimeout) {
        ++outcome_.silent;
        return;
    }
    const auto info = std::bit_cast<SwitchInfo>(answer.data);
    const Switch& row = fabric_.switch_row(static_cast<SwitchIndex>(answer.cookie.subject));
    EMBER_ASSERT(row.node != kNoNode);  // No row is removed meanwhile.
    // A switch that lost its LinearFDBTop was reset, whatever its change bit says.
    if (answer.status != Status::kOk || info.Get(SwitchInfo::kPortStateChange) != 0 ||
        info.Get(SwitchInfo::kLinearFdbTop) != row.info.Get(SwitchInfo::kLinearFdbTop)) {
        ++outcome_.changed;
    }
}

void LightSweep::OnDescription(const Answer& answer) {
    EMBER_ASSERT(answer.status == Status::kOk);
    Node& node = fabric_.node(fabric_.port(static_cast<PortIndex>(answer.cookie.subject)).node);
    node.description = answer.data;
    node.has_description = true;
}

/// A host may say that links are up behind which nothing is.
void LightSweep::OnMute(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status == Status::kTimeout);
    const auto exit = static_cast<PortIndex>(answer.cookie.subject);
    EMBER_ASSERT(fabric_.port(exit).node != kNoNode);  // No row is removed meanwhile.
    if (AskBeyond(exit, answer.cookie.detail + std::size_t{1}, now_us)) return;
    if (!LiesBehindEndNode(fabric_, exit)) ++outcome_.mute;
}

/// A node answers: no news if the last heavy sweep met it and left it alone, because the board is
/// too small or its GUID is taken.
void LightSweep::OnKnock(const Answer& answer) {
    EMBER_ASSERT(answer.status == Status::kOk);
    const auto info = std::bit_cast<NodeInfo>(answer.data);
    const auto exit = static_cast<PortIndex>(answer.cookie.subject);
    EMBER_ASSERT(fabric_.port(exit).node != kNoNode);  // No row is removed meanwhile.
    const NodeIndex known = fabric_.FindNode(info.Get(NodeInfo::kNodeGuid));
    const bool has_shortage = fabric_.shortage().any();
    if (known == kNoNode && has_shortage && !fabric_.HasRoomFor(info)) return;
    // Nor is a switch behind a port of edge_ports, or a node behind an untrusted switch: others
    // come first.
    const bool is_switch = info.Get(NodeInfo::kNodeType) == NodeType::kSwitch;
    if (is_switch && IsEdgePort(fabric_, settings_, exit)) return;
    if (LiesBehindEndNode(fabric_, exit)) return;
    if (known != kNoNode) {
        const PortIndex far = fabric_.PortOf(known, info.Get(NodeInfo::kLocalPortNum));
        if (far != kNoPortIndex && fabric_.port(far).peer != kNoPortIndex) return;
        const bool asks_switch = fabric_.node(fabric_.port(exit).node).type == NodeType::kSwitch;
        if (is_switch && asks_switch && IsEdgePort(fabric_, settings_, far)) return;
    }
    RememberKey(exit, info.Get(NodeInfo::kPortGuid), answer.cookie.detail);
    ++outcome_.awoken;
}

}  // namespace ember
