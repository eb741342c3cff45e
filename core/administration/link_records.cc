// SPDX-License-Identifier: Apache-2.0
// EmberSM: which cables there are.
#include "core/administration/link_records.h"

#include <bit>

#include "core/administration/matching.h"
#include "core/administration/port_walk.h"
#include "core/administration/visibility.h"

namespace ember {
namespace {

constexpr unsigned kToLid = 3;

/// The port that owns the LID of `at`: itself, or port 0 of its switch.
[[nodiscard]] PortIndex HolderOf(const Fabric& fabric, PortIndex at) {
    const Node& node = fabric.node(fabric.port(at).node);
    return node.type == NodeType::kSwitch ? node.first_port : at;
}

}  // namespace

Found LinkRecords::Tell(const Query& query,
                        Cursor& cursor,
                        std::uint32_t& budget,
                        std::span<std::uint8_t> record) const {
    const Fabric& fabric = view_.fabric;
    const auto asked = std::bit_cast<LinkRecord>(Asked<sizeof(LinkRecord)>(query));
    // Without a LID of the near end, one of the far end leads to the same few cables.
    const bool from_far_end = !query.Has(kLidComponent) && query.Has(kToLid);
    PortWalk walk(fabric, query, Visit::kAllPorts);
    if (from_far_end) walk.Narrow(fabric.PortByLid(asked.Get(LinkRecord::kToLid)));
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        PortWalk::Pass(cursor);
        const PortIndex peer = fabric.port(at).peer;
        if (peer == kNoPortIndex) continue;
        LinkRecord told;
        if (!Make(query, from_far_end ? peer : at, told)) continue;
        Deliver(told, record);
        return Found::kRecord;
    }
    return found;
}

bool LinkRecords::Make(const Query& query, PortIndex from, LinkRecord& record) const {
    const Fabric& fabric = view_.fabric;
    const PortIndex to = fabric.port(from).peer;
    const auto asked = std::bit_cast<LinkRecord>(Asked<sizeof(LinkRecord)>(query));
    if (query.Has(kToLid)) {
        if (fabric.PortByLid(asked.Get(LinkRecord::kToLid)) != HolderOf(fabric, to)) return false;
    }
    record.Set(LinkRecord::kFromLid, LidOf(fabric, from));
    record.Set(LinkRecord::kFromPort, fabric.port(from).number);
    record.Set(LinkRecord::kToPort, fabric.port(to).number);
    record.Set(LinkRecord::kToLid, LidOf(fabric, to));
    const bool is_known = LidOf(fabric, from) != kNoLid && LidOf(fabric, to) != kNoLid &&
                          SharesPartition(fabric, query.requester, from) &&
                          SharesPartition(fabric, query.requester, to) &&
                          SharesPartition(fabric, from, to);
    return is_known && Matches(query, LinkRecord::kComponents, record.octets(),
                               1U << kLidComponent | 1U << kToLid);
}

}  // namespace ember
