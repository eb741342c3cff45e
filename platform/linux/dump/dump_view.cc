// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as OpenSM's dump files show it.

#include "platform/linux/dump/dump_view.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

namespace {

constexpr std::uint8_t kNoWay = 255;

std::uint64_t Reversed(Guid guid) {
    return __builtin_bswap64(Raw(guid));
}

/// The switch behind which an end port is found, or which it belongs to; kNoSwitch: none.
SwitchIndex HomeOf(const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    if (node.type == NodeType::kSwitch) return node.switch_index;
    if (port.peer == kNoPortIndex) return kNoSwitch;
    return fabric.node(fabric.port(port.peer).node).switch_index;
}

}  // namespace

SortedCounts SortAsOpensm(const Fabric& fabric, std::span<NodeIndex> nodes,
                          std::span<SwitchIndex> switches) {
    SortedCounts counts;
    EMBER_ASSERT(nodes.size() >= fabric.node_count());
    EMBER_ASSERT(switches.size() >= fabric.switch_count());
    ForEachNode(fabric, [&](NodeIndex at, const Node&) { nodes[counts.nodes++] = at; });
    ForEachSwitch(fabric, [&](SwitchIndex at, const Switch&) { switches[counts.switches++] = at; });
    const auto by_guid = [&](NodeIndex one, NodeIndex other) {
        return Reversed(fabric.node(one).guid) < Reversed(fabric.node(other).guid);
    };
    std::sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(counts.nodes), by_guid);
    std::sort(switches.begin(), switches.begin() + static_cast<std::ptrdiff_t>(counts.switches),
              [&](SwitchIndex one, SwitchIndex other) {
                  return by_guid(fabric.switch_row(one).node, fabric.switch_row(other).node);
              });
    return counts;
}

namespace {

/// The port of a switch that speaks for a cable: that at its one end or at the other.
const Port* SwitchEnd(const Fabric& fabric, const Port& port) {
    if (fabric.node(port.node).type == NodeType::kSwitch) return &port;
    if (port.peer == kNoPortIndex) return nullptr;
    const Port& peer = fabric.port(port.peer);
    return fabric.node(peer.node).type == NodeType::kSwitch ? &peer : nullptr;
}

}  // namespace

bool ShowsLink(const DumpView& view, const Port& port) {
    if (view.step == nullptr) return true;
    const Port* const end = SwitchEnd(view.fabric, port);
    return end != nullptr &&
           view.step->HasLink(view.fabric.node(end->node).switch_index, end->number);
}

bool HasOwner(const DumpView& view, const Port& owner) {
    if (view.step == nullptr) return true;
    const Node& node = view.fabric.node(owner.node);
    if (node.type == NodeType::kSwitch)
        return view.step->HasEndPort(node.switch_index, kManagementPort);
    const Port* const end = SwitchEnd(view.fabric, owner);
    return end != nullptr &&
           view.step->HasEndPort(view.fabric.node(end->node).switch_index, end->number);
}

SortedCounts SortPart(const Fabric& fabric, const StepReplay& step, std::span<NodeIndex> nodes,
                      std::span<SwitchIndex> switches) {
    const SortedCounts all = SortAsOpensm(fabric, nodes, switches);
    const auto is_out = [&](NodeIndex at) {
        const Node& node = fabric.node(at);
        if (node.type == NodeType::kSwitch) return !step.topology().Has(node.switch_index);
        const auto ports = fabric.PortsOf(at);
        return std::none_of(ports.begin(), ports.end(), [&](const Port& port) {
            const Port* const end = SwitchEnd(fabric, port);
            return end != nullptr &&
                   step.HasEndPort(fabric.node(end->node).switch_index, end->number);
        });
    };
    NodeIndex* const rows = nodes.data();
    SwitchIndex* const switch_rows = switches.data();
    const auto* const end = std::remove_if(rows, rows + all.nodes, is_out);
    const auto* const switch_end =
        std::remove_if(switch_rows, switch_rows + all.switches,
                       [&](SwitchIndex at) { return !step.topology().Has(at); });
    return {.nodes = static_cast<std::size_t>(end - rows),
            .switches = static_cast<std::size_t>(switch_end - switch_rows)};
}

std::uint8_t ExitOf(const DumpView& view, SwitchIndex at, Lid lid) {
    if (view.step != nullptr) return view.step->lfts()[at][Raw(lid)];
    if (!view.programming.IsKnown(at, Raw(lid) / 64U)) return kNoWay;
    return view.programming.ProgrammedRow(at)[Raw(lid)];
}

unsigned HopsTo(const DumpView& view, SwitchIndex at, const Port& to, std::uint8_t exit) {
    const SwitchIndex home = HomeOf(view.fabric, to);
    if (home == kNoSwitch) return kNoWay;
    const unsigned last = view.fabric.node(to.node).type == NodeType::kSwitch ? 0 : 1;
    if (exit == 0) return home == at && last == 0 ? 0 : kNoWay;
    if (exit != kNoWay) {
        const NodeIndex here = view.fabric.switch_row(at).node;
        const PortIndex out = view.fabric.PortOf(here, static_cast<PortNumber>(exit));
        if (out == kNoPortIndex) return kNoWay;
        if (view.fabric.port(out).peer == view.fabric.IndexOf(to)) return 1;
    }
    const unsigned hops = view.hops.Hops(at, home, exit == kNoWay ? 0 : exit);
    return hops == kNoWay ? kNoWay : hops + last;
}

}  // namespace ember
