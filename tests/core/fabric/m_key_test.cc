// SPDX-License-Identifier: Apache-2.0
// EmberSM: which M_Key a port shall have, and which one a question to it bears.
#include "core/fabric/m_key.h"

#include <gtest/gtest.h>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"

namespace ember {
namespace {

// The values are those of an implementation that gives the test vector of the paper's authors.
TEST(MKeyRule, MakesAKeyFromSecretAndGuidBySipHash) {
    EXPECT_EQ(MKeyFrom({0x5EC2E7, true}, Guid{0x0002C90300001234}), 0x073D1621EE53C486U);
    EXPECT_EQ(MKeyFrom({0x0123456789ABCDEF, true}, Guid{0xFEDCBA9876543210}), 0x92078472C54620C1U);
}

TEST(MKeyRule, GivesOneKeyForAllOrNone) {
    EXPECT_EQ(MKeyFrom({7, false}, Guid{1}), 7U);
    EXPECT_EQ(MKeyFrom({7, false}, kNoGuid), 7U);
    EXPECT_EQ(MKeyFrom({0, true}, Guid{1}), 0U);
    EXPECT_EQ(MKeyFrom({7, true}, kNoGuid), 0U) << "a stranger is asked without a key";
}

class MKeyOfPort : public ::testing::Test {
protected:
    MKeyOfPort() : built_(net::FatTree2(4)), fabric_(built_.fabric()) {
        settings_.m_key = 0x77;
        ForEachNode(fabric_, [this](NodeIndex, const Node& node) {
            if (node.type != NodeType::kSwitch) return;
            switch_ = node.first_port;
            exit_ = fabric_.PortOf(fabric_.port(switch_).node, PortNumber{1});
        });
    }

    net::BuiltFabric built_;
    Fabric& fabric_;
    Settings settings_;
    PortIndex switch_ = kNoPortIndex;
    PortIndex exit_ = kNoPortIndex;
};

TEST_F(MKeyOfPort, IsTheOneThatItHasElseTheOneThatItShallHave) {
    EXPECT_EQ(MKeyOf(fabric_, settings_, switch_), 0x77U);
    EXPECT_EQ(MKeyOf(fabric_, settings_, exit_), 0x77U);
    fabric_.port(switch_).info.Set(PortInfo::kMKey, std::uint64_t{0x88});
    EXPECT_EQ(MKeyOf(fabric_, settings_, switch_), 0x88U);
    EXPECT_EQ(MKeyOf(fabric_, settings_, exit_), 0x88U) << "port 0 guards the switch";
    settings_.m_key_lookup = false;
    EXPECT_EQ(MKeyOf(fabric_, settings_, switch_), 0x77U);
}

TEST_F(MKeyOfPort, IsMadeForAPortThatWasReadOnly) {
    settings_.m_key_per_port = true;
    fabric_.port(switch_).has_info = true;
    EXPECT_EQ(MKeyOf(fabric_, settings_, exit_),
              MKeyFrom({0x77, true}, fabric_.port(switch_).guid));
    fabric_.port(switch_).has_info = false;
    EXPECT_EQ(MKeyOf(fabric_, settings_, exit_), 0U);
}

TEST_F(MKeyOfPort, BeyondALinkIsThatOfThePeer) {
    const PortIndex peer = fabric_.port(exit_).peer;
    ASSERT_NE(peer, kNoPortIndex);
    fabric_.port(MKeyPortOf(fabric_, peer)).info.Set(PortInfo::kMKey, std::uint64_t{0x99});
    EXPECT_EQ(MKeyBeyond(fabric_, settings_, exit_), 0x99U);
    fabric_.Disconnect(exit_);
    EXPECT_EQ(MKeyBeyond(fabric_, settings_, exit_), 0x77U);
    settings_.m_key_per_port = true;
    EXPECT_EQ(MKeyBeyond(fabric_, settings_, exit_), 0U);
}

}  // namespace
}  // namespace ember
