// SPDX-License-Identifier: Apache-2.0
// EmberSM: fabrics of well-known shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/netlist/netlist.h"

namespace ember::net {

/// Every generator puts the hosts first, in the order of their leaf switches, then the switches;
/// hosts sit on the lowest ports of their switch. GUIDs are numbered as ibsim would, and a node's
/// name holds its GUID: "H-0000000000100000".

/// Two levels of k-port switches: k leaves with k/2 hosts each, k/2 spines. `k` is even.
[[nodiscard]] Netlist FatTree2(std::uint32_t k);

/// Three levels of k-port switches: k pods of k/2 leaves and k/2 middle switches, (k/2)^2 cores,
/// k^3/4 hosts. `k` is even. k=16: 320 switches, 1,024 hosts.
[[nodiscard]] Netlist FatTree3(std::uint32_t k);

/// A grid of any number of dimensions whose rows are closed to rings. A dimension of 2 has one
/// cable, not two.
[[nodiscard]] Netlist Torus(std::span<const std::uint32_t> sizes, std::uint32_t hosts_per_switch);

/// A grid whose rows are open.
[[nodiscard]] Netlist Mesh(std::span<const std::uint32_t> sizes, std::uint32_t hosts_per_switch);

/// 2^dimensions switches, each cabled to those whose number differs in one bit.
[[nodiscard]] Netlist Hypercube(std::uint32_t dimensions, std::uint32_t hosts_per_switch);

/// Groups of `switches` switches, all cabled to each other, with `globals` cables to other groups
/// on every switch; switches * globals + 1 groups, so every two groups share one cable.
[[nodiscard]] Netlist Dragonfly(std::uint32_t switches, std::uint32_t globals,
                                std::uint32_t hosts_per_switch);

[[nodiscard]] Netlist Ring(std::uint32_t switches, std::uint32_t hosts_per_switch);

/// A connected graph: a random tree, and more cables until switches have `degree` of them on the
/// average. Parallel cables occur. A function of the seed.
[[nodiscard]] Netlist RandomGraph(std::uint64_t seed, std::uint32_t switches, std::uint32_t degree,
                                  std::uint32_t hosts_per_switch);

[[nodiscard]] Netlist SingleSwitch(std::uint32_t hosts);

/// Two switches joined by `cables`.
[[nodiscard]] Netlist ParallelLinks(std::uint32_t links, std::uint32_t hosts_per_switch);

/// Two-port CAs, port 1 on one switch and port 2 on another; `cables` join the two switches.
[[nodiscard]] Netlist DualRail(std::uint32_t hosts, std::uint32_t links);

/// A shape by name: "ft2:8", "ft3:16", "torus:4x4x4[:hosts]", "mesh:8x8[:hosts]",
/// "hypercube:6[:hosts]", "dragonfly:4,2[:hosts]", "ring:8[:hosts]", "random:SEED,16,4[:hosts]",
/// "single:36", "parallel:4[:hosts]", "dualrail:16,2". `hosts` are those of each switch, 1 unless
/// told. On a mistake the netlist is empty and `error` a sentence.
[[nodiscard]] Netlist TopologyByName(std::string_view name, std::string& error);

}  // namespace ember::net
