// SPDX-License-Identifier: Apache-2.0
// EmberSM: routing runs on a netlist, with the storage they need.

#include "tests/support/routing_run.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/graph/hops.h"

namespace ember::testing {

RoutingRun::RoutingRun(const net::Netlist& netlist, const BuiltFabric::Options& options,
                       Appetite appetite, std::size_t lane_bytes)
    : built_(netlist, options),
      reference_(netlist, built_),
      scratch_(Router::ScratchBytes(built_.limits(), appetite(built_.limits()))),
      hops_(HopBytes(built_.limits())),
      dependencies_(DependencyGraph::Words(built_.limits())),
      proved_switches_(built_.limits().max_switches),
      proved_peers_(built_.limits().max_ports),
      proved_lids_(built_.limits().max_lid),
      step_lfts_(HasStepArena(built_.limits())
                     ? built_.limits().max_switches * LidStride(built_.limits())
                     : 0),
      path_sl_(2 * lane_bytes),
      lane_map_(2 * lane_bytes / sizeof(std::uint64_t)),
      planned_(built_.limits().max_switches * LidStride(built_.limits())),
      router_({.hops = hops_,
               .dependencies = dependencies_,
               .proved = {proved_switches_, proved_peers_, proved_lids_},
               .step_lfts = step_lfts_,
               .path_sl = path_sl_,
               .lane_map = lane_map_},
              built_.limits()) {}

const Verdict& RoutingRun::Route(std::span<RoutingEngine* const> engines,
                                 const Settings& settings) {
    settings_ = settings;
    plan_.emplace(engines, settings_);
    return Route(plan_->plan());
}

const Verdict& RoutingRun::Route(const RoutingPlan& plan) {
    router_.Begin(built_.fabric(), plan, lfts(), scratch());
    slices_ = 1;
    while (router_.Advance() == Progress::kMore) {
        ++slices_;
    }
    return router_.verdict();
}

const Verdict& RoutingRun::Route(RoutingEngine& engine, const Settings& settings) {
    RoutingEngine* const engines[] = {&engine};
    return Route(engines, settings);
}

const Verdict& RoutingRun::RouteSafely(RoutingEngine& engine) {
    router_.BeginSafe(engine);
    slices_ = 1;
    while (router_.Advance() == Progress::kMore) {
        ++slices_;
    }
    return router_.verdict();
}

const Verdict& RoutingRun::Mend(std::span<RoutingEngine* const> engines, const Settings& settings,
                                ProofScope scope) {
    settings_ = settings;
    plan_.emplace(engines, settings_);
    return Mend(plan_->plan(), scope);
}

const Verdict& RoutingRun::Balance(const RoutingPlan& plan) {
    router_.BeginBalancing(built_.fabric(), plan, lfts(), scratch());
    slices_ = 1;
    while (router_.Advance() == Progress::kMore) {
        ++slices_;
    }
    return router_.verdict();
}

const Verdict& RoutingRun::Mend(const RoutingPlan& plan, ProofScope scope) {
    router_.BeginMending(built_.fabric(), plan, lfts(), scratch());
    if (scope == ProofScope::kChanges) router_.ProveChangesOnly();
    slices_ = 1;
    while (router_.Advance() == Progress::kMore) {
        ++slices_;
    }
    return router_.verdict();
}

const Verdict& RoutingRun::Mend(RoutingEngine& engine, const Settings& settings, ProofScope scope) {
    RoutingEngine* const engines[] = {&engine};
    return Mend(engines, settings, scope);
}

Findings RoutingRun::Verify(const SlowTables& tables, const Settings& settings) {
    Plan(tables);
    return Verify(settings.order);
}

Findings RoutingRun::Verify(Order order) {
    const Arena::Frame frame(scratch());
    Topology topology;
    topology.Build(built_.fabric(), order, scratch());
    std::vector<std::uint8_t> octets(topology.switch_bound() * HopStride(topology.switch_bound()));
    const Matrix<SwitchIndex, std::uint8_t> hops(octets, HopShape(topology.switch_bound()));
    {
        const Arena::Frame inner(scratch());
        HopMeter meter;
        meter.Begin(topology, hops, scratch());
        while (meter.Advance() == Progress::kMore) {
        }
    }
    Verifier verifier;
    verifier.Begin({.topology = &topology, .hops = hops, .lfts = lfts()}, scratch());
    while (verifier.Advance() == Progress::kMore) {
    }
    return verifier.findings();
}

SlowTables RoutingRun::planned() const {
    SlowTables tables;
    const std::size_t stride = LidStride(built_.limits());
    for (const std::uint32_t node : reference_.switches()) {
        const std::size_t first = Raw(built_.switch_index(node)) * stride;
        const std::uint8_t* const begin = planned_.data() + first;
        tables[node].assign(begin, begin + reference_.top_lid() + 1);
    }
    return tables;
}

void RoutingRun::Plan(const SlowTables& tables) {
    WriteTables(built_, tables, lfts());
}

void WriteTables(const BuiltFabric& built, const SlowTables& tables,
                 Matrix<SwitchIndex, std::uint8_t> lfts) {
    for (const auto& [node, row] : tables) {
        const auto to = lfts[built.switch_index(node)];
        std::fill(to.begin(), to.end(), std::uint8_t{255});
        std::copy(row.begin(), row.end(), to.begin());
    }
}

Status ReplayEngine::Begin(const RoutingTask& task) {
    task_ = task;
    return begin_status;
}

Result<Progress> ReplayEngine::Advance() {
    if (advance_status != Status::kOk) return advance_status;
    WriteTables(const_cast<RoutingRun&>(run_).built(), tables_, task_.tables.lfts);
    return Progress::kDone;
}

namespace {

/// Draws numbers; the same on every machine, unlike the standard's distributions.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t Below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(engine_() % bound);
    }

private:
    std::mt19937 engine_;
};

void ScatterGuids(net::Netlist& netlist, Dice& dice) {
    std::set<std::uint64_t> taken;
    for (net::NetNode& node : netlist.nodes) {
        std::uint64_t guid = 0;
        do {  // Ends: the space is far larger than the fabric.
            guid = std::uint64_t{dice.Below(0xFFFF)} << 40 | dice.Below(0xFFFF) << 8;
        } while (guid == 0 || !taken.insert(guid).second);
        node.guid = static_cast<Guid>(guid);
        for (net::NetPort& port : node.ports) {
            port.guid = kNoGuid;
        }
        if (dice.Below(3) == 0) node.system_image_guid = static_cast<Guid>(dice.Below(3) + 1);
    }
}

void AddSwitches(net::Netlist& netlist, const WildOptions& options, Dice& dice) {
    for (std::uint32_t i = 0; i < options.switches; ++i) {
        netlist.Add(NodeType::kSwitch, options.ports - dice.Below(3), "S-" + std::to_string(i), "");
        const bool starts_island = options.islands && i == options.switches / 2;
        if (i == 0 || starts_island) continue;
        const std::uint32_t first =
            options.islands && i > options.switches / 2 ? options.switches / 2 : 0;
        netlist.ConnectAny(i, first + dice.Below(i - first));
    }
    for (std::uint32_t i = 0; i < options.extra_cables; ++i) {
        const std::uint32_t one = dice.Below(options.switches);
        const std::uint32_t other = dice.Below(options.switches);
        const std::uint32_t half = options.switches / 2;
        if (options.islands && (one < half) != (other < half)) continue;
        netlist.ConnectAny(one, other);
    }
}

}  // namespace

net::Netlist WildNetlist(const WildOptions& options) {
    Dice dice(options.seed);
    net::Netlist netlist;
    AddSwitches(netlist, options, dice);
    for (std::uint32_t i = 0; i < options.hosts; ++i) {
        const std::uint32_t ports = 1 + dice.Below(2);
        const std::uint32_t host =
            netlist.Add(NodeType::kChannelAdapter, ports, "H-" + std::to_string(i), "");
        // Low numbers come more often: some switches are crowded, some bare.
        netlist.ConnectAny(host, dice.Below(1 + dice.Below(options.switches)));
        if (ports == 2 && dice.Below(4) != 0) {
            netlist.ConnectAny(host, dice.Below(options.switches));
        }
    }
    ScatterGuids(netlist, dice);
    return netlist;
}

}  // namespace ember::testing
