// SPDX-License-Identifier: Apache-2.0
// EmberSM: the wanted PortInfo of each port.
#pragma once

#include "core/fabric/fabric.h"
#include "core/fabric/port_plan.h"
#include "core/settings/settings.h"

namespace ember {

/// Decides every PortInfo field that a subnet manager writes, with OpenSM's rules.
/// Source: OpenSM, osm_lid_mgr.c and osm_link_mgr.c; IBA vol. 1, 14.2.5.6.
///
/// OpenSM sends up to four Sets to a port (LID manager, then link manager with no state, ARMED and
/// ACTIVE). Here one Set carries all values and, where the link is in INIT, ARMED; ACTIVE follows
/// when the forwarding tables are in place. A single rule differs: a link above INIT whose far end
/// does not answer is left alone, as a lost datagram is no reason to take it down.
class PortValues final : public PortPlanner {
public:
    PortValues(const Fabric& fabric, const Settings& settings)
        : fabric_(fabric), settings_(settings) {}

    [[nodiscard]] PortPlan Plan(PortIndex at, bool all_reregister) const override;
    /// `served_by`: in a first sweep, what clients have registered with the master at that LID is
    /// known. Only ports that it may not have served are asked to register again. kNoLid: of none.
    void KnowRegistrations(Lid served_by) { served_by_ = served_by; }

private:
    void SetEndPortValues(const Port& port, const Node& node, PortInfo& wanted) const;
    void SetSwitchPortValues(const Port& port, PortInfo& wanted) const;
    void SetEnforcement(const Port& port, bool to_switch, PortInfo& wanted) const;
    void SetLinkValues(const Port& port, const Port& peer, PortInfo& wanted) const;
    void SetHighLimit(const Port& port, PortInfo& wanted) const;
    void SetSpeeds(const Port& port, const Port& peer, PortInfo& wanted) const;

    [[nodiscard]] const PortInfo& CapabilitiesOf(const Port& port) const;
    [[nodiscard]] bool EndsWithoutLid(const Port& port, const Port& peer) const;
    [[nodiscard]] bool IsServed(const Port& port) const;
    [[nodiscard]] bool MustReregister(const Port& port, const Node& node,
                                      bool has_new_master) const;
    [[nodiscard]] bool IsEnhancedPort0(const Port& port, const Node& node) const;
    [[nodiscard]] static PortPlan DownPlan(const Port& port);
    [[nodiscard]] PortPlan BouncePlan(const Port& port) const;
    [[nodiscard]] PortPlan PlanValues(PortIndex at, bool linked, bool all_reregister) const;
    static void LeaveUnchanged(std::uint32_t changes, PortInfo& set);

    const Fabric& fabric_;
    const Settings& settings_;
    Lid served_by_ = kNoLid;  ///< See KnowRegistrations().
};

/// The smaller MTUCap of two ends, at least 1 (256 octets): faulty firmware reports 0.
[[nodiscard]] Mtu LinkMtu(const PortInfo& one, const PortInfo& other);

}  // namespace ember
