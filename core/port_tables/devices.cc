// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the writers of tables have in common: was a device reset, and did it take a Set.

#include "core/port_tables/devices.h"

#include <algorithm>
#include <span>

#include "core/base/assert.h"
#include "core/fabric/m_key.h"

namespace ember {

bool BearsOtherMaster(const Fabric& fabric, PortIndex at) {
    EMBER_ASSERT(at != kNoPortIndex);
    if (fabric.own_port() == kNoPortIndex) return false;
    const Node& node = fabric.node(fabric.port(at).node);
    const bool is_switch = node.type == NodeType::kSwitch;
    const Port& end = is_switch ? fabric.PortsOf(fabric.port(at).node).front() : fabric.port(at);
    const Lid own = fabric.port(fabric.own_port()).lid;
    const Lid master = end.info.Get(PortInfo::kMasterSmLid);
    return own != kNoLid && master != kNoLid && master != own;
}

bool BearsOtherMaster(const Fabric& fabric, NodeIndex of_switch) {
    EMBER_ASSERT(fabric.node(of_switch).type == NodeType::kSwitch);
    return BearsOtherMaster(fabric, fabric.node(of_switch).first_port);
}

bool IsAsWeLeftIt(const Fabric& fabric, NodeIndex at) {
    EMBER_ASSERT(fabric.node(at).type == NodeType::kSwitch);
    const std::span<const Port> ports = fabric.PortsOf(at);
    EMBER_ASSERT(!ports.empty());
    if (ports.front().info.Get(PortInfo::kLid) == kNoLid) return false;
    return std::any_of(ports.begin() + 1, ports.end(), [](const Port& port) {
        const PortState state = port.info.Get(PortInfo::kPortState);
        return port.peer != kNoPortIndex && state > PortState::kInitialize;
    });
}

bool IsAsWeLeftIt(const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    if (fabric.node(port.node).type == NodeType::kSwitch) return IsAsWeLeftIt(fabric, port.node);
    return port.info.Get(PortInfo::kLid) != kNoLid &&
           port.info.Get(PortInfo::kPortState) > PortState::kInitialize;
}

void LogFailure(const Fabric& fabric, PortIndex at, const Answer& answer, Log& log,
                std::uint64_t now_us) {
    const Port& port = fabric.port(at);
    const std::uint64_t guid = Raw(fabric.node(port.node).guid);
    if (answer.status == Status::kTimeout) {
        log.WriteSparingly<Note::kSetUnanswered>(now_us, guid, Raw(port.number),
                                                 Raw(answer.attribute), answer.modifier);
        const bool is_guarded = answer.attribute == AttributeId::kPortInfo &&
                                IsEndPort(fabric, port) && HidesMKey(port.info);
        if (is_guarded) log.WriteSparingly<Note::kMKeyForeign>(now_us, Raw(port.guid));
    } else {
        log.WriteSparingly<Note::kSetRefused>(now_us, guid, Raw(port.number), Raw(answer.attribute),
                                              answer.mad_status);
    }
}

}  // namespace ember
