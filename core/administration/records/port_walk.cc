// SPDX-License-Identifier: Apache-2.0
// EmberSM: from port to port, as far as a question reaches.
#include "core/administration/records/port_walk.h"

#include "core/administration/query/matching.h"
#include "core/base/assert.h"
#include "core/wire/link_record.h"

namespace ember {
namespace {

/// How many rows of a node's ports a walk visits, from the first one on.
[[nodiscard]] std::uint32_t ColumnsOf(const Node& node, Visit visit) {
    const bool is_switch = node.type == NodeType::kSwitch;
    switch (visit) {
        case Visit::kAllPorts:
            return node.port_count + (is_switch ? 1U : 0U);
        case Visit::kEndPorts:
            return is_switch ? 1U : node.port_count;
        case Visit::kSwitches:
            return is_switch ? 1U : 0U;
    }
    return 0;
}

}  // namespace

PortWalk::PortWalk(const AdministrationView& view, const Query& query, Visit visit)
    : fabric_(view.fabric),
      partitions_(view.partitions),
      requester_(query.requester),
      visit_(visit),
      node_bound_(static_cast<std::uint32_t>(view.fabric.node_bound())) {
    if (!query.Has(kLidComponent)) return;
    // Every record that has a LID begins with it.
    Narrow(fabric_.PortByLid(Asked<LinkRecord>(query).Get(LinkRecord::kFromLid)));
}

void PortWalk::Narrow(PortIndex at) {
    if (at == kNoPortIndex) {
        Narrow(kNoNode);
        return;
    }
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    Narrow(port.node);
    if (node.type != NodeType::kSwitch) only_column_ = Raw(at) - Raw(node.first_port);
}

void PortWalk::Narrow(NodeIndex at) {
    EMBER_ASSERT(at == kNoNode || Raw(at) < fabric_.node_bound());
    is_narrow_ = true;
    first_node_ = at == kNoNode ? 0 : Raw(at);
    node_bound_ = at == kNoNode ? 0 : Raw(at) + 1U;
}

Found PortWalk::Find(Cursor& cursor, std::uint32_t& budget, PortIndex& port) const {
    if (cursor.row < first_node_) cursor = {.row = first_node_};
    while (cursor.row < node_bound_) {  // Ends: each round takes budget and passes a port or node.
        if (budget == 0) return Found::kLater;
        --budget;
        const auto at = static_cast<NodeIndex>(cursor.row);
        const bool is_live = fabric_.IsLive(at);
        if (!is_live || cursor.column >= ColumnsOf(fabric_.node(at), visit_)) {
            cursor = {.row = cursor.row + 1};
            continue;
        }
        const std::uint32_t column = cursor.column;
        port = static_cast<PortIndex>(Raw(fabric_.node(at).first_port) + column);
        if ((only_column_ == kEveryColumn || only_column_ == column) && IsVisible(port)) {
            return Found::kRecord;
        }
        Pass(cursor);
    }
    return Found::kEnd;
}

bool PortWalk::IsVisible(PortIndex at) const {
    return fabric_.port(at).has_info && LidOf(fabric_, at) != kNoLid &&
           partitions_.Share(requester_, at);
}

Lid LidOf(const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    const Node& node = fabric.node(port.node);
    return node.type == NodeType::kSwitch ? fabric.port(node.first_port).lid : port.lid;
}

}  // namespace ember
