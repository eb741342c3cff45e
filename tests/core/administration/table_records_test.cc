// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of nodes, ports, switches, LFTs, managers and cables: who is told what.

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "core/administration/linear_forwarding_table_records.h"
#include "core/administration/link_records.h"
#include "core/administration/matching.h"
#include "core/administration/node_records.h"
#include "core/administration/port_info_records.h"
#include "core/administration/port_walk.h"
#include "core/administration/sm_info_records.h"
#include "core/administration/switch_info_records.h"
#include "core/wire/node_description.h"
#include "tests/core/administration/record_net.h"

namespace ember {
namespace {

using testing::FindsByEachComponent;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

constexpr unsigned kLid = 0;

template <typename Record>
Record As(const Octets& octets) {
    Record record;
    EXPECT_EQ(octets.size(), sizeof(Record));
    std::copy(octets.begin(), octets.end(), record.octets().begin());
    return record;
}

/// The LIDs that records begin with, in order.
std::vector<Lid> LidsOf(const Told& told) {
    std::vector<Lid> lids;
    for (const Octets& octets : told.records) {
        lids.push_back(static_cast<Lid>(octets[0] << 8U | octets[1]));
    }
    return lids;
}

/// A record that names a LID and nothing else.
std::array<std::uint8_t, 2> Naming(Lid lid) {
    return {static_cast<std::uint8_t>(Raw(lid) >> 8U), static_cast<std::uint8_t>(Raw(lid))};
}

template <typename Source>
class ReadOnlySources : public ::testing::Test {};
using TableSources = ::testing::Types<NodeRecords,
                                      PortInfoRecords,
                                      SwitchInfoRecords,
                                      LinearForwardingTableRecords,
                                      LinkRecords>;
TYPED_TEST_SUITE(ReadOnlySources, TableSources);

TYPED_TEST(ReadOnlySources, TellTheSameInSlicesOfAnySize) {
    RecordNet net;
    TypeParam source(net.view());
    const Told all = net.AskAll(source);
    ASSERT_FALSE(all.records.empty());
    for (const std::uint32_t budget : {1U, 2U, 7U}) {
        EXPECT_EQ(net.Ask(source, 0, {}, budget).records, all.records);
    }
}

TYPED_TEST(ReadOnlySources, TellAgainFromACopyOfTheCursor) {
    RecordNet net;
    TypeParam source(net.view());
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
    TypeParam source(net.view());
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
    TypeParam source(net.view());
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

TYPED_TEST(ReadOnlySources, AreChangedByNobody) {
    RecordNet net;
    TypeParam source(net.view());
    Octets record(source.traits().record_octets);
    EXPECT_FALSE(source.traits().set || source.traits().remove);
    EXPECT_EQ(source.Change(net.Question(0, {}), 0, record), SaStatus::kUnsupportedMethod);
}

TYPED_TEST(ReadOnlySources, IgnoreComponentsThatTheRecordHasNot) {
    RecordNet net;
    TypeParam source(net.view());
    const Octets ones(200, 0xFF);
    EXPECT_EQ(net.Ask(source, std::uint64_t{1} << 63U, ones).records, net.AskAll(source).records);
}

TEST(NodeRecords, ThereIsOneForEachPortThatHasALid) {
    RecordNet net;
    NodeRecords source(net.view());
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 8U);  // Six ports of hosts, two switches.
    std::size_t of_d = 0;
    for (const Octets& octets : told.records) {
        const auto record = As<NodeRecord>(octets);
        const auto info = Take<NodeInfo>(record, NodeRecord::kNodeInfo);
        const PortIndex at = net.fabric().FindPort(info.Get(NodeInfo::kPortGuid));
        ASSERT_NE(at, kNoPortIndex);
        const Port& port = net.fabric().port(at);
        const Node& node = net.fabric().node(port.node);
        EXPECT_EQ(record.Get(NodeRecord::kLid), port.lid);
        EXPECT_EQ(info.Get(NodeInfo::kLocalPortNum), port.number);
        EXPECT_EQ(info.Get(NodeInfo::kNodeGuid), node.guid);
        EXPECT_EQ(info.Get(NodeInfo::kSystemImageGuid), node.system_image_guid);
        EXPECT_EQ(info.Get(NodeInfo::kNodeType), node.type);
        EXPECT_EQ(info.Get(NodeInfo::kNumPorts), node.port_count);
        EXPECT_EQ(info.Get(NodeInfo::kPartitionCap), 64);
        EXPECT_EQ(info.Get(NodeInfo::kBaseVersion), 1);
        EXPECT_EQ(info.Get(NodeInfo::kClassVersion), 1);
        EXPECT_EQ(info.Get(NodeInfo::kDeviceId), node.device_id);
        EXPECT_EQ(info.Get(NodeInfo::kRevision), node.revision);
        EXPECT_EQ(info.Get(NodeInfo::kVendorId), node.vendor_id);
        if (node.guid == net.fabric().node(net.built().node(4)).guid) ++of_d;
    }
    EXPECT_EQ(of_d, 2U);
}

TEST(NodeRecords, AreFoundByEachComponent) {
    RecordNet net;
    NodeRecords source(net.view());
    FindsByEachComponent(net, source, NodeRecord::kComponents, {kLid, 14});
}

TEST(NodeRecords, AreFoundByAnyLidOfTheirs) {
    RecordNet net(2);
    NodeRecords source(net.view());
    const Lid base = net.port(2, 1).lid;
    for (unsigned i = 0; i < 4; ++i) {
        const Told told = net.Ask(source, 1U << kLid, Naming(static_cast<Lid>(Raw(base) + i)));
        EXPECT_EQ(LidsOf(told), std::vector<Lid>{base});
    }
}

TEST(NodeRecords, AreFoundByGuidWithoutASearch) {
    RecordNet net;
    NodeRecords source(net.view());
    NodeInfo info;
    info.Set(NodeInfo::kPortGuid, net.port(4, 2).guid);
    info.Set(NodeInfo::kNodeGuid, net.fabric().node(net.built().node(4)).guid);
    NodeRecord asked;
    Put(asked, NodeRecord::kNodeInfo, info);
    const Told by_port = net.Ask(source, 1U << 8U, asked.octets());
    EXPECT_EQ(LidsOf(by_port), std::vector<Lid>{net.port(4, 2).lid});
    EXPECT_LE(by_port.looked_at, 4U);
    const Told by_node = net.Ask(source, 1U << 7U, asked.octets());
    EXPECT_EQ(by_node.records.size(), 2U);
    EXPECT_LE(by_node.looked_at, 4U);
    // A LID and a GUID of different ports are no port.
    asked.Set(NodeRecord::kLid, net.port(0, 1).lid);
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 8U, asked.octets()).records.empty());
}

TEST(NodeRecords, DescriptionsAreComparedUpToTheirFirstZero) {
    RecordNet net;
    NodeRecords source(net.view());
    Node& node = net.fabric().node(net.built().node(6));
    node.description = {'e', '1', 0, 'x'};
    net.fabric().node(net.built().node(3)).description = {'e', '1', '2'};
    NodeRecord asked;
    NodeDescription name;
    name.SetText("e1");
    name.octets()[40] = 7;  // Whatever follows the zero.
    Put(asked, NodeRecord::kNodeDescription, name);
    const Told told = net.Ask(source, 1U << 14U, asked.octets());
    EXPECT_EQ(LidsOf(told), std::vector<Lid>{net.port(6, 1).lid});
    EXPECT_EQ(told.records[0][44 + 3], 'x');  // It is told as the device sent it.
}

TEST(PortInfoRecords, ThereIsOneForEachPortOfWhichAnythingIsKnown) {
    RecordNet net;
    PortInfoRecords source(net.view());
    net.trusted = true;
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 6U + 9U + 7U);
    for (const Octets& octets : told.records) {
        const auto record = As<PortInfoRecord>(octets);
        const PortIndex holder = net.fabric().PortByLid(record.Get(PortInfoRecord::kLid));
        ASSERT_NE(holder, kNoPortIndex);
        const PortIndex at = net.fabric().PortOf(net.fabric().port(holder).node,
                                                 record.Get(PortInfoRecord::kPortNum));
        ASSERT_NE(at, kNoPortIndex);
        if (net.fabric().node(net.fabric().port(at).node).type != NodeType::kSwitch) {
            EXPECT_EQ(at, holder);
        }
        EXPECT_EQ(record.Get(PortInfoRecord::kOptions), 0);
        auto info = net.fabric().port(at).info;
        for (const auto field : {PortInfo::kLinkSpeedSupported, PortInfo::kLinkSpeedEnabled,
                                 PortInfo::kLinkSpeedActive}) {  // See below.
            info.Set(field, Take<PortInfo>(record, PortInfoRecord::kPortInfo).Get(field));
        }
        EXPECT_EQ(Take<PortInfo>(record, PortInfoRecord::kPortInfo), info);
    }
}

TEST(PortInfoRecords, AreFoundByEachComponent) {
    for (const bool trusted : {false, true}) {
        RecordNet net;
        net.trusted = trusted;
        PortInfoRecords source(net.view());
        FindsByEachComponent(net, source, PortInfoRecord::kComponents, {kLid, 2});
    }
}

TEST(PortInfoRecords, TellTheMKeyToTheTrustedOnly) {
    RecordNet net;
    PortInfoRecords source(net.view());
    const std::uint64_t key = net.port(1, 1).info.Get(PortInfo::kMKey);
    ASSERT_NE(key, 0U);
    PortInfoRecord asked;
    asked.Set(PortInfoRecord::kLid, net.port(1, 1).lid);
    PortInfo guess;
    guess.Set(PortInfo::kMKey, key);
    Put(asked, PortInfoRecord::kPortInfo, guess);
    const auto key_told = [&](std::uint64_t mask) {
        const Told told = net.Ask(source, mask, asked.octets());
        if (told.records.empty()) return std::uint64_t{1};
        const auto record = As<PortInfoRecord>(told.records[0]);
        return Take<PortInfo>(record, PortInfoRecord::kPortInfo).Get(PortInfo::kMKey);
    };
    EXPECT_EQ(key_told(1U << kLid), 0U);
    EXPECT_EQ(key_told(1U << kLid | 1U << 3U), 1U);  // Nor may a guess be tried.
    net.trusted = true;
    EXPECT_EQ(key_told(1U << kLid), key);
    EXPECT_EQ(key_told(1U << kLid | 1U << 3U), key);
}

TEST(PortInfoRecords, CapabilitiesMayBeAskedForBitByBit) {
    RecordNet net;
    PortInfoRecords source(net.view());
    ForEachPort(net.fabric(), [](PortIndex, Port& port) {
        port.info.Set(PortInfo::kCapabilityMask, std::uint32_t{0});
    });
    net.port(1, 1).info.Set(PortInfo::kCapabilityMask, capability_mask::kIsSm);
    net.port(2, 1).info.Set(PortInfo::kCapabilityMask,
                            capability_mask::kIsSm | capability_mask::kIsTrapSupported);
    const auto count = [&](std::uint32_t modifier, std::uint32_t capabilities) {
        PortInfo info;
        info.Set(PortInfo::kCapabilityMask, capabilities);
        PortInfoRecord asked;
        Put(asked, PortInfoRecord::kPortInfo, info);
        net.modifier = modifier;
        return net.Ask(source, 1U << 7U, asked.octets()).records.size();
    };
    EXPECT_EQ(count(0, capability_mask::kIsSm), 1U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsSm), 2U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsTrapSupported), 1U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsNoticeSupported), 0U);
    EXPECT_EQ(count(0x80000000, 0), 22U);  // Everybody has none of the bits.
    EXPECT_EQ(count(0x40000000, capability_mask::kIsSm), 1U);
}

TEST(PortInfoRecords, OptionsComeBackAsTheyWereAsked) {
    RecordNet net;
    PortInfoRecords source(net.view());
    PortInfoRecord asked;
    asked.Set(PortInfoRecord::kLid, net.port(1, 1).lid);
    asked.Set(PortInfoRecord::kOptions, std::uint8_t{0x81});
    const auto options = [&](std::uint64_t mask) {
        const Told told = net.Ask(source, mask, asked.octets());
        return told.records.empty() ? 0xEE : told.records[0][3];
    };
    EXPECT_EQ(options(1U << kLid | 1U << 2U), 0x81);
    EXPECT_EQ(options(1U << kLid), 0);  // It was not asked for.
}

TEST(PortInfoRecords, AnExtendedSpeedShowsAsQdrToThoseWhoDoNotKnowIt) {
    RecordNet net;
    PortInfoRecords source(net.view());
    // A port of a switch speaks by the capabilities of port 0, a host's by its own.
    struct Case {
        std::uint32_t node;
        unsigned number;
        unsigned speaker;
    };
    for (const Case& one : {Case{3, 7, 0}, Case{1, 1, 1}, Case{3, 0, 0}}) {
        const auto speeds = [&](bool speaks, std::uint8_t active, std::uint8_t options) {
            PortInfo& info = net.port(one.node, one.number).info;
            info.Set(PortInfo::kLinkSpeedSupported, link_speed::kSdr);
            info.Set(PortInfo::kLinkSpeedEnabled, link_speed::kDdr);
            info.Set(PortInfo::kLinkSpeedActive, link_speed::kExtended);
            info.Set(PortInfo::kLinkSpeedExtActive, active);
            PortInfo& speaker = net.port(one.node, one.speaker).info;
            info.Set(PortInfo::kCapabilityMask, std::uint32_t{0});
            speaker.Set(PortInfo::kCapabilityMask,
                        speaks ? capability_mask::kIsExtendedSpeedsSupported : 0U);
            PortInfoRecord asked;
            asked.Set(PortInfoRecord::kLid, LidOf(net.fabric(), net.at(one.node, one.number)));
            asked.Set(PortInfoRecord::kPortNum, static_cast<PortNumber>(one.number));
            asked.Set(PortInfoRecord::kOptions, options);
            const Told told = net.Ask(source, 7, asked.octets());
            EXPECT_EQ(told.records.size(), 1U);
            const auto record = As<PortInfoRecord>(told.records.at(0));
            const auto told_info = Take<PortInfo>(record, PortInfoRecord::kPortInfo);
            return std::array{told_info.Get(PortInfo::kLinkSpeedSupported),
                              told_info.Get(PortInfo::kLinkSpeedEnabled),
                              told_info.Get(PortInfo::kLinkSpeedActive)};
        };
        using Speeds = std::array<std::uint8_t, 3>;
        EXPECT_EQ(speeds(true, link_speed_ext::kEdr, 0), (Speeds{1 | 4, 2 | 4, 4}));
        EXPECT_EQ(speeds(true, link_speed_ext::kEdr, 0x80), (Speeds{1, 2, 0}));
        EXPECT_EQ(speeds(true, link_speed_ext::kNone, 0), (Speeds{1, 2, 0}));
        EXPECT_EQ(speeds(false, link_speed_ext::kEdr, 0), (Speeds{1, 2, 0}));
    }
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
        net.lft(3).size() / 64;  // What the arena has, whatever the top says.
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

TEST(LinkRecords, TellEachCableFromBothEnds) {
    RecordNet net;
    LinkRecords source(net.view());
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 2U * 8U);
    for (const Octets& octets : told.records) {
        const auto record = As<LinkRecord>(octets);
        LinkRecord back;
        back.Set(LinkRecord::kFromLid, record.Get(LinkRecord::kToLid));
        back.Set(LinkRecord::kFromPort, record.Get(LinkRecord::kToPort));
        back.Set(LinkRecord::kToPort, record.Get(LinkRecord::kFromPort));
        back.Set(LinkRecord::kToLid, record.Get(LinkRecord::kFromLid));
        const Octets expected(back.octets().begin(), back.octets().end());
        EXPECT_EQ(std::count(told.records.begin(), told.records.end(), expected), 1);
    }
    LinkRecord one;
    one.Set(LinkRecord::kFromLid, net.port(3, 0).lid);
    one.Set(LinkRecord::kFromPort, PortNumber{8});
    one.Set(LinkRecord::kToPort, PortNumber{6});
    one.Set(LinkRecord::kToLid, net.port(5, 0).lid);
    const Octets expected(one.octets().begin(), one.octets().end());
    EXPECT_EQ(std::count(told.records.begin(), told.records.end(), expected), 1);
}

TEST(LinkRecords, AreFoundByTheirPorts) {
    RecordNet net;
    LinkRecords source(net.view());
    FindsByEachComponent(net, source, LinkRecord::kComponents, {kLid, 3});
}

TEST(LinkRecords, AreFoundByTheLidOfEitherEndAndOfBoth) {
    RecordNet net(1);
    LinkRecords source(net.view());
    LinkRecord asked;
    asked.Set(LinkRecord::kFromLid, net.port(3, 0).lid);
    asked.Set(LinkRecord::kToLid, net.port(5, 0).lid);
    EXPECT_EQ(net.Ask(source, 1U << kLid, asked.octets()).records.size(), 6U);
    EXPECT_EQ(net.Ask(source, 1U << 3U, asked.octets()).records.size(), 4U);
    EXPECT_EQ(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.size(), 2U);
    // The second LID of a host's port: only that port's cable, not its node's other one.
    asked.Set(LinkRecord::kToLid, static_cast<Lid>(Raw(net.port(4, 2).lid) + 1));
    const Told told = net.Ask(source, 1U << 3U, asked.octets());
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_LE(told.looked_at, 4U);
    EXPECT_EQ(As<LinkRecord>(told.records[0]).Get(LinkRecord::kFromLid), net.port(5, 0).lid);
    EXPECT_EQ(As<LinkRecord>(told.records[0]).Get(LinkRecord::kToLid), net.port(4, 2).lid);
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.empty());
    asked.Set(LinkRecord::kToLid, Lid{999});
    EXPECT_TRUE(net.Ask(source, 1U << 3U, asked.octets()).records.empty());
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.empty());
}

class ListedManagers final : public Managers {
public:
    [[nodiscard]] std::size_t manager_count() const override { return infos.size(); }
    [[nodiscard]] SmInfo manager(std::size_t at) const override { return infos[at]; }
    std::vector<SmInfo> infos;
};

SmInfo Manager(Guid guid, std::uint8_t priority, SmState state) {
    SmInfo info;
    info.Set(SmInfo::kGuid, guid);
    info.Set(SmInfo::kSmKey, std::uint64_t{0xABCD});
    info.Set(SmInfo::kActCount, std::uint32_t{77});
    info.Set(SmInfo::kPriority, priority);
    info.Set(SmInfo::kSmState, state);
    return info;
}

TEST(SmInfoRecords, TellWhoManagesTheSubnetButNotTheirKeys) {
    RecordNet net;
    ListedManagers managers;
    managers.infos = {Manager(net.port(0, 1).guid, 5, SmState::kMaster), SmInfo{},
                      Manager(net.port(2, 1).guid, 3, SmState::kStandby),
                      Manager(Guid{0x999}, 15, SmState::kStandby)};  // It has left the subnet.
    SmInfoRecords source(net.view(), managers);
    const Told told = net.Ask(source, 0, {}, 1);
    ASSERT_EQ(told.records.size(), 2U);
    const auto first = As<SmInfoRecord>(told.records[0]);
    const auto info = Take<SmInfo>(first, SmInfoRecord::kSmInfo);
    EXPECT_EQ(first.Get(SmInfoRecord::kLid), net.port(0, 1).lid);
    EXPECT_EQ(info.Get(SmInfo::kSmKey), 0U);
    EXPECT_EQ(info.Get(SmInfo::kActCount), 77U);
    EXPECT_EQ(info.Get(SmInfo::kPriority), 5);
    EXPECT_EQ(info.Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(LidsOf(told)[1], net.port(2, 1).lid);
    FindsByEachComponent(net, source, SmInfoRecord::kComponents, {kLid});
    EXPECT_EQ(LidsOf(net.Ask(source, 1, Naming(net.port(2, 1).lid))),
              std::vector<Lid>{net.port(2, 1).lid});
    EXPECT_TRUE(net.Ask(source, 1, Naming(net.port(1, 1).lid)).records.empty());
    net.fabric().GiveLids(net.at(2, 1), kNoLid, 0);
    EXPECT_EQ(net.AskAll(source).records.size(), 1U);
}

TEST(Matching, ARecordThatCameWithoutItsEndMatchesNothingThere) {
    const std::array<Extent, 2> components{Extent{0, 8}, Extent{16, 8}};
    const std::array<std::uint8_t, 4> record{1, 2, 0, 0};
    Query query;
    const std::array<std::uint8_t, 2> asked{1, 2};
    query.record = asked;
    query.component_mask = 1;
    EXPECT_TRUE(Matches(query, components, record, 0));
    query.component_mask = 3;
    EXPECT_FALSE(Matches(query, components, record, 0));
    EXPECT_TRUE(Matches(query, components, record, 2));  // Settled otherwise.
}

}  // namespace
}  // namespace ember
