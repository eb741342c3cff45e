// SPDX-License-Identifier: Apache-2.0
// EmberSM: fabrics of well-known shapes.
#include "config/netlist/topologies.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "config/netlist/random.h"
#include "core/base/assert.h"

namespace ember::net {
namespace {

/// Collects hosts and switches and cables between them; hosts come first in the netlist.
class Builder {
public:
    /// A switch with its hosts on ports 1 … hosts; returns its number.
    std::uint32_t AddSwitch(std::uint32_t ports, std::uint32_t hosts, std::string description) {
        switches_.emplace_back(ports, std::move(description));
        const auto number = static_cast<std::uint32_t>(switches_.size() - 1);
        for (std::uint32_t i = 0; i < hosts; ++i) {
            homes_.emplace_back(number, i + 1);
        }
        return number;
    }
    void Link(std::uint32_t one, std::uint32_t other) { links_.emplace_back(one, other); }

    /// Cables between switches take the lowest free ports, in the order they were drawn.
    [[nodiscard]] Netlist Build() const {
        Netlist net;
        for (std::size_t i = 0; i < homes_.size(); ++i) {
            net.Add(NodeType::kChannelAdapter, 1, {}, "host " + std::to_string(i + 1));
        }
        for (const auto& [ports, description] : switches_) {
            net.Add(NodeType::kSwitch, ports, {}, description);
        }
        const auto first_switch = static_cast<std::uint32_t>(homes_.size());
        for (std::uint32_t i = 0; i < first_switch; ++i) {
            net.Connect(i, 1, first_switch + homes_[i].first, homes_[i].second);
        }
        for (const auto& [one, other] : links_) {
            const bool fits = net.ConnectAny(first_switch + one, first_switch + other);
            EMBER_ASSERT(fits);
        }
        return net;
    }

private:
    std::vector<std::pair<std::uint32_t, std::string>> switches_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> homes_;  ///< Switch and port, by host.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;
};

/// Names every node after its GUID.
Netlist Named(Netlist net) {
    net.AssignGuids();
    for (NetNode& node : net.nodes) {
        std::array<char, 16> digits{};
        char* const last = digits.data() + digits.size();
        const char* const end = std::to_chars(digits.data(), last, Raw(node.guid), 16).ptr;
        const auto count = static_cast<std::size_t>(end - digits.data());
        node.id = node.is_switch() ? "S-" : "H-";
        node.id.append(digits.size() - count, '0').append(digits.data(), count);
    }
    return net;
}

std::uint32_t CountOf(std::span<const std::uint32_t> sizes) {
    std::uint32_t count = 1;
    for (const std::uint32_t size : sizes) {
        count *= size;
    }
    return count;
}

std::string PlaceOf(std::uint32_t number, std::span<const std::uint32_t> sizes) {
    std::string place = "switch";
    for (const std::uint32_t size : sizes) {
        place += (place == "switch" ? " " : ",") + std::to_string(number % size);
        number /= size;
    }
    return place;
}

Netlist Grid(std::span<const std::uint32_t> sizes, std::uint32_t hosts, bool closed) {
    Builder builder;
    const std::uint32_t count = CountOf(sizes);
    const auto ports = static_cast<std::uint32_t>(hosts + 2 * sizes.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        builder.AddSwitch(ports, hosts, PlaceOf(i, sizes));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t stride = 1;
        for (const std::uint32_t size : sizes) {
            const std::uint32_t at = i / stride % size;
            const bool wraps = at + 1 == size;
            if (!wraps) builder.Link(i, i + stride);
            if (wraps && closed && size > 2) builder.Link(i, i - at * stride);
            stride *= size;
        }
    }
    return Named(builder.Build());
}

}  // namespace

Netlist FatTree2(std::uint32_t k) {
    EMBER_ASSERT(k >= 2 && k % 2 == 0 && k <= 254);
    Builder builder;
    for (std::uint32_t i = 0; i < k; ++i) {
        builder.AddSwitch(k, k / 2, "leaf " + std::to_string(i + 1));
    }
    for (std::uint32_t i = 0; i < k / 2; ++i) {
        const std::uint32_t spine = builder.AddSwitch(k, 0, "spine " + std::to_string(i + 1));
        for (std::uint32_t leaf = 0; leaf < k; ++leaf) {
            builder.Link(leaf, spine);
        }
    }
    return Named(builder.Build());
}

Netlist FatTree3(std::uint32_t k) {
    EMBER_ASSERT(k >= 2 && k % 2 == 0 && k <= 64);
    const std::uint32_t half = k / 2;
    Builder builder;
    for (std::uint32_t i = 0; i < k * half; ++i) {
        builder.AddSwitch(
            k, half,
            "leaf " + std::to_string(i % half + 1) + " of pod " + std::to_string(i / half + 1));
    }
    for (std::uint32_t i = 0; i < k * half; ++i) {
        const std::uint32_t middle = builder.AddSwitch(
            k, 0,
            "middle " + std::to_string(i % half + 1) + " of pod " + std::to_string(i / half + 1));
        for (std::uint32_t leaf = 0; leaf < half; ++leaf) {
            builder.Link(i / half * half + leaf, middle);
        }
    }
    // Core c hangs below middle switch c / half of every pod.
    for (std::uint32_t c = 0; c < half * half; ++c) {
        const std::uint32_t core = builder.AddSwitch(k, 0, "core " + std::to_string(c + 1));
        for (std::uint32_t pod = 0; pod < k; ++pod) {
            builder.Link(k * half + pod * half + c / half, core);
        }
    }
    return Named(builder.Build());
}

Netlist Torus(std::span<const std::uint32_t> sizes, std::uint32_t hosts_per_switch) {
    return Grid(sizes, hosts_per_switch, true);
}

Netlist Mesh(std::span<const std::uint32_t> sizes, std::uint32_t hosts_per_switch) {
    return Grid(sizes, hosts_per_switch, false);
}

Netlist Hypercube(std::uint32_t dimensions, std::uint32_t hosts_per_switch) {
    const std::vector<std::uint32_t> sizes(dimensions, 2);
    return Grid(sizes, hosts_per_switch, false);
}

Netlist Dragonfly(std::uint32_t switches, std::uint32_t globals, std::uint32_t hosts_per_switch) {
    const std::uint32_t per_group = switches * globals;
    const std::uint32_t groups = per_group + 1;
    Builder builder;
    for (std::uint32_t i = 0; i < groups * switches; ++i) {
        builder.AddSwitch(hosts_per_switch + switches - 1 + globals, hosts_per_switch,
                          "switch " + std::to_string(i % switches + 1) + " of group " +
                              std::to_string(i / switches + 1));
        for (std::uint32_t other = i / switches * switches; other < i; ++other) {
            builder.Link(other, i);
        }
    }
    // Global cable j of group g leads to group g + j + 1; seen from there it is cable groups-2-j.
    for (std::uint32_t g = 0; g < groups; ++g) {
        for (std::uint32_t j = 0; j < per_group; ++j) {
            const std::uint32_t other = (g + j + 1) % groups;
            if (other < g) continue;
            builder.Link(g * switches + j / globals, other * switches + (groups - 2 - j) / globals);
        }
    }
    return Named(builder.Build());
}

Netlist Ring(std::uint32_t switches, std::uint32_t hosts_per_switch) {
    const std::array sizes{switches};
    return Grid(sizes, hosts_per_switch, true);
}

Netlist RandomGraph(std::uint64_t seed, std::uint32_t switches, std::uint32_t degree,
                    std::uint32_t hosts_per_switch) {
    EMBER_ASSERT(switches >= 1 && degree >= 2);
    Random random(seed);
    Builder builder;
    std::vector<std::uint32_t> room(switches, degree + 2);
    for (std::uint32_t i = 0; i < switches; ++i) {
        builder.AddSwitch(hosts_per_switch + degree + 2, hosts_per_switch,
                          "switch " + std::to_string(i + 1));
    }
    const auto link = [&](std::uint32_t one, std::uint32_t other) {
        if (one == other || room[one] == 0 || room[other] == 0) return false;
        builder.Link(one, other);
        --room[one];
        --room[other];
        return true;
    };
    for (std::uint32_t i = 1; i < switches; ++i) {
        while (!link(random.Below(i), i)) {
            // The i switches before it have i - 1 cables, so one of them has a free port.
        }
    }
    std::uint32_t left = switches * degree / 2 - std::min(switches - 1, switches * degree / 2);
    for (std::uint32_t tries = 0; left > 0 && tries < switches * degree * 8; ++tries) {
        if (link(random.Below(switches), random.Below(switches))) --left;
    }
    return Named(builder.Build());
}

Netlist SingleSwitch(std::uint32_t hosts) {
    Builder builder;
    builder.AddSwitch(std::max(hosts, 1U), hosts, "switch");
    return Named(builder.Build());
}

Netlist ParallelLinks(std::uint32_t links, std::uint32_t hosts_per_switch) {
    Builder builder;
    builder.AddSwitch(links + hosts_per_switch, hosts_per_switch, "left");
    builder.AddSwitch(links + hosts_per_switch, hosts_per_switch, "right");
    for (std::uint32_t i = 0; i < links; ++i) {
        builder.Link(0, 1);
    }
    return Named(builder.Build());
}

Netlist DualRail(std::uint32_t hosts, std::uint32_t links) {
    Netlist net;
    for (std::uint32_t i = 0; i < hosts; ++i) {
        net.Add(NodeType::kChannelAdapter, 2, {}, "host " + std::to_string(i + 1));
    }
    const std::uint32_t left = net.Add(NodeType::kSwitch, hosts + links, {}, "left rail");
    const std::uint32_t right = net.Add(NodeType::kSwitch, hosts + links, {}, "right rail");
    for (std::uint32_t i = 0; i < hosts; ++i) {
        net.Connect(i, 1, left, i + 1);
        net.Connect(i, 2, right, i + 1);
    }
    for (std::uint32_t i = 0; i < links; ++i) {
        net.Connect(left, hosts + i + 1, right, hosts + i + 1);
    }
    return Named(std::move(net));
}

}  // namespace ember::net
