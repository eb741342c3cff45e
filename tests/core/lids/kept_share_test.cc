// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the share of kept LIDs that one port has.

#include "core/lids/kept_share.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

#include "core/lids/lids.h"
#include "core/manager/storage.h"

namespace ember {
namespace {

constexpr Limits kLimits{.max_nodes = 64,
                         .max_switches = 16,
                         .max_ports = 512,
                         .max_switch_ports = 16,
                         .max_lid = 200,
                         .max_smps = 16,
                         .max_other_sms = 2,
                         .journal_notes = 64,
                         .scratch_bytes = 1U << 20U};

/// A store of one slot.
class OneSlot final : public Store {
public:
    Status Save(StoreSlot, std::span<const std::byte> octets) override {
        octets_.assign(octets.begin(), octets.end());
        return Status::kOk;
    }
    Result<std::size_t> Load(StoreSlot, std::span<std::byte> octets) override {
        if (octets_.empty()) return Status::kAbsent;
        std::copy(octets_.begin(), octets_.end(), octets.begin());
        return octets_.size();
    }

private:
    std::vector<std::byte> octets_;
};

/// A switch with the manager at its port 1, and what a test plugs into other ports.
class KeptShares : public ::testing::Test {
protected:
    KeptShares() {
        hub_ = Add(NodeType::kSwitch, 0x2000, 16);
        Plug(hub_, 1, 0x1);
        fabric_.SetOwnPort(fabric_.FindPort(Guid{0x1}));
        Assign();
    }

    /// A host, or a switch, with this GUID behind a port of `at`.
    NodeIndex Plug(NodeIndex at, std::uint8_t port, std::uint64_t guid,
                   NodeType type = NodeType::kChannelAdapter) {
        const NodeIndex node = Add(type, guid, type == NodeType::kSwitch ? 16 : 1);
        const PortIndex exit = fabric_.PortOf(at, PortNumber{port});
        fabric_.Connect(exit, fabric_.PortOf(node, PortNumber{1}));
        fabric_.node(node).entry = exit;
        if (type != NodeType::kSwitch) fabric_.port(exit).had_end_node = true;
        return node;
    }
    void Unplug(std::uint64_t guid) { fabric_.RemoveNode(fabric_.FindNode(Guid{guid})); }
    void Assign() {
        Arena scratch(storage_->memory().scratch);
        outcome_ = AssignLids(fabric_, map_, Settings{}, true, scratch);
    }
    /// Another GUID comes to the port, and leaves.
    void Visit(std::uint8_t port, std::uint64_t guid) {
        Plug(hub_, port, guid);
        Assign();
        Unplug(guid);
        Assign();
    }
    void Restart(std::uint32_t dropped = 0) {
        OneSlot store;
        Arena scratch(storage_->memory().scratch);
        ASSERT_EQ(map_.Save(store, scratch), Status::kOk);
        std::uint32_t lost = 0;
        ASSERT_EQ(map_.Load(store, scratch, 0, lost), Status::kOk);
        EXPECT_EQ(lost, dropped);
    }
    [[nodiscard]] bool IsKept(std::uint64_t guid) const { return map_.Find(Guid{guid}) != nullptr; }
    [[nodiscard]] std::uint32_t TopKept() const {
        std::uint32_t top = 0;
        for (const KeptLids& kept : map_.entries()) {
            top = std::max<std::uint32_t>(top, Raw(kept.most));
        }
        return top;
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    Fabric fabric_{storage_->memory().fabric, kLimits};
    LidMap map_{storage_->memory().lids, kLimits.max_lid};
    LidOutcome outcome_;
    NodeIndex hub_ = kNoNode;

private:
    NodeIndex Add(NodeType type, std::uint64_t guid, std::uint8_t ports) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, Guid{guid});
        info.Set(NodeInfo::kNumPorts, ports);
        const NodeIndex node = fabric_.AddNode(info).value();
        const PortIndex end = fabric_.node(node).first_port;
        EXPECT_TRUE(fabric_.NamePort(end, Guid{guid}));
        fabric_.port(end).has_info = true;
        if (type == NodeType::kSwitch) {
            fabric_.switch_row(fabric_.node(node).switch_index)
                .info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{49152});
        }
        return node;
    }
};

TEST_F(KeptShares, AHostThatComesWithNewGuidsForEverHasFewLids) {
    Plug(hub_, 2, 0x5);
    Assign();
    const std::uint32_t before = TopKept();
    for (std::uint64_t guid = 0x100; guid < 0x180; ++guid) {
        Visit(9, guid);
        EXPECT_LE(TopKept(), before + kKeptArrivals + 2) << guid;
    }
    EXPECT_LE(map_.entries().size(), 3 + kKeptArrivals + 1);
    EXPECT_TRUE(IsKept(0x5));
    EXPECT_TRUE(IsKept(0x17F)) << "the last ones are kept";
    EXPECT_FALSE(IsKept(0x100));
}

TEST_F(KeptShares, WhatIsOffKeepsItsLidsHoweverOftenOthersComeElsewhere) {
    Visit(2, 0x5);
    const NodeIndex leaf = Plug(hub_, 3, 0x3000, NodeType::kSwitch);
    Plug(leaf, 4, 0x6);
    Assign();
    const KeptLids was = *map_.Find(Guid{0x6});
    Unplug(0x6);
    Unplug(0x3000);
    for (std::uint64_t guid = 0x100; guid < 0x180; ++guid) {
        Visit(9, guid);
    }
    EXPECT_TRUE(IsKept(0x5));
    EXPECT_TRUE(IsKept(0x3000));
    ASSERT_TRUE(IsKept(0x6));
    EXPECT_EQ(map_.Find(Guid{0x6})->least, was.least);
}

TEST_F(KeptShares, WhoComesBackInTimeHasItsLidsAndCountsAnew) {
    for (std::uint64_t turn = 0; turn < 20; ++turn) {
        for (std::uint64_t guid = 0x100; guid < 0x101 + kKeptArrivals; ++guid) {
            Visit(9, guid);
        }
        ASSERT_EQ(map_.entries().size(), 3 + kKeptArrivals) << turn;
        EXPECT_TRUE(IsKept(0x100)) << "no more came since than are kept";
    }
}

TEST_F(KeptShares, TheCountOutlivesARestart) {
    Visit(9, 0x100);
    for (std::uint64_t guid = 0x101; guid < 0x101 + kKeptArrivals; ++guid) {
        Visit(9, guid);
        Restart();
    }
    EXPECT_TRUE(IsKept(0x100));
    Visit(9, 0x200);
    EXPECT_FALSE(IsKept(0x100));
    EXPECT_TRUE(IsKept(0x101));
}

TEST_F(KeptShares, AHostThatMovesIsAnArrivalWhereItComesAndNoneWhereItStays) {
    Visit(9, 0x100);
    Plug(hub_, 10, 0x5);
    for (int sweep = 0; sweep < 20; ++sweep) {
        Assign();
    }
    for (std::uint8_t turn = 0; turn <= kKeptArrivals; ++turn) {
        EXPECT_TRUE(IsKept(0x100)) << unsigned{turn};
        Unplug(0x5);
        Plug(hub_, 9, 0x5);
        Assign();
        Unplug(0x5);
        Plug(hub_, 10, 0x5);
        Assign();
    }
    EXPECT_FALSE(IsKept(0x100));
}

/// A switch that a sweep meets by another of its links hangs where it hung: nothing is written.
TEST_F(KeptShares, ASwitchWithSeveralLinksStaysWhereItWasMet) {
    const NodeIndex leaf = Plug(hub_, 3, 0x3000, NodeType::kSwitch);
    fabric_.Connect(fabric_.PortOf(hub_, PortNumber{4}), fabric_.PortOf(leaf, PortNumber{2}));
    Assign();
    Restart();
    ASSERT_FALSE(map_.changed());
    for (const PortNumber port : {PortNumber{4}, PortNumber{3}, PortNumber{4}}) {
        fabric_.node(leaf).entry = fabric_.PortOf(hub_, port);
        Assign();
        EXPECT_FALSE(map_.changed()) << unsigned{Raw(port)};
    }
    EXPECT_EQ(map_.Find(Guid{0x3000})->exit.port, PortNumber{3});
}

/// The host plays a switch with hosts behind it, all of them with new GUIDs each time.
TEST_F(KeptShares, AHostThatPlaysAFabricHasTheShareOfItsPort) {
    fabric_.port(fabric_.PortOf(hub_, PortNumber{9})).had_end_node = true;
    constexpr std::uint64_t kHosts = 10;
    const std::size_t honest = map_.entries().size();
    for (std::uint64_t turn = 0; turn < 30; ++turn) {
        const std::uint64_t guid = 0x10000 + turn * 0x100;
        const NodeIndex fake = Plug(hub_, 9, guid, NodeType::kSwitch);
        for (std::uint64_t host = 1; host <= kHosts; ++host) {
            Plug(fake, static_cast<std::uint8_t>(1 + host), guid + host);
        }
        Assign();
        EXPECT_EQ(outcome_.without, 0U);
        EXPECT_LE(map_.entries().size(), honest + 2 * (kHosts + 1)) << turn;
        for (std::uint64_t node = 0; node <= kHosts; ++node) {
            Unplug(guid + kHosts - node);
        }
        Assign();
    }
    EXPECT_LE(TopKept(), honest + 3 * (kHosts + 1));
}

/// A node that hung on a switch whose own LIDs are forgotten has no place to come back to.
TEST_F(KeptShares, WhatHungOnASwitchThatIsForgottenIsForgotten) {
    const NodeIndex leaf = Plug(hub_, 3, 0x3000, NodeType::kSwitch);
    Plug(leaf, 4, 0x6);
    Assign();
    Unplug(0x6);
    Unplug(0x3000);
    for (std::uint64_t guid = 0x3001; guid <= 0x3001 + kKeptArrivals; ++guid) {
        EXPECT_TRUE(IsKept(0x6)) << guid;
        Plug(hub_, 3, guid, NodeType::kSwitch);
        Assign();
        Unplug(guid);
    }
    EXPECT_FALSE(IsKept(0x3000));
    EXPECT_FALSE(IsKept(0x6));
}

}  // namespace
}  // namespace ember
