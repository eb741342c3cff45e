// SPDX-License-Identifier: Apache-2.0
// EmberSM: the SwitchInfo of switches.
#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"

namespace ember {

Found SwitchInfoRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                              std::span<std::uint8_t> record) {
    const Fabric& fabric = view().fabric;
    const PortWalk walk(view(), query, Visit::kSwitches);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        PortWalk::Pass(cursor);
        const SwitchIndex index = fabric.node(fabric.port(at).node).switch_index;
        SwitchInfoRecord answer;
        answer.Set(SwitchInfoRecord::kLid, LidOf(fabric, at));
        Put(answer, SwitchInfoRecord::kSwitchInfo, fabric.switch_row(index).info);
        if (!Matches(query, SwitchInfoRecord::kComponents, answer.octets(), 1U << kLidComponent)) {
            continue;
        }
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

}  // namespace ember
