// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links of the subnet.
#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"

namespace ember {
namespace {

constexpr unsigned kToLid = 3;

/// The port that owns the LID of `at`: itself, or port 0 of its switch.
[[nodiscard]] PortIndex HolderOf(const Fabric& fabric, PortIndex at) {
    const Node& node = fabric.node(fabric.port(at).node);
    return node.type == NodeType::kSwitch ? node.first_port : at;
}

}  // namespace

Found LinkRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                        std::span<std::uint8_t> record) {
    const Fabric& fabric = view().fabric;
    const auto asked = Asked<LinkRecord>(query);
    // Without a LID of the near end, one of the far end leads to the same few links.
    const bool from_far_end = !query.Has(kLidComponent) && query.Has(kToLid);
    PortWalk walk(view(), query, Visit::kAllPorts);
    if (from_far_end) walk.Narrow(fabric.PortByLid(asked.Get(LinkRecord::kToLid)));
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        PortWalk::Pass(cursor);
        const PortIndex peer = fabric.port(at).peer;
        if (peer == kNoPortIndex) continue;
        LinkRecord answer;
        if (!Make(query, from_far_end ? peer : at, answer)) continue;
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

bool LinkRecords::Make(const Query& query, PortIndex from, LinkRecord& record) const {
    const Fabric& fabric = view().fabric;
    const PortIndex to = fabric.port(from).peer;
    EMBER_ASSERT(to != kNoPortIndex);
    const auto asked = Asked<LinkRecord>(query);
    if (query.Has(kToLid)) {
        if (fabric.PortByLid(asked.Get(LinkRecord::kToLid)) != HolderOf(fabric, to)) return false;
    }
    record.Set(LinkRecord::kFromLid, LidOf(fabric, from));
    record.Set(LinkRecord::kFromPort, fabric.port(from).number);
    record.Set(LinkRecord::kToPort, fabric.port(to).number);
    record.Set(LinkRecord::kToLid, LidOf(fabric, to));
    const Partitions& partitions = view().partitions;
    const bool is_known = LidOf(fabric, from) != kNoLid && LidOf(fabric, to) != kNoLid &&
                          partitions.Share(query.requester, from) &&
                          partitions.Share(query.requester, to) && partitions.Share(from, to);
    return is_known && Matches(query, LinkRecord::kComponents, record.octets(),
                               1U << kLidComponent | 1U << kToLid);
}

}  // namespace ember
