// SPDX-License-Identifier: Apache-2.0
// EmberSM: the PortInfo of ports.
#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"

namespace ember {
namespace {

constexpr unsigned kPortNum = 1;
constexpr unsigned kOptions = 2;
constexpr unsigned kCapabilityMask = 7;
/// Of Options: the asker knows the extended speeds.
constexpr std::uint8_t kWholePortInfo = 0x80;
/// Of the AttributeModifier. IBA vol. 1, 15.2.5.3.
constexpr std::uint32_t kMatchCapabilities = 0x80000000;

[[nodiscard]] bool RunsAtExtendedSpeed(const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    const Node& node = fabric.node(port.node);
    // Port 0 of a switch says what the switch can do.
    const bool is_switch = node.type == NodeType::kSwitch;
    const PortInfo& speaker = is_switch ? fabric.port(node.first_port).info : port.info;
    return SpeaksExtendedSpeeds(speaker) &&
           port.info.Get(PortInfo::kLinkSpeedExtActive) != link_speed_ext::kNone;
}

void AddQdr(PortInfo& info) {
    for (const auto field :
         {PortInfo::kLinkSpeedSupported, PortInfo::kLinkSpeedEnabled, PortInfo::kLinkSpeedActive}) {
        info.Set(field, static_cast<std::uint8_t>(info.Get(field) | link_speed::kQdr));
    }
}

}  // namespace

Found PortInfoRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                            std::span<std::uint8_t> record) {
    const auto asked = Asked<PortInfoRecord>(query);
    const auto wanted = Take<PortInfo>(asked, PortInfoRecord::kPortInfo);
    const std::uint32_t capabilities = wanted.Get(PortInfo::kCapabilityMask);
    const bool by_capability =
        query.Has(kCapabilityMask) && (query.modifier & kMatchCapabilities) != 0;
    std::uint64_t settled = 1U << kLidComponent | 1U << kOptions;
    if (by_capability) settled |= 1U << kCapabilityMask;

    const PortWalk walk(view(), query, Visit::kAllPorts);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        PortWalk::Pass(cursor);
        const Port& port = view().fabric.port(at);
        if (query.Has(kPortNum) && asked.Get(PortInfoRecord::kPortNum) != port.number) continue;
        const std::uint32_t has = port.info.Get(PortInfo::kCapabilityMask);
        if (by_capability && (has & capabilities) != capabilities) continue;
        const PortInfoRecord answer = Make(query, at);
        if (!Matches(query, PortInfoRecord::kComponents, answer.octets(), settled)) continue;
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

PortInfoRecord PortInfoRecords::Make(const Query& query, PortIndex at) const {
    const auto asked = Asked<PortInfoRecord>(query);
    const std::uint8_t options =
        query.Has(kOptions) ? asked.Get(PortInfoRecord::kOptions) : std::uint8_t{0};
    PortInfo info = view().fabric.port(at).info;
    if (!query.is_trusted) info.Set(PortInfo::kMKey, std::uint64_t{0});
    if ((options & kWholePortInfo) == 0 && RunsAtExtendedSpeed(view().fabric, at)) AddQdr(info);

    PortInfoRecord record;
    record.Set(PortInfoRecord::kLid, LidOf(view().fabric, at));
    record.Set(PortInfoRecord::kPortNum, view().fabric.port(at).number);
    record.Set(PortInfoRecord::kOptions, options);
    Put(record, PortInfoRecord::kPortInfo, info);
    return record;
}

}  // namespace ember
