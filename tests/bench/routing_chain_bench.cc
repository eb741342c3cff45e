// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric of three parts by a chain, beside each part alone by its engine: a tree of
// three levels, a torus and storage on switches of their own, joined by a spine.
#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/routing/plan_maker.h"
#include "core/routing/router.h"
#include "core/settings/qos_tables.h"
#include "engines/catalogue.h"

namespace {

using namespace ember;  // NOLINT: a benchmark is a program of its own.

constexpr std::uint32_t kStorageHosts = 64;
constexpr std::uint32_t kSpines = 4;
constexpr std::uint32_t kUplinks = 16;  // Of each part, shared out among the spines.

/// Copies a netlist behind another. Its switches get `more` ports. Returns its first node.
std::uint32_t Append(const net::Netlist& part, std::uint32_t more, net::Netlist& to) {
    const auto first = static_cast<std::uint32_t>(to.nodes.size());
    const std::string prefix = std::to_string(first) + "-";
    for (const net::NetNode& node : part.nodes) {
        to.Add(node.type, node.port_count() + (node.is_switch() ? more : 0), prefix + node.id,
               prefix + node.description);
    }
    for (std::uint32_t i = 0; i < part.nodes.size(); ++i) {
        for (std::uint32_t p = 1; p < part.nodes[i].ports.size(); ++p) {
            const net::NetPort& port = part.nodes[i].ports[p];
            const bool is_first = port.peer > i || (port.peer == i && port.peer_port > p);
            if (port.peer == net::kNoPeer || !is_first) continue;
            to.Connect(first + i, p, first + port.peer, port.peer_port);
        }
    }
    return first;
}

net::Netlist Storage() {
    net::Netlist netlist;
    const std::uint32_t leaves = kStorageHosts / 16;
    for (std::uint32_t i = 0; i < leaves; ++i) {
        netlist.Add(NodeType::kSwitch, 16 + leaves, "st" + std::to_string(i), "");
    }
    for (std::uint32_t i = 0; i < leaves; ++i) {
        for (std::uint32_t k = i + 1; k < leaves; ++k) {
            netlist.Connect(i, 17 + k, k, 17 + i);
        }
    }
    for (std::uint32_t i = 0; i < kStorageHosts; ++i) {
        const std::uint32_t host =
            netlist.Add(NodeType::kChannelAdapter, 1, "sh" + std::to_string(i), "");
        netlist.Connect(host, 1, i / 16, 1 + i % 16);
    }
    return netlist;
}

/// A part of the whole: its nodes, and the engine of its step.
struct Part {
    net::Netlist netlist;
    EngineKind engine{};
    std::uint32_t first = 0;
};

struct Whole {
    Whole() {
        parts.push_back({net::FatTree3(16), EngineKind::kFtree});
        parts.push_back({net::Torus(std::array{6U, 6U, 6U}, 1), EngineKind::kDor});
        parts.push_back({Storage(), EngineKind::kMinHop});
        for (Part& part : parts) {
            part.first = Append(part.netlist, 1, netlist);
        }
        const auto spine = static_cast<std::uint32_t>(netlist.nodes.size());
        for (std::uint32_t i = 0; i < kSpines; ++i) {
            netlist.Add(NodeType::kSwitch, 36, "spine" + std::to_string(i), "");
        }
        std::vector<std::uint32_t> used(kSpines);
        for (const Part& part : parts) {
            std::uint32_t links = 0;
            const auto end = part.first + static_cast<std::uint32_t>(part.netlist.nodes.size());
            for (std::uint32_t i = part.first; i < end && links < kUplinks; ++i) {
                if (!netlist.nodes[i].is_switch()) continue;
                const std::uint32_t at = links++ % kSpines;
                netlist.Connect(i, netlist.nodes[i].port_count(), spine + at, ++used[at]);
            }
        }
        netlist.AssignGuids();
    }
    net::Netlist netlist;
    std::vector<Part> parts;
};

/// Everything a run needs of one fabric.
struct Bench {
    Bench(const net::Netlist& netlist, std::uint32_t steps)
        : built(netlist, OptionsOf(steps)),
          scratch(Router::ScratchBytes(built.limits(), EngineScratchBytes(built.limits()))),
          hops(HopBytes(built.limits())),
          planned(built.limits().max_switches * LidStride(built.limits())),
          step_lfts(HasStepArena(built.limits()) ? planned.size() : 0),
          part_words(PlanMaker::PartWords(built.limits())),
          options(PlanMaker::OptionRows(built.limits())),
          maker({.parts = part_words, .options = options}, built.limits()),
          router({.hops = hops, .step_lfts = step_lfts}, built.limits()) {}

    static net::BuiltFabric::Options OptionsOf(std::uint32_t steps) {
        net::BuiltFabric::Options options;
        options.max_steps = steps;
        return options;
    }
    static double NowMs() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
    }
    /// Processor time of a run, of the plan and of the proof too.
    double Run(const Settings& settings) {
        const double begin = NowMs();
        maker.Begin(built.fabric(), settings, engines.All());
        while (maker.Advance() == Progress::kMore) {
        }
        router.Begin(built.fabric(), maker.plan(), {planned, LftShape(built.limits())},
                     scratch.arena());
        double proof = 0;
        Progress progress = Progress::kMore;
        while (progress == Progress::kMore) {
            const bool is_proof = router.phase() == Router::Phase::kVerifier;
            const double slice = is_proof ? NowMs() : 0;
            progress = router.Advance();
            if (is_proof) proof += NowMs() - slice;
        }
        if (!router.verdict().may_program()) std::abort();
        proof_ms = std::min(proof_ms, proof);
        return NowMs() - begin;
    }

    double proof_ms = 1e9;  ///< Of it, of the best run, the proof.
    net::BuiltFabric built;
    net::ArenaStorage scratch;
    std::vector<std::uint8_t> hops;
    std::vector<std::uint8_t> planned;
    std::vector<std::uint8_t> step_lfts;
    std::vector<std::uint64_t> part_words;
    std::vector<EngineOptions> options;
    Engines engines;
    PlanMaker maker;
    Router router;
};

Settings Engine(EngineKind kind) {
    Settings settings;
    if (settings.routing_engine.TryPush(kind) != Status::kOk) std::abort();
    return settings;
}

/// The whole by minhop, then each part by its engine; beside it the same engines, each on a fabric
/// that is its part alone. The parts have no pairs of one part and another, nor has any of them a
/// step for the whole, which every chain has: so minhop on the whole, alone, stands beside them.
void RouteByAChain(benchmark::State& state) {
    const Whole whole;
    std::vector<PortGroup> groups;
    std::vector<PortGroupRule> rules;
    std::vector<PortTopology> topologies;
    std::vector<ChainStep> steps = {{.id = 1}};
    for (const Part& part : whole.parts) {
        std::vector<std::uint64_t> guids;
        for (std::size_t i = 0; i < part.netlist.nodes.size(); ++i) {
            const net::NetNode& node = whole.netlist.nodes[part.first + i];
            guids.push_back(Raw(net::PortGuid(node, node.is_switch() ? 0 : 1)));
        }
        std::sort(guids.begin(), guids.end());
        groups.push_back({.first = static_cast<std::uint32_t>(rules.size()),
                          .guids = static_cast<std::uint32_t>(guids.size())});
        for (const std::uint64_t guid : guids) {
            rules.push_back({guid, guid, 0, kLastPortOfAll});
        }
        const auto row = static_cast<std::uint16_t>(groups.size() - 1);
        topologies.push_back({.id = groups.size(), .switches = row, .end_ports = row});
        steps.push_back({.id = groups.size() + 1,
                         .topology = static_cast<std::uint8_t>(groups.size()),
                         .engine = part.engine});
    }
    Settings settings;
    settings.manager_tables.port_groups = groups;
    settings.manager_tables.port_group_rules = rules;
    settings.manager_tables.topologies = topologies;
    settings.manager_tables.chain_steps = steps;
    Bench chain(whole.netlist, static_cast<std::uint32_t>(steps.size()));
    double chain_ms = 1e9;  // On a busy machine the best run says most.
    double parts_ms = 1e9;
    double one_ms = 1e9;
    std::vector<std::unique_ptr<Bench>> alone;
    for (const Part& part : whole.parts) {
        net::Netlist netlist = part.netlist;
        netlist.AssignGuids();
        alone.push_back(std::make_unique<Bench>(netlist, 1));
    }
    Bench one(whole.netlist, 1);
    for (auto _ : state) {
        chain_ms = std::min(chain_ms, chain.Run(settings));
        one_ms = std::min(one_ms, one.Run(Engine(EngineKind::kMinHop)));
        double sum = 0;
        for (std::size_t i = 0; i < alone.size(); ++i) {
            sum += alone[i]->Run(Engine(whole.parts[i].engine));
        }
        parts_ms = std::min(parts_ms, sum);
    }
    state.counters["chain_ms"] = chain_ms;
    state.counters["parts_ms"] = parts_ms;
    state.counters["minhop_on_whole_ms"] = one_ms;
    double parts_proof_ms = 0;
    for (const auto& part : alone) {
        parts_proof_ms += part->proof_ms;
    }
    state.counters["chain_proof_ms"] = chain.proof_ms;
    state.counters["parts_proof_ms"] = parts_proof_ms;
    state.counters["ratio_to_parts"] = chain_ms / parts_ms;
    state.counters["ratio_to_parts_and_whole"] = chain_ms / (parts_ms + one_ms);
    state.counters["nodes"] = static_cast<double>(whole.netlist.nodes.size());
}
BENCHMARK(RouteByAChain)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
