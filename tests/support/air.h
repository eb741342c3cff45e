// SPDX-License-Identifier: Apache-2.0
// EmberSM: packets of multicast groups, followed over the tables of simulated switches.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <utility>

#include "tests/support/sim_world.h"

namespace ember::testing {

/// Follows packets over the hardware's tables, after every block that is written.
class Air {
public:
    explicit Air(SimWorld& world) : world_(world.world()) {
        world_.WatchMfts([this](std::uint32_t, std::uint32_t block) {
            for (std::uint32_t i = 0; i < 32 && !circle_; ++i) {
                Look(block * 32 + i);
            }
        });
    }
    ~Air() { world_.WatchMfts({}); }
    Air(const Air&) = delete;
    Air& operator=(const Air&) = delete;

    /// At some moment a packet could run in a circle.
    [[nodiscard]] bool circle() const { return circle_; }

    [[nodiscard]] unsigned Mask(std::uint32_t node, std::uint32_t mlid, std::uint32_t position) {
        const auto block = world_.MftBlock(node, mlid / 32, position);
        if (block.empty()) return 0;
        const std::size_t at = mlid % 32 * 2;
        return unsigned{block[at]} << 8U | block[at + 1];
    }
    /// Rows of end ports that a packet from `node`, a switch, comes to: as often as it does.
    std::multiset<std::uint32_t> Flood(std::uint32_t node, std::uint32_t mlid) {
        std::multiset<std::uint32_t> heard;
        std::deque<std::pair<std::uint32_t, std::uint32_t>> todo{{node, sim::kNoRow}};
        for (std::size_t steps = 0; !todo.empty(); ++steps) {
            if (steps > 4 * world_.row_count()) {
                circle_ = true;
                return heard;
            }
            const auto [at, entry] = todo.front();
            todo.pop_front();
            const sim::SimNode& here = world_.node(at);
            for (std::uint32_t port = 0; port <= here.port_count; ++port) {
                const bool is_open = (Mask(at, mlid, port / 16) >> (port % 16) & 1U) != 0;
                if (!is_open || here.first_row + port == entry) continue;
                const std::uint32_t beyond =
                    port == 0 ? here.first_row : world_.Beyond(here.first_row + port);
                if (beyond == sim::kNoRow) continue;
                if (port == 0 || !world_.node_of(beyond).is_switch()) {
                    heard.insert(beyond);
                } else {
                    todo.emplace_back(world_.port(beyond).node, beyond);
                }
            }
        }
        return heard;
    }

private:
    void Look(std::uint32_t mlid) {
        for (std::uint32_t node = 0; node < world_.node_count() && !circle_; ++node) {
            if (world_.node(node).is_switch()) static_cast<void>(Flood(node, mlid));
        }
    }

    sim::World& world_;
    bool circle_ = false;
};

}  // namespace ember::testing
