// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUIDs of ports, and the aliases that hosts ask for.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/record_source.h"
#include "core/aliases/alias_guids.h"
#include "core/aliases/guid_tables.h"
#include "core/multicast/groups.h"
#include "core/wire/guid_info_record.h"

namespace ember {

/// GUIDInfoRecord: the GUID table of each end port, block by block up to its GUIDCap.
///
/// A Set gives the port aliases in the places that the component mask names; a place asked for with
/// GUID 0 gets a GUID that the SA makes, unless it has one. An alias of another port is not given,
/// one in a multicast group is not replaced: the answer tells the block as it is then. A Delete
/// takes the aliases of the places named, all or none: REQ_DENIED when one is in a group. Place 0
/// is the PortGUID and cannot be changed, nor can the alias that routers need. The device is told
/// afterwards, by Set(GUIDInfo). REQ_DENIED also when the requester may not act for the port
/// (authority.h); NO_RESOURCES when rows are short and the requester has used up its share of them.
class GuidInfoRecords final : public RecordSource {
public:
    /// All outlive the source.
    struct Parts {
        const AdministrationView& view;
        AliasGuids& aliases;
        const Groups& groups;
        GuidTables& tables;
    };
    explicit GuidInfoRecords(const Parts& parts) : parts_(parts) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kGuidInfoRecord,
                .record_octets = sizeof(GuidInfoRecord),
                .set = true,
                .remove = true};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;
    [[nodiscard]] SaStatus Change(const Query& query, std::uint64_t now_us,
                                  std::span<std::uint8_t> record) override;

private:
    /// A block of a port, as a Set or Delete names it.
    struct Block {
        PortIndex port = kNoPortIndex;
        std::uint8_t number = 0;
        std::uint8_t named = 0;  ///< Bit n: GUID n of the block is meant, and exists.
    };

    [[nodiscard]] SaStatus FindBlock(const Query& query, Block& block) const;
    [[nodiscard]] SaStatus Give(const Block& block, const GuidInfo& wanted, Requester requester,
                                bool& is_changed);
    [[nodiscard]] SaStatus GiveOne(PortIndex at, std::uint8_t place, Guid wanted,
                                   Requester requester, bool& is_changed);
    [[nodiscard]] SaStatus TakeBack(const Block& block, bool& is_changed);
    /// An alias that is in a multicast group keeps its place.
    [[nodiscard]] bool MayReplace(Guid present, Guid guid) const {
        return MayGive(guid) && (present == kNoGuid || !IsInGroup(present));
    }
    [[nodiscard]] bool MayGive(Guid guid) const;
    [[nodiscard]] bool IsInGroup(Guid guid) const;
    [[nodiscard]] Guid NextOfOurs();
    [[nodiscard]] GuidInfoRecord Make(PortIndex at, std::uint8_t block) const;

    Parts parts_;
    std::uint32_t made_ = 0;  ///< GUIDs that the SA has made since start.
};

}  // namespace ember
