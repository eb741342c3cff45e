// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links of a fabric: by level, by load, those that are slow, and their lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/emberc/plan/planner.h"
#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/wire/rate.h"

namespace ember::plan {

/// The level of every switch row: 0 with hosts, and else the cables to the nearest switch that has
/// some. A fat tree's leaves are level 0, and a torus has that level only. Switches from which no
/// host is reached, and holes, have kNoLevel.
inline constexpr std::uint32_t kNoLevel = 0xFFFFFFFF;
[[nodiscard]] std::vector<std::uint32_t> LevelsOf(const Topology& topology);

/// The flows of a link under all-to-all up to which the report does not name it: those of the mean
/// link, or, if they are more, those that the cable of every host carries anyway. A link below
/// the second limits no host, and links that are all equally far above it are so by design.
[[nodiscard]] double FairShare(const AllToAll& loads);

/// Bands of load, in parts of the fair share: band 0 carries nothing, band i at most
/// kBandEdges[i - 1] of it, and the last one more than all edges.
inline constexpr std::array kBandEdges = {0.5, 0.9, 1.1, 1.25, 1.5, 2.0};
inline constexpr std::size_t kBands = kBandEdges.size() + 2;
/// The band around the fair share itself; those above are worth a look.
inline constexpr std::size_t kFairBand = 3;
[[nodiscard]] std::size_t BandOf(double flows, double share);

/// The links that lead from switches of one level to those of another.
struct LinkClass {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::size_t links = 0;
    std::size_t idle = 0;
    double max = 0;                           ///< Flows under all-to-all.
    double mean = 0;                          ///< Likewise, idle ones included.
    std::array<std::size_t, kBands> bands{};  ///< Links by BandOf().
};

/// All classes that have links, ascending. Links of switches without a level are left out.
[[nodiscard]] std::vector<LinkClass> ClassesOf(const Topology& topology,
                                               const std::vector<std::uint32_t>& levels,
                                               const AllToAll& loads);

/// How many links carry how much: `counts[i]` of them more than i * `width` flows and at most
/// (i + 1) * `width`. Links that carry nothing are counted apart.
struct LoadHistogram {
    double width = 1;
    std::size_t idle = 0;
    std::vector<std::size_t> counts;
};
[[nodiscard]] LoadHistogram HistogramOf(const Topology& topology, const AllToAll& loads,
                                        std::size_t bars);

/// A link at whose both ends there are faster ones.
struct SlowLink {
    SwitchIndex one = kNoSwitch;
    PortNumber port{};
    SwitchIndex other = kNoSwitch;
    PortNumber other_port{};
    Rate rate = Rate::kNone;
    Rate beside = Rate::kNone;  ///< The slower of what is fastest at either end.
};

/// Each once, the slowest first, then by the GUIDs and ports of their ends. A tree whose levels
/// have rates of their own has none.
[[nodiscard]] std::vector<SlowLink> SlowLinks(const Topology& topology);

/// A data lane of the links between switches, when every host sends one flow to every other.
struct LaneLoad {
    std::uint64_t paths = 0;  ///< (host, LID of another host) that use it on some link.
    std::size_t links = 0;    ///< Directions of cables between switches on which it carries a flow.
    double max = 0;           ///< Flows on its busiest link.
    double sum = 0;           ///< Flows on all its links.
};

/// By lane; none for a routing of one lane, whose load is that of its links. Every path is followed
/// turn by turn, by the service level and the maps that would be programmed.
[[nodiscard]] std::vector<LaneLoad> LoadsOfLanes(const Planned& plan);

}  // namespace ember::plan
