// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges of a simulated fabric.
#include "tests/support/checkers.h"

#include <algorithm>
#include <map>

namespace ember::testing {
namespace {

using sim::kNoRow;
using sim::SimNode;
using sim::World;

constexpr std::uint32_t kFar = 0xFFFFFFFF;

std::string NameOf(const World& world, std::uint32_t row) {
    const SimNode& node = world.node_of(row);
    const auto end = std::find(node.description.begin(), node.description.end(), 0);
    return "\"" + std::string(node.description.begin(), end) + "\"[" +
           std::to_string(world.port(row).number) + "]";
}

/// Rows that have LIDs of their own: ports of CAs and routers whose link is up, and port 0s.
std::vector<std::uint32_t> EndPorts(const World& world, const std::vector<bool>& reachable) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < reachable.size(); ++i) {
        if (!reachable[i]) continue;
        const SimNode& node = world.node(i);
        if (node.is_switch()) {
            rows.push_back(node.first_row);
            continue;
        }
        for (std::uint32_t p = 1; p <= node.port_count; ++p) {
            const std::uint32_t beyond = world.Beyond(node.first_row + p);
            if (beyond == kNoRow || !reachable[world.port(beyond).node]) continue;
            rows.push_back(node.first_row + p);
        }
    }
    return rows;
}

/// Follows one LID from every switch at once: `hops[switch]` becomes the length of its way to the
/// owner, by the tables.
class Walker {
public:
    Walker(const World& world, const std::vector<bool>& reachable)
        : world_(world), reachable_(reachable), hops_(reachable.size(), kFar) {}

    /// Empty, or what is wrong.
    std::string Follow(std::uint32_t owner_row, std::uint32_t lid) {
        std::fill(hops_.begin(), hops_.end(), kFar);
        const SimNode& owner = world_.node_of(owner_row);
        if (owner.is_switch()) hops_[world_.port(owner_row).node] = 0;
        for (std::uint32_t i = 0; i < reachable_.size(); ++i) {
            if (!reachable_[i] || !world_.node(i).is_switch()) continue;
            if (std::string wrong = FollowFrom(i, owner_row, lid); !wrong.empty()) return wrong;
        }
        return {};
    }
    [[nodiscard]] std::uint32_t hops(std::uint32_t node) const { return hops_[node]; }

private:
    std::string FollowFrom(std::uint32_t start, std::uint32_t owner_row, std::uint32_t lid) {
        trail_.clear();
        std::uint32_t at = start;
        std::uint32_t behind = 0;  // Hops from the end of the trail to the owner.
        const std::string what = "LID " + std::to_string(lid) + " of " + NameOf(world_, owner_row);
        while (hops_[at] == kFar) {
            const SimNode& node = world_.node(at);
            if (trail_.size() > reachable_.size()) return what + " loops";
            trail_.push_back(at);
            const std::uint8_t out = world_.LftEntry(at, lid);
            const std::string where = " at " + NameOf(world_, node.first_row);
            if (lid > Raw(node.switch_info.Get(SwitchInfo::kLinearFdbTop))) {
                return what + " is beyond LinearFDBTop" + where;
            }
            if (out == 0 || out > node.port_count) return what + " has no exit" + where;
            const std::uint32_t row = node.first_row + out;
            const std::uint32_t beyond = world_.Beyond(row);
            if (beyond == kNoRow) {
                return what + " leaves by port " + std::to_string(out) + ", which is down," + where;
            }
            if (beyond == owner_row) {
                behind = 1;
                break;
            }
            at = world_.port(beyond).node;
            if (!world_.node(at).is_switch()) {
                return what + " ends at " + NameOf(world_, beyond);
            }
            if (at == world_.port(owner_row).node) {
                behind = 1;
                break;
            }
            if (hops_[at] != kFar) {
                behind = hops_[at] + 1;
                break;
            }
        }
        while (!trail_.empty()) {
            hops_[trail_.back()] = behind++;
            trail_.pop_back();
        }
        return {};
    }

    const World& world_;
    const std::vector<bool>& reachable_;
    std::vector<std::uint32_t> hops_;
    std::vector<std::uint32_t> trail_;
};

/// Walks from switch to switch; true: the owner is reached.
bool Arrives(const World& world, std::uint32_t from, std::uint32_t owner_row, std::uint32_t lid) {
    std::uint32_t at = from;
    for (std::uint32_t steps = 0; steps <= world.node_count(); ++steps) {
        const SimNode& node = world.node(at);
        if (node.first_row == owner_row) return true;
        if (lid > Raw(node.switch_info.Get(SwitchInfo::kLinearFdbTop))) return false;
        const std::uint8_t out = world.LftEntry(at, lid);
        if (out == 0 || out > node.port_count) return false;
        const std::uint32_t beyond = world.Beyond(node.first_row + out);
        if (beyond == kNoRow) return false;
        if (beyond == owner_row) return true;
        at = world.port(beyond).node;
        if (!world.node(at).is_switch()) return false;
    }
    return false;
}

/// Hops from every switch to the owner over whatever links are up.
std::vector<std::uint32_t> Distances(const World& world, std::uint32_t owner_row) {
    std::vector<std::uint32_t> hops(world.node_count(), kFar);
    std::vector<std::uint32_t> queue;
    const std::uint32_t owner = world.port(owner_row).node;
    if (world.node(owner).is_switch()) {
        hops[owner] = 0;
        queue.push_back(owner);
    } else {
        const std::uint32_t first = world.port(world.Beyond(owner_row)).node;
        hops[first] = 1;
        queue.push_back(first);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const SimNode& node = world.node(queue[i]);
        if (!node.is_switch()) continue;
        for (std::uint32_t p = 1; p <= node.port_count; ++p) {
            const std::uint32_t beyond = world.Beyond(node.first_row + p);
            if (beyond == kNoRow) continue;
            const std::uint32_t next = world.port(beyond).node;
            if (hops[next] != kFar) continue;
            hops[next] = hops[queue[i]] + 1;
            queue.push_back(next);
        }
    }
    return hops;
}

std::string FollowAll(const World& world, std::uint32_t from_node, bool shortest) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    Walker walker(world, reachable);
    for (const std::uint32_t row : EndPorts(world, reachable)) {
        const PortInfo& info = world.port(row).info;
        const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
        if (first == 0) return NameOf(world, row) + " has no LID";
        for (std::uint32_t i = 0; i < 1U << info.Get(PortInfo::kLmc); ++i) {
            if (std::string wrong = walker.Follow(row, first + i); !wrong.empty()) return wrong;
            if (!shortest) continue;
            const std::vector<std::uint32_t> best = Distances(world, row);
            for (std::uint32_t node = 0; node < reachable.size(); ++node) {
                if (!reachable[node] || !world.node(node).is_switch()) continue;
                if (walker.hops(node) == best[node]) continue;
                return "from " + NameOf(world, world.node(node).first_row) + " to LID " +
                       std::to_string(first + i) + " are " + std::to_string(walker.hops(node)) +
                       " hops, and " + std::to_string(best[node]) + " would do";
            }
        }
    }
    return {};
}

/// Calls `judge(row, beyond)` for both ends of every link that is up, until it finds something.
template <typename Judge>
std::string EachLinkEnd(const World& world, std::uint32_t from_node, Judge judge) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    for (std::uint32_t i = 0; i < reachable.size(); ++i) {
        if (!reachable[i]) continue;
        const SimNode& node = world.node(i);
        for (std::uint32_t p = 1; p <= node.port_count; ++p) {
            const std::uint32_t row = node.first_row + p;
            if (world.Beyond(row) == kNoRow) continue;
            if (std::string wrong = judge(row, world.Beyond(row)); !wrong.empty()) return wrong;
        }
    }
    return {};
}

/// Calls `look(switch, row of a host)` for all switches with reachable hosts and all of these.
template <typename Look>
void EachHostPair(const World& world, std::uint32_t from_node, Look look) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    std::vector<std::uint32_t> hosts;
    std::vector<bool> is_leaf(world.node_count(), false);
    for (const std::uint32_t row : EndPorts(world, reachable)) {
        if (world.node_of(row).is_switch() || world.Beyond(row) == kNoRow) continue;
        hosts.push_back(row);
        is_leaf[world.port(world.Beyond(row)).node] = true;
    }
    for (const std::uint32_t row : hosts) {
        for (std::uint32_t node = 0; node < world.node_count(); ++node) {
            if (is_leaf[node] && world.node(node).is_switch()) look(node, row);
        }
    }
}

}  // namespace

/// Through switches, and from the first node, but not through other CAs and routers.
std::vector<bool> ReachableFrom(const World& world, std::uint32_t node) {
    std::vector<bool> reachable(world.node_count(), false);
    std::vector<std::uint32_t> queue{node};
    reachable[node] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const SimNode& here = world.node(queue[i]);
        if (!here.is_switch() && i > 0) continue;
        for (std::uint32_t p = 1; p <= here.port_count; ++p) {
            const std::uint32_t beyond = world.Beyond(here.first_row + p);
            if (beyond == kNoRow || reachable[world.port(beyond).node]) continue;
            reachable[world.port(beyond).node] = true;
            queue.push_back(world.port(beyond).node);
        }
    }
    return reachable;
}

std::string AllLinksActive(const World& world, std::uint32_t from_node) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    for (std::uint32_t i = 0; i < reachable.size(); ++i) {
        const SimNode& node = world.node(i);
        if (!reachable[i] || !node.is_switch()) continue;
        const PortState state = world.port(node.first_row).info.Get(PortInfo::kPortState);
        if (state != PortState::kActive) return NameOf(world, node.first_row) + " is not ACTIVE";
    }
    return EachLinkEnd(world, from_node, [&](std::uint32_t row, std::uint32_t) {
        const PortState state = world.port(row).info.Get(PortInfo::kPortState);
        return state == PortState::kActive ? std::string{} : NameOf(world, row) + " is not ACTIVE";
    });
}

std::string LidsAreSound(const World& world, std::uint32_t from_node) {
    std::map<std::uint32_t, std::uint32_t> owners;
    for (const std::uint32_t row : EndPorts(world, ReachableFrom(world, from_node))) {
        const PortInfo& info = world.port(row).info;
        const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
        if (first == 0) return NameOf(world, row) + " has no LID";
        const std::uint32_t count = 1U << info.Get(PortInfo::kLmc);
        if (first % count != 0) return NameOf(world, row) + " has a LID that its LMC forbids";
        for (std::uint32_t lid = first; lid < first + count; ++lid) {
            const auto [old, is_new] = owners.emplace(lid, row);
            if (is_new) continue;
            return "LID " + std::to_string(lid) + " belongs to " + NameOf(world, old->second) +
                   " and to " + NameOf(world, row);
        }
    }
    return {};
}

std::string EveryPairConnected(const World& world, std::uint32_t from_node) {
    return FollowAll(world, from_node, false);
}

std::string EveryPairShortest(const World& world, std::uint32_t from_node) {
    return FollowAll(world, from_node, true);
}

std::size_t DeadPairs(const World& world, std::uint32_t from_node) {
    std::size_t dead = 0;
    EachHostPair(world, from_node, [&](std::uint32_t node, std::uint32_t row) {
        if (!Arrives(world, node, row, Raw(world.port(row).info.Get(PortInfo::kLid)))) ++dead;
    });
    return dead;
}

std::string EveryHostConnected(const World& world, std::uint32_t from_node) {
    std::string wrong;
    EachHostPair(world, from_node, [&](std::uint32_t node, std::uint32_t row) {
        const PortInfo& info = world.port(row).info;
        const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
        for (std::uint32_t i = 0; i < 1U << info.Get(PortInfo::kLmc) && wrong.empty(); ++i) {
            if (Arrives(world, node, row, first + i)) continue;
            wrong = "LID " + std::to_string(first + i) + " of " + NameOf(world, row) +
                    " is not reached from " + NameOf(world, world.node(node).first_row);
        }
    });
    return wrong;
}

std::size_t RoutesIntoDeadLinks(const World& world, std::uint32_t from_node) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    const std::vector<std::uint32_t> rows = EndPorts(world, reachable);
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < world.node_count(); ++i) {
        const SimNode& node = world.node(i);
        if (!reachable[i] || !node.is_switch()) continue;
        for (const std::uint32_t row : rows) {
            const std::uint32_t lid = Raw(world.port(row).info.Get(PortInfo::kLid));
            const std::uint8_t out = world.LftEntry(i, lid);
            if (lid == 0 || out == 0 || out > node.port_count) continue;
            if (world.Beyond(node.first_row + out) == kNoRow) ++found;
        }
    }
    return found;
}

std::string EverySwitchReaches(const World& world, std::uint32_t from_node, std::uint32_t row) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    const std::uint32_t lid = Raw(world.port(row).info.Get(PortInfo::kLid));
    for (std::uint32_t node = 0; node < world.node_count(); ++node) {
        if (!reachable[node] || !world.node(node).is_switch()) continue;
        if (!Arrives(world, node, row, lid)) {
            return NameOf(world, world.node(node).first_row) + " does not reach " +
                   NameOf(world, row);
        }
    }
    return {};
}

std::string EverySwitchIsReached(const World& world, std::uint32_t from_node) {
    const std::vector<bool> reachable = ReachableFrom(world, from_node);
    for (std::uint32_t node = 0; node < world.node_count(); ++node) {
        if (!reachable[node] || !world.node(node).is_switch()) continue;
        const std::uint32_t row = world.node(node).first_row;
        const std::uint32_t lid = Raw(world.port(row).info.Get(PortInfo::kLid));
        if (!Arrives(world, from_node, row, lid)) {
            return NameOf(world, world.node(from_node).first_row) + " does not reach " +
                   NameOf(world, row);
        }
    }
    return {};
}

std::string EveryPortKnowsMaster(const World& world, std::uint32_t from_node, Lid lid) {
    for (const std::uint32_t row : EndPorts(world, ReachableFrom(world, from_node))) {
        const Lid told = world.port(row).info.Get(PortInfo::kMasterSmLid);
        if (told == lid) continue;
        return NameOf(world, row) + " thinks the master has LID " + std::to_string(Raw(told)) +
               ", not " + std::to_string(Raw(lid));
    }
    return {};
}

std::string LinksAgree(const World& world, std::uint32_t from_node) {
    return EachLinkEnd(world, from_node, [&](std::uint32_t row, std::uint32_t beyond) {
        const PortInfo& one = world.port(row).info;
        const PortInfo& two = world.port(beyond).info;
        const Mtu mtu = one.Get(PortInfo::kNeighborMtu);
        const VlCap vls = one.Get(PortInfo::kOperationalVls);
        if (mtu != two.Get(PortInfo::kNeighborMtu)) return NameOf(world, row) + ": MTUs differ";
        if (vls != two.Get(PortInfo::kOperationalVls)) return NameOf(world, row) + ": VLs differ";
        if (mtu > one.Get(PortInfo::kMtuCap)) return NameOf(world, row) + ": MTU is too large";
        if (vls > one.Get(PortInfo::kVlCap)) return NameOf(world, row) + ": VLs are too many";
        return std::string{};
    });
}

std::string SubnetIsSound(const World& world, std::uint32_t from_node, Reach reach) {
    if (std::string wrong = LidsAreSound(world, from_node); !wrong.empty()) return wrong;
    if (std::string wrong = AllLinksActive(world, from_node); !wrong.empty()) return wrong;
    if (std::string wrong = LinksAgree(world, from_node); !wrong.empty()) return wrong;
    return reach == Reach::kHosts ? EveryHostConnected(world, from_node)
                                  : EveryPairConnected(world, from_node);
}

}  // namespace ember::testing
