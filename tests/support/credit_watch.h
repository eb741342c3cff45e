// SPDX-License-Identifier: Apache-2.0
// EmberSM: credit loops by forwarding tables that are old in part and new in part.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/sim_world.h"

namespace ember::testing {

/// Follows all packets among hosts through the tables of the hardware after each LFT block that a
/// switch takes, and remembers what waits for what: a packet that went by old entries may still be
/// on its way. Only as long as entries are made to drop, and nothing else is written, packets of
/// before have the time to go.
class CreditWatch {
public:
    explicit CreditWatch(SimWorld& world) : world_(world) {
        Begin();
        world_.world().WatchLfts([this](std::uint32_t at, std::uint32_t block) { See(at, block); });
    }
    ~CreditWatch() { world_.world().WatchLfts({}); }
    CreditWatch(const CreditWatch&) = delete;
    CreditWatch& operator=(const CreditWatch&) = delete;

    /// Forgets what was seen.
    void Begin() {
        waits_.clear();
        has_begun_ = false;
        tables_.assign(world_.world().node_count(), {});
        for (std::uint32_t node = 0; node < tables_.size(); ++node) {
            if (!world_.world().node(node).is_switch()) continue;
            for (std::uint32_t lid = 0; lid <= kTop; ++lid) {
                tables_[node].push_back(world_.world().LftEntry(node, lid));
            }
        }
    }
    /// Ports on the way of a credit loop that was possible since Begin(); empty: none was.
    [[nodiscard]] std::string Loop() const {
        std::map<Lane, int> state;
        for (const auto& [lane, next] : waits_) {
            if (Descend(lane, state)) return loop_;
        }
        return {};
    }
    /// Blocks written.
    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

private:
    static constexpr std::uint32_t kTop = 255;
    using Lane = std::tuple<std::uint32_t, std::uint32_t, unsigned>;  // Node, port, VL.

    void See(std::uint32_t at, std::uint32_t block) {
        ++blocks_;
        std::vector<std::uint8_t> after = tables_[at];
        bool drops = true;
        for (std::uint32_t lid = block * 64; lid < block * 64 + 64; ++lid) {
            after.at(lid) = world_.world().LftEntry(at, lid);
            drops = drops && (after[lid] == tables_[at][lid] || after[lid] == 255);
        }
        if (!drops && !has_begun_) {
            for (std::uint32_t lid = 0; lid <= kTop; ++lid) {
                Walk(lid);
            }
            has_begun_ = true;
        }
        tables_[at] = after;
        for (std::uint32_t lid = block * 64; has_begun_ && lid < block * 64 + 64; ++lid) {
            Walk(lid);
        }
    }
    /// The packets of all hosts to a LID of a host.
    void Walk(std::uint32_t lid) {
        const Fabric& fabric = world_.sm().fabric();
        const PortIndex owner = fabric.PortByLid(static_cast<Lid>(lid));
        if (owner == kNoPortIndex ||
            fabric.node(fabric.port(owner).node).type == NodeType::kSwitch) {
            return;
        }
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            if (world_.world().node_of(row).is_switch()) continue;
            const std::uint32_t first = world_.world().Beyond(row);
            const PortIndex from = fabric.FindPort(world_.world().port(row).guid);
            if (first == sim::kNoRow || from == kNoPortIndex || from == owner) continue;
            const SwitchIndex here = SwitchOf(from);
            const SwitchIndex there = SwitchOf(owner);
            if (here == kNoSwitch || there == kNoSwitch) continue;
            const PathSl& sl = world_.sm().router().programmed_lanes().path_sl;
            const Lid back = fabric.port(from).lid;
            Follow(first, lid, sl.Of({here, there, static_cast<Lid>(lid)}));
            Follow(first, lid, sl.Of({there, here, back}));
        }
    }
    [[nodiscard]] SwitchIndex SwitchOf(PortIndex host) const {
        const Fabric& fabric = world_.sm().fabric();
        const PortIndex peer = fabric.port(host).peer;
        return peer == kNoPortIndex ? kNoSwitch : fabric.node(fabric.port(peer).node).switch_index;
    }
    void Follow(std::uint32_t row, std::uint32_t lid, unsigned sl) {
        Lane held;
        for (std::size_t steps = 0; steps <= world_.world().switch_count(); ++steps) {
            const std::uint32_t node = world_.world().port(row).node;
            const sim::SimNode& here = world_.world().node(node);
            if (!here.is_switch() || !here.powered) return;
            const std::uint8_t out = tables_[node].at(lid);
            if (out == 0 || out > here.port_count) return;
            const Lane next{node, out, LaneAt(here, row - here.first_row, out, sl)};
            row = world_.world().Beyond(here.first_row + out);
            if (row == sim::kNoRow) return;
            if (!world_.world().node_of(row).is_switch()) return;
            if (steps > 0) waits_[held].insert(next);
            held = next;
        }
    }
    [[nodiscard]] unsigned LaneAt(const sim::SimNode& node, std::uint32_t in, std::uint32_t out,
                                  unsigned sl) const {
        if (world_.sm().router().programmed_lanes().is_one_lane()) return 0;
        const auto octets = world_.world().SlToVl(node.first_row, in, out);
        return sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
    }
    /// Depth first: 1 is on the way, 2 is done.
    bool Descend(const Lane& lane, std::map<Lane, int>& state) const {
        int& mark = state[lane];
        if (mark == 2) return false;
        if (mark == 1) {
            loop_ = "a loop";
            return true;
        }
        mark = 1;
        const auto found = waits_.find(lane);
        if (found != waits_.end()) {
            for (const Lane& next : found->second) {
                if (!Descend(next, state)) continue;
                loop_ += " < " + std::to_string(std::get<0>(next)) + "/" +
                         std::to_string(std::get<1>(next)) + "/" +
                         std::to_string(std::get<2>(next));
                return true;
            }
        }
        state[lane] = 2;
        return false;
    }

    SimWorld& world_;
    std::map<Lane, std::set<Lane>> waits_;
    std::vector<std::vector<std::uint8_t>> tables_;  ///< By node, as far as kTop.
    std::uint64_t blocks_ = 0;
    bool has_begun_ = false;
    mutable std::string loop_;
};

}  // namespace ember::testing
