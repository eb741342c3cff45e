// SPDX-License-Identifier: Apache-2.0
// EmberSM: where a link may be missing in what would be a grid.

#include "engines/auto/missing_links.h"

#include <algorithm>

namespace ember {
namespace {

[[nodiscard]] bool IsOpen(const GridLinks& links, SwitchIndex at, SwitchIndex one,
                          SwitchIndex other) {
    return one != other && links.Study(at, one, other).corner == GridLinks::Corner::kNone;
}

}  // namespace

/// Links at a switch with which that to `peer` forms no square.
std::size_t MissingLinks::CountOpen(const GridLinks& links, SwitchIndex at, SwitchIndex peer) {
    const auto all = links.neighbors(at);
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](SwitchIndex next) { return IsOpen(links, at, peer, next); }));
}

bool MissingLinks::Look(const GridLinks& links, SwitchIndex at) {
    for (const SwitchIndex other : links.neighbors(at)) {
        for (const SwitchIndex one : links.neighbors(at)) {
            if (!IsOpen(links, at, one, other)) continue;
            if (!LookAcross(links, one, at, other)) return false;
        }
    }
    return true;
}

/// `one` and the far ends of links of `other`, over the link between `at` and `other`.
bool MissingLinks::LookAcross(const GridLinks& links, SwitchIndex one, SwitchIndex at,
                              SwitchIndex other) {
    const bool lacks_here = CountOpen(links, at, one) > 1 || CountOpen(links, at, other) > 1;
    for (const SwitchIndex far : links.neighbors(other)) {
        if (far == at || far == one || !IsOpen(links, other, at, far)) continue;
        if (links.AreNeighbors(one, far)) continue;
        const bool lacks =
            lacks_here || CountOpen(links, other, at) > 1 || CountOpen(links, other, far) > 1;
        if (lacks && !Note(one, far)) return false;
    }
    return true;
}

/// Each square is met from both ends of the link in its middle.
bool MissingLinks::Note(SwitchIndex one, SwitchIndex other) {
    const GridLinks::Pair pair{std::min(one, other), std::max(one, other)};
    auto* const known = std::find_if(candidates_.begin(), candidates_.end(),
                                     [&](const Candidate& row) { return row.pair == pair; });
    if (known == candidates_.end()) {
        return candidates_.TryPush({.pair = pair, .squares = 1}) == Status::kOk;
    }
    if (known->squares < UINT8_MAX) ++known->squares;
    return true;
}

GridLinks::Pair MissingLinks::Take() {
    auto* const best = std::max_element(
        candidates_.begin(), candidates_.end(),
        [](const Candidate& one, const Candidate& other) { return one.squares < other.squares; });
    if (best == candidates_.end() || best->squares == 0) return {};
    best->squares = 0;
    return best->pair;
}

}  // namespace ember
