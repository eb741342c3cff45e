// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast groups and their members: asking, joining, leaving.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/query/record_source.h"
#include "core/administration/registrations/join_refusal.h"
#include "core/aliases/alias_guids.h"
#include "core/multicast/groups.h"
#include "core/wire/mc_member_record.h"

namespace ember {

/// MCMemberRecord. IBA vol. 1, 15.2.5.17.
///
/// Get and GetTable: an ordinary requester sees each group of its partitions once, without members;
/// one that names a port sees the groups that this port is in; a trusted one that names none sees
/// every member. Set joins, and makes the group when it is not there and the request says enough;
/// Delete leaves. A port joins and leaves for itself. A proxy acts for another port: a trusted
/// requester may, and under sa_allow_proxies every requester, as with OpenSM. A member that joined
/// for itself is changed by that port only. A member that a proxy put there is changed by itself,
/// by that proxy, and by a requester that may act for it. A port that has used up its share of rows
/// (core/fabric/shares.h) is told NO_RESOURCES.
///
/// HopLimit, PacketLifeTime, Scope and MLID of a new group are taken from the record even without
/// their components, as by OpenSM. MTU and Rate of a new group are the port's unless selector and
/// value are given. PacketLifeTime is never a reason to refuse.
class McMemberRecords final : public RecordSource {
public:
    /// All outlive it.
    McMemberRecords(const AdministrationView& view, Groups& groups, const AliasGuids& aliases)
        : view_(view), groups_(groups), aliases_(aliases) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kMcMemberRecord,
                .record_octets = sizeof(McMemberRecord),
                .set = true,
                .remove = true};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;
    [[nodiscard]] SaStatus Change(const Query& query, std::uint64_t now_us,
                                  std::span<std::uint8_t> record) override;

    /// The decision about a request to join.
    struct JoinVerdict {
        JoinRefusal refusal = JoinRefusal::kNone;
        GroupIndex group = kNoGroup;  ///< kNoGroup: the request makes it, unless refused.
        GroupValues values{};         ///< Of that group; of one to be made, as far as it came.
    };
    /// Decides about a Set that asks to join, and changes nothing. Every join goes through here.
    /// Memory alone may still fail: a row or a MLID for a new group.
    [[nodiscard]] JoinVerdict JudgeJoin(const Query& query) const;

private:
    /// The subject of a request.
    struct Subject {
        McMemberRecord wanted{};
        PortIndex port = kNoPortIndex;
        Guid port_guid = kNoGuid;
        std::uint8_t state = 0;
    };

    [[nodiscard]] Found NextGroup(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                  std::span<std::uint8_t> record) const;
    [[nodiscard]] Found NextMember(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                   std::span<std::uint8_t> record) const;
    [[nodiscard]] bool ShowsGroup(const Query& query, const McMemberRecord& wanted, GroupIndex at,
                                  McMemberRecord& shown) const;

    [[nodiscard]] SaStatus Join(const Query& query, std::uint64_t now_us,
                                std::span<std::uint8_t> record);
    [[nodiscard]] SaStatus Leave(const Query& query, std::uint64_t now_us,
                                 std::span<std::uint8_t> record);
    [[nodiscard]] JoinRefusal Understand(const Query& query, Subject& subject) const;
    [[nodiscard]] JoinVerdict JudgeJoin(const Query& query, Subject& subject) const;
    [[nodiscard]] JoinRefusal MayAsk(const Query& query, const Subject& subject) const;
    [[nodiscard]] JoinRefusal MayCreate(const Query& query, const Subject& subject,
                                        GroupValues& values) const;
    [[nodiscard]] JoinRefusal MayJoin(const Query& query, const Subject& subject,
                                      const JoinVerdict& verdict) const;
    [[nodiscard]] JoinRefusal MayReach(const Subject& subject, const GroupValues& values) const;
    [[nodiscard]] Result<GroupIndex> Create(const Query& query, const Subject& subject,
                                            const GroupValues& values);
    [[nodiscard]] bool FitsBroadcast(const Query& query, const McMemberRecord& wanted,
                                     const Gid& mgid) const;
    [[nodiscard]] bool MakeMgid(std::uint8_t scope, Gid& mgid);
    [[nodiscard]] JoinRefusal MayChange(const Query& query, const Member& member,
                                        const Group& group) const;
    [[nodiscard]] bool BelongsTo(PortIndex port, std::uint16_t p_key) const;

    const AdministrationView& view_;
    Groups& groups_;
    const AliasGuids& aliases_;
    std::uint32_t made_mgids_ = 0;
};

}  // namespace ember
