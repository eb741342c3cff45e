// SPDX-License-Identifier: Apache-2.0
// EmberSM: which exits a sweep crosses.

#include "core/discovery/exit_guard.h"

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {

void ExitGuard::StartHeavy(PortIndex donor) {
    quotas_.Restart(false, donor);
    doors_.BeginSweep();
}

bool ExitGuard::Passes(const Probe& probe, std::uint64_t now_us) {
    switch (quotas_.Judge(probe.port)) {
        case PortQuotas::Verdict::kAdmitted:
            return true;
        case PortQuotas::Verdict::kLater:
            queue_.Wait(probe);
            return false;
        case PortQuotas::Verdict::kRefused:
            break;
    }
    if (OpensDoor(probe.port, now_us)) {
        queue_.Wait(probe);
        return false;
    }
    ++outcome_.shut;
    return false;
}

void ExitGuard::Count(PortIndex exit, const Node& node, std::uint64_t now_us) {
    quotas_.Count(exit, node);
    if (node.fresh && LiesBehindEndNode(fabric_, exit)) {
        doors_.Disturb(EndOf(fabric_, FormerEndNodePortOn(fabric_, exit)), now_us);
    }
}

/// No other node could make any room for too wide a switch.
void ExitGuard::CountRefusal(PortIndex exit, const NodeInfo& info) {
    EMBER_ASSERT(exit != kNoPortIndex);
    const NodeType type = info.Get(NodeInfo::kNodeType);
    const std::uint8_t ports = info.Get(NodeInfo::kNumPorts);
    const bool is_too_wide = type == NodeType::kSwitch && ports > fabric_.limits().max_switch_ports;
    if (!is_too_wide && !fabric_.HasRoomFor(info)) quotas_.CountRefusal(exit, type, ports);
}

/// Nodes beyond `exit` are left alone: notes, once, the port on the path to it that was an end
/// node's. True: what is behind that port has stayed the same for so long that it is taken in. The
/// GUIDs of nodes beyond it are not noted: a hostile host may have made them up.
bool ExitGuard::OpensDoor(PortIndex exit, std::uint64_t now_us) {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (outcome_.targeted) return false;
    const PortIndex at = FormerEndNodePortOn(fabric_, exit);
    EMBER_ASSERT(at != kNoPortIndex);
    const LinkEnd end = EndOf(fabric_, at);
    const PortIndex peer = fabric_.port(at).peer;
    const Guid behind = peer == kNoPortIndex ? kNoGuid : fabric_.node(fabric_.port(peer).node).guid;
    switch (doors_.Meet(end, behind, now_us)) {
        case ShutDoors::Word::kNew:
            log_.WriteSparingly<Note::kQuotaUsedUp>(now_us, end.guid, end.port);
            return false;
        case ShutDoors::Word::kShut:
            return false;
        case ShutDoors::Word::kOpen:
            break;
    }
    fabric_.port(at).had_end_node = false;
    log_.Write<Note::kDoorOpened>(now_us, end.guid, end.port);
    return true;
}

}  // namespace ember
