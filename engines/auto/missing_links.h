// SPDX-License-Identifier: Apache-2.0
// EmberSM: where a link may be missing in what would be a grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "engines/auto/grid_links.h"

namespace ember {

/// Finds pairs of switches between which a link would close a square. In a grid each link of a
/// switch forms squares with all its others but one at most, with which it lies in a row. Around a
/// missing link some form too few, and its ends are those of three links in a row, the outer two of
/// which form no square with the middle one. A mesh of two dimensions falls apart into rows that
/// nothing holds together where one link is missing; more dimensions hold it.
class MissingLinks {
public:
    /// Looks from a switch. False: there are so many that this is no grid.
    [[nodiscard]] bool Look(const GridLinks& links, SwitchIndex at);
    /// The pair that closes most squares, the first of equals, and not again; kNoSwitch: there is
    /// none.
    [[nodiscard]] GridLinks::Pair Take();

private:
    static constexpr std::size_t kMostPairs = 48;
    struct Candidate {
        GridLinks::Pair pair;
        std::uint8_t squares = 0;
    };

    [[nodiscard]] static std::size_t CountOpen(const GridLinks& links, SwitchIndex at,
                                               SwitchIndex peer);
    [[nodiscard]] bool LookAcross(const GridLinks& links, SwitchIndex one, SwitchIndex at,
                                  SwitchIndex other);
    [[nodiscard]] bool Note(SwitchIndex one, SwitchIndex other);

    StaticVector<Candidate, kMostPairs> candidates_;
};

}  // namespace ember
