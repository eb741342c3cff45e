// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of tables that only devices know.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <tuple>
#include <vector>

#include "tests/core/administration/records/device_records_harness.h"

namespace ember {
namespace {

using testing::As;
using testing::DeviceRecordsTest;
using testing::kNoSuchTable;
using testing::Octets;
using testing::Told;

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< LID, and two numbers.

TEST_F(DeviceRecordsTest, SlToVlIsToldForEachPairOfPortsOfASwitchAndOnceForAPortOfAHost) {
    const Told told = Ask(lanes_, 0, {});
    ASSERT_EQ(told.records.size(), 9U * 9U + 7U * 7U + 6U);
    std::map<Place, int> seen;
    for (const Octets& octets : told.records) {
        const auto record = As<SlToVlMappingTableRecord>(octets);
        const Lid lid = record.Get(SlToVlMappingTableRecord::kLid);
        const PortNumber in = record.Get(SlToVlMappingTableRecord::kInputPort);
        const PortNumber out = record.Get(SlToVlMappingTableRecord::kOutputPort);
        EXPECT_EQ(++seen[Place(Raw(lid), Raw(in), Raw(out))], 1);
        const PortIndex at = net_.fabric().PortByLid(lid);
        const SmpData data = Signed(at, SlToVlMappingTable::Modifier(in, out));
        EXPECT_TRUE(std::equal(octets.begin() + 8, octets.end(), data.begin()));
    }
}

TEST_F(DeviceRecordsTest, SlToVlIsFoundByEachPort) {
    const auto count = [this](std::uint64_t mask, Lid lid, unsigned in, unsigned out) {
        SlToVlMappingTableRecord asked;
        asked.Set(SlToVlMappingTableRecord::kLid, lid);
        asked.Set(SlToVlMappingTableRecord::kInputPort, static_cast<PortNumber>(in));
        asked.Set(SlToVlMappingTableRecord::kOutputPort, static_cast<PortNumber>(out));
        const Told told = Ask(lanes_, mask, asked.octets());
        for (const Octets& octets : told.records) {
            const PortIndex at = net_.fabric().PortByLid(
                As<SlToVlMappingTableRecord>(octets).Get(SlToVlMappingTableRecord::kLid));
            const Node& node = net_.fabric().node(net_.fabric().port(at).node);
            if (node.type != NodeType::kSwitch) continue;
            if ((mask & 2U) != 0) {
                EXPECT_EQ(octets[2], in);
            }
            if ((mask & 4U) != 0) {
                EXPECT_EQ(octets[3], out);
            }
        }
        return told.records.size();
    };
    const Lid s = net_.port(3, 0).lid;
    for (unsigned port = 0; port <= 9; ++port) {
        const bool exists = port <= 8;
        EXPECT_EQ(count(3, s, port, 0), exists ? 9U : 0U) << port;
        EXPECT_EQ(count(5, s, 0, port), exists ? 9U : 0U) << port;
        EXPECT_EQ(count(7, s, port, 8 - std::min(port, 8U)), exists ? 1U : 0U) << port;
        EXPECT_EQ(count(7, s, 3, port), exists ? 1U : 0U) << port;
    }
    EXPECT_EQ(count(1, s, 0, 0), 81U);
    // Numbers do not count at a host's port.
    EXPECT_EQ(count(7, net_.port(1, 1).lid, 200, 200), 1U);
    EXPECT_EQ(count(6, kNoLid, 8, 7), 1U + 6U);  // Only one of the switches has such ports.
    EXPECT_EQ(count(2, kNoLid, 8, 0), 9U + 6U);
    EXPECT_EQ(count(4, kNoLid, 0, 7), 9U + 6U);
}

TEST_F(DeviceRecordsTest, ArbitrationIsToldInFourBlocksForEveryPort) {
    const Told told = Ask(arbitration_, 0, {});
    ASSERT_EQ(told.records.size(), 4U * (9 + 7 + 6));
    std::map<Place, int> seen;
    for (const Octets& octets : told.records) {
        const auto record = As<VlArbitrationTableRecord>(octets);
        using R = VlArbitrationTableRecord;
        const Lid lid = record.Get(R::kLid);
        EXPECT_EQ(
            ++seen[Place(Raw(lid), Raw(record.Get(R::kOutputPort)), record.Get(R::kBlockNum))], 1);
        const PortIndex holder = net_.fabric().PortByLid(lid);
        const Node& node = net_.fabric().node(net_.fabric().port(holder).node);
        const PortNumber number = record.Get(R::kOutputPort);
        EXPECT_EQ(net_.fabric()
                      .port(net_.fabric().PortOf(net_.fabric().port(holder).node, number))
                      .number,
                  number);
        const auto block = static_cast<VlArbitrationBlock>(record.Get(R::kBlockNum));
        const bool is_switch = node.type == NodeType::kSwitch;
        const SmpData data = Signed(
            holder, VlArbitrationTable::Modifier(block, is_switch ? number : kManagementPort));
        EXPECT_TRUE(std::equal(octets.begin() + 8, octets.end(), data.begin()));
    }
}

TEST_F(DeviceRecordsTest, ArbitrationBeyondTheCapsIsToldAsZerosAndNotAskedFor) {
    struct Case {
        std::uint8_t low;
        std::uint8_t high;
        std::array<bool, 4> asked;
    };
    for (const Case& one : {Case{0, 0, {}}, Case{32, 8, {true, false, true, false}},
                            Case{33, 64, {true, true, true, true}}}) {
        PortInfo& info = net_.port(3, 2).info;
        info.Set(PortInfo::kVlArbitrationLowCap, one.low);
        info.Set(PortInfo::kVlArbitrationHighCap, one.high);
        VlArbitrationTableRecord asked;
        asked.Set(VlArbitrationTableRecord::kLid, net_.port(3, 0).lid);
        asked.Set(VlArbitrationTableRecord::kOutputPort, PortNumber{2});
        const Told told = Ask(arbitration_, 3, asked.octets());
        ASSERT_EQ(told.records.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            const auto& octets = told.records[i];
            const bool blank = std::all_of(octets.begin() + 8, octets.end(),
                                           [](auto octet) { return octet == 0; });
            EXPECT_EQ(blank, !one.asked.at(i)) << i;
        }
    }
}

TEST_F(DeviceRecordsTest, ArbitrationIsFoundByPortAndBlock) {
    const auto count = [this](std::uint64_t mask, Lid lid, unsigned port, unsigned block) {
        VlArbitrationTableRecord asked;
        asked.Set(VlArbitrationTableRecord::kLid, lid);
        asked.Set(VlArbitrationTableRecord::kOutputPort, static_cast<PortNumber>(port));
        asked.Set(VlArbitrationTableRecord::kBlockNum, static_cast<std::uint8_t>(block));
        const Told told = Ask(arbitration_, mask, asked.octets());
        for (const Octets& octets : told.records) {
            if ((mask & 4U) != 0) {
                EXPECT_EQ(octets[3], block);
            }
        }
        return told.records.size();
    };
    const Lid s = net_.port(3, 0).lid;
    EXPECT_EQ(count(1, s, 0, 0), 36U);
    EXPECT_EQ(count(3, s, 5, 0), 4U);
    EXPECT_EQ(count(3, s, 9, 0), 0U);
    for (unsigned block = 1; block <= 4; ++block) {
        EXPECT_EQ(count(4, kNoLid, 0, block), 22U);
        EXPECT_EQ(count(7, s, 8, block), 1U);
    }
    EXPECT_EQ(count(4, kNoLid, 0, 0), 0U);
    EXPECT_EQ(count(4, kNoLid, 0, 5), 0U);
    EXPECT_EQ(count(7, net_.port(4, 2).lid, 9, 1), 1U);  // The port does not count at a host.
    EXPECT_EQ(count(2, kNoLid, 8, 0), 4U + 4U * 6U);
}

TEST_F(DeviceRecordsTest, PKeysAreForTheTrusted) {
    EXPECT_EQ(Ask(keys_, 0, {}).status, SaStatus::kRequestInvalid);
    net_.trusted = true;
    const Told told = Ask(keys_, 0, {});
    EXPECT_EQ(told.status, SaStatus::kOk);
    // 64 P_Keys at hosts and port 0 of switches, 40 at the others: two blocks each. Of the
    // switches' ports 6 and 4 are cabled.
    ASSERT_EQ(told.records.size(), 2U * (6 + 1 + 6 + 1 + 4));
    std::map<Place, int> seen;
    for (const Octets& octets : told.records) {
        const auto record = As<PKeyTableRecord>(octets);
        using R = PKeyTableRecord;
        const Lid lid = record.Get(R::kLid);
        const PortNumber number = record.Get(R::kPortNum);
        EXPECT_EQ(++seen[Place(Raw(lid), Raw(number), record.Get(R::kBlockNum))], 1);
        const PortIndex holder = net_.fabric().PortByLid(lid);
        const Node& node = net_.fabric().node(net_.fabric().port(holder).node);
        const bool is_switch = node.type == NodeType::kSwitch;
        const SmpData data = Signed(
            holder,
            PKeyTable::Modifier(is_switch ? number : kManagementPort, record.Get(R::kBlockNum)));
        EXPECT_TRUE(std::equal(octets.begin() + 8, octets.end(), data.begin()));
    }
}

TEST_F(DeviceRecordsTest, PKeysAreFoundByBlockAndPort) {
    net_.trusted = true;
    const auto count = [this](std::uint64_t mask, Lid lid, unsigned block, unsigned port) {
        PKeyTableRecord asked;
        asked.Set(PKeyTableRecord::kLid, lid);
        asked.Set(PKeyTableRecord::kBlockNum, static_cast<std::uint16_t>(block));
        asked.Set(PKeyTableRecord::kPortNum, static_cast<PortNumber>(port));
        const Told told = Ask(keys_, mask, asked.octets());
        for (const Octets& octets : told.records) {
            if ((mask & 2U) != 0) {
                EXPECT_EQ(octets[3], block);
            }
        }
        return told.records.size();
    };
    const Lid s = net_.port(3, 0).lid;
    net_.fabric().node(net_.built().node(3)).partition_cap = 32;
    EXPECT_EQ(count(1, s, 0, 0), 1U + 2U * 6U);
    EXPECT_EQ(count(3, s, 0, 0), 7U);
    EXPECT_EQ(count(3, s, 1, 0), 6U);
    EXPECT_EQ(count(3, s, 2, 0), 0U);
    EXPECT_EQ(count(5, s, 0, 0), 1U);
    EXPECT_EQ(count(5, s, 0, 7), 2U);
    EXPECT_EQ(count(5, s, 0, 5), 0U);  // Nothing is plugged in.
    EXPECT_EQ(count(7, s, 1, 8), 1U);
    EXPECT_EQ(count(7, net_.port(4, 2).lid, 1, 77), 1U);  // The port does not count at a host.
}

TEST_F(DeviceRecordsTest, WhatADeviceRefusesIsLeftOut) {
    refusal_ = kNoSuchTable;
    EXPECT_TRUE(Ask(lanes_, 0, {}).records.empty());
}

TEST_F(DeviceRecordsTest, ASilentDeviceIsLeftOutInTheEnd) {
    SlToVlMappingTableRecord asked;
    asked.Set(SlToVlMappingTableRecord::kLid, net_.port(6, 1).lid);
    const Told told = net_.Ask(lanes_, 1, asked.octets(), 1000, [this] {
        now_us_ += 100'000;
        tables_.Step(now_us_);
        Answer answer{};
        while (exchange_.Expire(now_us_, answer)) {
            tables_.Hear(answer, now_us_);
        }
    });
    EXPECT_TRUE(told.records.empty());
    EXPECT_EQ(exchange_.statistics().given_up, 1U);
}

TEST_F(DeviceRecordsTest, ADeviceThatNoRouteLeadsToIsNotAsked) {
    net_.fabric().Disconnect(net_.at(6, 1));
    SlToVlMappingTableRecord asked;
    asked.Set(SlToVlMappingTableRecord::kLid, net_.port(6, 1).lid);
    EXPECT_TRUE(Ask(lanes_, 1, asked.octets()).records.empty());
    EXPECT_TRUE(devices_.sent.empty());
}

}  // namespace
}  // namespace ember
