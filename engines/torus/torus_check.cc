// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a torus that lacks links and switches can be routed without a credit loop.

#include "engines/torus/torus_check.h"

namespace ember {
namespace {

constexpr std::size_t kZ = 2;

/// Calls `visit(place)` for every place, x first, until it returns false.
template <typename Visit>
void ForEachPlace(const TorusShape& shape, const Visit& visit) {
    GridPlace place{};
    for (std::size_t i = 0; i < shape.places(); ++i) {
        if (!visit(place)) return;
        for (std::size_t d = 0; d < kTorusDimensions && ++place[d] == shape.radix[d]; ++d) {
            place[d] = 0;
        }
    }
}

/// A switch beside a hole, to name it by.
Guid BesideHole(const TorusMap& map, const GridPlace& hole) {
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        for (const int steps : {-1, 1}) {
            const SwitchIndex at = map.Neighbor(hole, d, steps);
            if (at != kNoSwitch) return map.topology().switch_row(at).guid;
        }
    }
    return kNoGuid;
}

/// The holes are one stretch of one column along z.
EngineComplaint CheckHoles(const TorusMap& map) {
    const bool is_one = map.placed().size() + 1 == map.shape().places();
    EngineComplaint complaint;
    GridPlace first{};
    bool has_first = false;
    ForEachPlace(map.shape(), [&](const GridPlace& place) {
        if (map.At(place) != kNoSwitch) return true;
        if (!has_first) first = place;
        has_first = true;
        const bool stands_alone =
            map.Neighbor(place, kZ, -1) != kNoSwitch && map.Neighbor(place, kZ, 1) != kNoSwitch;
        const bool is_elsewhere = place[0] != first[0] || place[1] != first[1];
        if (!is_elsewhere && (is_one || !stands_alone)) return true;
        complaint = {.what = EngineFault::kTorusMissing, .guid = BesideHole(map, place)};
        return false;
    });
    return complaint;
}

/// The second switch of the ring at `place` without a link towards 0; kNoSwitch: there is none.
SwitchIndex SecondBreak(const TorusMap& map, const GridPlace& place, std::size_t dimension) {
    bool has_break = false;
    for (int steps = 0; steps < map.shape().radix[dimension]; ++steps) {
        const SwitchIndex at = map.Neighbor(place, dimension, steps);
        if (at == kNoSwitch || map.Next(at, 2 * dimension) != kNoSwitch) continue;
        if (has_break) return at;
        has_break = true;
    }
    return kNoSwitch;
}

/// No ring of a dimension has two breaks. A row has one at its begin.
EngineComplaint CheckRings(const TorusMap& map, std::size_t dimension) {
    EngineComplaint complaint;
    ForEachPlace(map.shape(), [&](const GridPlace& place) {
        if (place[dimension] != 0) return true;
        const SwitchIndex at = SecondBreak(map, place, dimension);
        if (at == kNoSwitch) return true;
        complaint = {.what = EngineFault::kTorusRing, .guid = map.topology().switch_row(at).guid};
        return false;
    });
    return complaint;
}

}  // namespace

EngineComplaint CheckTorus(const TorusMap& map) {
    EngineComplaint complaint = CheckHoles(map);
    for (std::size_t d = 0; d < kTorusDimensions && complaint.what == EngineFault::kNone; ++d) {
        complaint = CheckRings(map, d);
    }
    return complaint;
}

}  // namespace ember
