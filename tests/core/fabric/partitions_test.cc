// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports may communicate, and by which P_Key.
#include "core/fabric/partitions.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::BuiltFabric;

TEST(PKeys, NameAPartitionByTheirLowerBits) {
    for (const std::uint16_t none : {std::uint16_t{0}, kFullMembership}) {
        EXPECT_FALSE(NamesPartition(none)) << none;
    }
    for (const int p_key : {0x0001, 0x7FFF, 0x8001, 0xFFFF}) {
        EXPECT_TRUE(NamesPartition(static_cast<std::uint16_t>(p_key))) << p_key;
    }
}

TEST(PKeys, NameTheSamePartitionWithEitherMembership) {
    EXPECT_TRUE(SamePartition(0xFFFF, 0x7FFF));
    EXPECT_TRUE(SamePartition(0x0001, 0x8001));
    EXPECT_TRUE(SamePartition(0, 0x8000));
    EXPECT_FALSE(SamePartition(0x0001, 0x0002));
    EXPECT_FALSE(SamePartition(0xFFFF, 0x8001));
}

class PartitionsTest : public ::testing::Test {
protected:
    /// Host a (node 0) on port 1, host b (node 1) on port 2 of a switch (node 2).
    [[nodiscard]] static net::Netlist TwoHosts() {
        net::Netlist netlist;
        netlist.Add(NodeType::kChannelAdapter, 1, "a", "a");
        netlist.Add(NodeType::kChannelAdapter, 1, "b", "b");
        netlist.Add(NodeType::kSwitch, 4, "s", "s");
        netlist.Connect(0, 1, 2, 1);
        netlist.Connect(1, 1, 2, 2);
        netlist.AssignGuids();
        return netlist;
    }
    [[nodiscard]] PortIndex At(std::uint32_t node, unsigned number) {
        return built_.fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }

    BuiltFabric built_{TwoHosts()};
    Partitions partitions_{built_.fabric()};
};

TEST_F(PartitionsTest, EveryPortIsInTheDefaultPartitionAndInNoOther) {
    for (const PortIndex port : {At(0, 1), At(1, 1), At(2, 0), At(2, 1), At(2, 4)}) {
        EXPECT_TRUE(partitions_.Holds(port, kDefaultPKey));
        EXPECT_TRUE(partitions_.Holds(port, kPKeyBase)) << "as a limited member";
        EXPECT_FALSE(partitions_.Holds(port, 0x8001));
        EXPECT_FALSE(partitions_.Holds(port, 0x0001));
        EXPECT_FALSE(partitions_.Holds(port, kNoPKey));
        EXPECT_FALSE(partitions_.Holds(port, kFullMembership));
    }
}

TEST_F(PartitionsTest, AnyTwoPortsShareTheDefaultPartition) {
    const std::array ports{At(0, 1), At(1, 1), At(2, 0), At(2, 4)};
    for (const PortIndex one : ports) {
        for (const PortIndex other : ports) {  // A port shares with itself too.
            EXPECT_TRUE(partitions_.Share(one, other));
            EXPECT_TRUE(partitions_.Share(one, other, kDefaultPKey));
            EXPECT_TRUE(partitions_.Share(one, other, kPKeyBase));
            EXPECT_FALSE(partitions_.Share(one, other, 0x8001));
            EXPECT_FALSE(partitions_.Share(one, other, kNoPKey));
            EXPECT_EQ(partitions_.First(one, other), kDefaultPKey);
        }
    }
}

TEST_F(PartitionsTest, APortOfANodeThatIsGoneSharesNothing) {
    const PortIndex gone = At(1, 1);
    built_.fabric().port(gone).node = kNoNode;
    EXPECT_FALSE(partitions_.Holds(gone, kDefaultPKey));
    for (const auto& [one, other] : {std::pair{At(0, 1), gone}, {gone, At(0, 1)}, {gone, gone}}) {
        EXPECT_FALSE(partitions_.Share(one, other));
        EXPECT_FALSE(partitions_.Share(one, other, kDefaultPKey));
        EXPECT_EQ(partitions_.First(one, other), kNoPKey);
    }
    EXPECT_TRUE(partitions_.Share(At(0, 1), At(2, 0))) << "the others do";
}

}  // namespace
}  // namespace ember
