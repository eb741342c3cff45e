// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the partitions of a blob: somebody with the key may have made them badly.
#include "config/blob/partition_rows.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using emberc::PartitionConf;
using flatbuffers::FlatBufferBuilder;
using Files = flatbuffers::Offset<schema::OptionFiles>;

std::string_view Culprit(const PartitionConf& conf) {
    FlatBufferBuilder builder;
    const Files files = emberc::WriteContents(builder, {.partitions = conf});
    return CulpritOf(PayloadOf(builder, files));
}

/// Partition 2, with everything that a partition may have, beside the default one.
PartitionConf Good() {
    return {.partitions = {{.p_key = 2, .name = "A", .line = 3, .sl = 15, .is_ip = true},
                           {.p_key = 0x7FFF, .name = "Default"}},
            .ports = {{.port_guid = Guid{1},
                       .line = 4,
                       .p_key = 2,
                       .membership = Membership::kBoth,
                       .turn = 1,
                       .is_first = true},
                      {.port_guid = Guid{1}, .p_key = 0x7FFF, .membership = Membership::kFull},
                      {.port_guid = Guid{2}, .p_key = 2, .membership = Membership::kLimited}},
            .classes = {{.p_key = 2,
                         .ports = PortClass::kAll,
                         .membership = Membership::kLimited,
                         .turn = 2},
                        {.p_key = 0x7FFF,
                         .ports = PortClass::kAll,
                         .membership = Membership::kLimited,
                         .turn = 1},
                        {.p_key = 2,
                         .ports = PortClass::kSelf,
                         .membership = Membership::kFull,
                         .turn = 1,
                         .is_first = true}},
            .groups = {{.mgid = {0xFF12000000000000, 5},
                        .p_key = 0x7FFF,
                        .mtu = 1,
                        .rate = 24,
                        .sl = 15,
                        .tclass = 255},
                       {.mgid = {0xFF12401B80020000, 0xFFFFFFFF},
                        .q_key = 0xFFFFFFFF,
                        .flow_label = 0xFFFFF,
                        .p_key = 2,
                        .mtu = 5,
                        .rate = 2}}};
}

/// A partition of which nothing but its P_Key is said.
PartitionConf::Partition Partition(std::uint16_t p_key) {
    PartitionConf::Partition partition;
    partition.p_key = p_key;
    return partition;
}

TEST(PartitionRows, AreTakenWhereAllFits) {
    EXPECT_EQ(Culprit(Good()), "");
    PartitionConf least;
    least.partitions.push_back(Partition(0x7FFF));
    EXPECT_EQ(Culprit(least), "") << "no more is needed";
}

TEST(PartitionRows, AreRefusedWhereOneIsWrong) {
    using Change = std::function<void(PartitionConf&)>;
    const std::vector<Change> changes = {
        // Partitions.
        [](auto& conf) { conf.partitions.clear(); },
        [](auto& conf) { conf.partitions.pop_back(); },
        [](auto& conf) { conf.partitions[0].p_key = 0; },
        [](auto& conf) { conf.partitions[0].p_key = 0x7FFF; },
        [](auto& conf) { conf.partitions[1].p_key = 0xFFFF; },
        [](auto& conf) { std::swap(conf.partitions[0], conf.partitions[1]); },
        [](auto& conf) { conf.partitions[0].name = "a\x1b[2J"; },
        [](auto& conf) { conf.partitions[0].name = std::string(kMostNameOctets + 1, 'x'); },
        // Ports.
        [](auto& conf) { conf.ports[0].port_guid = kNoGuid; },
        [](auto& conf) { conf.ports[0].p_key = 3; },
        [](auto& conf) { conf.ports[0].p_key = 0x8002; },
        [](auto& conf) { conf.ports[0].membership = Membership::kNone; },
        [](auto& conf) { conf.ports[0].membership = static_cast<Membership>(4); },
        [](auto& conf) { conf.ports[0].turn = kPortClasses + 1; },
        [](auto& conf) { std::swap(conf.ports[0], conf.ports[1]); },
        [](auto& conf) { std::swap(conf.ports[1], conf.ports[2]); },
        [](auto& conf) { conf.ports[1] = conf.ports[0]; },
        // Classes.
        [](auto& conf) { conf.classes[2].ports = static_cast<PortClass>(kPortClasses); },
        [](auto& conf) { conf.classes[0].p_key = 3; },
        [](auto& conf) { conf.classes[0].p_key = 0x7FFF; },
        [](auto& conf) { conf.classes[0].membership = Membership::kNone; },
        [](auto& conf) { conf.classes[0].turn = 0; },
        [](auto& conf) { conf.classes[0].turn = 1; },
        [](auto& conf) { conf.classes[0].turn = 3; },
        [](auto& conf) { conf.classes[0].turn = kPortClasses + 1; },
        [](auto& conf) { std::swap(conf.classes[0], conf.classes[2]); },
        // Groups.
        [](auto& conf) { conf.groups[0].mgid.high = 0xFE12000000000000; },
        [](auto& conf) { conf.groups[0].mgid.high = 0xFF22000000000000; },
        [](auto& conf) { conf.groups[0].mgid.high = 0xFF12A01B00000000; },
        [](auto& conf) { conf.groups[0].p_key = 3; },
        [](auto& conf) { conf.groups[0].mtu = 0; },
        [](auto& conf) { conf.groups[0].mtu = 6; },
        [](auto& conf) { conf.groups[0].rate = 1; },
        [](auto& conf) { conf.groups[0].rate = 27; },
        [](auto& conf) { conf.groups[0].sl = 16; },
        [](auto& conf) { conf.groups[1].flow_label = 0x100000; },
        [](auto& conf) { conf.groups[1].p_key = 0x7FFF; },
        [](auto& conf) { conf.groups[1].mgid.high = 0xFF12401B00020000; },
        [](auto& conf) { std::swap(conf.groups[0], conf.groups[1]); },
        [](auto& conf) { conf.groups[1].mgid = conf.groups[0].mgid; },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        PartitionConf conf = Good();
        changes[i](conf);
        EXPECT_EQ(Culprit(conf), "partition_config_file") << "change " << i;
    }
}

TEST(PartitionRows, AreRefusedWithoutThePartitionsThatTheyAreOf) {
    FlatBufferBuilder builder;
    const std::vector<schema::PartitionMember> members = {{1, 1, 2, 1, 0}};
    const auto at = builder.CreateVectorOfStructs(members);
    schema::OptionFilesBuilder files(builder);
    files.add_partition_ports(at);
    EXPECT_EQ(CulpritOf(PayloadOf(builder, files.Finish())), "partition_config_file");
}

TEST(PartitionRows, AreRefusedWhereTheirNamesAreNotAllOfTheOctets) {
    for (const std::uint8_t octets : std::array<std::uint8_t, 2>{0, 2}) {
        FlatBufferBuilder builder;
        const std::vector<schema::PartitionRow> rows = {{1, 0x7FFF, 0, 0, octets}};
        const auto partitions = builder.CreateVectorOfStructs(rows);
        const auto names = builder.CreateVector(std::vector<std::uint8_t>{'A'});
        schema::OptionFilesBuilder files(builder);
        files.add_partitions(partitions);
        files.add_partition_names(names);
        EXPECT_EQ(CulpritOf(PayloadOf(builder, files.Finish())), "partition_config_file");
    }
}

TEST(PartitionRows, HaveNoFlagsButTheirOwn) {
    for (const std::uint8_t flags : std::array<std::uint8_t, 2>{2, 128}) {
        FlatBufferBuilder builder;
        const std::vector<schema::PartitionRow> rows = {{1, 0x7FFF, flags, 0, 0}};
        const auto partitions = builder.CreateVectorOfStructs(rows);
        schema::OptionFilesBuilder files(builder);
        files.add_partitions(partitions);
        EXPECT_EQ(CulpritOf(PayloadOf(builder, files.Finish())), "partition_config_file");
    }
}

TEST(PartitionRows, HaveAServiceLevelOfFourBits) {
    for (const std::uint8_t sl : std::array<std::uint8_t, 2>{15, 16}) {
        FlatBufferBuilder builder;
        const std::vector<schema::PartitionRow> rows = {{1, 0x7FFF, 0, sl, 0}};
        const auto partitions = builder.CreateVectorOfStructs(rows);
        schema::OptionFilesBuilder files(builder);
        files.add_partitions(partitions);
        EXPECT_EQ(CulpritOf(PayloadOf(builder, files.Finish())),
                  sl == 15 ? "" : "partition_config_file");
    }
}

TEST(PartitionRows, AreAsManyAsTheCoreTakes) {
    PartitionConf conf;
    for (std::uint16_t p_key = 1; p_key < kMostPartitions; ++p_key) {
        conf.partitions.push_back(Partition(p_key));
    }
    conf.partitions.push_back(Partition(0x7FFF));
    EXPECT_EQ(Culprit(conf), "");
    conf.partitions.insert(conf.partitions.end() - 1, Partition(0x7000));
    EXPECT_EQ(Culprit(conf), "partition_config_file");
}

}  // namespace
}  // namespace ember::test
