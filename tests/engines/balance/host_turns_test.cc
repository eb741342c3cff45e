// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which hosts get their exits first.

#include "engines/balance/host_turns.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/engines/balance/measured.h"

namespace ember {
namespace {

using testing::Balanced;
using testing::RoutingRun;

/// Eight hosts on either of two switches with four cables between them; routes of one engine.
class HostTurnsTest : public ::testing::TestWithParam<std::string_view> {
protected:
    /// Every other host of a switch, from the first or from the second on.
    std::vector<Destination> Half(bool first) {
        std::vector<Destination> half;
        for (const Destination& one : topology_.destinations()) {
            if (one.is_host() && (Place(one) % 2 == 0) == first) half.push_back(one);
        }
        return half;
    }
    std::vector<Guid> Named(bool first) {
        std::vector<Guid> guids;
        for (const Destination& one : Half(first)) {
            guids.push_back(one.port_guid);
        }
        std::sort(guids.begin(), guids.end());
        return guids;
    }
    std::vector<SwitchPort> Ports(bool first) {
        std::vector<SwitchPort> ports;
        for (const Destination& one : Half(first)) {
            ports.push_back({.guid = topology_.switch_row(one.at).guid, .port = one.port});
        }
        Sort(ports);
        return ports;
    }
    static void Sort(std::vector<SwitchPort>& ports) {
        std::sort(ports.begin(), ports.end(), [](const SwitchPort& left, const SwitchPort& right) {
            return std::pair(Raw(left.guid), Raw(left.port)) <
                   std::pair(Raw(right.guid), Raw(right.port));
        });
    }

    /// Flows on the busiest cable between the switches, when every one of the first half sends to
    /// every other of it.
    std::size_t Busiest(const Settings& settings) {
        Route(settings);
        return BusiestAmong(Half(true));
    }
    std::size_t BusiestOfAll(const Settings& settings) {
        Route(settings);
        std::vector<Destination> all = Half(true);
        for (const Destination& one : Half(false)) {
            all.push_back(one);
        }
        return BusiestAmong(all);
    }

    void SetUp() override {
        topology_.Build(run_.built().fabric(), Order::kBalanced, run_.scratch());
    }

private:
    void Route(const Settings& settings) {
        EXPECT_TRUE(run_.Route(*engines_.Find(GetParam()), settings).may_program());
        topology_.Build(run_.built().fabric(), Order::kBalanced, run_.scratch());
    }
    std::size_t BusiestAmong(const std::vector<Destination>& all) {
        std::map<std::pair<SwitchIndex, std::uint8_t>, std::size_t> loads;
        std::size_t most = 0;
        for (const Destination& from : all) {
            for (const Destination& to : all) {
                for (SwitchIndex at = from.at; at != to.at;) {
                    const std::uint8_t port = run_.lfts()[at][Raw(to.lid)];
                    most = std::max(most, ++loads[{at, port}]);
                    at = topology_.exits(at)[port].peer;
                }
            }
        }
        return most;
    }
    std::size_t Place(const Destination& one) {
        std::size_t place = 0;
        for (const Exit& exit : topology_.exits(one.at)) {
            if (exit.destination == kNoDestination) continue;
            const Destination& other = topology_.destination(exit.destination);
            if (other.is_host() && other.port < one.port) ++place;
        }
        return place;
    }

    RoutingRun run_{net::ParallelLinks(4, 8), {}};
    Engines engines_;
    Topology topology_;
};

/// Four senders and four receivers elsewhere are 16 flows over four cables. In the order of ports
/// every other receiver has every other cable.
TEST_P(HostTurnsTest, HaveEachCableEvenly) {
    const std::size_t by_port = Busiest(Balanced());
    const std::vector<Guid> named = Named(true);
    Settings settings = Balanced();
    settings.tables.has_compute_nodes = true;
    settings.tables.compute_nodes = named;
    EXPECT_EQ(Busiest(settings), 4U);
    EXPECT_EQ(by_port, 8U);
}

TEST_P(HostTurnsTest, CostTheOthersNothing) {
    EXPECT_EQ(BusiestOfAll(Balanced()), 16U);
    const std::vector<Guid> named = Named(true);
    Settings settings = Balanced();
    settings.tables.has_compute_nodes = true;
    settings.tables.compute_nodes = named;
    EXPECT_EQ(BusiestOfAll(settings), 16U) << "8 receivers of 8 flows over 4 cables";
}

/// Without compute nodes all are that do not store.
TEST_P(HostTurnsTest, AreOfThreeClasses) {
    const std::vector<Guid> named = Named(false);
    Settings settings = Balanced();
    settings.tables.has_io_nodes = true;
    settings.tables.io_nodes = named;
    EXPECT_EQ(Busiest(settings), 4U);
    const std::vector<Guid> strangers = {Guid{1}, Guid{2}};
    settings.tables.has_compute_nodes = true;
    settings.tables.compute_nodes = strangers;
    EXPECT_EQ(Busiest(settings), 4U) << "I/O nodes come before all others";
    settings.tables.has_io_nodes = false;
    settings.tables.io_nodes = {};
    EXPECT_EQ(Busiest(settings), 8U) << "a file of another cluster names no host of this one";
}

TEST_P(HostTurnsTest, AreNotForPortsThatAreLeftOut) {
    const std::vector<SwitchPort> others = Ports(false);
    Settings settings = Balanced();
    settings.tables.ignored = others;
    EXPECT_EQ(Busiest(settings), 4U);
    std::vector<SwitchPort> all = Ports(true);
    all.insert(all.end(), others.begin(), others.end());
    Sort(all);
    settings.tables.ignored = all;
    EXPECT_EQ(BusiestOfAll(settings), 16U) << "who leaves out all leaves out none";
}

INSTANTIATE_TEST_SUITE_P(Engines, HostTurnsTest, ::testing::Values("minhop", "updn", "auto"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace ember
