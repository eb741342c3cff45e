// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which lash looks at a mesh or torus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/graph/topology.h"
#include "engines/lash/lash_order.h"
#include "engines/lash/mesh_axes.h"
#include "engines/lash/mesh_neighbors.h"
#include "engines/lash/mesh_shapes.h"

namespace ember {

/// OpenSM's do_mesh_analysis: finds the mesh or torus that most switches seem to stand in, gives
/// them coordinates in it, and orders switches by coordinates and the links of a switch by
/// dimension, the longest one first and links of none last.
class MeshAnalysis {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Trunk>(limits.max_ports) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               MeshNeighbors::ScratchBytes(limits) + MeshAxes::ScratchBytes(limits) +
               Arena::BytesFor<Polynomial>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<Place>(limits.max_switches);
    }

    constexpr MeshAnalysis() = default;
    MeshAnalysis(const MeshAnalysis&) = delete;
    MeshAnalysis& operator=(const MeshAnalysis&) = delete;

    /// Puts the order of switches into `switches`, which has room for all of them.
    void Begin(const Topology& topology, std::span<SwitchIndex> switches, Arena& scratch);
    [[nodiscard]] Progress Advance();
    /// After the last Advance(); it shows `switches`, and links that lie in the arena.
    [[nodiscard]] LashOrder order() const { return order_; }

private:
    /// The work that is done switch by switch.
    enum class Phase : std::uint8_t {
        kCollect,
        kMeasure,
        kClassify,
        kAcross,  // These three again while they find anything,
        kBack,
        kCorners,
        kPlace,  // and this one.
        kReorder,
    };
    static constexpr std::size_t kStepsPerSlice = 50'000;
    static constexpr std::size_t kMostDimensions = NeighborDistances::kMost;
    static constexpr std::int32_t kUnplaced = 0x7FFF'FFFF;
    using Place = std::array<std::int32_t, kMostDimensions>;

    [[nodiscard]] bool EndPhase();
    [[nodiscard]] std::size_t DoNext(SwitchIndex at);
    void Study(SwitchIndex at);
    [[nodiscard]] std::size_t Classify(SwitchIndex at);
    [[nodiscard]] bool IsEdge(SwitchIndex at) const;
    [[nodiscard]] bool BeginAxes();
    [[nodiscard]] std::size_t PlaceNeighbors(SwitchIndex at);
    void TakePlace(SwitchIndex at, const Place& place);
    void OrderDimensions();
    [[nodiscard]] std::size_t Reorder(SwitchIndex at);
    void SortSwitches();
    void Merge(std::size_t begin, std::size_t middle, std::size_t end);
    [[nodiscard]] bool IsBehind(SwitchIndex one, SwitchIndex other) const;

    const Topology* topology_ = nullptr;
    Arena* scratch_ = nullptr;
    Phase phase_ = Phase::kCollect;
    std::size_t next_ = 0;  ///< The switch of this phase that is next.
    LashOrder order_;
    std::span<Trunk> links_;
    std::span<SwitchIndex> switches_;
    std::span<SwitchIndex> merged_;
    MeshShapes shapes_;
    bool has_shapes_ = false;
    MeshNeighbors neighbors_;
    MeshAxes axes_;
    std::span<Polynomial> polynomials_;      ///< By switch.
    std::span<std::uint8_t> dimensions_of_;  ///< By switch, as it sees them.
    std::span<SwitchIndex> class_;           ///< The first switch of each kind.
    std::span<std::uint32_t> class_count_;   ///< Switches of a kind.
    std::size_t classes_ = 0;
    std::uint8_t dimensions_ = 0;
    std::array<std::uint8_t, kMostDimensions> by_size_{};  ///< Dimensions, the largest first.
    std::span<Place> places_;                              ///< By switch.
    std::size_t news_ = 0;                                 ///< Coordinates that have changed.
};

}  // namespace ember
