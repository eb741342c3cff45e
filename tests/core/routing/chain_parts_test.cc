// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of every engine that a chain may have, on parts of a subnet of every kind.
//
// Method: min-hop for the whole, then an engine for a part that a seed has chosen: some switches,
//         some of their ports, some end ports, so that parts are torn, lonely and empty. What is
//         let pass is verified again.

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"
#include "tests/support/chain_engines.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::RoutingRun;

BuiltFabric::Options TwoSteps() {
    BuiltFabric::Options options;
    options.max_steps = 2;
    return options;
}

std::vector<net::Netlist> Fabrics() {
    std::vector<net::Netlist> fabrics = {net::FatTree2(4), net::FatTree3(4), net::Ring(5, 1),
                                         net::Torus(std::array{3U, 3U}, 1)};
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        fabrics.push_back(testing::WildNetlist(
            {.seed = seed, .switches = 7, .extra_cables = 6, .hosts = 9, .islands = seed == 3}));
    }
    return fabrics;
}

/// A bit for each of `bits` numbers: so many of a hundred.
std::vector<std::uint64_t> Chosen(std::size_t bits, unsigned percent, std::mt19937& random) {
    std::vector<std::uint64_t> words(SubnetPart::Words(bits));
    for (std::size_t bit = 0; bit < bits; ++bit) {
        if (random() % 100 < percent) words[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    return words;
}

class ChainParts : public ::testing::TestWithParam<EngineKind> {
protected:
    const Verdict& Route(RoutingRun& run, unsigned percent, unsigned of_ports, std::uint32_t seed) {
        const Limits& limits = run.built().limits();
        const std::size_t stride = limits.max_switch_ports + std::size_t{1};
        std::mt19937 random(seed);
        const auto switches = Chosen(limits.max_switches, percent, random);
        const auto lids = Chosen(limits.max_lid + std::size_t{1}, percent, random);
        const auto ports = Chosen(limits.max_switches * stride, of_ports, random);
        const SubnetPart part{
            .switches = switches, .lids = lids, .switch_ports = ports, .port_stride = stride};
        const std::array first = {
            Alternative{.engine = FindEngine(engines_.All(), EngineKind::kMinHop),
                        .options = &settings_,
                        .id = 1}};
        const std::array then = {Alternative{.kind = GetParam(),
                                             .engine = FindEngine(engines_.All(), GetParam()),
                                             .options = &settings_,
                                             .part = &part,
                                             .id = 2,
                                             .path_bit = 0}};
        const std::array steps = {RoutingStep{.options = &settings_, .alternatives = first},
                                  RoutingStep{.options = &settings_, .alternatives = then}};
        return run.Route({.steps = steps, .options = &settings_});
    }

    Engines engines_;
    Settings settings_;
};

TEST_P(ChainParts, AreRoutedOrRefusedAndWhatPassesIsWhole) {
    std::size_t passed = 0;
    std::uint32_t seed = 0;
    for (const net::Netlist& netlist : Fabrics()) {
        RoutingRun run(netlist, TwoSteps());
        for (const unsigned percent : {0U, 30U, 60U, 85U, 100U}) {
            for (const unsigned of_ports : {60U, 100U}) {
                SCOPED_TRACE("seed " + std::to_string(seed));
                const Verdict& verdict = Route(run, percent, of_ports, seed++);
                EXPECT_NE(verdict.reason, RoutingReason::kLoop);
                EXPECT_EQ(verdict.may_program(), verdict.reason == RoutingReason::kNone);
                if (!verdict.may_program()) continue;
                ++passed;
                EXPECT_EQ(run.Verify(Order::kBalanced).fault, Findings::Fault::kNone);
            }
        }
    }
    EXPECT_GE(passed, 20U) << "of " << seed;
}

INSTANTIATE_TEST_SUITE_P(Engines, ChainParts, ::testing::ValuesIn(testing::ForChains()),
                         testing::NameOfEngine);

}  // namespace
}  // namespace ember
