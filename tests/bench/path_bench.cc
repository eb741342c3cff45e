// SPDX-License-Identifier: Apache-2.0
// EmberSM: how fast paths are told, from the question's octets to the record's, without a wire.
//
// Times are of this thread's processor. `rate` is paths a second.

#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/transactions/administration.h"
#include "tests/core/administration/paths/path_net.h"
#include "tests/core/administration/policy/policy_model.h"

namespace ember {
namespace {

using testing::Mask;
using testing::PathNet;
using testing::PolicyModel;
using testing::PolicyTables;
using P = PathRecord;

PathNet& NetFor(std::int64_t k) {
    static std::map<std::int64_t, std::unique_ptr<PathNet>> nets;
    auto& net = nets[k];
    if (!net) net = std::make_unique<PathNet>(net::FatTree3(static_cast<std::uint32_t>(k)));
    return *net;
}

double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<PortIndex> HostsOf(PathNet& net) {
    std::vector<PortIndex> hosts;
    ForEachEndPort(net.fabric(), [&](PortIndex at, const Port& port) {
        if (port.number != kManagementPort) hosts.push_back(at);
    });
    return hosts;
}

/// 100 rules: by service ID, by the group of the destination, by QoS class and P_Key. The last one
/// alone fits what is asked.
PolicyModel HundredRules(const std::vector<PortIndex>& hosts, const Fabric& fabric) {
    PolicyModel model{.levels = {{.sl = 0}, {.sl = 1, .mtu_limit = Mtu::k2048}}};
    for (std::uint64_t i = 0; i < 99; ++i) {
        const std::uint64_t guid = Raw(fabric.port(hosts[i]).guid);
        const auto group = static_cast<std::uint16_t>(i);
        model.groups.push_back({.guids = {{guid, guid}}});
        PolicyModel::Rule rule{.level = 1, .destinations = {group}};
        if (i % 3 == 0) rule.service_ids = {{0x10000 * i, 0x10000 * i + 0xFFF}};
        if (i % 3 == 1) rule.qos_classes = {{i, i + 7}};
        if (i % 3 == 2) rule.p_keys = {{i, i + 7}};
        model.rules.push_back(rule);
    }
    model.rules.push_back({.level = 1, .service_ids = {{0x1060000, 0x106FFFF}}});
    return model;
}

/// 4,096 questions for paths by LIDs, between hosts drawn by chance.
std::vector<PathRecord> DrawQuestions(PathNet& net, const std::vector<PortIndex>& hosts) {
    std::mt19937 chance(1);
    std::vector<PathRecord> questions(4096);
    for (PathRecord& asked : questions) {
        asked.Set(P::kSlid, net.fabric().port(hosts[chance() % hosts.size()]).lid);
        asked.Set(P::kDlid, net.fabric().port(hosts[chance() % hosts.size()]).lid);
    }
    return questions;
}

struct Told {
    std::size_t paths = 0;
    std::size_t service_levels = 0;  ///< Their sum.
};

/// Asks all `questions` in each turn of the benchmark. Callgrind counts in it alone.
[[gnu::noinline]] Told AskAll(benchmark::State& state, PathNet& net, Query& query,
                              const std::vector<PathRecord>& questions) {
    Told told;
    const double began = CpuSeconds();
    for (auto _ : state) {
        for (const PathRecord& asked : questions) {
            query.record = asked.octets();
            PathRecord path;
            Cursor cursor;
            std::uint32_t budget = SaBudget::kRowsAtOnce;
            if (net.records().Check(query) != SaStatus::kOk) continue;
            // A dispatcher looks for a second record, too.
            while (net.records().Next(query, cursor, budget, path.octets()) == Found::kRecord) {
                ++told.paths;
                told.service_levels += path.Get(P::kSl);
            }
        }
    }
    state.counters["rate"] = static_cast<double>(told.paths) / (CpuSeconds() - began);
    return told;
}

/// Get by LIDs, between hosts drawn by chance. `generation` 1: the tables stand still; 0: they may
/// change at any time, as while a sweep runs.
void Get(benchmark::State& state, std::uint64_t generation) {
    PathNet& net = NetFor(state.range(0));
    net.view().generation = generation;
    const std::vector<PortIndex> hosts = HostsOf(net);
    const std::vector<PathRecord> questions = DrawQuestions(net, hosts);
    Query query;
    query.method = Method::kGet;
    query.component_mask = Mask(P::kHasSlid, P::kHasDlid);
    query.requester = hosts[0];
    const Told told = AskAll(state, net, query, questions);
    if (told.paths != static_cast<std::size_t>(state.iterations()) * questions.size())
        state.SkipWithError("not every path is told");
}

/// GetTable of every path there is.
void All(benchmark::State& state) {
    PathNet& net = NetFor(state.range(0));
    net.view().generation = 1;
    Query query;
    query.method = Method::kGetTable;
    query.requester = net.fabric().own_port();
    const PathRecord asked;
    query.record = asked.octets();
    std::size_t told = 0;
    double longest = 0;
    const double began = CpuSeconds();
    for (auto _ : state) {
        Cursor cursor;
        Found found = Found::kLater;
        while (found != Found::kEnd) {
            std::uint32_t budget = SaBudget::kRowsAtOnce;
            const double slice = CpuSeconds();
            do {
                PathRecord path;
                found = net.records().Next(query, cursor, budget, path.octets());
                benchmark::DoNotOptimize(path);
                if (found == Found::kRecord) ++told;
            } while (found == Found::kRecord && budget > 0);
            longest = std::max(longest, CpuSeconds() - slice);
        }
    }
    const double seconds = CpuSeconds() - began;
    state.counters["rate"] = static_cast<double>(told) / seconds;
    state.counters["records"] = static_cast<double>(told) / static_cast<double>(state.iterations());
    state.counters["slice_us"] = longest * 1e6;
}

void GetPath(benchmark::State& state) {
    Get(state, 1);
}
/// The same by service ID and P_Key besides, under a policy of 100 rules, or of none.
void GetUnderPolicy(benchmark::State& state, bool has_rules) {
    PathNet& net = NetFor(state.range(0));
    net.view().generation = 1;
    const std::vector<PortIndex> hosts = HostsOf(net);
    const PolicyTables rules(HundredRules(hosts, net.fabric()));
    const PolicyTables none;
    (has_rules ? rules : none).PutInto(net.settings());
    if (net.policy().Load() != Status::kOk) state.SkipWithError("the policy does not fit");
    std::vector<PathRecord> questions = DrawQuestions(net, hosts);
    for (PathRecord& asked : questions) {
        asked.Set(P::kServiceId, std::uint64_t{0x1060CBC});
        asked.Set(P::kPKey, kDefaultPKey);
    }
    Query query;
    query.method = Method::kGet;
    query.component_mask =
        Mask(P::kHasSlid, P::kHasDlid, P::kHasServiceIdHigh, P::kHasServiceIdLow, P::kHasPKey);
    query.requester = hosts[0];
    const Told told = AskAll(state, net, query, questions);
    none.PutInto(net.settings());  // The net outlives the rules.
    if (net.policy().Load() != Status::kOk) state.SkipWithError("no policy does not fit");
    if (told.service_levels != (has_rules ? told.paths : 0))
        state.SkipWithError("a path has the wrong level");
}

void GetPathWithoutPolicy(benchmark::State& state) {
    GetUnderPolicy(state, false);
}
void GetPathUnderHundredRules(benchmark::State& state) {
    GetUnderPolicy(state, true);
}
void GetPathWhileSweeping(benchmark::State& state) {
    Get(state, 0);
}

BENCHMARK(GetPath)->Arg(16)->Arg(36)->Unit(benchmark::kMillisecond);
BENCHMARK(GetPathWhileSweeping)->Arg(16)->Arg(36)->Unit(benchmark::kMillisecond);
BENCHMARK(GetPathWithoutPolicy)->Arg(16)->Arg(36)->Unit(benchmark::kMillisecond);
BENCHMARK(GetPathUnderHundredRules)->Arg(16)->Arg(36)->Unit(benchmark::kMillisecond);
BENCHMARK(All)->Arg(16)->Unit(benchmark::kMillisecond)->Iterations(2);

}  // namespace
}  // namespace ember
