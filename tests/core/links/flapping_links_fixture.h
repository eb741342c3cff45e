// SPDX-License-Identifier: Apache-2.0
// EmberSM: two switches, three links between them, and a host on each.
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/time.h"
#include "core/links/flapping_links.h"
#include "tests/support/fabric_builder.h"

namespace ember::flapping_links {

// Nodes of the subnet, in the order of the netlist.
inline constexpr std::uint32_t kManager = 0;
inline constexpr std::uint32_t kOne = 1;
inline constexpr std::uint32_t kOther = 2;
inline constexpr std::uint32_t kFarHost = 3;

inline constexpr std::uint64_t kStartUs = 1'000'000 * kSecondUs;
inline constexpr std::uint64_t kWindowUs = 60 * kSecondUs;
inline constexpr std::uint64_t kHoldUs = 20 * kSecondUs;

/// Port 1 of each switch leads to a host; ports 2 and 3 lead to the other switch; port 4 is free.
inline net::Netlist Subnet() {
    net::Netlist net;
    net.Add(NodeType::kChannelAdapter, 1, "manager", "");
    net.Add(NodeType::kSwitch, 4, "one", "");
    net.Add(NodeType::kSwitch, 4, "other", "");
    net.Add(NodeType::kChannelAdapter, 1, "far host", "");
    net.Connect(kManager, 1, kOne, 1);
    net.Connect(kOne, 2, kOther, 2);
    net.Connect(kOne, 3, kOther, 3);
    net.Connect(kOther, 1, kFarHost, 1);
    net.AssignGuids();
    return net;
}

class FlappingLinksTest : public ::testing::Test {
protected:
    explicit FlappingLinksTest(std::size_t rows = 4) : rows_(rows) {
        settings_.flapping_link_count = 3;
        settings_.flapping_link_window = 60;
        settings_.flapping_link_hold = 20;
        // The paths that a sweep would have found.
        fabric().node(built_.node(kOne)).entry = At(kManager, 1);
        fabric().node(built_.node(kOther)).entry = At(kOne, 2);
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] PortIndex At(std::uint32_t node, unsigned number) {
        return fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    /// A sweep finds the link of `at` lost.
    bool Lose(PortIndex at, std::uint64_t now_us) {
        links_.BeginSweep(true);
        return links_.NoteLoss(at, now_us);
    }
    /// flapping_link_count losses, the last one at `now_us`.
    void LoseTooOften(PortIndex at, std::uint64_t now_us) {
        for (unsigned before = settings_.flapping_link_count; before > 0; --before) {
            EXPECT_TRUE(Lose(at, now_us - (before - 1) * kSecondUs));
        }
    }
    void Review(std::uint64_t now_us) { links_.Review(now_us, scratch_.arena()); }
    [[nodiscard]] std::size_t CountOf(LinkVerdict verdict) const { return links_.CountOf(verdict); }
    [[nodiscard]] bool IsQuarantined(PortIndex at) { return fabric().port(at).quarantined; }
    [[nodiscard]] const FlappingStatistics& statistics() const { return links_.statistics(); }

    testing::BuiltFabric built_{Subnet()};
    std::array<LogRecord, 64> ring_{};
    Log log_{ring_};
    Settings settings_;
    std::vector<FlappingLink> rows_;
    FlappingLinks links_{rows_, built_.fabric(), log_, settings_};
    testing::ArenaStorage scratch_{FlappingLinks::ScratchBytes(built_.limits())};
};

}  // namespace ember::flapping_links
