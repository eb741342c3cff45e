// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of parts of a subnet.

#include "core/graph/subnet_part.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::ChosenPart;

class SubnetParts : public ::testing::Test {
protected:
    SubnetParts() { whole_.Build(built_.fabric(), Order::kGuid, arena_.arena()); }
    void Build() { BuildPart(whole_, part_.part(), part_arena_.arena(), topology_); }

    net::Netlist netlist_ = net::FatTree3(4);
    BuiltFabric built_{netlist_};
    ArenaStorage arena_{Topology::ScratchBytes(built_.limits())};
    ArenaStorage part_arena_{Topology::ScratchBytes(built_.limits())};
    ChosenPart part_{built_.limits()};
    Topology whole_;
    Topology topology_;
};

TEST_F(SubnetParts, HaveTheSwitchesOfOneLaneThatTheWholeHas) {
    const SwitchIndex at = whole_.switches_by_guid().front();
    built_.fabric().switch_row(at).has_one_lane = true;
    arena_.arena().Reset();
    whole_.Build(built_.fabric(), Order::kGuid, arena_.arena());
    Build();
    for (const Trunk& trunk : topology_.trunks(at)) {
        EXPECT_EQ(topology_.exit(at, trunk.port).lanes(), 1U);
        EXPECT_EQ(topology_.OneLaneAt(trunk.peer, trunk.peer_port), at);
    }
    EXPECT_FALSE(topology_.trunks(at).empty());
}

template <typename Rows>
bool Same(const Rows& one, const Rows& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
}

TEST_F(SubnetParts, OfEverythingIsTheWhole) {
    Build();
    EXPECT_EQ(topology_.switch_bound(), whole_.switch_bound());
    EXPECT_EQ(topology_.switch_count(), whole_.switch_count());
    EXPECT_TRUE(Same(topology_.switches_by_guid(), whole_.switches_by_guid()));
    EXPECT_TRUE(Same(topology_.destinations_by_guid(), whole_.destinations_by_guid()));
    EXPECT_TRUE(Same(topology_.destinations_by_crowd(), whole_.destinations_by_crowd()));
    EXPECT_EQ(topology_.home(), whole_.home());
    EXPECT_EQ(topology_.top_lid(), whole_.top_lid());
    EXPECT_EQ(topology_.order(), whole_.order());
    for (const SwitchIndex at : whole_.switches_by_guid()) {
        EXPECT_EQ(topology_.switch_row(at).guid, whole_.switch_row(at).guid);
        EXPECT_EQ(topology_.switch_row(at).end_port_count, whole_.switch_row(at).end_port_count);
        EXPECT_EQ(topology_.switch_row(at).is_home, whole_.switch_row(at).is_home);
        ASSERT_EQ(topology_.exits(at).size(), whole_.exits(at).size());
        for (std::size_t port = 0; port < whole_.exits(at).size(); ++port) {
            const Exit& one = topology_.exits(at)[port];
            const Exit& other = whole_.exits(at)[port];
            EXPECT_EQ(one.peer, other.peer);
            EXPECT_EQ(one.peer_port, other.peer_port);
            EXPECT_EQ(one.destination, other.destination);
            EXPECT_EQ(one.vls, other.vls);
            EXPECT_EQ(one.has_link, other.has_link);
        }
    }
}

TEST_F(SubnetParts, WithoutASwitchHasAHoleAndNoLinksToIt) {
    const SwitchIndex gone = whole_.destination(whole_.destinations_by_crowd()[0]).at;
    const Guid guid = whole_.switch_row(gone).guid;
    part_.Remove(gone);
    Build();
    EXPECT_FALSE(topology_.Has(gone));
    EXPECT_EQ(topology_.switch_bound(), whole_.switch_bound()) << "rows stay";
    EXPECT_EQ(topology_.switch_count(), whole_.switch_count() - 1);
    EXPECT_EQ(topology_.FindSwitch(guid), kNoSwitch);
    std::size_t links = 0;
    for (const SwitchIndex at : topology_.switches_by_guid()) {
        for (const Trunk& trunk : topology_.trunks(at)) {
            EXPECT_NE(trunk.peer, gone);
            ++links;
        }
    }
    std::size_t before = 0;
    for (const SwitchIndex at : whole_.switches_by_guid()) {
        before += whole_.trunks(at).size();
    }
    EXPECT_EQ(links, before - 2 * whole_.trunks(gone).size());
    for (const Destination& destination : topology_.destinations()) {
        EXPECT_NE(destination.at, gone) << "nobody reaches it";
    }
}

TEST_F(SubnetParts, WithoutAHostHasAFreePort) {
    const Destination lost = whole_.destination(whole_.destinations_by_crowd()[0]);
    ASSERT_FALSE(lost.is_switch());
    part_.Remove(lost.lid);
    Build();
    EXPECT_EQ(topology_.FindDestination(lost.port_guid), kNoDestination);
    EXPECT_EQ(topology_.exit(lost.at, lost.port).destination, kNoDestination);
    EXPECT_EQ(topology_.switch_row(lost.at).end_port_count + 1,
              whole_.switch_row(lost.at).end_port_count);
    EXPECT_EQ(topology_.destinations().size(), whole_.destinations().size() - 1);
}

TEST_F(SubnetParts, UsesOnlyThePortsThatAreNamed) {
    const Destination& host = whole_.destination(whole_.destinations_by_crowd()[0]);
    const Trunk& trunk = whole_.trunks(host.at)[0];
    const std::size_t stride = built_.limits().max_switch_ports + std::size_t{1};
    std::vector<std::uint64_t> ports(SubnetPart::Words(built_.limits().max_switches * stride),
                                     ~std::uint64_t{0});
    const auto remove = [&](SwitchIndex at, PortNumber port) {
        const std::size_t bit = Raw(at) * stride + Raw(port);
        ports[bit / 64] &= ~(std::uint64_t{1} << bit % 64);
    };
    remove(host.at, host.port);
    remove(trunk.peer, trunk.peer_port);  // Either end of the cable is enough.
    SubnetPart part = part_.part();
    part.switch_ports = ports;
    part.port_stride = stride;
    BuildPart(whole_, part, part_arena_.arena(), topology_);
    EXPECT_EQ(topology_.switch_count(), whole_.switch_count());
    EXPECT_EQ(topology_.destinations().size(), whole_.destinations().size() - 1);
    EXPECT_EQ(topology_.FindDestination(host.port_guid), kNoDestination);
    EXPECT_EQ(topology_.exit(host.at, trunk.port).peer, kNoSwitch);
    EXPECT_EQ(topology_.exit(trunk.peer, trunk.peer_port).peer, kNoSwitch);
    EXPECT_EQ(topology_.switch_row(host.at).trunk_count,
              whole_.switch_row(host.at).trunk_count - 1);
}

}  // namespace
}  // namespace ember
