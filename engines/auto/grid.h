// SPDX-License-Identifier: Apache-2.0
// EmberSM: where switches stand on a grid that no file describes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/graph/topology.h"
#include "engines/auto/grid_links.h"
#include "engines/auto/missing_links.h"

namespace ember {

/// Recognises meshes, tori, hypercubes and rings of any dimensions, also where links are missing,
/// and gives every switch its place.
///
/// Two links at a switch whose far ends have one more neighbor in common are of two dimensions, and
/// each is of one dimension with the link that lies opposite in that square. So links fall into
/// *classes*: all that lead from one layer of the grid to the next. Two classes that never form a
/// square where they meet go on in one dimension, if that is the only way in which one of them can
/// go on. Without the links of a dimension the grid falls into its layers; a layer's number in the
/// row or ring that they form is the coordinate of its switches. A fabric that does not come out so
/// is no grid.
///
/// Where one link is missing between switches that no other dimension holds together, that link is
/// looked for (MissingLinks), and supposed to be there until all have their places.
///
/// A ring of four switches is taken for two dimensions of two, which it is too.
class Grid {
public:
    static constexpr std::size_t kMostDimensions = 16;
    /// Layers of a dimension.
    static constexpr std::size_t kMostLayers = 254;
    static constexpr std::uint8_t kNone = 0xFF;

    struct Dimension {
        std::uint8_t radix = 1;  ///< Layers; at least 2.
        bool is_ring = false;    ///< The last layer is next to the first. Then radix is not 2.
    };

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t links = GridLinks::PlacesFor(limits.max_switches);
        return GridLinks::ScratchBytes(limits) + Arena::BytesFor<std::uint32_t>(links) +
               2 * Arena::BytesFor<std::uint8_t>(links) +
               Arena::BytesFor<std::uint16_t>(kMostClasses) +
               Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(kMostClasses * kMostClasses)) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(kMostPlacesEach * limits.max_switches);
    }

    constexpr Grid() = default;
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    void Begin(const Topology& topology, Arena& scratch);
    /// Does the next slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();

    /// False: the fabric is no grid, and what follows does not hold.
    [[nodiscard]] bool is_grid() const { return is_grid_; }
    /// Places without a switch.
    [[nodiscard]] std::size_t holes() const { return holes_; }
    [[nodiscard]] std::span<const Dimension> dimensions() const {
        return std::span(dimensions_).first(dimension_count_);
    }
    [[nodiscard]] std::uint8_t place(SwitchIndex at, std::size_t dimension) const {
        return places_[Raw(at) * kMostDimensions + dimension];
    }
    /// How a link leads on. Both switches are neighbors.
    struct Heading {
        std::uint8_t dimension = 0;
        bool is_up = false;  ///< To the next higher place, or from the last of a ring to the first.
    };
    [[nodiscard]] Heading HeadingTo(SwitchIndex from, SwitchIndex to) const;
    /// The neighbor with the next higher or lower place of a dimension, round a ring too;
    /// kNoSwitch: no link leads there.
    [[nodiscard]] SwitchIndex Next(SwitchIndex at, std::size_t dimension, bool is_up) const;
    /// The switch whose place is that of `at` but for one coordinate; kNoSwitch: none.
    [[nodiscard]] SwitchIndex Moved(SwitchIndex at, std::size_t dimension, std::uint8_t to) const;

private:
    enum class Phase : std::uint8_t {
        kNeighbors,
        kSquares,
        kClasses,
        kMeetings,
        kLines,
        kLayers,
        kGaps,
    };

    static constexpr std::size_t kMostClasses = 256;
    static constexpr std::size_t kSwitchesPerSlice = 64;
    static constexpr std::size_t kMostTrials = 8;
    /// A grid has at most so many places for each switch.
    static constexpr std::size_t kMostPlacesEach = 4;
    static constexpr std::uint16_t kNoLayer = 0xFFFF;
    /// With the number of its class, in place of the parent of a link.
    static constexpr std::uint32_t kNumbered = 1U << 31U;

    /// By layer: those next to it.
    using NextLayers = std::array<std::array<std::uint8_t, 2>, kMostLayers>;

    [[nodiscard]] std::span<const SwitchIndex> neighbors(SwitchIndex at) const {
        return links_.neighbors(at);
    }
    [[nodiscard]] std::uint32_t Root(std::uint32_t link) const;
    void Unite(std::uint32_t one, std::uint32_t other);
    [[nodiscard]] std::uint16_t ClassRoot(std::uint16_t one) const;
    [[nodiscard]] std::uint16_t ClassOf(SwitchIndex at, std::size_t i) const;
    [[nodiscard]] bool UniteSquares(SwitchIndex at);
    [[nodiscard]] bool NumberClasses();
    [[nodiscard]] bool NoteMeetings(SwitchIndex at);
    [[nodiscard]] bool UniteLines(SwitchIndex at);
    [[nodiscard]] bool NumberDimensions();
    void OrderDimensions();
    [[nodiscard]] std::uint8_t DimensionOf(SwitchIndex from, SwitchIndex to) const;
    [[nodiscard]] bool FindLayers(std::size_t dimension);
    [[nodiscard]] std::size_t FloodLayers(std::uint8_t dimension);
    void Flood(SwitchIndex root, std::uint8_t dimension, std::uint16_t layer);
    [[nodiscard]] bool FindNextLayers(std::uint8_t dimension, NextLayers& next) const;
    [[nodiscard]] bool LineUp(std::uint8_t dimension, std::size_t layers);
    [[nodiscard]] bool PlaceAll();
    [[nodiscard]] std::size_t PlaceIndex(SwitchIndex at) const;
    template <typename Work>
    [[nodiscard]] bool ForSome(const Work& work);
    [[nodiscard]] bool DoSlice();
    void Start(const GridLinks::Pair& supposed);
    [[nodiscard]] bool TryOn();
    [[nodiscard]] bool TryNext();

    const Topology* topology_ = nullptr;
    GridLinks links_;
    MissingLinks missing_;
    std::span<std::uint32_t> parents_;   ///< By place in links_: of links that are alike.
    std::span<std::uint8_t> dimension_;  ///< By place in links_: of the link. Classes before.
    std::span<std::uint8_t> places_;     ///< kMostDimensions a switch.
    std::span<std::uint16_t> class_of_;  ///< By class: one that it goes on with, a root itself.
    BitSet meet_;                        ///< Pairs of classes that form a square.
    std::span<std::uint16_t> layer_;     ///< By switch.
    std::span<SwitchIndex> queue_;
    std::span<SwitchIndex> at_;  ///< By PlaceIndex().
    std::array<Dimension, kMostDimensions> dimensions_{};
    std::size_t dimension_count_ = 0;
    std::size_t class_count_ = 0;
    std::size_t next_ = 0;  ///< Switch, by GUID, or dimension that is looked at next.
    std::size_t holes_ = 0;
    std::size_t trials_ = 0;  ///< With links that may be missing.
    Phase phase_ = Phase::kNeighbors;
    bool is_grid_ = false;
};

}  // namespace ember
