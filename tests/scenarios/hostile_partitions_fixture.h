// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts of two partitions, one of which asks for what it may not have.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>

#include "core/multicast/own_groups.h"
#include "core/wire/guid_info_record.h"
#include "core/wire/link_record.h"
#include "core/wire/node_info.h"
#include "core/wire/path_record.h"
#include "core/wire/port_info_record.h"
#include "core/wire/service_record.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "tests/support/partition_world.h"
#include "tests/support/sa_client.h"

namespace ember::testing {

inline constexpr Membership kFull = Membership::kFull;
inline constexpr Membership kLimited = Membership::kLimited;
inline constexpr std::uint64_t kPrefix = 0xFE80000000000000;
inline constexpr Gid kBroadcast = BroadcastMgid(2, 0x8001);
inline constexpr std::uint64_t kGone = 0x0002C90300DEAD01;  ///< Of a member that is away.

class HostilePartitions : public ::testing::Test, public PartitionWorld {
protected:
    void SetUp() override {
        file_[1] = {{GuidOf(1), kFull}, {GuidOf(2), kFull}, {Guid{kGone}, kFull}};
        file_[2] = {{GuidOf(3), kLimited}, {GuidOf(4), kLimited}, {GuidOf(5), kFull}};
        file_.groups = {{.mgid = kBroadcast, .q_key = 0xB1B, .p_key = 1, .mtu = 4, .rate = 3}};
        world_.sim().CheckPKeys();
        Start(file_);
    }
    [[nodiscard]] Lid LidOf(std::size_t at) {
        return world_.world().port(RowOf(at)).info.Get(PortInfo::kLid);
    }
    /// A path from one host to another, asked for by GIDs.
    SaStatus PathByGids(SaClient& client, std::size_t from, std::size_t to) {
        PathRecord record;
        record.Set(PathRecord::kSgidPrefix, kPrefix);
        record.Set(PathRecord::kSgidGuid, GuidOf(from));
        record.Set(PathRecord::kDgidPrefix, kPrefix);
        record.Set(PathRecord::kDgidGuid, GuidOf(to));
        return client.StatusOf(Method::kGet, SaAttribute::kPathRecord, 1U << 2 | 1U << 3, record);
    }
    SaStatus PathByLids(SaClient& client, std::size_t from, std::size_t to) {
        PathRecord record;
        record.Set(PathRecord::kSlid, LidOf(from));
        record.Set(PathRecord::kDlid, LidOf(to));
        return client.StatusOf(Method::kGet, SaAttribute::kPathRecord, 1U << 4 | 1U << 5, record);
    }
    static SaStatus Join(SaClient& client, Guid port, Gid mgid, std::uint16_t p_key,
                         std::uint64_t mask, std::uint64_t key = 0) {
        McMemberRecord record = FullMember(port);
        record.SetMgid(mgid);
        record.Set(McMemberRecord::kPKey, p_key);
        return client.StatusOf(Method::kSet, SaAttribute::kMcMemberRecord, mask, record, key);
    }
    static SaStatus Service(SaClient& client, Method method, std::uint16_t p_key, Guid host) {
        ServiceRecord record;
        record.Set(ServiceRecord::kServiceId, std::uint64_t{7});
        record.SetGid({kPrefix, Raw(host)});
        record.Set(ServiceRecord::kServicePKey, p_key);
        return client.StatusOf(method, SaAttribute::kServiceRecord, 1U << 0 | 1U << 1 | 1U << 2,
                               record);
    }
    [[nodiscard]] static InformInfo All(TrapNumber trap) { return Subscription(trap); }
    static SaStatus Subscribe(SaClient& client, const InformInfo& info) {
        return client.StatusOf(Method::kSet, SaAttribute::kInformInfo, 0, info);
    }
    /// A record that is found by its LID, which every such record begins with.
    template <typename Record>
    SaStatus ByLid(SaClient& client, SaAttribute attribute, Lid lid, std::uint64_t mask = 1) {
        Record record;
        record.Set(Record::kLid, lid);
        return client.StatusOf(Method::kGet, attribute, mask, record);
    }
    [[nodiscard]] static bool Heard(const SaClient& client, TrapNumber trap) {
        return std::any_of(client.reports.begin(), client.reports.end(), [&](const Notice& notice) {
            return notice.Get(Notice::kTrapNumber) == trap;
        });
    }
    /// A question of no consequence is answered.
    static bool Answers(SaClient& client, std::uint64_t key = 0) {
        SaMad question =
            client.Question(Method::kGet, SaAttribute::kClassPortInfo, 0, InformInfo{});
        question.sm_key = key;
        return client.AskOnce(question).has_value();
    }
    [[nodiscard]] const SaStatistics& statistics() {
        return world_.sm().administration().statistics();
    }

    PartitionFile file_;
};

inline constexpr std::uint64_t kByMgid = 1U << 0 | 1U << 1 | 1U << 16;
inline constexpr SaStatus kOk = SaStatus::kOk;
inline constexpr SaStatus kNothing = SaStatus::kNoRecords;

}  // namespace ember::testing
