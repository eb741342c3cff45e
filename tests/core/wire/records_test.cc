// SPDX-License-Identifier: Apache-2.0
// EmberSM: our reading of records agrees with what saquery printed beside OpenSM's octets.
//
// Goal:   no row of a record is checked against itself only.
// Method: tests/interop/capture/records.py asked OpenSM for one record of each kind, raw and with
//         saquery. Every label that saquery printed is compared with what we read from the octets.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/wire/guid_info_record.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/link_record.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_description.h"
#include "core/wire/node_info.h"
#include "core/wire/p_key_table.h"
#include "core/wire/port_info_record.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/sm_info.h"
#include "core/wire/switch_info.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

struct Recording {
    std::vector<std::uint8_t> octets;
    std::vector<std::pair<std::string, std::string>> says;
};

Recording ReadRecording(const std::string& name) {
    Recording recording;
    std::ifstream in(std::string(EMBER_SOURCE_DIR) + "/tests/golden/records/" + name + ".hex");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("record ")) {
            for (std::size_t i = 7; i + 1 < line.size(); i += 2) {
                recording.octets.push_back(
                    static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
            }
        }
        if (line.starts_with("says ")) {
            const std::size_t equals = line.find(" = ");
            recording.says.emplace_back(line.substr(5, equals - 5), line.substr(equals + 3));
        }
    }
    return recording;
}

/// The record of that name, which has to be exactly as long as ours.
template <typename Record>
Record Recorded(const Recording& recording) {
    Record record;
    EXPECT_EQ(recording.octets.size(), sizeof(Record));
    if (recording.octets.size() == sizeof(Record)) {
        std::copy(recording.octets.begin(), recording.octets.end(), record.octets().begin());
    }
    return record;
}

using Readings = std::map<std::string, std::uint64_t>;

template <typename Value>
std::uint64_t Plain(Value value) {
    return static_cast<std::uint64_t>(value);
}

/// Every saying that is a number is among `readings`, and is that number; no reading is left over.
void Compare(const Recording& recording, const Readings& readings) {
    std::size_t compared = 0;
    ASSERT_FALSE(recording.says.empty());
    for (const auto& [label, value] : recording.says) {
        const auto reading = readings.find(label);
        if (reading == readings.end()) continue;
        EXPECT_EQ(reading->second, std::strtoull(value.c_str(), nullptr, 0)) << label;
        ++compared;
    }
    EXPECT_EQ(compared, readings.size());
}

std::vector<std::uint64_t> TableOf(const Recording& recording) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [label, value] : recording.says) {
        if (label != "table") continue;
        std::istringstream in(value);
        for (std::string word; in >> word;) {
            numbers.push_back(std::strtoull(word.c_str(), nullptr, 0));
        }
    }
    return numbers;
}

TEST(Records, NodeRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("node_record");
    const auto record = Recorded<NodeRecord>(recording);
    const auto info = Take<NodeInfo>(record, NodeRecord::kNodeInfo);
    Compare(recording, {{"lid", Plain(record.Get(NodeRecord::kLid))},
                        {"reserved", record.Get(NodeRecord::kReserved16)},
                        {"base_version", info.Get(NodeInfo::kBaseVersion)},
                        {"class_version", info.Get(NodeInfo::kClassVersion)},
                        {"num_ports", info.Get(NodeInfo::kNumPorts)},
                        {"sys_guid", Plain(info.Get(NodeInfo::kSystemImageGuid))},
                        {"node_guid", Plain(info.Get(NodeInfo::kNodeGuid))},
                        {"port_guid", Plain(info.Get(NodeInfo::kPortGuid))},
                        {"partition_cap", info.Get(NodeInfo::kPartitionCap)},
                        {"device_id", info.Get(NodeInfo::kDeviceId)},
                        {"revision", info.Get(NodeInfo::kRevision)},
                        {"port_num", Plain(info.Get(NodeInfo::kLocalPortNum))},
                        {"vendor_id", info.Get(NodeInfo::kVendorId)}});
    EXPECT_EQ(info.Get(NodeInfo::kNodeType), NodeType::kChannelAdapter);
    const auto name = Take<NodeDescription>(record, NodeRecord::kNodeDescription);
    const NodeDescription::Text text = name.text();
    EXPECT_EQ(std::string(text.data(), name.length()), "H-a");
    EXPECT_EQ(recording.says.back().second, "H-a");
}

TEST(Records, PortInfoRecordReadsAsSaqueryPrintsIt) {
    for (const char* name : {"port_info_record", "port_info_record_ca"}) {
        const Recording recording = ReadRecording(name);
        const auto record = Recorded<PortInfoRecord>(recording);
        const auto info = Take<PortInfo>(record, PortInfoRecord::kPortInfo);
        Compare(recording, {{"EndPortLid", Plain(record.Get(PortInfoRecord::kLid))},
                            {"PortNum", Plain(record.Get(PortInfoRecord::kPortNum))},
                            {"Options", record.Get(PortInfoRecord::kOptions)},
                            {"Mkey", info.Get(PortInfo::kMKey)},
                            {"GidPrefix", info.Get(PortInfo::kGidPrefix)},
                            {"Lid", Plain(info.Get(PortInfo::kLid))},
                            {"SMLid", Plain(info.Get(PortInfo::kMasterSmLid))},
                            {"CapMask", info.Get(PortInfo::kCapabilityMask)},
                            {"LMC", info.Get(PortInfo::kLmc)},
                            {"HoqLife", info.Get(PortInfo::kHoqLife)},
                            {"GuidCap", info.Get(PortInfo::kGuidCap)},
                            {"SubnetTimeout", info.Get(PortInfo::kSubnetTimeOut)},
                            {"CapabilityMask2", info.Get(PortInfo::kCapabilityMask2)}});
    }
}

TEST(Records, SwitchInfoRecordReadsAsSaqueryPrintsIt) {
    using S = SwitchInfo;
    const Recording recording = ReadRecording("switch_info_record");
    const auto record = Recorded<SwitchInfoRecord>(recording);
    const auto info = Take<SwitchInfo>(record, SwitchInfoRecord::kSwitchInfo);
    const std::uint64_t life_time = std::uint64_t{info.Get(S::kLifeTimeValue)} << 3U |
                                    std::uint64_t{info.Get(S::kPortStateChange)} << 2U |
                                    info.Get(S::kOptimizedSlToVlMappingProgramming);
    Compare(recording, {{"LID", Plain(record.Get(SwitchInfoRecord::kLid))},
                        {"LinearFDBCap", info.Get(S::kLinearFdbCap)},
                        {"RandomFDBCap", info.Get(S::kRandomFdbCap)},
                        {"MulticastFDBCap", info.Get(S::kMulticastFdbCap)},
                        {"LinearFDBTop", Plain(info.Get(S::kLinearFdbTop))},
                        {"LifeTimeValue/PortStateChange/OpSL2VL", life_time},
                        {"PartitionEnforcementCap", info.Get(S::kPartitionEnforcementCap)},
                        {"MulticastFDBTop", Plain(info.Get(S::kMulticastFdbTop))}});
}

TEST(Records, SmInfoRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("sm_info_record");
    const auto record = Recorded<SmInfoRecord>(recording);
    const auto info = Take<SmInfo>(record, SmInfoRecord::kSmInfo);
    Compare(recording, {{"LID", Plain(record.Get(SmInfoRecord::kLid))},
                        {"GUID", Plain(info.Get(SmInfo::kGuid))},
                        {"SM_Key", info.Get(SmInfo::kSmKey)},
                        {"ActCount", info.Get(SmInfo::kActCount)},
                        {"Priority", info.Get(SmInfo::kPriority)},
                        {"SMState", Plain(info.Get(SmInfo::kSmState))}});
}

TEST(Records, LinkRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("link_record");
    const auto record = Recorded<LinkRecord>(recording);
    Compare(recording, {{"FromLID", Plain(record.Get(LinkRecord::kFromLid))},
                        {"FromPort", Plain(record.Get(LinkRecord::kFromPort))},
                        {"ToPort", Plain(record.Get(LinkRecord::kToPort))},
                        {"ToLID", Plain(record.Get(LinkRecord::kToLid))}});
}

TEST(Records, GuidInfoRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("guid_info_record");
    const auto record = Recorded<GuidInfoRecord>(recording);
    const auto table = Take<GuidInfo>(record, GuidInfoRecord::kTable);
    Readings readings{{"LID", Plain(record.Get(GuidInfoRecord::kLid))},
                      {"Block", record.Get(GuidInfoRecord::kBlockNum)}};
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i) {
        readings["GUID " + std::to_string(i)] = Plain(table.guid(i));
    }
    Compare(recording, readings);
}

TEST(Records, LinearForwardingTableRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("linear_forwarding_table_record");
    const auto record = Recorded<LinearForwardingTableRecord>(recording);
    using R = LinearForwardingTableRecord;
    Compare(recording, {{"LID", Plain(record.Get(R::kLid))}, {"Block", record.Get(R::kBlockNum)}});
    const std::vector<std::uint64_t> said = TableOf(recording);
    ASSERT_EQ(said.size(), LinearForwardingTable::kEntries);
    const auto table = Take<LinearForwardingTable>(record, R::kTable);
    for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(Plain(table.port(i)), said[i]) << i;
    }
}

TEST(Records, SlToVlMappingTableRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("sl_to_vl_mapping_table_record");
    const auto record = Recorded<SlToVlMappingTableRecord>(recording);
    using R = SlToVlMappingTableRecord;
    Compare(recording, {{"LID", Plain(record.Get(R::kLid))},
                        {"InPort", Plain(record.Get(R::kInputPort))},
                        {"OutPort", Plain(record.Get(R::kOutputPort))}});
    const std::vector<std::uint64_t> said = TableOf(recording);
    ASSERT_EQ(said.size(), SlToVlMappingTable::kEntries);
    const auto table = Take<SlToVlMappingTable>(record, R::kTable);
    for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(table.vl(i), said[i]) << i;
    }
}

TEST(Records, VlArbitrationTableRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("vl_arbitration_table_record");
    const auto record = Recorded<VlArbitrationTableRecord>(recording);
    using R = VlArbitrationTableRecord;
    Compare(recording, {{"LID", Plain(record.Get(R::kLid))},
                        {"Port", Plain(record.Get(R::kOutputPort))},
                        {"Block", record.Get(R::kBlockNum)}});
    // Four rows of 16: lanes and weights of the first half, then of the second.
    const std::vector<std::uint64_t> said = TableOf(recording);
    ASSERT_EQ(said.size(), 2 * VlArbitrationTable::kEntries);
    const auto table = Take<VlArbitrationTable>(record, R::kTable);
    for (std::size_t i = 0; i < VlArbitrationTable::kEntries; ++i) {
        const std::size_t row = i / 16 * 32 + i % 16;
        EXPECT_EQ(table.vl(i), said[row]) << i;
        EXPECT_EQ(table.weight(i), said[row + 16]) << i;
    }
}

TEST(Records, PKeyTableRecordReadsAsSaqueryPrintsIt) {
    const Recording recording = ReadRecording("p_key_table_record");
    const auto record = Recorded<PKeyTableRecord>(recording);
    using R = PKeyTableRecord;
    Compare(recording, {{"LID", Plain(record.Get(R::kLid))},
                        {"Port", Plain(record.Get(R::kPortNum))},
                        {"Block", record.Get(R::kBlockNum)}});
    const std::vector<std::uint64_t> said = TableOf(recording);
    ASSERT_EQ(said.size(), PKeyTable::kEntries);
    const auto table = Take<PKeyTable>(record, R::kTable);
    for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(table.p_key(i), said[i]) << i;
    }
}

TEST(Records, AMulticastTableCarriesItsPositionAndNineBitsOfBlock) {
    // By the clause only: ibsim's OpenSM has no group to tell of here.
    MulticastForwardingTableRecord record;
    record.Set(MulticastForwardingTableRecord::kPosition, std::uint8_t{0xA});
    record.Set(MulticastForwardingTableRecord::kBlockNum, std::uint16_t{0x1FF});
    EXPECT_EQ(record.octets()[2], 0xA1);
    EXPECT_EQ(record.octets()[3], 0xFF);
}

RC_GTEST_PROP(Records, WhatIsPutInIsTakenOutAgain, ()) {
    const auto octets =
        *rc::gen::container<std::array<std::uint8_t, 64>>(rc::gen::arbitrary<std::uint8_t>());
    PortInfoRecord record;
    Put(record, PortInfoRecord::kPortInfo, std::bit_cast<PortInfo>(octets));
    RC_ASSERT(Take<PortInfo>(record, PortInfoRecord::kPortInfo) == std::bit_cast<PortInfo>(octets));
    RC_ASSERT(record.Get(PortInfoRecord::kLid) == kNoLid);
    RC_ASSERT(record.Get(PortInfoRecord::kPadding544) == 0U);

    SwitchInfoRecord shorter;  // Keeps the front of the attribute only.
    Put(shorter, SwitchInfoRecord::kSwitchInfo, std::bit_cast<SwitchInfo>(octets));
    auto front = octets;
    std::fill(front.begin() + 20, front.end(), std::uint8_t{0});
    RC_ASSERT(Take<SwitchInfo>(shorter, SwitchInfoRecord::kSwitchInfo) ==
              std::bit_cast<SwitchInfo>(front));
}

/// Extents that were found by asking OpenSM: each bit of the component mask was set alone, and each
/// bit of the record that was asked for was flipped; those whose flip lost the record count.
struct Heeded {
    unsigned component;
    Extent extent;
};

void AgreeWith(std::span<const Extent> ours, std::span<const Heeded> theirs) {
    for (const Heeded& heeded : theirs) {
        ASSERT_LT(heeded.component, ours.size());
        EXPECT_EQ(ours[heeded.component].bit, heeded.extent.bit) << heeded.component;
        EXPECT_EQ(ours[heeded.component].width, heeded.extent.width) << heeded.component;
    }
}

TEST(Records, ComponentsAreNumberedAsOpenSmNumbersThem) {
    // clang-format off
    const std::array node{
        Heeded{0, {0, 16}}, Heeded{2, {32, 8}}, Heeded{3, {40, 8}}, Heeded{4, {48, 8}},
        Heeded{5, {56, 8}}, Heeded{6, {64, 64}}, Heeded{7, {128, 64}}, Heeded{8, {192, 64}},
        Heeded{9, {256, 16}}, Heeded{10, {272, 16}}, Heeded{11, {288, 32}}, Heeded{12, {320, 8}},
        Heeded{13, {328, 24}}, Heeded{14, {352, 512}},
    };
    const std::array port{
        Heeded{0, {0, 16}}, Heeded{1, {16, 8}}, Heeded{2, {24, 8}}, Heeded{3, {32, 64}},
        Heeded{4, {96, 64}}, Heeded{5, {160, 16}}, Heeded{6, {176, 16}}, Heeded{7, {192, 32}},
        Heeded{8, {224, 16}}, Heeded{9, {240, 16}}, Heeded{10, {256, 8}}, Heeded{11, {264, 8}},
        Heeded{12, {272, 8}}, Heeded{13, {280, 8}}, Heeded{14, {288, 4}}, Heeded{15, {292, 4}},
        Heeded{16, {296, 4}}, Heeded{17, {300, 4}}, Heeded{18, {304, 2}}, Heeded{20, {309, 3}},
        Heeded{21, {312, 4}}, Heeded{22, {316, 4}}, Heeded{23, {320, 4}}, Heeded{24, {324, 4}},
        Heeded{25, {328, 4}}, Heeded{26, {332, 4}}, Heeded{27, {336, 8}}, Heeded{28, {344, 8}},
        Heeded{29, {352, 8}}, Heeded{31, {364, 4}}, Heeded{32, {368, 3}}, Heeded{33, {371, 5}},
        Heeded{34, {376, 4}}, Heeded{35, {380, 1}}, Heeded{36, {381, 1}}, Heeded{37, {382, 1}},
        Heeded{38, {383, 1}}, Heeded{39, {384, 16}}, Heeded{40, {400, 16}}, Heeded{41, {416, 16}},
        Heeded{42, {432, 8}}, Heeded{45, {443, 5}}, Heeded{47, {451, 5}}, Heeded{48, {456, 4}},
        Heeded{49, {460, 4}}, Heeded{53, {512, 16}}, Heeded{54, {528, 4}}, Heeded{55, {532, 4}},
        Heeded{57, {539, 5}},
    };
    const std::array guids{
        Heeded{0, {0, 16}}, Heeded{1, {16, 8}}, Heeded{5, {128, 64}}, Heeded{6, {192, 64}},
        Heeded{7, {256, 64}}, Heeded{8, {320, 64}}, Heeded{9, {384, 64}}, Heeded{10, {448, 64}},
        Heeded{11, {512, 64}},
    };
    const std::array lids_and_links{
        Heeded{0, {0, 16}}, Heeded{1, {16, 8}}, Heeded{2, {24, 8}}, Heeded{3, {32, 16}},
    };
    const std::array managers{
        Heeded{0, {0, 16}}, Heeded{2, {32, 64}}, Heeded{5, {192, 4}}, Heeded{6, {196, 4}},
    };
    const std::array lanes{Heeded{0, {0, 16}}, Heeded{1, {16, 8}}, Heeded{2, {24, 8}}};
    const std::array blocks{Heeded{0, {0, 16}}, Heeded{1, {16, 16}}};
    const std::array keys{Heeded{0, {0, 16}}, Heeded{1, {16, 16}}, Heeded{2, {32, 8}}};
    // clang-format on
    AgreeWith(NodeRecord::kComponents, node);
    AgreeWith(PortInfoRecord::kComponents, port);
    AgreeWith(GuidInfoRecord::kComponents, guids);
    AgreeWith(LinkRecord::kComponents, lids_and_links);
    AgreeWith(SmInfoRecord::kComponents, managers);
    AgreeWith(SlToVlMappingTableRecord::kComponents, lanes);
    AgreeWith(VlArbitrationTableRecord::kComponents, lanes);
    AgreeWith(LinearForwardingTableRecord::kComponents, blocks);
    AgreeWith(PKeyTableRecord::kComponents, keys);
}

}  // namespace
}  // namespace ember
