// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simulated agents keep the rules that the subnet manager is tested against.
#include "platform/sim/sma.h"

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "platform/sim/sim_bandwidth.h"
#include "tests/platform/sim/agent_probe.h"

namespace ember::sim {
namespace {

/// Host 0 asks; one switch (node 4) with 8 ports; hosts 1 to 3 on its ports 2 to 4.
class Agent : public ::testing::Test {
protected:
    static net::Netlist Net() {
        net::Netlist net;
        for (const char* name : {"H0", "H1", "H2", "H3"}) {
            net.Add(NodeType::kChannelAdapter, 1, name, name);
        }
        net.Add(NodeType::kSwitch, 8, "S", "the switch");
        for (std::uint32_t i = 0; i < 4; ++i) {
            net.Connect(i, 1, 4, i + 1);
        }
        net.AssignGuids();
        return net;
    }
    Agent() : sim_(Net()), ask_(sim_, sim_.Attach(0, 1)) {}

    PortInfo ReadPort(Probe::Path path, std::uint32_t number) {
        const Reply reply = ask_.Get(path, AttributeId::kPortInfo, number);
        EXPECT_EQ(reply.status, 0);
        return reply.As<PortInfo>();
    }
    std::uint16_t SetPort(Probe::Path path, std::uint32_t number, const PortInfo& info) {
        return ask_.Set(path, AttributeId::kPortInfo, number, info).status;
    }
    std::uint16_t SetState(Probe::Path path, std::uint32_t number, PortState state) {
        PortInfo info = ReadPort(path, number);
        info.Set(PortInfo::kPortState, state);
        return SetPort(path, number, info);
    }

    FabricSim sim_;
    Probe ask_;
};

TEST_F(Agent, TellsWhatItIsAndByWhichPortItWasAsked) {
    const auto host = ask_.Get({1, 3}, AttributeId::kNodeInfo).As<NodeInfo>();
    EXPECT_EQ(host.Get(NodeInfo::kNodeType), NodeType::kChannelAdapter);
    EXPECT_EQ(host.Get(NodeInfo::kLocalPortNum), PortNumber{1});
    EXPECT_EQ(host.Get(NodeInfo::kPortGuid), Guid{Raw(host.Get(NodeInfo::kNodeGuid)) + 1});
    const auto hub = ask_.Get({1}, AttributeId::kNodeInfo).As<NodeInfo>();
    EXPECT_EQ(hub.Get(NodeInfo::kNodeType), NodeType::kSwitch);
    EXPECT_EQ(hub.Get(NodeInfo::kNumPorts), 8);
    EXPECT_EQ(hub.Get(NodeInfo::kLocalPortNum), PortNumber{1});
    EXPECT_EQ(hub.Get(NodeInfo::kPortGuid), hub.Get(NodeInfo::kNodeGuid));
    const Reply text = ask_.Get({1}, AttributeId::kNodeDescription);
    EXPECT_EQ(std::string(text.data.begin(), text.data.begin() + 10), "the switch");
}

TEST_F(Agent, TakesAPortFromInitializeToActiveStepByStep) {
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kInitialize);
    EXPECT_EQ(SetState({1}, 2, PortState::kActive), kMadStatusInvalidField);
    EXPECT_EQ(SetState({1}, 2, PortState::kInitialize), kMadStatusInvalidField);
    EXPECT_EQ(SetState({1}, 2, PortState::kArmed), 0);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kArmed);
    EXPECT_EQ(SetState({1}, 2, PortState::kActive), 0);
    EXPECT_EQ(SetState({1}, 2, PortState::kArmed), kMadStatusInvalidField);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kActive);
    EXPECT_EQ(SetState({1}, 7, PortState::kArmed), kMadStatusInvalidField);  // No cable: DOWN.
}

TEST_F(Agent, TrainsALinkAgainThatWasSetDown) {
    SetState({1}, 2, PortState::kArmed);
    SetState({1}, 2, PortState::kDown);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kDown);
    EXPECT_FALSE(ask_.Get({1, 2}, AttributeId::kNodeInfo).came);
    sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 100'000);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kInitialize);
    EXPECT_TRUE(ask_.Get({1, 2}, AttributeId::kNodeInfo).came);
}

TEST_F(Agent, KeepsADisabledPortDownUntilItIsPolledAgain) {
    PortInfo info = ReadPort({1}, 2);
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kDisabled);
    EXPECT_EQ(SetPort({1}, 2, info), 0);
    sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 100'000);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortPhysicalState), PortPhysicalState::kDisabled);
    info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kPolling);
    EXPECT_EQ(SetPort({1}, 2, info), 0);
    sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 100'000);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kPortState), PortState::kInitialize);
}

TEST_F(Agent, KeepsALidButNotTheRequestToRegisterAgain) {
    PortInfo info = ReadPort({1, 2}, 1);
    info.Set(PortInfo::kLid, Lid{12});
    info.Set(PortInfo::kLmc, std::uint8_t{2});
    info.Set(PortInfo::kMasterSmLid, Lid{3});
    info.Set(PortInfo::kClientReregister, std::uint8_t{1});
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    EXPECT_EQ(SetPort({1, 2}, 1, info), 0);
    const PortInfo now = ReadPort({1, 2}, 1);
    EXPECT_EQ(now.Get(PortInfo::kLid), Lid{12});
    EXPECT_EQ(now.Get(PortInfo::kLmc), 2);
    EXPECT_EQ(now.Get(PortInfo::kMasterSmLid), Lid{3});
    EXPECT_EQ(now.Get(PortInfo::kClientReregister), 0);
    EXPECT_EQ(sim_.counters().reregistrations, 1U);
}

TEST_F(Agent, RefusesLidsThatNoPortMayHave) {
    PortInfo info = ReadPort({1, 2}, 1);
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    for (const auto& [lid, lmc] : {std::pair{0xC000, 0}, std::pair{0xFFFF, 0}, std::pair{13, 1}}) {
        info.Set(PortInfo::kLid, Lid{static_cast<std::uint16_t>(lid)});
        info.Set(PortInfo::kLmc, static_cast<std::uint8_t>(lmc));
        EXPECT_EQ(SetPort({1, 2}, 1, info), kMadStatusInvalidField) << lid;
    }
    EXPECT_EQ(ReadPort({1, 2}, 1).Get(PortInfo::kLid), kNoLid);
}

TEST_F(Agent, RefusesAnMtuOrVlsBeyondItsAbility) {
    PortInfo info = ReadPort({1}, 2);
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    info.Set(PortInfo::kNeighborMtu, Mtu{6});
    EXPECT_EQ(SetPort({1}, 2, info), kMadStatusInvalidField);
    info.Set(PortInfo::kNeighborMtu, Mtu::k1024);
    info.Set(PortInfo::kOperationalVls, VlCap::kVl0To14);
    EXPECT_EQ(SetPort({1}, 2, info), kMadStatusInvalidField);
    info.Set(PortInfo::kOperationalVls, VlCap::kVl0To3);
    EXPECT_EQ(SetPort({1}, 2, info), 0);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kNeighborMtu), Mtu::k1024);
}

TEST_F(Agent, TakesTheAllSupportedCodesAndTheExtendedModifier) {
    PortInfo info = ReadPort({1}, 2U | 1U << 31U);
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    info.Set(PortInfo::kLinkWidthEnabled, std::uint8_t{1});
    info.Set(PortInfo::kLinkSpeedExtEnabled, std::uint8_t{1});
    EXPECT_EQ(SetPort({1}, 2U | 1U << 31U, info), 0);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kLinkWidthEnabled), 1);
    info.Set(PortInfo::kLinkWidthEnabled, std::uint8_t{0xFF});
    info.Set(PortInfo::kLinkSpeedExtEnabled, std::uint8_t{0x1F});
    EXPECT_EQ(SetPort({1}, 2U | 1U << 31U, info), 0);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kLinkWidthEnabled), 3);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kLinkSpeedExtEnabled), 3);
    EXPECT_EQ(ReadPort({1}, 2).Get(PortInfo::kLinkSpeedExtActive), 2);  // EDR, since it trained.
}

TEST_F(Agent, ShowsPortStateChangeUntilItIsCleared) {
    auto info = ask_.Get({1}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(info.Get(SwitchInfo::kPortStateChange), 1);
    EXPECT_EQ(info.Get(SwitchInfo::kLinearFdbTop), kNoLid);
    info.Set(SwitchInfo::kLinearFdbTop, Lid{77});
    info.Set(SwitchInfo::kPortStateChange, std::uint8_t{0});
    EXPECT_EQ(ask_.Set({1}, AttributeId::kSwitchInfo, 0, info).status, 0);
    auto now = ask_.Get({1}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(now.Get(SwitchInfo::kPortStateChange), 1) << "writing 0 does nothing";
    EXPECT_EQ(now.Get(SwitchInfo::kLinearFdbTop), Lid{77});
    EXPECT_EQ(ask_.Set({1}, AttributeId::kSwitchInfo, 0, now).status, 0);
    now = ask_.Get({1}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(now.Get(SwitchInfo::kPortStateChange), 0);
    SetState({1}, 2, PortState::kArmed);
    now = ask_.Get({1}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(now.Get(SwitchInfo::kPortStateChange), 0) << "a Set is no change of the link";
    sim_.Do(FabricSim::Action::kCut, sim_.RowOf(2, 1));
    now = ask_.Get({1}, AttributeId::kSwitchInfo).As<SwitchInfo>();
    EXPECT_EQ(now.Get(SwitchInfo::kPortStateChange), 1);
}

TEST_F(Agent, KeepsForwardingTablesWithinTheirSize) {
    SmpData block{};
    block.fill(3);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kLinearForwardingTable, 5).data[7], 255);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kLinearForwardingTable, 5, block).status, 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kLinearForwardingTable, 5).data, block);
    EXPECT_EQ(sim_.world().LftEntry(4, 5 * 64 + 7), 3);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kLinearForwardingTable, 767, block).status, 0);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kLinearForwardingTable, 768, block).status,
              kMadStatusInvalidField);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kMulticastForwardingTable, 31, block).status, 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kMulticastForwardingTable, 31).data, block);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kMulticastForwardingTable, 32, block).status,
              kMadStatusInvalidField);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kMulticastForwardingTable, 1U << 28U, block).status,
              kMadStatusInvalidField);  // Ports 16 to 31: it has 8.
}

TEST_F(Agent, KeepsTheOtherTables) {
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kPKeyTable, 0).data[0], 0xFF);
    SmpData keys{};
    keys[1] = 7;
    EXPECT_EQ(ask_.Set({1}, AttributeId::kPKeyTable, 3U << 16U | 1U, keys).status, 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kPKeyTable, 3U << 16U | 1U).data, keys);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kPKeyTable, 3U << 16U | 2U).status,
              kMadStatusInvalidField);
    SmpData map{};
    map[0] = 0x12;
    EXPECT_EQ(ask_.Set({1}, AttributeId::kSlToVlMappingTable, 0x0305, map).status, 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kSlToVlMappingTable, 0x0305).data[0], 0x12);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kSlToVlMappingTable, 0x0503).data[0], 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kSlToVlMappingTable, 0x0309).status,
              kMadStatusInvalidField);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kSlToVlMappingTable, 0x30000, map).status, 0);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kSlToVlMappingTable, 0x0701).data[0], 0x12);
    EXPECT_EQ(ask_.Set({1, 2}, AttributeId::kVlArbitrationTable, 1U << 16U, keys).status, 0);
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kVlArbitrationTable, 1U << 16U).data, keys);
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kVlArbitrationTable, 0).status, kMadStatusInvalidField);
    EXPECT_EQ(ask_.Set({1, 2}, AttributeId::kGuidInfo, 0, keys).status, 0);
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kGuidInfo, 0).data[5], 0x10)
        << "entry 0 is the port's own GUID";
}

static_assert(RowsTile<kBandwidthSls>(0, 512, SimBandwidthTable::Row));

TEST_F(Agent, KeepsLimitsOfBandwidthOfHosts) {
    const SimBandwidth codec;
    BandwidthRates rates{};
    rates[1] = 50;
    rates[15] = 0x01020304;
    const SmpData limits = codec.Encode(rates);
    EXPECT_EQ(limits[7], 50);
    EXPECT_EQ(limits[60], 1) << "most significant octet first";
    const auto modifier = [&codec](bool is_virtual, std::uint8_t number) {
        return codec.ModifierOf(
            {.port = PortNumber{1}, .is_virtual = is_virtual, .virtual_port = number});
    };
    for (const std::uint32_t table : {modifier(false, 0), modifier(true, 0), modifier(true, 7)}) {
        EXPECT_EQ(ask_.Get({1, 2}, kSimBandwidth, table).data, SmpData{}) << "a table of its own";
        EXPECT_EQ(ask_.Set({1, 2}, kSimBandwidth, table, limits).status, 0);
        EXPECT_EQ(ask_.Get({1, 2}, kSimBandwidth, table).data, limits);
        EXPECT_EQ(ask_.Get({1, 3}, kSimBandwidth, table).data, SmpData{}) << "another host";
    }
    EXPECT_EQ(ask_.Get({1, 2}, kSimBandwidth, modifier(true, 8)).status, kMadStatusInvalidField);
    EXPECT_EQ(ask_.Get({1, 2}, kSimBandwidth, 0x0200).status, kMadStatusInvalidField);
    EXPECT_EQ(ask_.Set({1}, kSimBandwidth, 0x0100, limits).status, kMadStatusBadMethodAttribute)
        << "a switch has none";
    EXPECT_TRUE(codec.Takes({.type = NodeType::kRouter}));
    EXPECT_FALSE(codec.Takes({.type = NodeType::kSwitch}));
}

TEST_F(Agent, AnswersWhatItDoesNotKnowWithTheRightStatus) {
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kSwitchInfo).status, kMadStatusBadMethodAttribute);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kRandomForwardingTable).status,
              kMadStatusBadMethodAttribute);
    EXPECT_EQ(ask_.Get({1}, AttributeId{0x00AB}).status, kMadStatusBadMethodAttribute);
    EXPECT_EQ(ask_.Set({1}, AttributeId::kNodeInfo, 0, SmpData{}).status,
              kMadStatusBadMethodAttribute);
    EXPECT_EQ(ask_.Ask({1}, Method::kGetTable, AttributeId::kNodeInfo, 0, {}).status,
              kMadStatusBadMethod);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kPortInfo, 9).status, kMadStatusInvalidField);
    EXPECT_EQ(ask_.Get({1}, AttributeId::kVendorDiag).status, 0);
    SmpData on{};
    on[0] = 0x80;
    EXPECT_EQ(ask_.Set({1, 2}, AttributeId::kLedInfo, 0, on).status, 0);
    EXPECT_EQ(ask_.Get({1, 2}, AttributeId::kLedInfo).data, on);
    EXPECT_FALSE(ask_.Get({1, 2}, AttributeId::kSmInfo).came) << "no subnet manager is there";
}

TEST_F(Agent, GuardsItselfWithItsMKey) {
    PortInfo info = ReadPort({1, 2}, 1);
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    info.Set(PortInfo::kLid, Lid{5});
    info.Set(PortInfo::kMKey, std::uint64_t{0xBEEF});
    ASSERT_EQ(SetPort({1, 2}, 1, info), 0);

    // Protection 0: all may read everything, and only the owner may write.
    EXPECT_EQ(ReadPort({1, 2}, 1).Get(PortInfo::kMKey), 0xBEEFU);
    EXPECT_FALSE(ask_.Set({1, 2}, AttributeId::kPortInfo, 1, info).came);
    ask_.m_key = 0xBEEF;
    info.Set(PortInfo::kMKeyProtectBits, std::uint8_t{1});
    EXPECT_EQ(SetPort({1, 2}, 1, info), 0);
    ask_.m_key = 0;  // 1: reading hides the key.
    EXPECT_EQ(ReadPort({1, 2}, 1).Get(PortInfo::kMKey), 0U);
    ask_.m_key = 0xBEEF;
    info.Set(PortInfo::kMKeyProtectBits, std::uint8_t{2});
    info.Set(PortInfo::kMKeyLeasePeriod, std::uint16_t{2});
    EXPECT_EQ(SetPort({1, 2}, 1, info), 0);
    ask_.m_key = 0;  // 2: silence, until the lease has run out.
    EXPECT_FALSE(ask_.Get({1, 2}, AttributeId::kNodeInfo).came);
    sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 3'000'000);
    EXPECT_TRUE(ask_.Get({1, 2}, AttributeId::kNodeInfo).came);
    EXPECT_GE(ReadPort({1, 2}, 1).Get(PortInfo::kMKeyViolations), 1);
    // The lease has made the key readable, and has not taken it away.
    EXPECT_EQ(ReadPort({1, 2}, 1).Get(PortInfo::kMKeyProtectBits), 0);
    EXPECT_EQ(ReadPort({1, 2}, 1).Get(PortInfo::kMKey), 0xBEEFU);
    EXPECT_FALSE(ask_.Set({1, 2}, AttributeId::kPortInfo, 1, info).came);
    ask_.m_key = 0xBEEF;
    EXPECT_TRUE(ask_.Set({1, 2}, AttributeId::kPortInfo, 1, info).came);
}

}  // namespace
}  // namespace ember::sim
