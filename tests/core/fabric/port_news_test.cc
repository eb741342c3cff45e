// SPDX-License-Identifier: Apache-2.0
// EmberSM: capabilities of ports and switches are compared field by field.
#include "core/fabric/port_news.h"

#include <array>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

template <typename Info>
[[nodiscard]] Info With(const Info& info, Extent extent) {
    const Field<std::uint64_t> field{extent};
    Info other = info;
    other.Set(field, other.Get(field) ^ 1U);
    return other;
}

TEST(PortNews, AreAllCapabilitiesOfAPort) {
    constexpr std::array kFields = {static_cast<Extent>(PortInfo::kMtuCap),
                                    static_cast<Extent>(PortInfo::kVlCap),
                                    static_cast<Extent>(PortInfo::kCapabilityMask),
                                    static_cast<Extent>(PortInfo::kLinkWidthSupported),
                                    static_cast<Extent>(PortInfo::kLinkSpeedSupported),
                                    static_cast<Extent>(PortInfo::kLinkSpeedExtSupported),
                                    static_cast<Extent>(PortInfo::kVlArbitrationHighCap),
                                    static_cast<Extent>(PortInfo::kVlArbitrationLowCap),
                                    static_cast<Extent>(PortInfo::kGuidCap)};
    const PortInfo info{};
    EXPECT_TRUE(CanTheSame(info, info));
    for (const Extent field : kFields) {
        EXPECT_FALSE(CanTheSame(info, With(info, field))) << field.bit;
    }
    EXPECT_TRUE(CanTheSame(info, With(info, static_cast<Extent>(PortInfo::kPKeyViolations))));
}

TEST(PortNews, AreAllCapabilitiesOfASwitch) {
    constexpr std::array kFields = {
        static_cast<Extent>(SwitchInfo::kLinearFdbCap),
        static_cast<Extent>(SwitchInfo::kMulticastFdbCap),
        static_cast<Extent>(SwitchInfo::kPartitionEnforcementCap),
        static_cast<Extent>(SwitchInfo::kInboundEnforcementCap),
        static_cast<Extent>(SwitchInfo::kOutboundEnforcementCap),
        static_cast<Extent>(SwitchInfo::kEnhancedPort0),
        static_cast<Extent>(SwitchInfo::kOptimizedSlToVlMappingProgramming)};
    const SwitchInfo info{};
    EXPECT_TRUE(CanTheSame(info, info));
    for (const Extent field : kFields) {
        EXPECT_FALSE(CanTheSame(info, With(info, field))) << field.bit;
    }
    EXPECT_TRUE(CanTheSame(info, With(info, static_cast<Extent>(SwitchInfo::kPortStateChange))));
}

/// Whether a switch has SL to VL maps is told by its port 0, for all of its ports.
TEST(PortNews, DoubtTheLaneTablesThatFollowFromThem) {
    net::BuiltFabric built(net::SingleSwitch(2));
    Fabric& fabric = built.fabric();
    const PortIndex first = fabric.ManagementPortOf(SwitchIndex{0});
    const auto of_switch = fabric.PortsOf(fabric.port(first).node);
    const auto set_right = [&] {
        for (Port& port : of_switch) {
            port.has_info = true;
            port.lane_state = LaneState::kRight;
        }
    };
    set_right();
    NotePortNews(fabric, first, fabric.port(first).info);
    for (const Port& port : of_switch) {
        EXPECT_EQ(port.lane_state, LaneState::kRight) << "nothing has changed";
    }
    PortInfo info = fabric.port(first).info;
    info.Set(PortInfo::kCapabilityMask,
             info.Get(PortInfo::kCapabilityMask) ^ capability_mask::kIsSlMappingSupported);
    NotePortNews(fabric, first, info);
    for (const Port& port : of_switch) {
        EXPECT_EQ(port.lane_state, LaneState::kUnconfirmed) << Raw(port.number);
    }
    set_right();
    const PortIndex second = fabric.IndexOf(of_switch[1]);
    NotePortNews(fabric, second,
                 With(of_switch[1].info, static_cast<Extent>(PortInfo::kVlArbitrationHighCap)));
    EXPECT_EQ(of_switch[1].lane_state, LaneState::kUnconfirmed);
    EXPECT_EQ(of_switch[2].lane_state, LaneState::kRight);
}

}  // namespace
}  // namespace ember
