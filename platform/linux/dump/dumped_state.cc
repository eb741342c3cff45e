// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a sweep has changed what a dump tells of.

#include "platform/linux/dump/dumped_state.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/base/assert.h"

namespace ember {

void DumpedState::Begin() {
    part_ = Part::kVerdict;
    row_ = 0;
    digest_ = 0;
}

void DumpedState::Add(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 / the golden ratio.
    digest_ = (digest_ ^ word) * kOdd;
    digest_ ^= digest_ >> 32U;
}

void DumpedState::Add(std::span<const std::uint8_t> octets) {
    Add(octets.size());
    while (!octets.empty()) {  // Each turn takes some.
        std::uint64_t word = 0;
        const std::size_t taken = std::min(octets.size(), sizeof(word));
        std::memcpy(&word, octets.data(), taken);
        Add(word);
        octets = octets.subspan(taken);
    }
}

/// Which engines have made the routes, and of which steps.
void DumpedState::AddVerdict(const SubnetManager& sm) {
    const Verdict& verdict = sm.router().verdict();
    const auto add_text = [this](std::string_view text) {
        const void* const data = text.data();
        Add({static_cast<const std::uint8_t*>(data), text.size()});
    };
    add_text(verdict.engine);
    for (const RoutingAttempt& attempt : verdict.attempts) {
        Add(attempt.step_id);
        Add(attempt.step);
        add_text(attempt.engine);
    }
    Add(Raw(sm.fabric().top_lid()));
    Add(sm.fabric().switch_bound());
}

void DumpedState::AddNode(const Fabric& fabric, std::size_t row) {
    const Node& node = fabric.node(static_cast<NodeIndex>(row));
    Add(Raw(node.guid));
    if (node.guid == kNoGuid) return;
    Add(Raw(node.system_image_guid));
    Add(static_cast<std::uint64_t>(node.type) << 32U | std::uint64_t{node.port_count} << 16U |
        node.device_id);
    Add(std::uint64_t{node.vendor_id} << 32U | node.revision);
    Add(std::uint64_t{Raw(node.first_port)} << 32U | Raw(node.switch_index));
    Add(node.description);
}

void DumpedState::AddPort(const Fabric& fabric, std::size_t row) {
    const Port& port = fabric.port(static_cast<PortIndex>(row));
    Add(Raw(port.node));
    if (port.node == kNoNode) return;
    const PortInfo& info = port.info;
    Add(Raw(port.guid));
    Add(std::uint64_t{Raw(port.peer)} << 32U | std::uint64_t{Raw(port.lid)} << 8U | port.lmc);
    Add(std::uint64_t{Raw(port.number)} << 32U |
        std::uint64_t{info.Get(PortInfo::kLinkWidthActive)} << 24U |
        std::uint64_t{info.Get(PortInfo::kLinkSpeedActive)} << 16U |
        std::uint64_t{info.Get(PortInfo::kLinkSpeedExtActive2)} << 12U |
        std::uint64_t{info.Get(PortInfo::kLinkSpeedExtActive)} << 8U |
        static_cast<std::uint64_t>(info.Get(PortInfo::kPortState)));
    Add(static_cast<std::uint64_t>(info.Get(PortInfo::kOperationalVls)) << 16U |
        static_cast<std::uint64_t>(port.lane_vls) << 8U |
        static_cast<std::uint64_t>(port.lane_state));
}

/// Hops and routes of a switch, as far as it has acknowledged them.
void DumpedState::AddSwitch(const SubnetManager& sm, std::size_t row) {
    const Fabric& fabric = sm.fabric();
    const auto at = static_cast<SwitchIndex>(row);
    Add(row);
    if (!fabric.IsLive(at)) return;
    Add(Raw(fabric.switch_row(at).node));
    Add(sm.router().hops()[at].first(fabric.switch_bound()));
    constexpr std::size_t kBlock = 64;
    const std::span<const std::uint8_t> routes = sm.programming().ProgrammedRow(at);
    for (std::size_t lid = 0; lid <= Raw(fabric.top_lid()); lid += kBlock) {
        const bool is_known =
            sm.programming().IsKnown(at, static_cast<std::uint32_t>(lid / kBlock));
        const std::size_t first = std::min(lid, routes.size());
        Add(is_known ? routes.subspan(first, std::min(kBlock, routes.size() - first))
                     : std::span<const std::uint8_t>());
    }
}

template <typename AddRow>
void DumpedState::AddRows(std::size_t bound, std::size_t at_once, AddRow add) {
    const std::size_t end = std::min(bound, row_ + at_once);
    for (; row_ < end; ++row_) {
        add(row_);
    }
    if (row_ < bound) return;
    row_ = 0;
    part_ = static_cast<Part>(static_cast<std::uint8_t>(part_) + 1);
}

Progress DumpedState::Advance(const SubnetManager& sm) {
    const Fabric& fabric = sm.fabric();
    switch (part_) {
        case Part::kVerdict:
            AddRows(1, 1, [&](std::size_t) { AddVerdict(sm); });
            break;
        case Part::kNodes:
            AddRows(fabric.node_bound(), kRowsPerSlice,
                    [&](std::size_t row) { AddNode(fabric, row); });
            break;
        case Part::kPorts:
            AddRows(fabric.port_bound(), kRowsPerSlice,
                    [&](std::size_t row) { AddPort(fabric, row); });
            break;
        case Part::kLids:
            AddRows(sm.lid_map().entries().size(), kRowsPerSlice, [&](std::size_t row) {
                const KeptLids& kept = sm.lid_map().entries()[row];
                Add(Raw(kept.guid));
                Add(std::uint64_t{Raw(kept.least)} << 16U | Raw(kept.most));
            });
            break;
        case Part::kSwitches:
            AddRows(fabric.switch_bound(), kSwitchesPerSlice,
                    [&](std::size_t row) { AddSwitch(sm, row); });
            break;
        case Part::kDone:
            break;
    }
    return part_ == Part::kDone ? Progress::kDone : Progress::kMore;
}

}  // namespace ember
