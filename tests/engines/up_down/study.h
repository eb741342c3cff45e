// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric as the parts of up/down routing see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"
#include "engines/up_down/levels.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_run.h"

namespace ember::testing {

/// The inputs of Levels, SweepSearch and QueueSearch, for a netlist.
class Study {
public:
    explicit Study(const net::Netlist& netlist, const BuiltFabric::Options& options = {})
        : built_(netlist, options),
          scratch_(3 * Router::ScratchBytes(built_.limits(), EngineScratchBytes(built_.limits()))) {
        topology_.Build(built_.fabric(), Order::kOpensm, scratch_.arena());
        stride_ = HopStride(topology_.switch_bound());
        hops_.resize(topology_.switch_bound() * stride_);
        HopMeter meter;
        meter.Begin(topology_, {}, {hops_, HopShape(topology_.switch_bound())}, scratch_.arena());
        while (meter.Advance() == Progress::kMore) {
        }
        room_.Fill({hops_, HopShape(topology_.switch_bound())});
    }

    [[nodiscard]] RoutingTask Task() {
        return {.topology = &topology_,
                .options = &settings,
                .hops = {hops_, HopShape(topology_.switch_bound())},
                .hop_room = &room_,
                .tables = {},
                .scratch = &scratch_.arena()};
    }
    void Find(Levels& levels, UpDownRule rule) {
        levels.Begin(Task(), rule);
        while (levels.Advance() == Progress::kMore) {
        }
    }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] SwitchIndex at(std::uint32_t node) const { return built_.switch_index(node); }

    Settings settings = OpensmSettings();

private:
    BuiltFabric built_;
    ArenaStorage scratch_;
    Topology topology_;
    std::vector<std::uint8_t> hops_;
    HopRoom room_;
    std::size_t stride_ = 0;
};

}  // namespace ember::testing
