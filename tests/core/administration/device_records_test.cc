// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of tables that only devices know: which are asked for, and how often.

#include "core/administration/device_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/administration/matching.h"
#include "core/wire/p_key_table.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"
#include "tests/core/administration/record_net.h"

namespace ember {
namespace {

using testing::Devices;
using testing::FixedEntropy;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

constexpr std::uint16_t kNoSuchTable = 0x1C;

template <typename Record>
Record As(const Octets& octets) {
    Record record;
    EXPECT_EQ(octets.size(), sizeof(Record));
    std::copy(octets.begin(), octets.end(), record.octets().begin());
    return record;
}

/// Devices that answer with the port they are and the modifier they were asked with; those in
/// `refuses` refuse, those in `silent` say nothing, which the test ends by turning the clock.
class DeviceRecordsTest : public ::testing::Test {
protected:
    DeviceRecordsTest()
        : transactions_(64), due_(64), exchange_({transactions_, due_}, devices_, entropy_) {
        exchange_.Configure(net_.settings());
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info.Set(PortInfo::kVlArbitrationLowCap, std::uint8_t{64});
            port.info.Set(PortInfo::kVlArbitrationHighCap, std::uint8_t{64});
        });
    }

    static SmpData Signed(PortIndex port, std::uint32_t modifier) {
        SmpData data{};
        for (unsigned i = 0; i < 4; ++i) {
            data[i] = static_cast<std::uint8_t>(Raw(port) >> 8U * i);
            data[4 + i] = static_cast<std::uint8_t>(modifier >> 8U * i);
        }
        return data;
    }

    /// One step of the owner: what is wanted is asked, and what is answered is heard.
    void Serve() {
        now_us_ += 1000;
        tables_.Step(now_us_);
        devices_.AnswerAll(exchange_, now_us_,
                           [this](const Answer& answer) { tables_.Hear(answer, now_us_); });
        Answer answer{};
        while (exchange_.Expire(now_us_, answer)) {
            tables_.Hear(answer, now_us_);
        }
        most_ = std::max(most_, exchange_.in_flight());
    }
    Told Ask(RecordSource& source, std::uint64_t mask, std::span<const std::uint8_t> record) {
        return net_.Ask(source, mask, record, 1000, [this] { Serve(); });
    }

    RecordNet net_;
    std::uint16_t refusal_ = 0;
    Devices devices_{net_, [this](PortIndex port, const DirectedSmp& request, SmpData& data) {
                         data = Signed(port, request.header.attribute_modifier);
                         return refusal_;
                     }};
    FixedEntropy entropy_;
    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    Exchange exchange_;
    DeviceTables tables_{net_.view(), exchange_};
    SlToVlMappingTableRecords lanes_{net_.view(), tables_};
    VlArbitrationTableRecords arbitration_{net_.view(), tables_};
    PKeyTableRecords keys_{net_.view(), tables_};
    std::uint64_t now_us_ = 0;
    std::size_t most_ = 0;
};

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

TEST_F(DeviceRecordsTest, ArbitrationBeyondTheCapsIsZerosThatNobodyIsAskedFor) {
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

TEST_F(DeviceRecordsTest, WhoeverIsSilentIsLeftOutInTheEnd) {
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

TEST_F(DeviceRecordsTest, NobodyIsAskedThatNoRouteLeadsTo) {
    net_.fabric().Disconnect(net_.at(6, 1));
    SlToVlMappingTableRecord asked;
    asked.Set(SlToVlMappingTableRecord::kLid, net_.port(6, 1).lid);
    EXPECT_TRUE(Ask(lanes_, 1, asked.octets()).records.empty());
    EXPECT_TRUE(devices_.sent.empty());
}

TEST_F(DeviceRecordsTest, TablesAreAskedForAheadOfTheirTurn) {
    int rounds = 0;
    const Told told = net_.Ask(lanes_, 0, {}, 1000, [&] {
        ++rounds;
        Serve();
    });
    EXPECT_EQ(told.records.size(), 136U);
    EXPECT_LE(rounds, 20);
    EXPECT_EQ(devices_.sent.size(), 136U);  // Nothing was asked for twice.
}

TEST_F(DeviceRecordsTest, AnAnswerServesForAWhileAndNoLonger) {
    SlToVlMappingTableRecord asked;
    asked.Set(SlToVlMappingTableRecord::kLid, net_.port(6, 1).lid);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(devices_.sent.size(), 1U);
    now_us_ += DeviceTables::kFreshUs + 1000;
    tables_.Step(now_us_);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(devices_.sent.size(), 2U);
}

TEST_F(DeviceRecordsTest, ARowOfAnotherNodeByNowIsNotBelieved) {
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kSlToVlMappingTable, 0};
    SmpData data{};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    Serve();
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTold);
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1234};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1235};  // Gone before it was asked.
    Serve();
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1234};
    EXPECT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kSilent);
}

TEST_F(DeviceRecordsTest, ARowOfAnotherPortOfTheNodeByNowIsNotBelieved) {
    const DeviceTables::Key key{net_.at(3, 2), AttributeId::kPKeyTable, 0};
    SmpData data{};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    Serve();
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTold);
    net_.port(3, 2).number = PortNumber{3};  // As when the fabric's rows are moved together.
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
}

TEST_F(DeviceRecordsTest, HoweverMuchIsWantedOnlySoMuchIsAsked) {
    // For a second somebody wants all that there is room for, and all is answered at once.
    std::vector<DeviceTables::Key> wanted;
    std::uint32_t next = 0;
    std::size_t most_at_once = 0;
    for (int step = 0; step < 1000; ++step) {
        while (wanted.size() < DeviceTables::kRows) {
            wanted.push_back({net_.at(3, 0), AttributeId::kSlToVlMappingTable, next++});
        }
        SmpData data{};
        std::erase_if(wanted, [&](const DeviceTables::Key& key) {
            return tables_.Look(key, data) != DeviceTables::Word::kLater;
        });
        const std::size_t before = devices_.sent.size();
        now_us_ += 1000;
        tables_.Step(now_us_);
        most_at_once = std::max(most_at_once, devices_.sent.size() - before);
        EXPECT_GE(tables_.NextDeadlineUs(), now_us_);
        devices_.AnswerAll(exchange_, now_us_,
                           [this](const Answer& answer) { tables_.Hear(answer, now_us_); });
    }
    EXPECT_LE(most_at_once, DeviceTables::kAtOnce);
    EXPECT_LE(devices_.sent.size(), DeviceTables::kPerSecond + DeviceTables::kAtOnce + 1);
    EXPECT_GE(devices_.sent.size(), DeviceTables::kPerSecond * 9 / 10);
}

TEST_F(DeviceRecordsTest, WhoFindsNoRowIsWokenWhenRowsHaveAged) {
    SmpData data{};
    const auto key = [this](std::uint32_t i) {
        return DeviceTables::Key{net_.at(3, 0), AttributeId::kSlToVlMappingTable, i};
    };
    for (std::uint32_t i = 0; i < DeviceTables::kRows; ++i) {
        EXPECT_EQ(tables_.Look(key(i), data), DeviceTables::Word::kLater);
    }
    for (int i = 0; i < 100; ++i) {
        Serve();  // All are answered, and nobody comes back for them.
    }
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});
    auto word = tables_.Look(key(1000), data);
    for (int i = 0; i < 100 && word == DeviceTables::Word::kLater; ++i) {
        ASSERT_NE(tables_.NextDeadlineUs(), ~std::uint64_t{0});
        now_us_ = tables_.NextDeadlineUs();
        Serve();
        word = tables_.Look(key(1000), data);
    }
    EXPECT_EQ(word, DeviceTables::Word::kTold);
    EXPECT_GT(now_us_, DeviceTables::kFreshUs);
}

TEST_F(DeviceRecordsTest, WantingAheadLeavesRoomForOthers) {
    SmpData data{};
    for (std::uint32_t i = 0; i < 10 * DeviceTables::kRows; ++i) {
        tables_.Want({net_.at(3, 0), AttributeId::kSlToVlMappingTable, i});
    }
    for (std::uint32_t i = 0; i < DeviceTables::kRows / 2; ++i) {
        EXPECT_EQ(tables_.Look({net_.at(5, 0), AttributeId::kSlToVlMappingTable, i}, data),
                  DeviceTables::Word::kLater);
    }
    for (int i = 0; i < 100; ++i)
        Serve();
    for (std::uint32_t i = 0; i < DeviceTables::kRows / 2; ++i) {
        EXPECT_EQ(tables_.Look({net_.at(5, 0), AttributeId::kSlToVlMappingTable, i}, data),
                  DeviceTables::Word::kTold);
    }
}

TEST_F(DeviceRecordsTest, AFullWindowIsWaitedFor) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    SmpData data{};
    for (std::uint32_t i = 0; i < 3; ++i) {
        static_cast<void>(tables_.Look({net_.at(3, 0), AttributeId::kPKeyTable, i}, data));
    }
    tables_.Step(++now_us_);
    EXPECT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});  // The answer wakes us.
}

TEST_F(DeviceRecordsTest, OfSeveralWritesTheLastCountsAndTwoNeverOvertakeEachOther) {
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kGuidInfo, 1};
    SmpData data{};
    for (std::uint8_t i = 1; i <= 3; ++i) {
        data[0] = i;
        ASSERT_TRUE(tables_.MayWrite(key));
        tables_.Write(key, data);
    }
    tables_.Step(++now_us_);
    ASSERT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(devices_.sent[0].header.method, Method::kSet);
    EXPECT_EQ(devices_.sent[0].header.attribute_modifier, 1U);
    EXPECT_EQ(devices_.sent[0].data[0], 3);
    data[0] = 4;
    tables_.Write(key, data);
    tables_.Step(++now_us_);
    EXPECT_EQ(devices_.sent.size(), 1U);  // The one before has not been answered.
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});
    refusal_ = kNoSuchTable;
    Serve();
    EXPECT_EQ(tables_.refused_writes(), 1U);
    refusal_ = 0;
    Serve();
    ASSERT_EQ(devices_.sent.size(), 2U);
    EXPECT_EQ(devices_.sent[1].data[0], 4);
    EXPECT_EQ(tables_.refused_writes(), 1U);
    // What was written is no answer to anybody.
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
}

TEST_F(DeviceRecordsTest, NothingMayBeWrittenWhileEveryRowIsTaken) {
    SmpData data{};
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kGuidInfo, 1};
    for (std::uint32_t i = 0; i < DeviceTables::kRows; ++i) {
        static_cast<void>(tables_.Look({net_.at(3, 0), AttributeId::kPKeyTable, i}, data));
    }
    EXPECT_FALSE(tables_.MayWrite(key));
    for (int i = 0; i < 100; ++i)
        Serve();
    EXPECT_EQ(tables_.Look({net_.at(3, 0), AttributeId::kPKeyTable, 0}, data),
              DeviceTables::Word::kTold);
    EXPECT_TRUE(tables_.MayWrite(key));
}

TEST_F(DeviceRecordsTest, NobodyIsAskedUntilItIsKnownWhereWeAre) {
    SmpData data{};
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kPKeyTable, 0};
    const PortIndex own = net_.fabric().own_port();
    net_.fabric().SetOwnPort(kNoPortIndex);  // As at the beginning of each sweep.
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    tables_.Write({key.port, AttributeId::kGuidInfo, 0}, data);
    tables_.Step(++now_us_);
    EXPECT_TRUE(devices_.sent.empty());
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});  // The sweep wakes us.
    net_.fabric().SetOwnPort(own);
    Serve();
    EXPECT_EQ(devices_.sent.size(), 2U);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTold);
}

TEST_F(DeviceRecordsTest, WhoWaitsForADeviceThatCannotBeReachedIsWoken) {
    SmpData data{};
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kPKeyTable, 0};
    net_.fabric().Disconnect(key.port);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    tables_.Step(++now_us_);
    EXPECT_TRUE(devices_.sent.empty());
    EXPECT_LE(tables_.NextDeadlineUs(), now_us_ + 100'000);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kSilent);
    tables_.Step(++now_us_);
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});
}

TEST_F(DeviceRecordsTest, AWriteIsForWhoeverHasTheRowWhenItIsWantedLast) {
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kGuidInfo, 1};
    Node& node = net_.fabric().node(net_.fabric().port(key.port).node);
    SmpData data{};
    data[0] = 1;
    tables_.Write(key, data);
    node.guid = Guid{Raw(node.guid) + 0x1000000};  // A sweep has given the row to another.
    data[0] = 2;
    tables_.Write(key, data);
    tables_.Step(++now_us_);
    ASSERT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(devices_.sent[0].data[0], 2);
}

}  // namespace
}  // namespace ember
