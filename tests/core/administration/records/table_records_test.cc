// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of the tables of the fabric: who is told what, and LFTs and switches.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "core/administration/records/subnet_records.h"
#include "tests/core/administration/records/told_records.h"

namespace ember {
namespace {

using testing::As;
using testing::FindsByEachComponent;
using testing::kLid;
using testing::LidsOf;
using testing::Naming;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

/// Names a source to the test suite, which asks for type information that firmware has not.
template <typename Source>
struct Of {
    using Type = Source;
};

template <typename Source>
class ReadOnlySources : public ::testing::Test {};
using TableSources = ::testing::Types<Of<NodeRecords>, Of<PortInfoRecords>, Of<SwitchInfoRecords>,
                                      Of<LinearForwardingTableRecords>, Of<LinkRecords>>;
TYPED_TEST_SUITE(ReadOnlySources, TableSources);

TYPED_TEST(ReadOnlySources, TellTheSameInSlicesOfAnySize) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    const Told all = net.AskAll(source);
    ASSERT_FALSE(all.records.empty());
    for (const std::uint32_t budget : {1U, 2U, 7U}) {
        EXPECT_EQ(net.Ask(source, 0, {}, budget).records, all.records);
    }
}

TYPED_TEST(ReadOnlySources, TellAgainFromACopyOfTheCursor) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    const Query query = net.Question(0, {});
    Cursor cursor;
    std::vector<Cursor> before;
    std::vector<Octets> told;
    Octets one(source.traits().record_octets);
    std::uint32_t budget = 100'000;
    while (true) {
        before.push_back(cursor);
        if (source.Next(query, cursor, budget, one) != Found::kRecord) break;
        told.push_back(one);
    }
    for (std::size_t i = 0; i < told.size(); ++i) {
        Cursor again = before[i];
        ASSERT_EQ(source.Next(query, again, budget, one), Found::kRecord);
        EXPECT_EQ(one, told[i]);
        EXPECT_EQ(again, before[i + 1]);
    }
}

TYPED_TEST(ReadOnlySources, LookAtOneNodeOnlyWhenTheLidIsKnown) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    const std::vector<Lid> lids = LidsOf(net.AskAll(source));
    std::map<Lid, std::size_t> expected;
    for (const Lid lid : lids) {
        ++expected[lid];
    }
    ASSERT_GE(expected.size(), 2U);
    for (const auto& [lid, count] : expected) {
        const Told told = net.Ask(source, 1U << kLid, Naming(lid));
        EXPECT_EQ(LidsOf(told), std::vector<Lid>(count, lid));
        EXPECT_LE(told.looked_at, 12U);  // The ports of one node at most, and its end.
    }
    for (const Lid nobody : {kNoLid, Lid{999}, Lid{0xC000}, kPermissiveLid}) {
        const Told told = net.Ask(source, 1U << kLid, Naming(nobody));
        EXPECT_TRUE(told.records.empty());
        EXPECT_LE(told.looked_at, 1U);
    }
}

TYPED_TEST(ReadOnlySources, LeaveOutWhatHasNoLidOrWasNotHeardOf) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    const std::size_t all = net.AskAll(source).records.size();
    const Lid lost = net.port(3, 0).lid;
    net.fabric().GiveLids(net.at(3, 0), kNoLid, 0);
    Told told = net.AskAll(source);
    EXPECT_LT(told.records.size(), all);
    for (const Lid lid : LidsOf(told)) {
        EXPECT_NE(lid, lost);
        EXPECT_NE(lid, kNoLid);
    }
    net.port(5, 0).has_info = false;
    EXPECT_LE(net.AskAll(source).records.size(), told.records.size());
}

TYPED_TEST(ReadOnlySources, RefuseSetAndDelete) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    Octets record(source.traits().record_octets);
    EXPECT_FALSE(source.traits().set || source.traits().remove);
    EXPECT_EQ(source.Change(net.Question(0, {}), 0, record), SaStatus::kUnsupportedMethod);
}

TYPED_TEST(ReadOnlySources, IgnoreComponentsThatTheRecordHasNot) {
    RecordNet net;
    typename TypeParam::Type source(net.view());
    const Octets ones(200, 0xFF);
    EXPECT_EQ(net.Ask(source, std::uint64_t{1} << 63U, ones).records, net.AskAll(source).records);
}

TEST(SwitchInfoRecords, AreFoundByEachComponent) {
    RecordNet net;
    SwitchInfoRecords source(net.view());
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 2U);
    for (const Octets& octets : told.records) {
        const auto record = As<SwitchInfoRecord>(octets);
        const PortIndex at = net.fabric().PortByLid(record.Get(SwitchInfoRecord::kLid));
        const Node& node = net.fabric().node(net.fabric().port(at).node);
        const SwitchInfo& info = net.fabric().switch_row(node.switch_index).info;
        EXPECT_TRUE(std::equal(octets.begin() + 4, octets.end(), info.octets().begin()));
    }
    FindsByEachComponent(net, source, SwitchInfoRecord::kComponents, {kLid});
}

TEST(LinearForwardingTableRecords, TellBlocksUpToTheTop) {
    RecordNet net;
    LinearForwardingTableRecords source(net.view());
    net.fabric()
        .switch_row(net.built().switch_index(5))
        .info.Set(SwitchInfo::kLinearFdbTop, Lid{63});
    net.fabric()
        .switch_row(net.built().switch_index(3))
        .info.Set(SwitchInfo::kLinearFdbTop, Lid{0xBFFF});
    const Told told = net.AskAll(source);
    const std::size_t blocks =
        net.lft(3).size() / 64;  // The end of the table, whatever the top says.
    ASSERT_EQ(told.records.size(), blocks + 1);
    std::map<Lid, unsigned> next;
    for (const Octets& octets : told.records) {
        const auto record = As<LinearForwardingTableRecord>(octets);
        const Lid lid = record.Get(LinearForwardingTableRecord::kLid);
        const unsigned block = record.Get(LinearForwardingTableRecord::kBlockNum);
        EXPECT_EQ(block, next[lid]++);
        const auto row = net.lft(lid == net.port(3, 0).lid ? 3 : 5).subspan(64UL * block, 64);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), octets.begin() + 8));
    }
    EXPECT_EQ(next[net.port(5, 0).lid], 1U);
}

TEST(LinearForwardingTableRecords, OneBlockIsFoundWithoutTheOthers) {
    RecordNet net;
    LinearForwardingTableRecords source(net.view());
    for (std::uint16_t block = 0; block < 4; ++block) {
        LinearForwardingTableRecord asked;
        asked.Set(LinearForwardingTableRecord::kBlockNum, block);
        const Told told = net.Ask(source, 1U << 1U, asked.octets());
        ASSERT_EQ(told.records.size(), block < 2 ? 2U : 0U) << block;  // The top is 70.
        EXPECT_LE(told.looked_at, 12U);
        for (const Octets& octets : told.records) {
            const auto record = As<LinearForwardingTableRecord>(octets);
            EXPECT_EQ(record.Get(LinearForwardingTableRecord::kBlockNum), block);
        }
    }
    LinearForwardingTableRecord asked;
    asked.Set(LinearForwardingTableRecord::kBlockNum, std::uint16_t{0xFFFF});
    EXPECT_TRUE(net.Ask(source, 1U << 1U, asked.octets()).records.empty());
}

}  // namespace
}  // namespace ember
