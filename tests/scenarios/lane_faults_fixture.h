// SPDX-License-Identifier: Apache-2.0
// EmberSM: a ring, one of whose switches does not give packets the lanes that it is told to.
#pragma once

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>

#include "core/wire/smp.h"
#include "platform/sim/liar.h"
#include "tests/support/lane_walker.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing::lane_faults {

inline constexpr std::uint32_t kRing = 8;

enum class Fault : std::uint8_t {
    kNone,
    kNoMaps,   ///< IsSLMappingSupported is 0.
    kSham,     ///< Acknowledges Sets of maps, and keeps what it has.
    kDeaf,     ///< Does not answer about maps.
    kRefuses,  ///< Maps,
    kRefusesArbitration,
};

/// The agents of some switches.
class LaneLiar final : public sim::Liar {
public:
    Fault fault = Fault::kNone;
    std::set<std::uint32_t> nodes;

    Deed Meet(std::uint32_t node, const Mad& asked) override {
        if (!nodes.contains(node) || asked.header.attribute_id != AboutOf()) return Deed::kAct;
        if (fault == Fault::kDeaf) return Deed::kDeaf;
        const bool is_read = fault == Fault::kSham && asked.header.method != Method::kSet;
        return is_read ? Deed::kAct : Deed::kSham;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        if (!nodes.contains(node)) return true;
        const bool refuses = fault == Fault::kRefuses || fault == Fault::kRefusesArbitration;
        if (refuses && asked.header.attribute_id == AboutOf()) answer.header.status = 0x0C;
        if (fault != Fault::kNoMaps || asked.header.attribute_id != AttributeId::kPortInfo) {
            return true;
        }
        auto smp = std::bit_cast<LidSmp>(answer);
        auto info = std::bit_cast<PortInfo>(smp.data);
        info.Set(PortInfo::kCapabilityMask,
                 info.Get(PortInfo::kCapabilityMask) & ~capability_mask::kIsSlMappingSupported);
        smp.data = info.octets();
        answer = std::bit_cast<Mad>(smp);
        return true;
    }

private:
    [[nodiscard]] AttributeId AboutOf() const {
        if (fault == Fault::kNone || fault == Fault::kNoMaps) return AttributeId{0xFFFF};
        return fault == Fault::kRefusesArbitration ? AttributeId::kVlArbitrationTable
                                                   : AttributeId::kSlToVlMappingTable;
    }
};

class LaneFaultScenario : public ::testing::Test {
protected:
    LaneFaultScenario() { world_.sim().SetLiar(&liar_); }
    ~LaneFaultScenario() override { world_.sim().SetLiar(nullptr); }
    LaneFaultScenario(const LaneFaultScenario&) = delete;
    LaneFaultScenario& operator=(const LaneFaultScenario&) = delete;

    [[nodiscard]] static Settings SettingsFor(EngineKind kind) {
        Settings settings = BriskSettings();
        settings.qos = true;
        settings.require_deadlock_free = true;
        EXPECT_EQ(settings.routing_engine.TryPush(kind), Status::kOk);
        return settings;
    }
    /// `switches`: how many have the fault.
    void Break(Fault fault, std::uint32_t switches) {
        liar_.fault = fault;
        liar_.nodes.clear();
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            const bool is_one = world_.world().node(node).is_switch();
            if (is_one && liar_.nodes.size() < switches) liar_.nodes.insert(node);
        }
        ASSERT_EQ(liar_.nodes.size(), switches);
    }
    [[nodiscard]] SubnetManager& sm(std::size_t seat = 0) { return world_.sm(seat); }
    [[nodiscard]] const Verdict& verdict() { return sm().router().verdict(); }
    [[nodiscard]] const RoutingLanes& programmed() { return sm().router().programmed_lanes(); }
    [[nodiscard]] const LaneFaults& faults() { return sm().progress().up_summary.lanes; }

    /// Steps of 20 ms for six seconds, then of half a second: after each packets are followed.
    void RunWatched(std::uint64_t time_us, std::size_t seat = 0) {
        for (std::uint64_t passed = 0; passed < time_us;) {
            const std::uint64_t step = passed < 6 * kSecond ? 20 * kMs : kSecond / 2;
            passed += step;
            world_.RunFor(step);
            if (HasLoop(seat)) ++loops_;
        }
    }
    /// A credit loop could close now among links that carry data.
    [[nodiscard]] bool HasLoop(std::size_t seat = 0) {
        Waits waits;
        for (std::uint32_t from = 0; from < world_.world().row_count(); ++from) {
            for (std::uint32_t to = 0; to < world_.world().row_count(); ++to) {
                if (from != to && IsHost(from) && IsHost(to)) Follow(from, to, seat, waits);
            }
        }
        return HasCycle(waits);
    }
    [[nodiscard]] std::uint32_t ActiveLinks() {
        std::uint32_t count = 0;
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            if (world_.world().port(row).number != 0 && IsActive(row)) ++count;
        }
        return count;
    }
    void ExpectUp() {
        EXPECT_TRUE(sm().is_up()) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "");
        EXPECT_EQ(ActiveLinks(), 2U * 2U * kRing);
    }

    SimWorld world_{net::Ring(kRing, 1)};
    LaneLiar liar_;
    std::uint32_t loops_ = 0;

private:
    [[nodiscard]] bool IsHost(std::uint32_t row) {
        return !world_.world().node_of(row).is_switch() && world_.world().port(row).number == 1;
    }
    [[nodiscard]] bool IsActive(std::uint32_t row) {
        return world_.world().port(row).info.Get(PortInfo::kPortState) == PortState::kActive;
    }
    /// The switch in front of a host, as the manager numbers it.
    [[nodiscard]] SwitchIndex PlaceOf(std::uint32_t row, std::size_t seat) {
        const Fabric& fabric = sm(seat).fabric();
        const PortIndex at = fabric.FindPort(world_.world().port(row).guid);
        if (at == kNoPortIndex || fabric.port(at).peer == kNoPortIndex) return kNoSwitch;
        return fabric.node(fabric.port(fabric.port(at).peer).node).switch_index;
    }
    /// As far as links are ACTIVE. Lanes beyond those of a link are what its VLs number.
    void Follow(std::uint32_t from, std::uint32_t to, std::size_t seat, Waits& waits) {
        const SlPath path{PlaceOf(from, seat), PlaceOf(to, seat),
                          world_.world().port(to).info.Get(PortInfo::kLid)};
        if (path.from == kNoSwitch || path.to == kNoSwitch || path.lid == kNoLid) return;
        const unsigned sl = sm(seat).router().programmed_lanes().path_sl.Of(path);
        if (sl >= kServiceLevels) return;
        std::uint32_t row = world_.world().Beyond(from);
        LanePort held;
        for (std::uint32_t hop = 0; hop < 4 * kRing && row != sim::kNoRow; ++hop) {
            const std::uint32_t at = world_.world().port(row).node;
            const sim::SimNode& node = world_.world().node(at);
            if (!node.is_switch()) return;
            const std::uint8_t out = world_.world().LftEntry(at, Raw(path.lid));
            if (out == 0 || out > node.port_count || !IsActive(node.first_row + out)) return;
            const auto octets = world_.world().SlToVl(node.first_row, row - node.first_row, out);
            const unsigned lane = sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
            const LanePort next{at, out, lane};
            row = world_.world().Beyond(node.first_row + out);
            if (row == sim::kNoRow || !world_.world().node_of(row).is_switch()) return;
            if (hop > 0) waits[held].insert(next);
            held = next;
        }
    }
};

}  // namespace ember::testing::lane_faults
