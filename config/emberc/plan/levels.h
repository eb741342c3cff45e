// SPDX-License-Identifier: Apache-2.0
// EmberSM: the levels of a fabric, and the links between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "core/routing/topology.h"

namespace ember::plan {

/// The level of every switch row: 0 with hosts, and else the cables to the nearest switch that has
/// some. A fat tree's leaves are level 0, and a torus has that level only. Switches from which no
/// host is reached, and holes, have kNoLevel.
inline constexpr std::uint32_t kNoLevel = 0xFFFFFFFF;
[[nodiscard]] std::vector<std::uint32_t> LevelsOf(const Topology& topology);

/// The links that lead from switches of one level to those of another.
struct LinkClass {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::size_t links = 0;
    std::size_t idle = 0;
    double max = 0;   ///< Flows under all-to-all.
    double mean = 0;  ///< Likewise, idle ones included.
    /// Links by load, in tenths of the fabric's busiest link: [0] idle, [i] up to i tenths of it.
    std::vector<std::size_t> tenths;
};
inline constexpr std::size_t kTenths = 10;

/// All classes that have links, ascending. Links of switches without a level are left out.
[[nodiscard]] std::vector<LinkClass> ClassesOf(const Topology& topology,
                                               const std::vector<std::uint32_t>& levels,
                                               const AllToAll& loads);

/// Which tenth of `max` a load falls in: 0 for none, else 1..10.
[[nodiscard]] std::size_t TenthOf(double flows, double max);

/// How many links carry how much: `counts[i]` of them more than i * `width` flows and at most
/// (i + 1) * `width`. Links that carry nothing are counted apart.
struct LoadHistogram {
    double width = 1;
    std::size_t idle = 0;
    std::vector<std::size_t> counts;
};
[[nodiscard]] LoadHistogram HistogramOf(const Topology& topology,
                                        const AllToAll& loads,
                                        std::size_t bars);

}  // namespace ember::plan
