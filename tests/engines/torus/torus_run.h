// SPDX-License-Identifier: Apache-2.0
// EmberSM: tori, routed by torus-2QoS with lanes and proved.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/netlist.h"
#include "core/routing/verifier.h"
#include "engines/torus/torus_2qos.h"

namespace ember::testing {

/// A place of a torus, and an axis: the links from there away from 0.
struct TorusLink {
    std::array<std::uint32_t, 3> place{};
    std::size_t axis = 0;
    [[nodiscard]] bool operator==(const TorusLink&) const = default;
};

/// A torus to be built: its switches have the ids "0.0.0", "0.0.1" ...
struct TorusPlan {
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    std::uint32_t hosts = 1;                      ///< Of a switch.
    std::array<std::uint32_t, 3> links{1, 1, 1};  ///< Parallel ones, by axis.
    std::uint8_t open = 0;                        ///< Axes that are not closed, a bit each.
    std::vector<std::array<std::uint32_t, 3>> without{};
    std::vector<TorusLink> broken{};
};
[[nodiscard]] net::Netlist MakeTorus(const TorusPlan& plan);
[[nodiscard]] std::string TorusId(const std::array<std::uint32_t, 3>& place);

/// The contents of a torus_config.
struct TorusFile {
    TorusShape shape;
    std::vector<TorusSeed> seeds;
    std::vector<PortNumber> ports;
};
/// The shape of the plan, and a seed at a place of it, from which the datelines are as in the ids.
[[nodiscard]] TorusFile FileFor(const TorusPlan& plan, const net::Netlist& netlist,
                                const std::array<std::uint32_t, 3>& at = {0, 0, 0});

/// A netlist, and all that the engine and the verifier need, to the octet.
class TorusRun {
public:
    explicit TorusRun(const net::Netlist& netlist, net::BuiltFabric::Options options = {});

    /// Runs the engine to its end. Its complaint is complaint().
    [[nodiscard]] Status Route(const TorusFile& file, std::uint8_t max_lanes = 8,
                               EngineFault lane_fault = EngineFault::kBoardLanes);
    /// Runs the verifier on the result.
    [[nodiscard]] const Findings& Verify();

    [[nodiscard]] EngineComplaint complaint() const { return engine_.complaint(); }
    [[nodiscard]] std::uint8_t Entry(SwitchIndex at, Lid lid) const {
        return lfts_[Raw(at) * LidStride(limits_) + Raw(lid)];
    }
    [[nodiscard]] SwitchIndex SwitchOf(std::string_view id) const;
    [[nodiscard]] Topology& topology() { return topology_; }
    [[nodiscard]] const RoutingLanes& lanes() const { return lanes_; }
    /// To be built anew, when the fabric has changed.
    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }

    std::size_t path_sl_bytes = 0;   ///< How many the engine is given,
    std::size_t lane_map_words = 0;  ///< and how many words.

private:
    const net::Netlist& netlist_;
    net::BuiltFabric built_;
    Limits limits_;
    net::ArenaStorage topology_storage_;
    net::ArenaStorage scratch_;
    net::ArenaStorage proof_;
    std::vector<std::uint8_t> lfts_;
    std::vector<std::uint8_t> hops_;
    std::vector<std::uint8_t> path_sl_;
    std::vector<std::uint64_t> lane_map_;
    Topology topology_;
    RoutingLanes lanes_;
    Torus2Qos engine_;
    Verifier verifier_;
};

}  // namespace ember::testing
