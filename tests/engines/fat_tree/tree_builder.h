// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees by hand, for tests.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/netlist.h"

namespace ember {

/// Trees by hand. Switches are named by level and place.
class Builder {
public:
    std::uint32_t Switch(const std::string& name, std::uint32_t ports = 36) {
        return netlist.Add(NodeType::kSwitch, ports, name, "");
    }
    std::uint32_t HostAt(std::uint32_t at, NodeType type = NodeType::kChannelAdapter) {
        const auto host = netlist.Add(type, 2, "host" + std::to_string(hosts_++), "");
        EXPECT_TRUE(netlist.ConnectAny(host, at));
        return host;
    }
    void Cables(std::uint32_t one, std::uint32_t other, int count = 1) {
        for (int i = 0; i < count; ++i) {
            EXPECT_TRUE(netlist.ConnectAny(one, other));
        }
    }
    [[nodiscard]] Guid guid(std::uint32_t node) const { return netlist.nodes[node].guid; }

    net::Netlist netlist;

private:
    int hosts_ = 0;
};

/// Two spines, `leaves` leaves, two hosts on each.
struct TwoLevels : Builder {
    explicit TwoLevels(int leaf_count) {
        spines = {Switch("spine0"), Switch("spine1")};
        for (int i = 0; i < leaf_count; ++i) {
            leaves.push_back(Switch("leaf" + std::to_string(i)));
            HostAt(leaves.back());
            HostAt(leaves.back());
            for (const std::uint32_t spine : spines) {
                Cables(leaves.back(), spine);
            }
        }
    }
    std::vector<std::uint32_t> spines;
    std::vector<std::uint32_t> leaves;
};

}  // namespace ember
