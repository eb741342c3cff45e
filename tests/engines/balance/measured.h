// SPDX-License-Identifier: Apache-2.0
// EmberSM: balanced routes of a net, and their measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>

#include "config/emberc/plan/measure.h"
#include "config/netlist/netlist.h"
#include "core/graph/topology.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"

namespace ember::testing {

/// Settings under Order::kBalanced.
inline Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

/// Routes a net and measures the tables.
class Measured {
public:
    Measured(const net::Netlist& netlist, std::string_view engine, std::uint8_t lmc = 0)
        : run_(netlist, OptionsFor(netlist, lmc)) {
        Engines engines;
        const Verdict& verdict = run_.Route(*engines.Find(engine), Balanced());
        EXPECT_TRUE(verdict.may_program());
        findings_ = verdict.findings;
        topology_.Build(run_.built().fabric(), Order::kBalanced, run_.scratch());
    }

    [[nodiscard]] plan::AllToAll Loads() { return plan::MeasureAllToAll(topology_, run_.lfts()); }
    [[nodiscard]] double Bisection() {
        return plan::MeasureBisections(topology_, run_.lfts()).effective;
    }
    [[nodiscard]] const Findings& findings() const { return findings_; }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] RoutingRun& run() { return run_; }
    [[nodiscard]] std::uint8_t ExitAt(SwitchIndex at, std::size_t lid) {
        return run_.lfts()[at][lid];
    }

private:
    static BuiltFabric::Options OptionsFor(const net::Netlist& netlist, std::uint8_t lmc) {
        BuiltFabric::Options options;
        options.lmc = lmc;
        options.has_links = true;
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {  // The host with the least GUID.
            const net::NetNode& node = netlist.nodes[i];
            const net::NetNode& own = netlist.nodes[options.own_node];
            if (!node.is_switch() && (own.is_switch() || node.guid < own.guid))
                options.own_node = i;
        }
        return options;
    }

    RoutingRun run_;
    Topology topology_;
    Findings findings_;
};

}  // namespace ember::testing
