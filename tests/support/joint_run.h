// SPDX-License-Identifier: Apache-2.0
// EmberSM: a routed netlist with groups, whose trees are proved together with unicast.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/multicast/joint_proof.h"
#include "tests/support/lane_run.h"
#include "tests/support/multicast_store.h"

namespace ember::testing {

class JointRun {
public:
    /// `engine` routes it, on at most so many lanes.
    JointRun(const net::Netlist& netlist, RoutingEngine& engine, const Settings& settings,
             std::uint8_t lanes = 8)
        : netlist_(netlist),
          settings_(settings),
          run_(netlist_, Options(lanes), &EngineScratchBytes, kLaneBytes),
          limits_(WithMulticast(run_.built().limits())),
          groups_(limits_),
          trees_(run_.built().fabric(), limits_, groups_.groups()) {
        ForEachSwitch(fabric(), [](SwitchIndex, Switch& row) {
            row.info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{1024});
        });
        verdict_ = run_.Route(engine, settings_);
        if (verdict_.may_program()) run_.router().Commit();
        trees_.Begin(settings_.order);
        proof_ = std::make_unique<JointProof>(
            JointProof::Parts{fabric(), groups_.groups(), trees_.tables(), settings_});
    }

    /// A group of these hosts of the netlist, with the tree that Trees make.
    MlidIndex AddGroup(const std::vector<std::uint32_t>& hosts, std::uint8_t sl = 0) {
        const Gid mgid{0xFF12A01C00000000ULL, ++last_group_};
        EXPECT_TRUE(groups_.groups().Create(mgid, {.mtu = Mtu::k2048, .sl = sl}, {}).ok());
        const GroupIndex at = groups_.groups().Find(mgid);
        for (const std::uint32_t host : hosts) {
            Member who;
            who.port_guid = fabric().PortsOf(run_.built().node(host))[0].guid;
            who.join_state = join_state::kFull;
            EXPECT_TRUE(groups_.groups().Join(at, who, 1).ok());
        }
        const MlidIndex mlid = groups_.groups().group(at).mlid;
        static_cast<void>(trees_.trees().Plan(mlid));
        return mlid;
    }
    const JointVerdict& Prove(bool is_whole = false, const BitSet* changed = nullptr) {
        const std::size_t before = run_.scratch().used_bytes();
        proof_->Begin({.router = &run_.router(),
                       .lfts = run_.lfts(),
                       .is_whole = is_whole,
                       .changed = changed},
                      run_.scratch());
        while (proof_->Advance() == Progress::kMore) {
        }
        EXPECT_EQ(run_.scratch().used_bytes(), before);
        return proof_->verdict();
    }

    /// The waits of all packets, unicast's and those of groups, followed one by one.
    [[nodiscard]] Waits Walk(bool all) {
        const LaneRule lane = [this](std::uint32_t node, std::uint8_t in, std::uint8_t out,
                                     unsigned sl) -> unsigned { return LaneAt(node, in, out, sl); };
        const SlRule sl_of = PlannedSl(run_);
        const SlowTables tables = run_.planned();
        Waits waits = LaneWalker(netlist_, run_.reference(), tables, lane, sl_of).Walk(all);
        for (std::size_t i = 0; i < groups_.groups().mlid_bound(); ++i) {
            const auto mlid = static_cast<MlidIndex>(i);
            const GroupIndex group = groups_.groups().mlid(mlid).first;
            if (group == kNoGroup) continue;
            const OpenRule is_open = [&](std::uint32_t node, std::uint8_t port) {
                const auto& run = trees_.tables().run(run_.built().switch_index(node));
                const unsigned mask = trees_.tables().WantedMask(mlid, run.first + port / 16U);
                return (mask >> (port % 16U) & 1U) != 0;
            };
            const unsigned sl = groups_.groups().group(group).values.sl;
            GroupWalker(netlist_, is_open, lane).Walk(sl, waits);
        }
        return waits;
    }

    [[nodiscard]] const Verdict& verdict() const { return verdict_; }
    [[nodiscard]] RoutingRun& run() { return run_; }
    [[nodiscard]] Fabric& fabric() { return run_.built().fabric(); }
    [[nodiscard]] MftTables& tables() { return trees_.tables(); }
    [[nodiscard]] Trees& trees() { return trees_.trees(); }
    [[nodiscard]] const net::Netlist& netlist() const { return netlist_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    [[nodiscard]] JointProof& proof() { return *proof_; }

private:
    static constexpr std::size_t kLaneBytes = 64U << 10U;

    static BuiltFabric::Options Options(std::uint8_t lanes) { return WithLanes(lanes); }
    static Limits WithMulticast(Limits limits) {
        limits.max_groups = 16;
        limits.max_members = 4096;
        limits.max_mlids = 64;
        limits.max_events = 8;
        return limits;
    }
    /// The VL of `sl`, by the lanes of the routing or by the identity as SL to VL map.
    [[nodiscard]] unsigned LaneAt(std::uint32_t node, std::uint8_t in, std::uint8_t out,
                                  unsigned sl) const {
        const RoutingLanes& lanes = run_.router().planned_lanes();
        if (lanes.is_one_lane() && !settings_.qos) return 0;
        const bool is_routed = !lanes.is_one_lane() && (lanes.sls >> sl & 1U) != 0;
        if (!is_routed) return sl % 8;
        return lanes.lane_map.Of({.at = run_.built().switch_index(node),
                                  .in = static_cast<PortNumber>(in),
                                  .out = static_cast<PortNumber>(out)},
                                 static_cast<std::uint8_t>(sl));
    }

    net::Netlist netlist_;
    Settings settings_;
    mutable RoutingRun run_;
    Limits limits_;
    GroupStore groups_;
    TreeStore trees_;
    Verdict verdict_;
    std::uint64_t last_group_ = 0;
    std::unique_ptr<JointProof> proof_;
};

}  // namespace ember::testing
