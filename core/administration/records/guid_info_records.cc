// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUIDs of ports, and the aliases that hosts ask for.
#include "core/administration/records/guid_info_records.h"

#include "core/administration/query/authority.h"
#include "core/administration/query/matching.h"
#include "core/administration/records/port_walk.h"
#include "core/base/assert.h"

namespace ember {
namespace {

constexpr unsigned kBlockNum = 1;
constexpr std::uint64_t kMadeHere = 0x0014050000000000;  ///< The OUI of Open Fabrics, as OpenSM's.
/// Draws beyond those that aliases of a run before may have taken.
constexpr std::size_t kDraws = 1000;

[[nodiscard]] constexpr std::uint8_t PlaceOf(std::uint8_t block, std::size_t index) {
    EMBER_ASSERT(index < GuidInfo::kEntries);
    return static_cast<std::uint8_t>(block * GuidInfo::kEntries + index);
}

[[nodiscard]] std::uint32_t BlocksOf(const Port& port) {
    const std::uint32_t guids = port.info.Get(PortInfo::kGuidCap);
    return static_cast<std::uint32_t>((guids + GuidInfo::kEntries - 1) / GuidInfo::kEntries);
}

}  // namespace

Found GuidInfoRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                            std::span<std::uint8_t> record) {
    const Fabric& fabric = parts_.view.fabric;
    const auto asked = Asked<GuidInfoRecord>(query);
    const std::uint32_t only = asked.Get(GuidInfoRecord::kBlockNum);
    const PortWalk walk(parts_.view, query, Visit::kEndPorts);
    PortIndex at{};
    Found found = walk.Find(cursor, budget, at);
    for (; found == Found::kRecord; found = walk.Find(cursor, budget, at)) {
        if (query.Has(kBlockNum) && cursor.item < only) cursor.item = only;
        const bool is_past = query.Has(kBlockNum) && cursor.item != only;
        if (is_past || cursor.item >= BlocksOf(fabric.port(at))) {
            PortWalk::Pass(cursor);
            continue;
        }
        const GuidInfoRecord answer = Make(at, static_cast<std::uint8_t>(cursor.item));
        ++cursor.item;
        const std::uint64_t settled = 1U << kLidComponent | 1U << kBlockNum;
        if (!Matches(query, GuidInfoRecord::kComponents, answer.octets(), settled)) continue;
        Deliver(answer, record);
        return Found::kRecord;
    }
    return found;
}

GuidInfoRecord GuidInfoRecords::Make(PortIndex at, std::uint8_t block) const {
    GuidInfoRecord record;
    record.Set(GuidInfoRecord::kLid, parts_.view.fabric.port(at).lid);
    record.Set(GuidInfoRecord::kBlockNum, block);
    Put(record, GuidInfoRecord::kTable, parts_.tables.TableOf(at, block));
    return record;
}

SaStatus GuidInfoRecords::FindBlock(const Query& query, Block& block) const {
    const Fabric& fabric = parts_.view.fabric;
    if (!query.Has(kLidComponent) || !query.Has(kBlockNum)) {
        return SaStatus::kInsufficientComponents;
    }
    const auto asked = Asked<GuidInfoRecord>(query);
    block.port = fabric.PortByLid(asked.Get(GuidInfoRecord::kLid));
    block.number = asked.Get(GuidInfoRecord::kBlockNum);
    if (block.port == kNoPortIndex) return SaStatus::kNoRecords;
    if (!parts_.view.partitions.Share(query.requester, block.port)) return SaStatus::kNoRecords;
    if (!MayActFor(parts_.view, query, block.port)) return SaStatus::kRequestDenied;
    const Port& port = fabric.port(block.port);
    if (block.number >= BlocksOf(port)) return SaStatus::kNoRecords;
    if (block.number == 0 && query.Has(GuidInfoRecord::kFirstGuid))
        return SaStatus::kRequestInvalid;
    for (unsigned i = 0; i < GuidInfo::kEntries; ++i) {
        const bool exists = PlaceOf(block.number, i) < port.info.Get(PortInfo::kGuidCap);
        if (!exists || !query.Has(GuidInfoRecord::kFirstGuid + i)) continue;
        block.named = static_cast<std::uint8_t>(block.named | 1U << i);
    }
    return SaStatus::kOk;
}

SaStatus GuidInfoRecords::Change(const Query& query, std::uint64_t /*now_us*/,
                                 std::span<std::uint8_t> record) {
    EMBER_ASSERT(query.method == Method::kSet || query.method == Method::kDelete);
    Block block;
    if (const SaStatus status = FindBlock(query, block); status != SaStatus::kOk) return status;
    const Guid port = parts_.view.fabric.port(block.port).guid;
    if (!parts_.tables.HasRoomFor(port, block.number)) return SaStatus::kBusy;

    const auto asked = Asked<GuidInfoRecord>(query);
    bool is_changed = false;
    const SaStatus status = query.method == Method::kSet
                                ? Give(block, Take<GuidInfo>(asked, GuidInfoRecord::kTable),
                                       RequesterOf(parts_.view, query), is_changed)
                                : TakeBack(block, is_changed);
    if (is_changed) parts_.tables.Update(port, block.number);
    if (status == SaStatus::kOk) Deliver(Make(block.port, block.number), record);
    return status;
}

SaStatus GuidInfoRecords::Give(const Block& block, const GuidInfo& wanted, Requester requester,
                               bool& is_changed) {
    EMBER_ASSERT(block.port != kNoPortIndex);
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i) {
        if ((block.named >> i & 1U) == 0) continue;
        const SaStatus status =
            GiveOne(block.port, PlaceOf(block.number, i), wanted.guid(i), requester, is_changed);
        if (status != SaStatus::kOk) return status;
    }
    return SaStatus::kOk;
}

SaStatus GuidInfoRecords::GiveOne(PortIndex at, std::uint8_t place, Guid wanted,
                                  Requester requester, bool& is_changed) {
    EMBER_ASSERT(place != 0);  // Which holds the PortGUID.
    const Guid port = parts_.view.fabric.port(at).guid;
    const Guid present = parts_.aliases.At(port, place);
    if (present != kNoGuid && present == parts_.aliases.RouterAliasOf(port)) return SaStatus::kOk;
    // A request for one of our GUIDs may be repeated: the GUID that is there stays.
    if (wanted == kNoGuid && present != kNoGuid) return SaStatus::kOk;
    const Guid guid = wanted == kNoGuid ? NextOfOurs() : wanted;
    if (guid == kNoGuid) return SaStatus::kNoResources;
    if (!MayReplace(present, guid)) return SaStatus::kOk;
    if (present == kNoGuid && !parts_.aliases.MayPut(requester)) return SaStatus::kNoResources;
    if (parts_.aliases.Put(port, place, guid, requester) != Status::kOk) {
        return SaStatus::kNoResources;
    }
    is_changed = true;
    return SaStatus::kOk;
}

SaStatus GuidInfoRecords::TakeBack(const Block& block, bool& is_changed) {
    EMBER_ASSERT(block.port != kNoPortIndex);
    const Guid port = parts_.view.fabric.port(block.port).guid;
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i) {
        if ((block.named >> i & 1U) == 0) continue;
        const Guid present = parts_.aliases.At(port, PlaceOf(block.number, i));
        if (present == kNoGuid || present == parts_.aliases.RouterAliasOf(port)) continue;
        if (IsInGroup(present)) return SaStatus::kRequestDenied;
    }
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i) {
        if ((block.named >> i & 1U) == 0) continue;
        const std::uint8_t place = PlaceOf(block.number, i);
        const Guid present = parts_.aliases.At(port, place);
        if (present == kNoGuid || present == parts_.aliases.RouterAliasOf(port)) continue;
        parts_.aliases.Remove(port, place);
        is_changed = true;
    }
    return SaStatus::kOk;
}

bool GuidInfoRecords::MayGive(Guid guid) const {
    return !parts_.aliases.IsReserved(guid) && parts_.aliases.PortOf(guid) == kNoGuid &&
           parts_.view.fabric.FindPort(guid) == kNoPortIndex;
}

bool GuidInfoRecords::IsInGroup(Guid guid) const {
    for (std::size_t i = 0; i < parts_.groups.group_bound(); ++i) {
        const auto group = static_cast<GroupIndex>(i);
        if (!parts_.groups.IsLive(group)) continue;
        if (parts_.groups.FindMember(group, guid) != kNoMember) return true;
    }
    return false;
}

Guid GuidInfoRecords::NextOfOurs() {
    const auto next = static_cast<Guid>(kMadeHere | (made_ + 1));
    if (parts_.aliases.IsReserved(next)) made_ = 0xFFFF;
    const std::size_t most = parts_.aliases.count() + kDraws;
    for (std::size_t i = 0; i < most; ++i) {
        const auto guid = static_cast<Guid>(kMadeHere | ++made_);
        if (MayGive(guid)) return guid;
    }
    return kNoGuid;
}

}  // namespace ember
