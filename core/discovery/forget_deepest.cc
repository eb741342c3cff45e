// SPDX-License-Identifier: Apache-2.0
// EmberSM: which nodes behind an exit give way to nodes that found no room.

#include <algorithm>

#include "core/base/assert.h"
#include "core/discovery/room_donors.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// Forgets nodes behind one exit, the farthest first.
class Forgetter {
public:
    Forgetter(Fabric& fabric, const OwedRoom& owed, std::span<std::uint8_t> depths)
        : fabric_(fabric), depths_(depths) {
        EMBER_ASSERT(owed.exit != kNoPortIndex);
        EMBER_ASSERT(depths.size() >= fabric.node_bound());
        const Limits& limits = fabric.limits();
        const auto lack = [](std::size_t used, std::uint32_t wanted, std::size_t most) {
            return used + wanted > most ? used + wanted - most : 0;
        };
        nodes_ = lack(fabric.node_count(), owed.nodes, limits.max_nodes);
        switches_ = lack(fabric.switch_count(), owed.switches, limits.max_switches);
        rows_ = lack(fabric.ports_in_use(), owed.rows, limits.max_ports);
        MeasureDepths(owed.exit);
    }

    /// Returns how many were forgotten. A switch takes along what is behind it, so switches are
    /// chosen first.
    std::uint32_t Run() {
        for (std::uint8_t depth = deepest_; depth > 1 && switches_ != 0; --depth)
            ForgetAt(depth, true, [this] { return switches_ != 0; });
        ForgetBeyond();
        const auto lacks_rows = [this] { return (nodes_ | rows_) != 0; };
        for (std::uint8_t depth = deepest_; depth > 1 && lacks_rows(); --depth) {
            ForgetAt(depth, false, lacks_rows);
            ForgetAt(depth, true, lacks_rows);
        }
        ForgetBeyond();
        return forgotten_;
    }

private:
    /// The depth of a node: exits on its path from `exit` on; 0: the path is another one.
    void MeasureDepths(PortIndex exit) {
        ForEachNode(fabric_, [&](NodeIndex at, const Node& node) {
            std::uint8_t depth = 0;
            ForEachExitOn(fabric_, node.entry, [&](PortIndex passed) {
                ++depth;
                if (passed == exit) depths_[Raw(at)] = depth;
                return passed != exit;
            });
            deepest_ = std::max(deepest_, depths_[Raw(at)]);
        });
    }

    /// Forgets switches, or other nodes, of this depth as long as `lacks()`.
    template <typename Lacks>
    void ForgetAt(std::uint8_t depth, bool are_switches, Lacks lacks) {
        EMBER_ASSERT(depth > 1);  // The node next to the exit stays.
        ForEachNode(fabric_, [&](NodeIndex at, const Node& node) {
            const bool is_switch = node.type == NodeType::kSwitch;
            if (depths_[Raw(at)] == depth && is_switch == are_switches && lacks()) Forget(at);
        });
    }

    void Forget(NodeIndex at) {
        EMBER_ASSERT(depths_[Raw(at)] != 0);
        const auto take = [](std::size_t& lack, std::size_t count) {
            lack -= std::min(lack, count);
        };
        take(nodes_, 1);
        take(switches_, fabric_.node(at).type == NodeType::kSwitch ? 1 : 0);
        take(rows_, fabric_.PortsOf(at).size());
        fabric_.node(at).seen = 0;
        depths_[Raw(at)] = 0;  // Not chosen again.
        ++forgotten_;
    }

    /// Forgets the nodes behind forgotten switches.
    void ForgetBeyond() {
        if (forgotten_ == 0) return;
        ForEachNode(fabric_, [&](NodeIndex at, const Node& node) {
            if (depths_[Raw(at)] == 0) return;
            bool is_beyond = false;
            ForEachExitOn(fabric_, node.entry, [&](PortIndex passed) {
                is_beyond = fabric_.node(fabric_.port(passed).node).seen == 0;
                return !is_beyond;
            });
            if (is_beyond) Forget(at);
        });
    }

    Fabric& fabric_;
    std::span<std::uint8_t> depths_;  ///< By node.
    std::uint8_t deepest_ = 0;
    std::uint32_t forgotten_ = 0;
    // Rows of tables that are lacking yet.
    std::size_t nodes_ = 0;
    std::size_t switches_ = 0;
    std::size_t rows_ = 0;
};

}  // namespace

std::uint32_t ForgetDeepest(Fabric& fabric, const OwedRoom& owed, Arena& scratch) {
    const std::size_t mark = scratch.used_bytes();
    const std::span<std::uint8_t> depths = scratch.Take<std::uint8_t>(fabric.node_bound());
    const std::uint32_t forgotten = Forgetter(fabric, owed, depths).Run();
    scratch.Rewind(mark);
    return forgotten;
}

}  // namespace ember
