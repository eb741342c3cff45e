// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of the subnet.
#include "core/administration/query/matching.h"
#include "core/administration/records/subnet_records.h"
#include "core/wire/link_record.h"

namespace ember {

Found SmInfoRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                          std::span<std::uint8_t> record) {
    const Fabric& fabric = view().fabric;
    const Lid lid = Asked<LinkRecord>(query).Get(LinkRecord::kFromLid);
    while (cursor.row < managers_.manager_count()) {  // Ends: a row is passed in each round.
        if (budget == 0) return Found::kLater;
        --budget;
        SmInfo info = managers_.manager(cursor.row++);
        info.Set(SmInfo::kSmKey, std::uint64_t{0});
        const PortIndex at = fabric.FindPort(info.Get(SmInfo::kGuid));
        if (at == kNoPortIndex || fabric.port(at).lid == kNoLid) continue;
        if (!view().partitions.Share(query.requester, at)) continue;
        if (query.Has(kLidComponent) && fabric.PortByLid(lid) != at) continue;
        SmInfoRecord answer;
        answer.Set(SmInfoRecord::kLid, fabric.port(at).lid);
        Put(answer, SmInfoRecord::kSmInfo, info);
        if (!Matches(query, SmInfoRecord::kComponents, answer.octets(), 1U << kLidComponent)) {
            continue;
        }
        Deliver(answer, record);
        return Found::kRecord;
    }
    return Found::kEnd;
}

}  // namespace ember
