// SPDX-License-Identifier: Apache-2.0
// EmberSM: devices that change by themselves, and sites that change their mind.
#include <algorithm>

#include "tests/swarm/picks.h"
#include "tests/swarm/site.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using net::Random;

sim::World& HardwareOf(Swarm& swarm) {
    return swarm.world().world();
}

/// A port other than 0 of any node.
std::uint32_t PickRow(Swarm& swarm, Random& random) {
    const sim::SimNode& node = swarm.hardware().node(PickNode(swarm, random));
    return node.first_row + 1 + random.Below(node.port_count);
}
std::uint32_t PickSwitchRow(Swarm& swarm, Random& random) {
    const sim::SimNode& node = swarm.hardware().node(PickOf(swarm.switches(), random));
    return node.first_row + 1 + random.Below(node.port_count);
}

void Begin(Swarm& swarm, std::uint32_t row) {
    swarm.Tell("  row " + std::to_string(row) + " of node " +
               std::to_string(swarm.hardware().port(row).node));
    swarm.NoteStrange();
}

void Scribble(std::span<std::uint8_t> octets, Random& random, std::uint32_t one_in) {
    for (std::uint8_t& octet : octets) {
        if (random.Below(one_in) == 0) octet = static_cast<std::uint8_t>(random.Next());
    }
}

}  // namespace

/// As firmware does that is reset, or a tool.
void LoseMKey(Swarm& swarm, Random& random) {
    const std::uint32_t row = swarm.hardware().ManagementRow(PickRow(swarm, random));
    if (!swarm.site().has_keys()) return;
    Begin(swarm, row);
    HardwareOf(swarm).port(row).info.Set(PortInfo::kMKey, std::uint64_t{0});
}

void LoseEnforcement(Swarm& swarm, Random& random) {
    const std::uint32_t row = PickSwitchRow(swarm, random);
    Begin(swarm, row);
    HardwareOf(swarm).port(row).info.Set(PortInfo::kPartitionEnforcement, std::uint8_t{0});
}

void ChangePKeys(Swarm& swarm, Random& random) {
    const std::uint32_t row = PickRow(swarm, random);
    const std::span<std::uint8_t> block = swarm.hardware().PKeyBlock(row, 0);
    if (block.empty()) return;
    Begin(swarm, row);
    const std::size_t at = std::size_t{2} * random.Below(16);
    block[at] = static_cast<std::uint8_t>(0x80U | random.Below(3));
    block[at + 1] = static_cast<std::uint8_t>(random.Below(8));
}

/// Without QoS the maps are the devices' own.
void ChangeSlToVl(Swarm& swarm, Random& random) {
    const std::uint32_t row = PickRow(swarm, random);
    if (!swarm.site().has_lanes()) return;
    const sim::SimNode& node = swarm.hardware().node_of(row);
    Begin(swarm, row);
    const std::uint32_t in = node.is_switch() ? random.Below(node.port_count + 1U) : 0;
    const std::uint32_t out = node.is_switch() ? swarm.hardware().port(row).number : 0U;
    Scribble(swarm.hardware().SlToVl(node.is_switch() ? node.first_row : row, in, out), random, 1);
}

void ChangeArbitration(Swarm& swarm, Random& random) {
    const std::uint32_t row = PickRow(swarm, random);
    if (!swarm.site().has_lanes()) return;
    Begin(swarm, row);
    Scribble(swarm.hardware().VlArbBlock(row, 1 + 2 * random.Below(2)), random, 1);
}

/// Entries of a forwarding table: no circle that they close is the manager's fault.
void ChangeRoutes(Swarm& swarm, Random& random) {
    const std::uint32_t node = PickOf(swarm.switches(), random);
    Begin(swarm, swarm.hardware().node(node).first_row);
    swarm.watch().NoteDeceit();
    SmpData block{};
    sim::World& hardware = HardwareOf(swarm);
    if (!hardware.ReadLftBlock(node, 0, block)) return;
    for (std::uint8_t& entry : block) {
        if (random.Below(4) == 0) entry = static_cast<std::uint8_t>(random.Below(8));
    }
    hardware.WriteLftBlock(node, 0, block);
    hardware.NoteRouteChange();
}

void LoseLanes(Swarm& swarm, Random& random) {
    const std::uint32_t row = PickRow(swarm, random);
    Begin(swarm, row);
    HardwareOf(swarm).port(row).info.Set(PortInfo::kOperationalVls, VlCap::kVl0);
}

void ChangeMembers(Swarm& swarm, Random& random) {
    swarm.site().ChangeMembers(random);
    swarm.ReadSiteAgain();
}

void ChangeEngines(Swarm& swarm, Random& random) {
    swarm.site().ChangeEngines(random);
    swarm.ReadSiteAgain();
}

/// Not while a manager that is to start cannot read its store: it would know neither the key that
/// the ports have nor a lease that ends.
void ChangeMKey(Swarm& swarm, Random& random) {
    if (!swarm.site().has_keys()) return;
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        if (!swarm.world().alive(seat) && swarm.world().store(seat).is_broken()) return;
    }
    swarm.site().ChangeMKey(random);
    swarm.ReadSiteAgain();
}

}  // namespace ember::swarm
