// SPDX-License-Identifier: Apache-2.0
// EmberSM: the nodes of the subnet.
#include <bit>
#include <string_view>

#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"
#include "core/wire/node_description.h"

namespace ember {
namespace {

constexpr unsigned kNodeGuid = 7;
constexpr unsigned kPortGuid = 8;
constexpr unsigned kDescription = 14;
constexpr std::uint64_t kSettled = 1U << kLidComponent | 1U << kDescription;

[[nodiscard]] bool SameText(const NodeRecord& one, const NodeRecord& other) {
    const auto mine = Take<NodeDescription>(one, NodeRecord::kNodeDescription);
    const auto yours = Take<NodeDescription>(other, NodeRecord::kNodeDescription);
    const NodeDescription::Text my_text = mine.text();
    const NodeDescription::Text your_text = yours.text();
    return std::string_view(my_text.data(), mine.length()) ==
           std::string_view(your_text.data(), yours.length());
}

}  // namespace

Found NodeRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                        std::span<std::uint8_t> record) {
    const Fabric& fabric = view().fabric;
    const auto asked = Asked<NodeRecord>(query);
    const auto info = Take<NodeInfo>(asked, NodeRecord::kNodeInfo);
    PortWalk walk(view(), query, Visit::kEndPorts);
    if (!walk.is_narrow() && query.Has(kPortGuid)) {
        walk.Narrow(fabric.FindPort(info.Get(NodeInfo::kPortGuid)));
    } else if (!walk.is_narrow() && query.Has(kNodeGuid)) {
        walk.Narrow(fabric.FindNode(info.Get(NodeInfo::kNodeGuid)));
    }
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        const NodeRecord answer = Make(at);
        PortWalk::Pass(cursor);
        if (query.Has(kDescription) && !SameText(answer, asked)) continue;
        if (!Matches(query, NodeRecord::kComponents, answer.octets(), kSettled)) continue;
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

NodeRecord NodeRecords::Make(PortIndex at) const {
    const Port& port = view().fabric.port(at);
    const Node& node = view().fabric.node(port.node);
    NodeInfo info;
    info.Set(NodeInfo::kBaseVersion, node.base_version);
    info.Set(NodeInfo::kClassVersion, node.class_version);
    info.Set(NodeInfo::kNodeType, node.type);
    info.Set(NodeInfo::kNumPorts, node.port_count);
    info.Set(NodeInfo::kSystemImageGuid, node.system_image_guid);
    info.Set(NodeInfo::kNodeGuid, node.guid);
    info.Set(NodeInfo::kPortGuid, port.guid);
    info.Set(NodeInfo::kPartitionCap, node.partition_cap);
    info.Set(NodeInfo::kDeviceId, node.device_id);
    info.Set(NodeInfo::kRevision, node.revision);
    info.Set(NodeInfo::kLocalPortNum, port.number);
    info.Set(NodeInfo::kVendorId, node.vendor_id);

    NodeRecord record;
    record.Set(NodeRecord::kLid, port.lid);
    Put(record, NodeRecord::kNodeInfo, info);
    Put(record, NodeRecord::kNodeDescription, std::bit_cast<NodeDescription>(node.description));
    return record;
}

}  // namespace ember
