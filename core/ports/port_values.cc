// SPDX-License-Identifier: Apache-2.0
// EmberSM: the wanted PortInfo of each port.

#include "core/ports/port_values.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/m_key.h"
#include "core/lanes/lane_tables.h"
#include "core/links/link_rating.h"

namespace ember {
namespace {

/// Higher width codes (2x) exist only for devices that have CapabilityMask2.
inline constexpr std::uint8_t kTopWidthWithoutMask2 = 15;

[[nodiscard]] bool Can(const PortInfo& info, std::uint32_t capability) {
    return (info.Get(PortInfo::kCapabilityMask) & capability) != 0;
}

/// The "all supported" code is written only when an enabled bit is missing; 0 keeps the field.
[[nodiscard]] std::uint8_t Forced(std::uint8_t force, std::uint8_t all, std::uint8_t enabled,
                                  std::uint8_t supported) {
    if (force == 0) return enabled;
    if (force != all) return force;
    return enabled == supported || enabled == all ? enabled : all;
}

/// The PortState that a Set() carries.
constexpr PortState StateToSet(bool bounce, bool arms) {
    if (bounce) return PortState::kDown;
    return arms ? PortState::kArmed : PortState::kNoChange;
}

[[nodiscard]] constexpr bool IsUp(PortState state) {
    return state == PortState::kArmed || state == PortState::kActive;
}

/// A link that is up takes some changes over only when it comes up again.
constexpr bool MustBounce(std::uint32_t changes, PortState state, bool waits) {
    return IsUp(state) && (waits || (changes & kRetrains) != 0);
}

/// True when a link is up at this end and not at the other. Two masters leave it so: one takes the
/// link down while the other sets its ends to ARMED and ACTIVE.
[[nodiscard]] bool IsUpAlone(const Port& port, const Port& peer) {
    return IsUp(port.info.Get(PortInfo::kPortState)) && !IsUp(peer.info.Get(PortInfo::kPortState));
}

/// True when each link on the way by which the sweep came to a port's node was ACTIVE. Behind any
/// other a master lost the port, and what was registered there ended with it.
[[nodiscard]] bool IsBehindActiveLinks(const Fabric& fabric, const Port& port) {
    NodeIndex at = port.node;
    for (std::size_t hop = 0; hop <= kMaxHops; ++hop) {
        const PortIndex exit = fabric.node(at).entry;
        if (exit == kNoPortIndex || exit == fabric.own_port()) return true;
        if (fabric.port(exit).info.Get(PortInfo::kPortState) != PortState::kActive) return false;
        at = fabric.port(exit).node;
    }
    return false;
}

}  // namespace

Mtu LinkMtu(const PortInfo& one, const PortInfo& other) {
    const Mtu mtu = std::min(one.Get(PortInfo::kMtuCap), other.Get(PortInfo::kMtuCap));
    return std::clamp(mtu, Mtu::k256, Mtu::k4096);
}

void PortValues::SetEndPortValues(const Port& port, const Node& node, PortInfo& wanted) const {
    EMBER_ASSERT(port.lid != kNoLid);
    EMBER_ASSERT(port.lmc <= 7);
    wanted.Set(PortInfo::kMKey, MKeyFrom(RuleOf(settings_), port.guid));
    wanted.Set(PortInfo::kMKeyLeasePeriod, settings_.m_key_lease_period);
    wanted.Set(PortInfo::kMKeyProtectBits, settings_.m_key_protection_level);
    wanted.Set(PortInfo::kGidPrefix, settings_.subnet_prefix);
    wanted.Set(PortInfo::kLid, port.lid);
    wanted.Set(PortInfo::kMasterSmLid, fabric_.port(fabric_.own_port()).lid);
    wanted.Set(PortInfo::kMasterSmSl, settings_.sm_sl);
    wanted.Set(PortInfo::kSubnetTimeOut, settings_.subnet_timeout);
    const bool has_link = node.type != NodeType::kSwitch || IsEnhancedPort0(port, node);
    if (has_link) {  // A base port 0 counts no errors of a link, and would not keep the thresholds.
        wanted.Set(PortInfo::kLocalPhyErrors, settings_.local_phy_errors_threshold);
        wanted.Set(PortInfo::kOverrunErrors, settings_.overrun_errors_threshold);
    }
    if (node.type != NodeType::kSwitch) {
        wanted.Set(PortInfo::kLmc, port.lmc);
        wanted.Set(PortInfo::kLinkDownDefaultState, LinkDownDefaultState::kPolling);
        if (node.type == NodeType::kRouter) {
            wanted.Set(PortInfo::kHoqLife, settings_.leaf_head_of_queue_lifetime);
        }
        return;
    }
    wanted.Set(PortInfo::kLmc, port.lmc);  // 0 on a base port 0.
    if (IsEnhancedPort0(port, node)) {
        wanted.Set(PortInfo::kNeighborMtu, wanted.Get(PortInfo::kMtuCap));
        SetHighLimit(port, wanted);
        wanted.Set(PortInfo::kLinkDownDefaultState, LinkDownDefaultState::kPolling);
    }
}

void PortValues::SetSwitchPortValues(const Port& port, PortInfo& wanted) const {
    EMBER_ASSERT(port.number != kManagementPort);
    const bool to_switch = port.peer != kNoPortIndex &&
                           fabric_.node(fabric_.port(port.peer).node).type == NodeType::kSwitch;
    wanted.Set(PortInfo::kHoqLife, to_switch ? settings_.head_of_queue_lifetime
                                             : settings_.leaf_head_of_queue_lifetime);
    wanted.Set(PortInfo::kVlStallCount,
               to_switch ? settings_.vl_stall_count : settings_.leaf_vl_stall_count);
    wanted.Set(PortInfo::kLocalPhyErrors, settings_.local_phy_errors_threshold);
    wanted.Set(PortInfo::kOverrunErrors, settings_.overrun_errors_threshold);
    wanted.Set(PortInfo::kLinkDownDefaultState, LinkDownDefaultState::kPolling);
    SetEnforcement(port, to_switch, wanted);
}

/// Between switches nothing is enforced, whatever table the port has from the time when an end port
/// was behind it.
void PortValues::SetEnforcement(const Port& port, bool to_switch, PortInfo& wanted) const {
    const bool has_partitions = !settings_.manager_tables.partitions.empty();
    const PKeyGuard guard = to_switch && has_partitions ? PKeyGuard::kOff : port.p_key_guard;
    if (guard == PKeyGuard::kLeftAlone) return;
    const PartEnforce enforce =
        guard == PKeyGuard::kOn ? settings_.part_enforce : PartEnforce::kOff;
    const bool in = enforce == PartEnforce::kBoth || enforce == PartEnforce::kIn;
    const bool out = enforce == PartEnforce::kBoth || enforce == PartEnforce::kOut;
    wanted.Set(PortInfo::kPartitionEnforcementInbound, static_cast<std::uint8_t>(in ? 1 : 0));
    wanted.Set(PortInfo::kPartitionEnforcementOutbound, static_cast<std::uint8_t>(out ? 1 : 0));
}

void PortValues::SetLinkValues(const Port& port, const Port& peer, PortInfo& wanted) const {
    EMBER_ASSERT(peer.has_info);
    EMBER_ASSERT(port.has_info);
    wanted.Set(PortInfo::kNeighborMtu, LinkMtu(port.info, peer.info));
    wanted.Set(PortInfo::kOperationalVls, LinkVls(port.info, peer.info, settings_.max_op_vls));
    SetHighLimit(port, wanted);
    SetSpeeds(port, peer, wanted);
}

void PortValues::SetHighLimit(const Port& port, PortInfo& wanted) const {
    if (!settings_.qos) return;
    wanted.Set(PortInfo::kVlHighLimit, WantedHighLimit(settings_, LanePortsOf(fabric_, port),
                                                       port.info.Get(PortInfo::kVlCap)));
}

void PortValues::SetSpeeds(const Port& port, const Port& peer, PortInfo& wanted) const {
    const std::uint8_t width = Forced(settings_.force_link_width, link_width::kSupported,
                                      port.info.Get(PortInfo::kLinkWidthEnabled),
                                      port.info.Get(PortInfo::kLinkWidthSupported));
    const bool width_known =
        width <= kTopWidthWithoutMask2 || width == link_width::kSupported ||
        Can(CapabilitiesOf(port), capability_mask::kIsCapabilityMask2Supported);
    if (width_known) wanted.Set(PortInfo::kLinkWidthEnabled, width);
    wanted.Set(PortInfo::kLinkSpeedEnabled,
               Forced(settings_.force_link_speed, link_speed::kSupported,
                      port.info.Get(PortInfo::kLinkSpeedEnabled),
                      port.info.Get(PortInfo::kLinkSpeedSupported)));
    const bool extended = Can(CapabilitiesOf(port), capability_mask::kIsExtendedSpeedsSupported) &&
                          Can(CapabilitiesOf(peer), capability_mask::kIsExtendedSpeedsSupported);
    if (extended) {
        wanted.Set(PortInfo::kLinkSpeedExtEnabled,
                   Forced(settings_.force_link_speed_ext, link_speed_ext::kSupported,
                          port.info.Get(PortInfo::kLinkSpeedExtEnabled),
                          port.info.Get(PortInfo::kLinkSpeedExtSupported)));
    }
}

/// Port 0 of a switch reports the capabilities of all its ports.
const PortInfo& PortValues::CapabilitiesOf(const Port& port) const {
    const Node& node = fabric_.node(port.node);
    return node.type == NodeType::kSwitch ? fabric_.port(node.first_port).info : port.info;
}

bool PortValues::IsEnhancedPort0(const Port& port, const Node& node) const {
    return port.number == kManagementPort && HasEnhancedPort0(fabric_, node);
}

/// No LID was left for the end port at one end of this link. Another port may have the LID in its
/// PortInfo by now, so the link stays in INIT, where no data passes.
bool PortValues::EndsWithoutLid(const Port& port, const Port& peer) const {
    return (IsEndPort(fabric_, port) && port.lid == kNoLid) ||
           (IsEndPort(fabric_, peer) && peer.lid == kNoLid);
}

/// A port bears the LID of the master that has set it last. A port that is new to us and ACTIVE was
/// served by that, unless it was cut off. A port that bears our own LID there was set in this first
/// sweep, which began again.
bool PortValues::IsServed(const Port& port) const {
    EMBER_ASSERT(port.has_info);
    if (served_by_ == kNoLid) return false;
    const Lid master = port.info.Get(PortInfo::kMasterSmLid);
    const bool is_known = master == served_by_ || master == fabric_.port(fabric_.own_port()).lid;
    return is_known && port.info.Get(PortInfo::kPortState) == PortState::kActive &&
           IsBehindActiveLinks(fabric_, port);
}

/// IBA vol. 1, 14.4.11: a new master has no registrations, and no master has those of a new port. A
/// master that followed the one before has them.
bool PortValues::MustReregister(const Port& port, const Node& node, bool has_new_master) const {
    const bool is_served = IsServed(port);
    return node.type != NodeType::kSwitch && !settings_.no_clients_rereg &&
           Can(port.info, capability_mask::kIsClientReregistrationSupported) && !is_served &&
           (has_new_master || port.fresh);
}

/// A plan that disables the port: only its states change.
PortPlan PortValues::DownPlan(const Port& port) {
    EMBER_ASSERT(port.has_info);
    PortPlan plan;
    plan.differs = true;
    plan.set = port.info;
    plan.set.Set(PortInfo::kPortState, PortState::kDown);
    plan.set.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kDisabled);
    LeaveUnchanged(0, plan.set);
    return plan;
}

/// A host goes on with the LID that it had as long as its port is up.
PortPlan PortValues::BouncePlan(const Port& port) const {
    PortPlan plan = DownPlan(port);
    plan.bounce = true;
    plan.set.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kNoChange);
    plan.set.Set(PortInfo::kMKey, MKeyFrom(RuleOf(settings_), port.guid));
    return plan;
}

PortPlan PortValues::Plan(PortIndex at, bool all_reregister) const {
    const Port& port = fabric_.port(at);
    const bool linked = port.peer != kNoPortIndex && fabric_.port(port.peer).has_info;
    if (linked && port.shall_go_down) return DownPlan(port);
    const bool end_port = IsEndPort(fabric_, port);
    const bool lacks_lid = end_port && port.lid == kNoLid;
    if (lacks_lid && linked && IsUpAlone(port, fabric_.port(port.peer))) return BouncePlan(port);
    if (end_port ? lacks_lid : !linked) return {};
    return PlanValues(at, linked, all_reregister);
}

/// Of a port that gets values: an end port with a LID, or a port of a switch with a link.
PortPlan PortValues::PlanValues(PortIndex at, bool linked, bool all_reregister) const {
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    const bool end_port = IsEndPort(fabric_, port);
    PortPlan plan;
    PortInfo wanted = port.info;
    if (end_port) {
        SetEndPortValues(port, node, wanted);
    } else {
        SetSwitchPortValues(port, wanted);
    }
    if (linked) SetLinkValues(port, fabric_.port(port.peer), wanted);

    const std::uint32_t changes = DifferingFields(port.info, wanted) & ~port.unkept;
    const PortState state = port.info.Get(PortInfo::kPortState);
    // An enhanced port 0 has states, but no link; a base port 0 has no state that is set.
    const bool stateful = linked || IsEnhancedPort0(port, node);
    const bool waits = linked && EndsWithoutLid(port, fabric_.port(port.peer));
    const bool arms = stateful && state == PortState::kInitialize && !port.quarantined && !waits;
    plan.bounce = linked && MustBounce(changes, state, waits);
    const bool has_new_master =
        all_reregister || (changes & ManagedBit(PortInfo::kMasterSmLid)) != 0;
    plan.reregister = MustReregister(port, node, has_new_master);
    plan.changes = changes;
    plan.differs = changes != 0 || arms || plan.bounce || plan.reregister;
    EMBER_ASSERT(!plan.bounce || !arms);  // A bounce leads down, arming up.
    plan.extended = Can(CapabilitiesOf(port), capability_mask::kIsExtendedSpeedsSupported);

    plan.set = wanted;
    plan.set.Set(PortInfo::kPortState, StateToSet(plan.bounce, arms));
    plan.set.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kNoChange);
    plan.set.Set(PortInfo::kClientReregister, static_cast<std::uint8_t>(plan.reregister ? 1 : 0));
    // A port of a switch ignores the M_Key. But a host may play the switch and take the M_Key of
    // this Set for its own: a read value would lock its port against every subnet manager.
    const Guid owner = fabric_.port(MKeyPortOf(fabric_, at)).guid;
    plan.set.Set(PortInfo::kMKey, MKeyFrom(RuleOf(settings_), owner));
    LeaveUnchanged(changes, plan.set);
    return plan;
}

/// Writes 0, "no change", to width and speeds that stay: any other value retrains the link.
void PortValues::LeaveUnchanged(std::uint32_t changes, PortInfo& set) {
    if ((changes & ManagedBit(PortInfo::kLinkWidthEnabled)) == 0) {
        set.Set(PortInfo::kLinkWidthEnabled, std::uint8_t{0});
    }
    if ((changes & ManagedBit(PortInfo::kLinkSpeedEnabled)) == 0) {
        set.Set(PortInfo::kLinkSpeedEnabled, std::uint8_t{0});
    }
    if ((changes & ManagedBit(PortInfo::kLinkSpeedExtEnabled)) == 0) {
        set.Set(PortInfo::kLinkSpeedExtEnabled, std::uint8_t{0});
    }
}

}  // namespace ember
