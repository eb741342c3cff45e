// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of mending, engine by engine.

#include "engines/mender.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <span>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/acting_engine.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowTables;

/// Runs a Router that mends what `run` has planned.
const Verdict& Mend(RoutingRun& run, std::span<RoutingEngine* const> engines,
                    const Settings& settings) {
    return run.Mend(engines, settings, ProofScope::kWhole);
}

const Verdict& Mend(RoutingRun& run, RoutingEngine& engine, const Settings& settings) {
    RoutingEngine* const engines[] = {&engine};
    return Mend(run, std::span(engines), settings);
}

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

void FillWithRubbish(RoutingRun& run, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::uint8_t& octet : run.lfts().values()) {
        octet = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 8 : random());
    }
}

TEST(Mender, LeavesARoutingThatIsSoundAsItIs) {
    const net::Netlist netlist = net::FatTree3(4);
    RoutingRun run(netlist);
    Engines engines;
    for (RoutingEngine* const engine : engines.All()) {
        if (!engine->can_mend(Balanced())) continue;
        if (!run.Route(*engine, Balanced()).may_program()) continue;
        const SlowTables before = run.planned();
        const Verdict& verdict = Mend(run, *engine, Balanced());
        EXPECT_TRUE(verdict.may_program()) << engine->name();
        EXPECT_TRUE(verdict.was_mended);
        EXPECT_EQ(verdict.mended.entries, 0U) << engine->name();
        EXPECT_EQ(run.planned(), before);
    }
}

TEST(Mender, MakesSoundRoutesOfRubbish) {
    const net::Netlist nets[] = {net::FatTree3(4), net::Torus(std::array{4U, 3U}, 2),
                                 net::Ring(5, 1)};
    Engines engines;
    int mended = 0;
    for (const net::Netlist& netlist : nets) {
        for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
            testing::BuiltFabric::Options options;
            options.lmc = lmc;
            RoutingRun run(netlist, options);
            for (RoutingEngine* const engine : engines.All()) {
                if (!engine->can_mend(Balanced())) continue;
                if (!run.Route(*engine, Balanced()).may_program()) continue;
                FillWithRubbish(run, lmc + 1U);
                const Verdict& verdict = Mend(run, *engine, Balanced());
                EXPECT_TRUE(verdict.may_program()) << engine->name();
                EXPECT_TRUE(verdict.was_mended) << engine->name();
                EXPECT_GT(verdict.mended.entries, 0U);
                ++mended;
            }
        }
    }
    EXPECT_GT(mended, 0);
}

TEST(Mender, SpreadsWhatItChoosesOverEqualExits) {
    const net::Netlist netlist = net::FatTree2(8);
    RoutingRun run(netlist);
    Engines engines;
    RoutingEngine& min_hop = *engines.Find("minhop");
    for (std::uint8_t& octet : run.lfts().values()) {
        octet = kNoHops;
    }
    ASSERT_TRUE(Mend(run, min_hop, Balanced()).may_program());
    // 8 leaves of 4 hosts and 4 uplinks: the 28 hosts elsewhere are 7 on each uplink.
    for (const auto& [node, row] : run.planned()) {
        std::array<int, 256> load{};
        bool is_leaf = false;
        for (const auto& port : netlist.nodes[node].ports) {
            if (port.peer != net::kNoPeer && !netlist.nodes[port.peer].is_switch()) is_leaf = true;
        }
        if (!is_leaf) continue;
        for (std::uint32_t host = 0; host < netlist.nodes.size(); ++host) {
            if (netlist.nodes[host].is_switch()) continue;
            const Fabric& fabric = run.built().fabric();
            const Node& owner = fabric.node(fabric.FindNode(netlist.nodes[host].guid));
            ++load[row[Raw(fabric.port(owner.first_port).lid)]];
        }
        int uplinks = 0;
        for (std::size_t port = 1; port < netlist.nodes[node].ports.size(); ++port) {
            const std::uint32_t peer = netlist.nodes[node].ports[port].peer;
            if (peer == net::kNoPeer || !netlist.nodes[peer].is_switch()) continue;
            EXPECT_EQ(load[port], 7);
            ++uplinks;
        }
        EXPECT_EQ(uplinks, 4);
    }
}

TEST(Mender, AnEngineThatCannotMendMakesAllRoutesAnew) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    Engines engines;
    RoutingEngine& min_hop = *engines.Find("minhop");
    run.Route(min_hop, testing::OpensmSettings());
    const SlowTables made = run.planned();
    FillWithRubbish(run, 7);
    const Verdict& verdict = Mend(run, min_hop, testing::OpensmSettings());  // Without memory.
    EXPECT_TRUE(verdict.may_program());
    EXPECT_FALSE(verdict.was_mended);
    EXPECT_FALSE(verdict.mending_failed);
    EXPECT_EQ(run.planned(), made);
}

TEST(Mender, MendsBehindEnginesThatAreNotThereOrFail) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    Engines engines;
    RoutingEngine& min_hop = *engines.Find("minhop");
    testing::ActingEngine failing(EngineKind::kUpDn, "updn", {});
    failing.status = Status::kUnreachable;
    Settings settings;
    ASSERT_EQ(run.Route(min_hop, settings).outcome, RoutingOutcome::kVerified);
    const SlowTables made = run.planned();
    for (RoutingEngine* const first :
         {static_cast<RoutingEngine*>(nullptr), static_cast<RoutingEngine*>(&failing)}) {
        settings.routing_engine.clear();
        ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
        ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kMinHop), Status::kOk);
        const std::array<RoutingEngine*, 2> list = {first, &min_hop};
        const Verdict& verdict = Mend(run, list, settings);
        EXPECT_EQ(verdict.engine, "minhop");
        EXPECT_TRUE(verdict.was_mended);
        EXPECT_EQ(verdict.mended.entries, 0U);
        EXPECT_EQ(run.planned(), made);
    }
}

/// Mends by leaving everything as it is, and makes routes as min-hop does.
class LazyEngine final : public RoutingEngine {
public:
    [[nodiscard]] EngineKind kind() const override { return EngineKind::kNue; }
    [[nodiscard]] std::string_view name() const override { return "lazy"; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.shortest = true};
    }
    [[nodiscard]] bool can_mend(const EngineOptions& /*options*/) const override { return true; }
    Status Begin(const RoutingTask& task) override {
        is_lazy_ = task.mended != nullptr;
        return is_lazy_ ? Status::kOk : min_hop_.Begin(task);
    }
    Result<Progress> Advance() override {
        if (is_lazy_) return Progress::kDone;
        return min_hop_.Advance();
    }

private:
    MinHop min_hop_;
    bool is_lazy_ = false;
};

TEST(Mender, RoutesThatWereMendedBadlyAreMadeAnew) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    LazyEngine lazy;
    FillWithRubbish(run, 3);
    const Verdict& verdict = Mend(run, lazy, {});
    EXPECT_TRUE(verdict.may_program());
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_FALSE(verdict.was_mended);
    ASSERT_EQ(verdict.attempts.size(), 1U);
}

}  // namespace
}  // namespace ember
