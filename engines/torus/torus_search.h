// SPDX-License-Identifier: Apache-2.0
// EmberSM: finds the place of every switch of a torus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/progress.h"
#include "core/routing/engine.h"
#include "engines/torus/torus_map.h"

namespace ember {

/// Fills a map from a seed on. Every cube of neighboring places is looked at, again and again until
/// no link is added: which of its corners are still empty says how one of them can be told. Either
/// three corners of a face are known, and the fourth closes a loop of four links with them; or the
/// missing corner is the only switch that closes such loops with two known edges at its neighbor.
///
/// The order in which places are filled is OpenSM's, as parallel links are used in that order.
class TorusSearch {
public:
    constexpr TorusSearch() = default;
    TorusSearch(const TorusSearch&) = delete;
    TorusSearch& operator=(const TorusSearch&) = delete;

    /// Places the first seed all of whose switches are there. False: complaint() says why not.
    [[nodiscard]] bool Begin(TorusMap& map, std::span<const TorusSeed> seeds);
    /// Looks at a row of cubes. kDone: every switch has its place, or complaint() says which has
    /// none, or two.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }
    /// When every switch has its place: a switch that another one of `seeds`, all of whose switches
    /// are there, puts elsewhere. Paths would have other service levels by it.
    [[nodiscard]] static EngineComplaint FindMisplaced(const TorusMap& map,
                                                       std::span<const TorusSeed> seeds);

private:
    static constexpr unsigned kCorners = 1U << kTorusDimensions;
    /// Corners of a cube, a bit each.
    using Corners = std::uint8_t;

    [[nodiscard]] bool PutSeed(const TorusSeed& seed);
    void LookAtCube();
    [[nodiscard]] bool Wraps() const;
    [[nodiscard]] bool Uses(unsigned corner) const { return (corner & ~active_) == 0; }
    [[nodiscard]] GridPlace PlaceOf(unsigned corner) const;
    [[nodiscard]] SwitchIndex SwitchAt(unsigned corner) const { return map_->At(PlaceOf(corner)); }
    void JoinCube();
    [[nodiscard]] Corners Absent() const;
    [[nodiscard]] bool Fill(Corners absent);
    [[nodiscard]] static bool IsStar(Corners absent);
    [[nodiscard]] bool FillOver(unsigned base, Corners absent);
    [[nodiscard]] bool FillFlat(Corners absent);
    [[nodiscard]] bool FillCorners(Corners absent);
    [[nodiscard]] bool FillByFaces(unsigned corner, Corners absent, bool is_first);
    [[nodiscard]] bool FillOneCorner(unsigned corner);
    [[nodiscard]] bool FillFace(unsigned target, unsigned one, unsigned other);
    [[nodiscard]] bool FillFrom(unsigned base, unsigned dimension);
    [[nodiscard]] bool ClosesLoops(SwitchIndex over, unsigned base, unsigned dimension) const;
    [[nodiscard]] bool IsSafe(const GridPlace& place, std::size_t dimension);
    bool JoinRing(const GridPlace& place, std::size_t dimension);
    [[nodiscard]] SwitchIndex FaceCorner(SwitchIndex from, SwitchIndex known, SwitchIndex to) const;
    [[nodiscard]] bool Place(SwitchIndex at, const GridPlace& place);
    void NameStranger();

    TorusMap* map_ = nullptr;
    GridPlace cube_{};  ///< Its corner 0.
    std::size_t links_before_ = 0;
    unsigned active_ = 0;  ///< Dimensions with more than one switch, a bit each.
    EngineComplaint complaint_;
};

}  // namespace ember
