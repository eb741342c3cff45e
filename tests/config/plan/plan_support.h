// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of emberc plan share.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/plan/planner.h"
#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "tests/config/emberc_run.h"

namespace ember::plan {

inline const Settings kDefaults;

inline net::Netlist Shape(std::string_view name) {
    std::string error;
    net::Netlist netlist = net::TopologyByName(name, error);
    EXPECT_FALSE(netlist.nodes.empty()) << error;
    return netlist;
}

/// A plan from the first seat, with settings that outlive it.
inline std::unique_ptr<Planned> PlanOf(const net::Netlist& netlist, const Settings& settings) {
    net::Part part = net::Reachable(netlist, net::FirstSeat(netlist));
    return std::make_unique<Planned>(std::move(part.netlist), part.from, settings);
}

using test::Answer;
using test::Emberc;
using test::Folder;

}  // namespace ember::plan
