// SPDX-License-Identifier: Apache-2.0
// EmberSM: min-hop and dimension order under every option, on odd random fabrics.
//
// Goal:   whatever the options and their combination, the tables are what the specification says.
// Method: random fabrics and option files; SlowSpread(), which shares no code with the engines.

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

#include "engines/dor.h"
#include "engines/min_hop.h"
#include "tests/support/routing_run.h"
#include "tests/support/spread_reference.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// Settings by chance, and what their tables show.
class AnySettings {
public:
    AnySettings(const net::Netlist& netlist, std::uint32_t seed) : dice_(seed) {
        settings_.order = Toss() ? Order::kOpensm : Order::kGuid;
        settings_.lmc = static_cast<std::uint8_t>(Below(4));
        settings_.port_profile_switch_nodes = Toss();
        settings_.port_shifting = Below(4) == 0;
        if (testing::kHasGnuChance && Below(4) == 0) settings_.scatter_ports = Draw();
        settings_.guid_routing_order_no_scatter = Toss();
        if (Toss()) MakeWeights(netlist);
        if (Toss()) MakeIgnored(netlist);
        if (Toss()) MakeSearch(netlist);
        if (Toss()) MakeOrder(netlist);
    }
    AnySettings(const AnySettings&) = delete;
    AnySettings& operator=(const AnySettings&) = delete;

    [[nodiscard]] const Settings& settings() const { return settings_; }

private:
    [[nodiscard]] std::uint32_t Draw() { return static_cast<std::uint32_t>(dice_()); }
    [[nodiscard]] std::uint32_t Below(std::uint32_t bound) { return Draw() % bound; }
    [[nodiscard]] bool Toss() { return Below(2) == 0; }

    /// Calls visit(switch's GUID, port) for about one in `share` ports, some beyond the last one.
    template <typename Visit>
    void ForSomePorts(const net::Netlist& netlist, std::uint32_t share, Visit visit) {
        for (const net::NetNode& node : netlist.nodes) {
            for (std::size_t port = 0; node.is_switch() && port < node.ports.size() + 2; ++port) {
                if (Below(share) == 0) visit(node.guid, static_cast<PortNumber>(port));
            }
        }
    }
    void MakeWeights(const net::Netlist& netlist) {
        const std::uint32_t most = Toss() ? 3 : 150;
        ForSomePorts(netlist, 3, [&](Guid guid, PortNumber port) {
            weights_.push_back({guid, port, static_cast<std::uint8_t>(1 + Below(most))});
        });
        settings_.tables.hop_weights = weights_;
    }
    void MakeIgnored(const net::Netlist& netlist) {
        ForSomePorts(netlist, 6, [&](Guid guid, PortNumber port) {
            ignored_.push_back({guid, port});
        });
        settings_.tables.ignored = ignored_;
    }
    /// Some lines name a port too many.
    void MakeSearch(const net::Netlist& netlist) {
        for (const net::NetNode& node : netlist.nodes) {
            if (!node.is_switch() || Toss()) continue;
            std::vector<std::uint32_t> ports(node.ports.size() - (Below(4) == 0 ? 0 : 1));
            std::iota(ports.begin(), ports.end(), 1);
            std::shuffle(ports.begin(), ports.end(), dice_);
            ports.resize(1 + Below(static_cast<std::uint32_t>(ports.size())));
            search_.push_back({.guid = node.guid,
                               .first = static_cast<std::uint32_t>(search_ports_.size()),
                               .count = static_cast<std::uint32_t>(ports.size())});
            for (const std::uint32_t port : ports) {
                search_ports_.push_back(static_cast<PortNumber>(port));
            }
        }
        settings_.tables.search = search_;
        settings_.tables.search_ports = search_ports_;
    }
    /// Ports of hosts and switches, and GUIDs that are no PortGUID.
    void MakeOrder(const net::Netlist& netlist) {
        for (const net::NetNode& node : netlist.nodes) {
            if (Toss()) order_.push_back(static_cast<Guid>(Raw(node.guid) + Below(3)));
        }
        std::shuffle(order_.begin(), order_.end(), dice_);
        settings_.tables.routing_order = order_;
    }

    std::mt19937 dice_;  // Every 32-bit number, as a seed may be.
    Settings settings_ = testing::OpensmSettings();
    std::vector<HopWeight> weights_;
    std::vector<SwitchPort> ignored_;
    std::vector<PortOrder> search_;
    std::vector<PortNumber> search_ports_;
    std::vector<Guid> order_;
};

void RequireSpecifiedTables(RoutingEngine& engine, bool by_dimension) {
    const auto upto = [](std::uint32_t low, std::uint32_t high) {
        return rc::gen::scale(4.0, rc::gen::inRange(low, high));  // Large ones soon.
    };
    const net::Netlist netlist =
        testing::WildNetlist({.seed = *rc::gen::inRange<std::uint32_t>(0, 1'000'000),
                              .switches = *upto(1, 24),
                              .extra_cables = *upto(0, 40),
                              .hosts = *upto(0, 20),
                              .islands = false,
                              .ports = *rc::gen::element<std::uint32_t>(12, 36, 66, 254)});
    const AnySettings any(netlist, *rc::gen::inRange<std::uint32_t>(1, 1'000'000));
    testing::BuiltFabric::Options options;
    options.lmc = any.settings().lmc;
    options.order = any.settings().order;
    RoutingRun run(netlist, options);

    const Verdict& verdict = run.Route(engine, any.settings());

    // Where weights leave no way the verifier refuses; what was planned is compared nevertheless.
    RC_ASSERT(verdict.may_program() || !any.settings().tables.hop_weights.empty());
    RC_ASSERT(verdict.may_program() || verdict.reason == RoutingReason::kLostPair);
    const auto wanted = testing::SlowSpread(netlist, run.reference(), any.settings(), by_dimension);
    RC_ASSERT(run.planned() == wanted);
    RC_ASSERT(run.scratch().used_bytes() == 0U);
}

RC_GTEST_PROP(SpreadProperty, MinHopIsWhatItsSpecificationSaysUnderAllOptions, ()) {
    MinHop min_hop;
    RequireSpecifiedTables(min_hop, false);
}

RC_GTEST_PROP(SpreadProperty, DorIsWhatItsSpecificationSaysUnderAllOptions, ()) {
    Dor dor;
    RequireSpecifiedTables(dor, true);
}

}  // namespace
}  // namespace ember
