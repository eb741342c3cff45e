// SPDX-License-Identifier: Apache-2.0
// EmberSM: what it costs to feed a standby, and how long a takeover takes.
//
// Goal:   to feed a standby 10,000 joins costs a master at most a twentieth of its CPU time: of a
//         core while a join comes each millisecond (`of_core`). Beside it stands what feeding adds
//         to what joins cost by themselves (`of_joins`), greetings included: a join here is a row
//         and an answer, as the simulated wire has no driver, and trees are made for many joins at
//         a time. A takeover on ft3 k=8: the first answer within a second of the
//         death of the master, SUBNET UP within two; on k=36 within three; no table is written.
// Method: whole subnet managers on the simulated fabric; clients join over the wire. CPU time is
//         this thread's in the steps of the master; the least of several runs counts. Takeovers are
//         in virtual time.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "board/linux_bench/profile.h"
#include "config/netlist/topologies.h"
#include "core/wire/mc_member_record.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint32_t kJoins = 10'000;

class CpuClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }
};

Settings With(std::uint8_t priority, bool has_key) {
    Settings settings;
    settings.sm_priority = priority;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        if (!has_key) break;
        static_cast<void>(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)));
    }
    return settings;
}

/// A master at host 0 and a standby at host 5.
struct Pair {
    Pair(std::uint32_t radix, bool has_key) : world(net::FatTree3(radix)) {
        world.SetWorkClock(&cpu);
        world.AddManager<kLinuxBench>(0, 1, With(9, has_key));
        is_ready = world.RunUntilUp(60 * kSecond);
        world.AddManager<kLinuxBench>(5, 1, With(3, has_key));
        const auto is_followed = [&] { return world.Heard(Note::kReplicaWhole, 1) != 0; };
        if (has_key) {
            is_ready = is_ready && world.RunUntil(is_followed, 60 * kSecond);
        } else {
            world.RunFor(20 * kSecond);
        }
        world.RunFor(5 * kSecond);
    }
    /// kJoins of as many pairs of a host and a group, one after the other, each `pause_us` after
    /// the answer to the one before.
    bool JoinAll(std::uint32_t hosts, std::uint64_t pause_us) {
        std::deque<SaClient> clients;
        for (std::uint32_t host = 0; host < hosts; ++host) {
            clients.emplace_back(world, 8 + host);
        }
        Groups& groups = world.sm(0).multicast().groups();
        bool is_well = true;
        for (std::uint32_t i = 0; i < kJoins; ++i) {
            const Gid mgid{0xFF12A01C00000000ULL, 1 + i / hosts};
            if (groups.Find(mgid) == kNoGroup) {
                const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
                is_well = is_well && groups.Create(mgid, values, {}).ok();
            }
            SaClient& client = clients[i % hosts];
            McMemberRecord join;
            join.SetMgid(mgid);
            join.Set(McMemberRecord::kPortGidPrefix, std::uint64_t{0xFE80000000000000});
            join.Set(McMemberRecord::kPortGidGuid, client.guid());
            join.Set(McMemberRecord::kJoinState, join_state::kFull);
            constexpr std::uint64_t kMask = std::uint64_t{1} << McMemberRecord::kHasMgid |
                                            std::uint64_t{1} << McMemberRecord::kHasPortGid |
                                            std::uint64_t{1} << McMemberRecord::kHasJoinState;
            const SaMad answer =
                client.Ask(Method::kSet, SaAttribute::kMcMemberRecord, kMask, join);
            is_well = is_well && answer.header.status == 0U;
            if (pause_us != 0) world.RunFor(pause_us);
        }
        world.RunFor(kSecond);
        return is_well;
    }

    CpuClock cpu;
    SimWorld world;
    bool is_ready = false;
};

std::uint64_t WorkOfJoins(benchmark::State& state, bool has_key) {
    const auto pause_us = static_cast<std::uint64_t>(state.range(0));
    Pair pair(8, has_key);
    const std::uint64_t before_us = pair.world.worked_us(0);
    if (!pair.is_ready || !pair.JoinAll(100, pause_us)) state.SkipWithError("the joins failed");
    const std::uint64_t worked_us = pair.world.worked_us(0) - before_us;
    const bool is_followed =
        !has_key || pair.world.sm(1).multicast().groups().member_count() >= std::size_t{kJoins};
    if (!is_followed) state.SkipWithError("the standby does not have them");
    return worked_us;
}

/// The CPU time that feeding a standby adds to the master's while clients join. Arg: microseconds
/// between joins.
void ReplicatedJoins(benchmark::State& state) {
    std::uint64_t alone_us = ~std::uint64_t{0};
    std::uint64_t feeding_us = ~std::uint64_t{0};
    for (auto unused : state) {
        static_cast<void>(unused);
        alone_us = std::min(alone_us, WorkOfJoins(state, false));
        feeding_us = std::min(feeding_us, WorkOfJoins(state, true));
    }
    state.counters["alone_ms"] = static_cast<double>(alone_us) / 1000;
    state.counters["feeding_ms"] = static_cast<double>(feeding_us) / 1000;
    const auto added_us = static_cast<double>(feeding_us) - static_cast<double>(alone_us);
    state.counters["of_joins"] = added_us / static_cast<double>(alone_us);
    state.counters["us_a_join"] = added_us / kJoins;
    const double lasted_us = static_cast<double>(kJoins) * static_cast<double>(state.range(0));
    if (lasted_us != 0) state.counters["of_core"] = added_us / lasted_us;
}
BENCHMARK(ReplicatedJoins)->Arg(0)->Arg(1000)->Iterations(5)->Unit(benchmark::kMillisecond);

/// Times are virtual, from the death of the master on.
void TakeOver(benchmark::State& state) {
    for (auto unused : state) {
        static_cast<void>(unused);
        Pair pair(static_cast<std::uint32_t>(state.range(0)), true);
        SimWorld& world = pair.world;
        if (!pair.is_ready) return state.SkipWithError("no replica");
        world.sim().ClearCounters();
        world.Kill(0);
        const std::uint64_t died_us = world.now_us();
        const auto since_ms = [&] { return static_cast<double>(world.now_us() - died_us) / 1000; };
        const auto until = [&](const char* name, const std::function<bool()>& done) {
            if (!world.RunUntil(done, 60 * kSecond)) state.SkipWithError(name);
            state.counters[name] = since_ms();
        };
        until("noticed_ms", [&] { return world.sm(1).role().state() != SmState::kStandby; });
        until("serves_ms", [&] { return world.sm(1).administration().serves(); });
        until("up_ms", [&] { return world.sm(1).is_up(); });
        const sim::Counters& sent = world.sim().counters();
        std::uint64_t sets = 0;
        std::uint64_t gets = 0;
        for (std::size_t i = 0; i < sent.sets.size(); ++i) {
            sets += sent.sets[i];
            gets += sent.gets[i];
        }
        state.counters["gets"] = static_cast<double>(gets);
        state.counters["sets"] = static_cast<double>(sets);
        state.counters["sets_of_port_info"] =
            static_cast<double>(sent.Sets(AttributeId::kPortInfo));
    }
}
BENCHMARK(TakeOver)->Arg(8)->Arg(16)->Arg(36)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ember::testing
