// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports may communicate, and by which P_Key.
#include "core/partitions/partitions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

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

/// A file's statement about one member of a partition, in the file's order.
struct Saying {
    std::uint16_t p_key = 0;
    bool is_port = false;
    PortClass ports{};
    Guid guid = kNoGuid;
    Membership membership{};
    bool is_first = false;
};

/// Four hosts, of which the first has the SM, a switch and a router, and tables made of sayings.
class PartitionTableTest : public ::testing::Test {
protected:
    static constexpr std::array<std::uint16_t, 5> kPKeys = {1, 2, 3, 0x1234, 0x7FFF};

    static net::Netlist Net() {
        net::Netlist netlist;
        for (const char* const name : {"a", "b", "c", "d"}) {
            netlist.Add(NodeType::kChannelAdapter, 1, name, name);
        }
        netlist.Add(NodeType::kSwitch, 6, "s", "s");
        netlist.Add(NodeType::kRouter, 1, "r", "r");
        for (std::uint32_t host = 0; host < 4; ++host) {
            netlist.Connect(host, 1, 4, host + 1);
        }
        netlist.Connect(5, 1, 4, 5);
        netlist.AssignGuids();
        return netlist;
    }
    [[nodiscard]] PortIndex At(std::uint32_t node, unsigned number) {
        return built_.fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    /// The end port of a node.
    [[nodiscard]] PortIndex End(std::uint32_t node) { return At(node, node == 4 ? 0 : 1); }
    [[nodiscard]] Guid GuidOf(std::uint32_t node) { return built_.fabric().port(End(node)).guid; }

    /// Makes the tables, with the sayings as lines 1, 2, 3 ...
    void Make(const std::vector<Saying>& sayings) {
        rows_.clear();
        ports_.clear();
        classes_.clear();
        for (const std::uint16_t p_key : kPKeys) {
            rows_.push_back({.p_key = p_key});
            std::uint8_t turn = 0;
            std::uint32_t line = 0;
            for (const Saying& one : sayings) {
                ++line;
                if (one.p_key != p_key) continue;
                if (one.is_port) {
                    ports_.push_back({.port_guid = one.guid,
                                      .line = line,
                                      .p_key = p_key,
                                      .membership = one.membership,
                                      .turn = static_cast<std::uint8_t>(turn & 0x7FU),
                                      .is_first = one.is_first});
                } else {
                    classes_.push_back({.line = line,
                                        .p_key = p_key,
                                        .ports = one.ports,
                                        .membership = one.membership,
                                        .turn = static_cast<std::uint8_t>(++turn & 0x7FU),
                                        .is_first = one.is_first});
                }
            }
        }
        std::sort(ports_.begin(), ports_.end(), [](const auto& one, const auto& other) {
            return std::pair(one.port_guid, one.p_key) < std::pair(other.port_guid, other.p_key);
        });
        std::sort(classes_.begin(), classes_.end(), [](const auto& one, const auto& other) {
            return std::pair(one.ports, one.p_key) < std::pair(other.ports, other.p_key);
        });
        tables_.partitions = rows_;
        tables_.partition_ports = ports_;
        tables_.partition_classes = classes_;
    }

    /// The plain model: the last saying that is about the port counts.
    [[nodiscard]] PortPartition Expected(const std::vector<Saying>& sayings, std::uint32_t node,
                                         std::uint16_t p_key) {
        PortPartition found{};
        std::uint32_t line = 0;
        for (const Saying& one : sayings) {
            ++line;
            const bool fits = one.is_port ? one.guid == GuidOf(node)
                                          : one.ports == PortClass::kAll ||
                                                (one.ports == PortClass::kCas && node < 4) ||
                                                (one.ports == PortClass::kSwitches && node == 4) ||
                                                (one.ports == PortClass::kRouters && node == 5) ||
                                                (one.ports == PortClass::kSelf && node == 0);
            if (!fits || one.p_key != p_key) continue;
            found = {.p_key = p_key,
                     .membership = one.membership,
                     .is_first = one.is_first,
                     .line = line};
        }
        return found;
    }

    static constexpr std::uint32_t kNodes = 6;
    BuiltFabric built_{Net()};
    std::vector<PartitionRow> rows_;
    std::vector<PartitionMember> ports_;
    std::vector<PartitionClass> classes_;
    ManagerTables tables_;
    Partitions partitions_{built_.fabric(), tables_};
};

TEST_F(PartitionTableTest, IsAsNoneWhereItIsEmpty) {
    constexpr std::array<std::uint16_t, 4> kAsked = {0xFFFF, 0x7FFF, 0x8001, 0};
    const Partitions none(built_.fabric());
    for (std::uint32_t one = 0; one < kNodes; ++one) {
        for (std::uint32_t other = 0; other < kNodes; ++other) {
            EXPECT_TRUE(partitions_.Share(End(one), End(other)));
            for (const std::uint16_t p_key : kAsked) {
                EXPECT_EQ(partitions_.Share(End(one), End(other), p_key),
                          none.Share(End(one), End(other), p_key));
                EXPECT_EQ(partitions_.Holds(End(one), p_key), none.Holds(End(one), p_key));
            }
            EXPECT_EQ(partitions_.First(End(one), End(other)), kDefaultPKey);
        }
    }
    EXPECT_FALSE(partitions_.AreConfigured());
    EXPECT_EQ(partitions_.RowOf(kDefaultPKey), nullptr);
    EXPECT_EQ(partitions_.FirstOf(End(1)), 0x7FFF);
    PartitionWalk walk = partitions_.Of(End(1));
    PortPartition found{};
    ASSERT_TRUE(walk.Next(found));
    EXPECT_EQ(found, (PortPartition{.p_key = 0x7FFF, .membership = Membership::kFull}));
    EXPECT_EQ(found.SentPKey(), kDefaultPKey);
    EXPECT_EQ(partitions_.Find(End(1), 0x7FFF), found);
    EXPECT_EQ(partitions_.Find(End(1), 0x8001), PortPartition{});
    EXPECT_FALSE(walk.Next(found));
}

TEST_F(PartitionTableTest, LimitedMembersShareNothingAndFullOnesShareWithAll) {
    constexpr std::array<std::uint16_t, 2> kAsked = {0x0002, 0x8002};
    Make({{.p_key = 2, .is_port = true, .guid = GuidOf(0), .membership = Membership::kLimited},
          {.p_key = 2, .is_port = true, .guid = GuidOf(1), .membership = Membership::kLimited},
          {.p_key = 2, .is_port = true, .guid = GuidOf(2), .membership = Membership::kFull},
          {.p_key = 2, .is_port = true, .guid = GuidOf(3), .membership = Membership::kBoth}});
    for (const std::uint16_t p_key : kAsked) {
        EXPECT_FALSE(partitions_.Share(End(0), End(1), p_key));
        EXPECT_TRUE(partitions_.Share(End(0), End(2), p_key));
        EXPECT_TRUE(partitions_.Share(End(3), End(0), p_key));
        EXPECT_TRUE(partitions_.Share(End(2), End(3), p_key));
        EXPECT_TRUE(partitions_.Share(End(0), End(0), p_key)) << "with itself";
        EXPECT_FALSE(partitions_.Share(End(4), End(2), p_key)) << "no member";
        EXPECT_TRUE(partitions_.Holds(End(0), p_key));
        EXPECT_FALSE(partitions_.Holds(End(4), p_key));
    }
    EXPECT_FALSE(partitions_.Share(End(0), End(1)));
    EXPECT_TRUE(partitions_.Share(End(0), End(2)));
    EXPECT_EQ(partitions_.First(End(0), End(2)), 0x0002) << "what the sender's table holds";
    EXPECT_EQ(partitions_.First(End(2), End(0)), 0x8002);
    EXPECT_EQ(partitions_.First(End(3), End(0)), 0x8002) << "of both forms the full one";
    EXPECT_EQ(partitions_.First(End(0), End(1)), kNoPKey);
    EXPECT_FALSE(partitions_.Holds(End(0), kNoPKey));
    EXPECT_FALSE(partitions_.Holds(End(0), kFullMembership));
}

TEST_F(PartitionTableTest, PortsOfASwitchAreInThePartitionsOfItsPortZero) {
    Make({{.p_key = 1, .ports = PortClass::kSwitches, .membership = Membership::kFull},
          {.p_key = 2, .is_port = true, .guid = GuidOf(4), .membership = Membership::kLimited}});
    EXPECT_EQ(partitions_.Find(At(4, 3), 2).membership, Membership::kLimited);
    EXPECT_TRUE(partitions_.Share(At(4, 3), At(4, 0)));
}

TEST_F(PartitionTableTest, APortOfANodeThatIsGoneIsInNone) {
    Make({{.p_key = 1, .ports = PortClass::kAll, .membership = Membership::kFull}});
    EXPECT_TRUE(partitions_.Share(End(1), End(2)));
    const PortIndex gone = End(1);
    built_.fabric().port(gone).node = kNoNode;
    EXPECT_FALSE(partitions_.Holds(gone, 1));
    EXPECT_FALSE(partitions_.Share(gone, End(2)));
    EXPECT_FALSE(partitions_.Share(gone, gone));
    EXPECT_EQ(partitions_.First(gone, End(2)), kNoPKey);
    EXPECT_EQ(partitions_.FirstOf(gone), kNoPKey);
}

TEST_F(PartitionTableTest, IndexZeroIsOfThePartitionThatAskedLast) {
    Make({{.p_key = 3,
           .is_port = true,
           .guid = GuidOf(1),
           .membership = Membership::kFull,
           .is_first = true},
          {.p_key = 2,
           .is_port = true,
           .guid = GuidOf(1),
           .membership = Membership::kFull,
           .is_first = true},
          {.p_key = 1, .ports = PortClass::kAll, .membership = Membership::kFull},
          {.p_key = 0x7FFF, .ports = PortClass::kCas, .membership = Membership::kLimited}});
    EXPECT_EQ(partitions_.FirstOf(End(1)), 2);
    EXPECT_EQ(partitions_.FirstOf(End(2)), 0x7FFF);
    EXPECT_EQ(partitions_.FirstOf(End(4)), kNoPKey) << "it is not in the default partition";
    ASSERT_NE(partitions_.RowOf(0x8003), nullptr);
    EXPECT_EQ(partitions_.RowOf(0x8003)->p_key, 3);
    EXPECT_EQ(partitions_.RowOf(0x1233), nullptr);
}

/// Whatever the file says, every answer is that of the plain model.
TEST_F(PartitionTableTest, AnswersAsThePlainModelDoes) {
    std::mt19937 chance(20261123);
    const auto draw = [&chance](unsigned count) { return static_cast<unsigned>(chance() % count); };
    std::size_t members = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<Saying> sayings;
        for (unsigned i = draw(30); i > 0; --i) {
            Saying one{.p_key = kPKeys.at(draw(kPKeys.size())),
                       .is_port = draw(2) == 0,
                       .membership = static_cast<Membership>(1 + draw(3)),
                       .is_first = draw(4) == 0};
            if (one.is_port) one.guid = GuidOf(draw(kNodes));
            if (!one.is_port) one.ports = static_cast<PortClass>(draw(kPortClasses));
            const bool is_new = std::none_of(sayings.begin(), sayings.end(), [&](const auto& said) {
                return said.p_key == one.p_key && said.is_port == one.is_port &&
                       said.ports == one.ports && said.guid == one.guid;
            });
            if (is_new) sayings.push_back(one);
        }
        Make(sayings);
        for (std::uint32_t one = 0; one < kNodes; ++one) {
            PartitionWalk walk = partitions_.Of(End(one));
            PortPartition next{};
            for (const std::uint16_t p_key : kPKeys) {
                const PortPartition expected = Expected(sayings, one, p_key);
                ASSERT_EQ(partitions_.Find(End(one), p_key), expected) << round;
                ASSERT_EQ(partitions_.Find(End(one), p_key | kFullMembership), expected) << round;
                if (expected.membership == Membership::kNone) continue;
                ++members;
                ASSERT_TRUE(walk.Next(next)) << round;
                ASSERT_EQ(next, expected) << round;
            }
            ASSERT_FALSE(walk.Next(next)) << round;
            for (std::uint32_t other = 0; other < kNodes; ++other) {
                if (one == other) continue;
                std::uint16_t first = kNoPKey;
                for (const std::uint16_t p_key : kPKeys) {
                    const auto mine =
                        static_cast<unsigned>(Expected(sayings, one, p_key).membership);
                    const auto theirs =
                        static_cast<unsigned>(Expected(sayings, other, p_key).membership);
                    const bool share = mine != 0 && theirs != 0 && (mine >= 2 || theirs >= 2);
                    ASSERT_EQ(partitions_.Share(End(one), End(other), p_key), share) << round;
                    if (!share || first != kNoPKey) continue;
                    first = mine >= 2 ? p_key | kFullMembership : p_key;
                }
                ASSERT_EQ(partitions_.First(End(one), End(other)), first) << round;
                ASSERT_EQ(partitions_.Share(End(one), End(other)), first != kNoPKey) << round;
            }
        }
    }
    EXPECT_GT(members, 3000U);
}

TEST_F(PartitionTableTest, AFormOfAPKeyReachesWhomItMayTalkTo) {
    const auto member = [&](std::uint32_t node, Membership membership) {
        return Saying{.p_key = 1, .is_port = true, .guid = GuidOf(node), .membership = membership};
    };
    Make({member(1, Membership::kLimited), member(2, Membership::kFull),
          member(3, Membership::kBoth)});
    EXPECT_FALSE(partitions_.Reaches(0x0001, End(1))) << "both are limited";
    EXPECT_TRUE(partitions_.Reaches(0x8001, End(1)));
    for (const std::uint32_t full : {2U, 3U}) {
        EXPECT_TRUE(partitions_.Reaches(0x0001, End(full)));
        EXPECT_TRUE(partitions_.Reaches(0x8001, End(full)));
    }
    EXPECT_FALSE(partitions_.Reaches(0x8001, End(0))) << "it is no member";
    EXPECT_FALSE(partitions_.Reaches(0x8002, End(2)));
    EXPECT_FALSE(partitions_.Reaches(kNoPKey, End(2)));
    EXPECT_FALSE(partitions_.Reaches(kFullMembership, End(2)));
}

/// Of a port that is gone, only its PortGUID and the kind of its node are known.
TEST_F(PartitionTableTest, APortThatIsGoneSharesWhatItShared) {
    Make({{.p_key = 1, .is_port = true, .guid = GuidOf(1), .membership = Membership::kFull},
          {.p_key = 1, .is_port = true, .guid = GuidOf(2), .membership = Membership::kLimited},
          {.p_key = 2, .ports = PortClass::kSwitches, .membership = Membership::kFull},
          {.p_key = 2, .ports = PortClass::kRouters, .membership = Membership::kLimited},
          {.p_key = 3, .is_port = true, .guid = GuidOf(5), .membership = Membership::kLimited},
          {.p_key = 3, .is_port = true, .guid = GuidOf(3), .membership = Membership::kLimited}});
    std::size_t shared = 0;
    for (std::uint32_t one = 1; one < kNodes; ++one) {
        for (std::uint32_t other = 1; other < kNodes; ++other) {
            if (one == other) continue;
            const NodeType type = built_.fabric().node(built_.node(other)).type;
            const bool is_shared = partitions_.ShareWithDeparted(End(one), GuidOf(other), type);
            EXPECT_EQ(is_shared, partitions_.Share(End(one), End(other))) << one << ' ' << other;
            shared += is_shared ? 1U : 0U;
        }
    }
    EXPECT_EQ(shared, 4U) << "two pairs, each both ways";
    const Partitions none(built_.fabric());
    EXPECT_TRUE(none.ShareWithDeparted(End(1), Guid{77}, NodeType::kChannelAdapter));
}

}  // namespace
}  // namespace ember
