// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUIDs of ports: who gets which, who loses which, and what devices are told.

#include "core/administration/records/guid_info_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "core/administration/query/matching.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/multicast_store.h"

namespace ember {
namespace {

using testing::FindsByEachComponent;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

constexpr std::uint64_t kWhere = 3;  ///< LID and block.
constexpr Guid kOne{0x1111};
constexpr Guid kTwo{0x2222};
constexpr std::uint64_t kBase = 0x0014050000000000;
constexpr Guid kFirstOfOurs{0x0014050000000001};
constexpr Guid kSecondOfOurs{0x0014050000000002};

/// The component of GUID `index` of a block.
constexpr std::uint64_t The(unsigned index) {
    return std::uint64_t{1} << (GuidInfoRecord::kFirstGuid + index);
}

class GuidInfoRecordsTest : public ::testing::Test {
protected:
    GuidInfoRecordsTest()
        : rows_(16),
          alias_slots_(RowIndex<AliasIndex>::SlotsFor(16)),
          place_slots_(RowIndex<AliasIndex>::SlotsFor(16)) {
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info.Set(PortInfo::kGuidCap, std::uint8_t{20});
        });
        aliases_.emplace(AliasGuids::Memory{rows_, alias_slots_, place_slots_});
        told_words_.resize(GuidTables::WordsFor(net_.built().limits()));
        tables_.emplace(GuidTables::Memory{table_rows_, told_words_}, net_.fabric(), *aliases_);
        source_.emplace(GuidInfoRecords::Parts{net_.view(), *aliases_, store_.groups(), *tables_});
    }

    /// The outcome of Set or Delete: the block that is told, and the status.
    struct Outcome {
        SaStatus status;
        std::array<Guid, 8> guids{};
    };
    Outcome Change(Method method, std::uint64_t mask, unsigned block,
                   const std::vector<Guid>& guids, Lid lid = kNoLid) {
        GuidInfo table;
        for (std::size_t i = 0; i < guids.size(); ++i) {
            table.SetGuid(i, guids[i]);
        }
        GuidInfoRecord asked;
        asked.Set(GuidInfoRecord::kLid, lid == kNoLid ? host().lid : lid);
        asked.Set(GuidInfoRecord::kBlockNum, static_cast<std::uint8_t>(block));
        Put(asked, GuidInfoRecord::kTable, table);
        Query query = net_.Question(mask, asked.octets());
        query.method = method;
        // Each port asks for itself, unless somebody else is named.
        const PortIndex named = net_.fabric().PortByLid(asked.Get(GuidInfoRecord::kLid));
        if (named != kNoPortIndex) query.requester = named;
        if (requester_ != kNoPortIndex) query.requester = requester_;
        GuidInfoRecord told;
        Outcome outcome{.status = source_->Change(query, 0, told.octets())};
        for (std::size_t i = 0; i < 8; ++i) {
            outcome.guids.at(i) = Take<GuidInfo>(told, GuidInfoRecord::kTable).guid(i);
        }
        if (outcome.status == SaStatus::kOk) {
            EXPECT_EQ(told.Get(GuidInfoRecord::kBlockNum), block);
        }
        return outcome;
    }
    Outcome Set(std::uint64_t mask, unsigned block, const std::vector<Guid>& guids) {
        return Change(Method::kSet, kWhere | mask, block, guids);
    }
    Outcome Delete(std::uint64_t mask, unsigned block) {
        return Change(Method::kDelete, kWhere | mask, block, {});
    }
    Port& host() { return net_.port(6, 1); }
    /// Blocks that devices were told since the last call, with their numbers.
    std::vector<std::pair<std::uint32_t, GuidInfo>> Written() {
        std::vector<std::pair<std::uint32_t, GuidInfo>> written;
        std::uint32_t cursor = 0;
        for (TableIndex at = tables_->Next(cursor); at != kNoTable; at = tables_->Next(cursor)) {
            PortTable table;
            SmpData wanted;
            EXPECT_TRUE(tables_->Find(at, table, wanted));
            EXPECT_EQ(table.attribute, AttributeId::kGuidInfo);
            EXPECT_TRUE(table.is_blind);
            told_.push_back(table.port);
            written.emplace_back(table.modifier, std::bit_cast<GuidInfo>(wanted));
            tables_->Settle(at, Status::kOk);
        }
        return written;
    }

    RecordNet net_;
    std::vector<PortIndex> told_;
    testing::GroupStore store_{net_.built().limits()};
    std::vector<AliasGuids::Row> rows_;
    std::vector<AliasIndex> alias_slots_;
    std::vector<AliasIndex> place_slots_;
    std::optional<AliasGuids> aliases_;
    std::vector<GuidTables::Row> table_rows_ = std::vector<GuidTables::Row>(8);
    std::vector<std::uint64_t> told_words_;
    std::optional<GuidTables> tables_;
    std::optional<GuidInfoRecords> source_;
    PortIndex requester_ = kNoPortIndex;  ///< kNoPortIndex: the port in question.
};

TEST_F(GuidInfoRecordsTest, EachPortHasTheBlocksThatItsGuidCapSays) {
    net_.port(3, 0).info.Set(PortInfo::kGuidCap, std::uint8_t{1});
    net_.port(5, 0).info.Set(PortInfo::kGuidCap, std::uint8_t{0});
    const Told told = net_.AskAll(*source_);
    ASSERT_EQ(told.records.size(), 6U * 3U + 1U);
    for (const Octets& octets : told.records) {
        GuidInfoRecord record;
        std::copy(octets.begin(), octets.end(), record.octets().begin());
        const auto table = Take<GuidInfo>(record, GuidInfoRecord::kTable);
        const PortIndex at = net_.fabric().PortByLid(record.Get(GuidInfoRecord::kLid));
        const bool first = record.Get(GuidInfoRecord::kBlockNum) == 0;
        EXPECT_EQ(table.guid(0), first ? net_.fabric().port(at).guid : kNoGuid);
        EXPECT_EQ(table.guid(1), kNoGuid);
    }
}

TEST_F(GuidInfoRecordsTest, AreFoundByEachComponent) {
    for (unsigned i = 1; i < 8; ++i) {
        EXPECT_EQ(Set(The(i), 0, std::vector<Guid>(8, Guid{0x100 + i})).status, SaStatus::kOk);
    }
    FindsByEachComponent(net_, *source_, GuidInfoRecord::kComponents, {0});
    for (const std::uint32_t budget : {1U, 3U}) {
        EXPECT_EQ(net_.Ask(*source_, 0, {}, budget).records, net_.AskAll(*source_).records);
    }
}

TEST_F(GuidInfoRecordsTest, ABlockIsFoundByLidAndNumber) {
    GuidInfoRecord asked;
    asked.Set(GuidInfoRecord::kLid, host().lid);
    for (std::uint8_t block = 0; block < 5; ++block) {
        asked.Set(GuidInfoRecord::kBlockNum, block);
        const Told told = net_.Ask(*source_, kWhere, asked.octets());
        ASSERT_EQ(told.records.size(), block < 3 ? 1U : 0U);
        EXPECT_LE(told.looked_at, 4U);
    }
}

TEST_F(GuidInfoRecordsTest, ASetGivesWhatIsAskedForAndTellsTheDevice) {
    const Outcome outcome = Set(The(1) | The(3), 0, {kNoGuid, kOne, Guid{7}, kTwo});
    EXPECT_EQ(outcome.status, SaStatus::kOk);
    EXPECT_EQ(outcome.guids[0], host().guid);
    EXPECT_EQ(outcome.guids[1], kOne);
    EXPECT_EQ(outcome.guids[2], kNoGuid);  // Its component was not set.
    EXPECT_EQ(outcome.guids[3], kTwo);
    EXPECT_EQ(aliases_->PortOf(kOne), host().guid);
    const auto written = Written();
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(told_.back(), net_.at(6, 1));
    EXPECT_EQ(written[0].first, 0U);
    EXPECT_EQ(written[0].second.guid(0), host().guid);
    EXPECT_EQ(written[0].second.guid(1), kOne);
    EXPECT_EQ(written[0].second.guid(3), kTwo);
    // Asked again, nothing changes, and no Set is sent.
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).guids[1], kOne);
    EXPECT_TRUE(Written().empty());
    // Another one takes its place.
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, Guid{0x33}}).guids[1], Guid{0x33});
    EXPECT_EQ(aliases_->PortOf(kOne), kNoGuid);
    EXPECT_EQ(Written().size(), 1U);
}

TEST_F(GuidInfoRecordsTest, GuidZeroAsksForOneOfOurs) {
    const Outcome first = Set(The(0) | The(1), 1, {kNoGuid, kNoGuid});
    EXPECT_EQ(first.guids[0], kFirstOfOurs);
    EXPECT_EQ(first.guids[1], kSecondOfOurs);
    EXPECT_EQ(Written().at(0).first, 1U);
    // A question repeated, whose answer was lost, takes no more of them.
    EXPECT_EQ(Set(The(0), 1, {kNoGuid}).guids[0], kFirstOfOurs);
    EXPECT_EQ(aliases_->count(), 2U);
    EXPECT_TRUE(Written().empty());
    // A GUID that a port has already is passed over.
    EXPECT_EQ(Set(The(2), 1, {kNoGuid, kNoGuid, Guid{0x0014050000000003}}).status, SaStatus::kOk);
    EXPECT_EQ(Set(The(3), 1, {}).guids[3], Guid{0x0014050000000004});
}

TEST_F(GuidInfoRecordsTest, WhatSomebodyElseHasIsNotGiven) {
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kOk);
    static_cast<void>(Written());
    const Outcome other = Change(Method::kSet, kWhere | The(1) | The(2), 0,
                                 {kNoGuid, kOne, net_.port(2, 1).guid}, net_.port(1, 1).lid);
    EXPECT_EQ(other.status, SaStatus::kOk);
    EXPECT_EQ(other.guids[1], kNoGuid);
    EXPECT_EQ(other.guids[2], kNoGuid);
    EXPECT_TRUE(Written().empty());
    // Where there was one, it stays.
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, net_.port(2, 1).guid}).guids[1], kOne);
}

TEST_F(GuidInfoRecordsTest, ADeleteTakesWhatItNames) {
    EXPECT_EQ(Set(The(1) | The(2), 0, {kNoGuid, kOne, kTwo}).status, SaStatus::kOk);
    static_cast<void>(Written());
    const Outcome outcome = Delete(The(1), 0);
    EXPECT_EQ(outcome.status, SaStatus::kOk);
    EXPECT_EQ(outcome.guids[1], kNoGuid);
    EXPECT_EQ(outcome.guids[2], kTwo);
    EXPECT_EQ(aliases_->PortOf(kOne), kNoGuid);
    EXPECT_EQ(Written().at(0).second.guid(1), kNoGuid);
    EXPECT_EQ(Delete(The(1), 0).status, SaStatus::kOk);  // There is none: nothing to tell.
    EXPECT_TRUE(Written().empty());
}

TEST_F(GuidInfoRecordsTest, WhatIsInAGroupStays) {
    EXPECT_EQ(Set(The(1) | The(2), 0, {kNoGuid, kOne, kTwo}).status, SaStatus::kOk);
    static_cast<void>(Written());
    Groups& groups = store_.groups();
    const auto group = groups.Create(Gid{0xFF12401BFFFF0000, 0xFFFFFFFF}, GroupValues{}, {});
    ASSERT_TRUE(group.ok());
    ASSERT_TRUE(
        groups.Join(group.value(), Member{.port_guid = kTwo, .join_state = join_state::kFull}, 0)
            .ok());
    EXPECT_EQ(Delete(The(1) | The(2), 0).status, SaStatus::kRequestDenied);
    EXPECT_EQ(aliases_->PortOf(kOne), host().guid);  // All or none.
    EXPECT_EQ(Set(The(2), 0, {kNoGuid, kNoGuid, Guid{0x99}}).guids[2], kTwo);
    EXPECT_TRUE(Written().empty());
    EXPECT_EQ(Delete(The(1), 0).status, SaStatus::kOk);
}

TEST_F(GuidInfoRecordsTest, WrongQuestionsAreRefused) {
    for (const Method method : {Method::kSet, Method::kDelete}) {
        const auto status = [&](std::uint64_t mask, unsigned block, Lid lid) {
            return Change(method, mask, block, {Guid{7}, Guid{8}}, lid).status;
        };
        EXPECT_EQ(status(The(1) | 1U, 0, host().lid), SaStatus::kInsufficientComponents);
        EXPECT_EQ(status(The(1) | 2U, 0, host().lid), SaStatus::kInsufficientComponents);
        EXPECT_EQ(status(kWhere | The(1), 0, Lid{999}), SaStatus::kNoRecords);
        EXPECT_EQ(status(kWhere | The(1), 3, host().lid), SaStatus::kNoRecords);
        EXPECT_EQ(status(kWhere | The(0), 0, host().lid), SaStatus::kRequestInvalid);
        EXPECT_EQ(status(kWhere, 0, host().lid), SaStatus::kOk);  // Nothing is named.
    }
    EXPECT_EQ(aliases_->count(), 0U);
    EXPECT_TRUE(Written().empty());
}

TEST_F(GuidInfoRecordsTest, PlacesBeyondTheGuidCapAreNotGiven) {
    const Outcome outcome = Set(The(3) | The(4), 2, std::vector<Guid>{{}, {}, {}, kOne, kTwo});
    EXPECT_EQ(outcome.guids[3], kOne);  // 19 of 20.
    EXPECT_EQ(outcome.guids[4], kNoGuid);
    EXPECT_EQ(aliases_->count(), 1U);
    // A GUIDCap that shrinks hides what is beyond.
    host().info.Set(PortInfo::kGuidCap, std::uint8_t{18});
    EXPECT_EQ(Set(0, 2, {}).guids[3], kNoGuid);
}

TEST_F(GuidInfoRecordsTest, AFullTableSaysSo) {
    for (std::uint8_t i = 0; i < 16; ++i) {  // Of 16 ports: no share is used up.
        ASSERT_EQ(aliases_->Put(Guid{0x700U + i}, 1, Guid{0x500U + i}), Status::kOk);
    }
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kNoResources);
    aliases_->Remove(Guid{0x700}, 1);
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kOk);
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kTwo}).guids[1], kTwo);  // A place has its row.
}

TEST_F(GuidInfoRecordsTest, OnePortCannotTakeAllTheRows) {
    unsigned given = 0;
    while (given < 8 &&
           Set(The(given), 1, std::vector<Guid>(8, Guid{0x500U + given})).status == SaStatus::kOk) {
        ++given;
    }
    EXPECT_EQ(given, 8U) << "half of the rows";
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kNoResources);
    EXPECT_EQ(Set(The(1), 1, {kNoGuid, kTwo}).guids[1], kTwo) << "a place has its row";
    const Lid other = net_.port(1, 1).lid;
    EXPECT_EQ(Change(Method::kSet, kWhere | The(1), 0, {kNoGuid, kOne}, other).status,
              SaStatus::kOk);
    // The requester is charged, not the port that gets the GUIDs.
    net_.trusted = true;
    requester_ = net_.at(6, 1);
    EXPECT_EQ(Change(Method::kSet, kWhere | The(2), 0, std::vector<Guid>(3, Guid{9}), other).status,
              SaStatus::kNoResources);
}

TEST_F(GuidInfoRecordsTest, WithoutTheKeyNoPortChangesTheAliasesOfAnother) {
    ASSERT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kOk);
    requester_ = net_.at(0, 1);
    EXPECT_EQ(Set(The(2), 0, {kNoGuid, kNoGuid, kTwo}).status, SaStatus::kRequestDenied);
    EXPECT_EQ(Delete(The(1), 0).status, SaStatus::kRequestDenied);
    EXPECT_EQ(aliases_->PortOf(kOne), host().guid);
    EXPECT_EQ(aliases_->PortOf(kTwo), kNoGuid);
    net_.settings().sa_allow_proxies = true;
    EXPECT_EQ(Set(The(2), 0, {kNoGuid, kNoGuid, kTwo}).status, SaStatus::kOk);
    net_.settings().sa_allow_proxies = false;
    net_.trusted = true;
    EXPECT_EQ(Delete(The(1) | The(2), 0).status, SaStatus::kOk);
    EXPECT_EQ(aliases_->count(), 0U);
}

TEST_F(GuidInfoRecordsTest, WhileDevicesCannotBeToldTheAnswerIsBusy) {
    for (std::uint8_t i = 0; i < 8; ++i) {
        tables_->Update(net_.port(1, 1).guid, i);
    }
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kBusy);
    EXPECT_EQ(aliases_->count(), 0U);
}

TEST_F(GuidInfoRecordsTest, AliasesOfPortsThatAreGoneCanBeDropped) {
    EXPECT_EQ(Set(The(1), 0, {kNoGuid, kOne}).status, SaStatus::kOk);
    EXPECT_EQ(Change(Method::kSet, kWhere | The(1), 0, {kNoGuid, kTwo}, net_.port(1, 1).lid).status,
              SaStatus::kOk);
    aliases_->Drop([this](Guid port) { return port == host().guid; });
    EXPECT_EQ(aliases_->PortOf(kOne), kNoGuid);
    EXPECT_EQ(aliases_->PortOf(kTwo), net_.port(1, 1).guid);
    aliases_->Clear();
    EXPECT_EQ(aliases_->count(), 0U);
    EXPECT_EQ(aliases_->At(net_.port(1, 1).guid, 1), kNoGuid);
}

TEST_F(GuidInfoRecordsTest, TheAliasThatRoutersNeedIsNoClientsToGiveOrTake) {
    const RouterAliases routers(net_.fabric(), net_.settings());
    aliases_->Add(&routers);
    net_.settings().rtr_aguid_enable = kMakeRouterAliases;
    const Guid own{kBase + Raw(host().lid)};
    const Guid of_another{kBase + Raw(net_.port(2, 1).lid)};
    const Outcome set = Set(The(1) | The(2), 0, {kNoGuid, kOne, of_another});
    EXPECT_EQ(set.status, SaStatus::kOk);
    EXPECT_EQ(set.guids[1], own) << "it stays";
    EXPECT_EQ(set.guids[2], kNoGuid) << "that of another port is not given";
    EXPECT_EQ(Set(The(2), 0, {kNoGuid, kNoGuid, Guid{0x001405000000FFFF}}).guids[2], kNoGuid)
        << "nor that of a LID which no port has yet";
    EXPECT_TRUE(Written().empty());
    EXPECT_EQ(Delete(The(1), 0).guids[1], own);
    EXPECT_TRUE(Written().empty());
    EXPECT_EQ(Set(The(0), 1, {kNoGuid}).guids[0], Guid{0x0014050000010000})
        << "those that the SA makes are others";
    EXPECT_EQ(Set(The(2), 0, {kNoGuid, kNoGuid, kTwo}).guids[2], kTwo);
    EXPECT_EQ(Written().back().second.guid(1), own);
}

}  // namespace
}  // namespace ember
