// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of avoid_throttled_links: sssp, dfsssp and nue, on random fabrics.
//
// Goal:   no path takes a link that runs below what its ends have enabled, where there is a way
//         without one; every pair is reached in any case.
// Method: some links are throttled by chance. Parts of the fabric between which only such links
//         lead are found here from the netlist alone; a path between two switches of one part must
//         stay in it.

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

#include "engines/nue/nue.h"
#include "engines/sssp/dfsssp.h"
#include "engines/sssp/sssp.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

constexpr auto kBothWidths = std::uint8_t{link_width::k1x | link_width::k4x};

/// A link between switches, by one of its ends.
struct LinkEnd {
    std::uint32_t node = 0;
    std::uint8_t port = 0;
};

class ThrottledNet {
public:
    ThrottledNet(const net::Netlist& netlist, std::uint32_t seed, std::uint32_t of_ten)
        : netlist_(netlist), chance_(seed), part_(netlist.nodes.size()) {
        std::iota(part_.begin(), part_.end(), 0U);
        throttled_.resize(netlist.nodes.size());
        for (std::uint32_t at = 0; at < netlist.nodes.size(); ++at) {
            throttled_[at].resize(netlist.nodes[at].ports.size());
        }
        ForEachLink([&](LinkEnd one, LinkEnd other) {
            const bool is_throttled = chance_() % 10 < of_ten;
            throttled_[one.node][one.port] = throttled_[other.node][other.port] = is_throttled;
            if (!is_throttled) Join(one.node, other.node);
        });
    }

    [[nodiscard]] bool is_throttled(std::uint32_t node, std::uint8_t port) const {
        return throttled_[node][port];
    }
    /// A path between them needs no throttled link.
    [[nodiscard]] bool AreTogether(std::uint32_t one, std::uint32_t other) const {
        return part_[one] == part_[other];
    }
    /// Each link of the fabric is as its ends report it: one end at random, or both.
    void Report(net::BuiltFabric& built) {
        Fabric& fabric = built.fabric();
        ForEachLink([&](LinkEnd one, LinkEnd other) {
            const bool is_slow = is_throttled(one.node, one.port);
            const bool is_told_twice = chance_() % 2 == 0;
            Tell(fabric.port(fabric.PortOf(built.node(one.node), PortNumber{one.port})), is_slow);
            Tell(fabric.port(fabric.PortOf(built.node(other.node), PortNumber{other.port})),
                 is_slow && is_told_twice);
        });
    }

private:
    template <typename Take>
    void ForEachLink(const Take& take) {
        for (std::uint32_t at = 0; at < netlist_.nodes.size(); ++at) {
            const net::NetNode& node = netlist_.nodes[at];
            for (std::size_t port = 1; node.is_switch() && port < node.ports.size(); ++port) {
                const net::NetPort& end = node.ports[port];
                if (end.peer == net::kNoPeer || !netlist_.nodes[end.peer].is_switch()) continue;
                if (end.peer < at || (end.peer == at && end.peer_port < port)) continue;
                take(LinkEnd{at, static_cast<std::uint8_t>(port)},
                     LinkEnd{end.peer, static_cast<std::uint8_t>(end.peer_port)});
            }
        }
    }
    static void Tell(Port& port, bool is_slow) {
        port.info.Set(PortInfo::kLinkWidthEnabled, kBothWidths);
        port.info.Set(PortInfo::kLinkWidthActive, is_slow ? link_width::k1x : link_width::k4x);
    }
    void Join(std::uint32_t one, std::uint32_t other) {
        const std::uint32_t gone = part_[other];
        const std::uint32_t kept = part_[one];
        for (std::uint32_t& part : part_) {
            if (part == gone) part = kept;
        }
    }

    const net::Netlist& netlist_;
    std::mt19937 chance_;
    std::vector<std::uint32_t> part_;
    std::vector<std::vector<bool>> throttled_;
};

/// Paths between switches of one part that leave it, and paths that cannot but do.
struct Seen {
    std::size_t needless = 0;
    std::size_t needed = 0;
};

Seen Walk(const net::Netlist& netlist, const ThrottledNet& net, RoutingRun& run) {
    Seen seen;
    const testing::SlowTables tables = run.planned();
    for (const testing::SlowDestination& to : run.reference().destinations()) {
        if (!to.is_attached) continue;
        for (const auto& [from, table] : tables) {
            bool takes_slow = false;
            for (std::uint32_t at = from; at != to.at;) {  // Ends: the router proved it.
                const std::uint8_t port = tables.at(at)[to.lid];
                takes_slow |= net.is_throttled(at, port);
                at = netlist.nodes[at].ports[port].peer;
            }
            if (takes_slow) ++(net.AreTogether(from, to.at) ? seen.needless : seen.needed);
        }
    }
    return seen;
}

template <typename Engine>
void RouteManyNets() {
    Seen with;
    Seen without;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const net::Netlist netlist = testing::WildNetlist({.seed = seed,
                                                           .switches = 4 + seed % 13,
                                                           .extra_cables = 6 + seed % 23,
                                                           .hosts = 8 + seed % 20});
        for (const bool avoids : {true, false}) {
            RoutingRun run(netlist, testing::WithLanes(8, 0));
            ThrottledNet net(netlist, seed, 1 + seed % 6);
            net.Report(run.built());
            Settings settings = testing::WithQos(Order::kBalanced);
            settings.avoid_throttled_links = avoids;
            Engine engine;
            ASSERT_NE(run.Route(engine, settings).outcome, RoutingOutcome::kRefused);
            const Seen seen = Walk(netlist, net, run);
            (avoids ? with : without).needless += seen.needless;
            (avoids ? with : without).needed += seen.needed;
        }
    }
    EXPECT_EQ(with.needless, 0U);
    EXPECT_GT(with.needed, 100U);       // Some paths have to leave their part,
    EXPECT_GT(without.needless, 100U);  // and without the option others do, too.
}

TEST(ThrottledLinks, AreOnPathsOfSsspOnlyWhereThereIsNoOther) {
    RouteManyNets<Sssp>();
}
TEST(ThrottledLinks, AreOnPathsOfDfssspOnlyWhereThereIsNoOther) {
    RouteManyNets<Dfsssp>();
}
TEST(ThrottledLinks, AreOnPathsOfNueOnlyWhereThereIsNoOther) {
    RouteManyNets<Nue>();
}

}  // namespace
}  // namespace ember
