// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what engines are told.

#include "core/settings/engine_options.h"

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "engines/up_down/up_dn.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// updn, under options of its own.
class OwnOptions final : public RoutingEngine {
public:
    explicit OwnOptions(const EngineOptions& options) : options_(options) {}
    [[nodiscard]] EngineKind kind() const override { return up_dn_.kind(); }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return up_dn_.promise(options_);
    }
    Status Begin(const RoutingTask& task) override {
        RoutingTask own = task;
        own.options = &options_;
        return up_dn_.Begin(own);
    }
    Result<Progress> Advance() override { return up_dn_.Advance(); }

private:
    EngineOptions options_;
    UpDn up_dn_;
};

TEST(EngineOptions, OfOneEngineNeedNotBeThoseOfTheSettings) {
    const net::Netlist netlist = net::Ring(6, 1);
    std::vector<Guid> switches;
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch()) switches.push_back(node.guid);
    }
    Settings main = testing::OpensmSettings();
    main.tables.roots = {switches.data(), 1};
    main.tables.has_roots = true;
    Settings other = main;
    other.tables.roots = {switches.data() + 3, 1};

    RoutingRun run(netlist);
    UpDn up_dn;
    ASSERT_TRUE(run.Route(up_dn, main).may_program());
    const auto by_main = run.planned();
    ASSERT_TRUE(run.Route(up_dn, other).may_program());
    const auto by_other = run.planned();
    ASSERT_NE(by_main, by_other);
    OwnOptions engine(other);
    ASSERT_TRUE(run.Route(engine, main).may_program());
    EXPECT_EQ(run.planned(), by_other);
}

}  // namespace
}  // namespace ember
