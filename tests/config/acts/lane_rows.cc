// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of virtual lanes.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/support/gated_port.h"

namespace ember::acts {
namespace {

constexpr std::string_view kQos = "qos TRUE\n";
constexpr std::uint32_t kHost = 3;  ///< Not the manager's.

/// The small tree, the first host of which is a router; switches have an enhanced port 0.
net::Netlist WithRouter() {
    net::Netlist netlist = SmallTree();
    netlist.nodes[kHost].type = NodeType::kRouter;
    return netlist;
}

/// A port of the kind that the keys `qos_KIND_*` are for.
std::uint32_t RowOf(SimWorld& world, std::string_view kind) {
    if (kind == "ca_") return world.sim().RowOf(kHost + 1, 1);
    if (kind == "rtr_") return world.sim().RowOf(kHost, 1);
    const Leaf leaf = FindLeaf(world);
    return world.sim().RowOf(leaf.node, kind == "sw0_" ? 0 : leaf.to_host);
}

std::unique_ptr<SimWorld> Lanes(const Settings& settings) {
    SimWorld::Options options;
    options.hardware.all_enhanced_port0 = true;
    return BringUp(settings, WithRouter(), options);
}

Look HighLimit(std::string_view kind) {
    return [kind](const Settings& settings) {
        const auto world = Lanes(settings);
        return Text(world->world().port(RowOf(*world, kind)).info.Get(PortInfo::kVlHighLimit));
    };
}

/// The first entry of a block of VL arbitration.
Look Entry(std::string_view kind, std::uint32_t block) {
    return [kind, block](const Settings& settings) {
        const auto world = Lanes(settings);
        const auto octets = world->world().VlArbBlock(RowOf(*world, kind), block);
        return fmt::format("{}:{}", octets[0], octets[1]);
    };
}

/// The VLs of SL 0 and 1: of a switch's external ports, from its port 0.
Look Map(std::string_view kind) {
    return [kind](const Settings& settings) {
        const auto world = Lanes(settings);
        const std::uint32_t row = RowOf(*world, kind);
        const std::uint32_t out = kind == "swe_" ? world->world().port(row).number : 0U;
        return fmt::format("{:02x}", world->world().SlToVl(row, 0, out)[0]);
    };
}

/// Sets of SL to VL maps, where switches can take one for all of their ports.
std::string MapsSet(const Settings& settings) {
    SimWorld world(SmallTree());
    for (sim::SimNode& node : world.world().nodes()) {
        if (!node.is_switch()) continue;
        node.switch_info.Set(SwitchInfo::kOptimizedSlToVlMappingProgramming, std::uint8_t{1});
    }
    world.AddManager(settings);
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    const std::uint64_t sets =
        world.sm().exchange().statistics().SetsOf(AttributeId::kSlToVlMappingTable);
    return sets == 8 + 6 ? "one a switch" : "one for each pair of ports";
}

/// Whether the log tells that maps were not taken, as no Set of one arrives.
std::string LostMaps(const Settings& settings) {
    SimWorld world(SmallTree());
    world.AddManager(settings);
    testing::GatedPort gate(world.attachment());
    world.Interpose(gate);
    world.Restart();
    gate.lets_out = [](const Envelope& envelope) {
        return AttributeId{envelope.mad.header.attribute_id} != AttributeId::kSlToVlMappingTable;
    };
    world.RunFor(20 * kSecond);
    return world.Heard(Note::kSetUnanswered) != 0 ? "told" : "not told";
}

}  // namespace

std::vector<Row> LaneRows() {
    std::vector<Row> rows = {
        {"qos", "TRUE", Entry("ca_", 3), "0:0", "0:4"},
        {"use_optimized_slvl", "TRUE", &MapsSet, "one for each pair of ports", "one a switch",
         kQos},
        {"suppress_sl2vl_mad_status_errors", "TRUE", &LostMaps, "told", "not told", kQos},
        {"qos_high_limit", "9", HighLimit("rtr_"), "0", "9", kQos},
        {"qos_vlarb_high", "3:7", Entry("ca_", 3), "0:4", "3:7", kQos},
        {"qos_vlarb_low", "0:7,3:6", Entry("sw0_", 1), "0:0", "0:7", kQos},
        {"qos_sl2vl", "2,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0", Map("swe_"), "01", "23", kQos},
    };
    // The names of the keys stay where the rows look at them.
    static constexpr std::array<std::array<std::string_view, 5>, 4> kKinds = {{
        {"ca_", "qos_ca_high_limit", "qos_ca_vlarb_high", "qos_ca_vlarb_low", "qos_ca_sl2vl"},
        {"sw0_", "qos_sw0_high_limit", "qos_sw0_vlarb_high", "qos_sw0_vlarb_low", "qos_sw0_sl2vl"},
        {"swe_", "qos_swe_high_limit", "qos_swe_vlarb_high", "qos_swe_vlarb_low", "qos_swe_sl2vl"},
        {"rtr_", "qos_rtr_high_limit", "qos_rtr_vlarb_high", "qos_rtr_vlarb_low", "qos_rtr_sl2vl"},
    }};
    for (const auto& [kind, limit, high, low, map] : kKinds) {
        rows.push_back({limit, "9", HighLimit(kind), "0", "9", kQos});
        rows.push_back({high, "3:7", Entry(kind, 3), "0:4", "3:7", kQos});
        rows.push_back({low, "0:7,3:6", Entry(kind, 1), "0:0", "0:7", kQos});
        rows.push_back({map, "2,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0", Map(kind), "01", "23", kQos});
    }
    return rows;
}

}  // namespace ember::acts
