// SPDX-License-Identifier: Apache-2.0
// EmberSM: finds the place of every switch of a torus.

#include "engines/torus/torus_search.h"

#include <algorithm>
#include <bit>

namespace ember {
namespace {

constexpr unsigned kX = 1;
constexpr unsigned kY = 2;
constexpr unsigned kZ = 4;
constexpr std::uint8_t kRingOfFour = 4;

/// Corners next to one, a bit each.
constexpr unsigned Around(unsigned corner) {
    return 1U << (corner ^ kX) | 1U << (corner ^ kY) | 1U << (corner ^ kZ);
}

/// The corners of a face, a bit each.
constexpr unsigned Face(unsigned corner, unsigned one, unsigned other) {
    return 1U << corner | 1U << (corner ^ one) | 1U << (corner ^ other) |
           1U << (corner ^ one ^ other);
}

constexpr std::array<std::array<unsigned, 2>, 3> kFaces = {{{kX, kY}, {kX, kZ}, {kY, kZ}}};

/// By the corner that alone is missing: which of its faces tells it, of kFaces.
constexpr std::array<std::uint8_t, 8> kFaceOfLast = {0, 1, 2, 0, 1, 1, 2, 0};

/// All switches of the seed are in the subnet.
bool IsHere(const Topology& topology, const TorusSeed& seed) {
    return topology.FindSwitch(seed.from) != kNoSwitch &&
           std::all_of(seed.to.begin(), seed.to.end(), [&topology](Guid guid) {
               return guid == kNoGuid || topology.FindSwitch(guid) != kNoSwitch;
           });
}

/// The first of a seed's switches that stands elsewhere; kNoGuid: none does.
Guid MisplacedBy(const TorusMap& map, const TorusSeed& seed) {
    const auto stands_at = [&map](Guid guid, const GridPlace& place) {
        const SwitchIndex at = map.topology().FindSwitch(guid);
        return !map.spot(at).is_placed || map.spot(at).place == place;
    };
    if (!stands_at(seed.from, seed.place)) return seed.from;
    for (std::size_t i = 0; i < seed.to.size(); ++i) {
        const GridPlace place = map.Moved(seed.place, i / 2, i % 2 == 0 ? -1 : 1);
        if (seed.to[i] != kNoGuid && !stands_at(seed.to[i], place)) return seed.to[i];
    }
    return kNoGuid;
}

}  // namespace

bool TorusSearch::Begin(TorusMap& map, std::span<const TorusSeed> seeds) {
    map_ = &map;
    complaint_ = {};
    cube_ = {};
    active_ = 0;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (map.shape().radix[d] > 1) active_ |= 1U << d;
    }
    const auto seed = std::find_if(seeds.begin(), seeds.end(), [&map](const TorusSeed& one) {
        return IsHere(map.topology(), one);
    });
    if (seed == seeds.end()) {
        complaint_ = {.what = EngineFault::kTorusSeed};
        return false;
    }
    links_before_ = map.link_count();
    return PutSeed(*seed);
}

EngineComplaint TorusSearch::FindMisplaced(const TorusMap& map, std::span<const TorusSeed> seeds) {
    for (const TorusSeed& seed : seeds) {
        if (!IsHere(map.topology(), seed)) continue;
        const Guid misplaced = MisplacedBy(map, seed);
        if (misplaced != kNoGuid) return {.what = EngineFault::kTorusSpareSeed, .guid = misplaced};
    }
    return {};
}

/// OpenSM places the neighbors of a seed away from 0 before those towards it.
bool TorusSearch::PutSeed(const TorusSeed& seed) {
    const Topology& topology = map_->topology();
    bool is_fine = Place(topology.FindSwitch(seed.from), seed.place);
    for (std::size_t i = 0; i < seed.to.size(); ++i) {
        const std::size_t direction = i ^ 1U;
        const Guid guid = seed.to[direction];
        if (guid == kNoGuid) continue;
        const int steps = direction % 2 == 0 ? -1 : 1;
        is_fine = Place(topology.FindSwitch(guid), map_->Moved(seed.place, direction / 2, steps)) &&
                  is_fine;
    }
    return is_fine;
}

Progress TorusSearch::Advance() {
    const auto& radix = map_->shape().radix;
    for (unsigned x = 0; x < radix[0]; ++x) {
        cube_[0] = static_cast<std::uint8_t>(x);
        LookAtCube();
        if (complaint_.what != EngineFault::kNone) return Progress::kDone;
    }
    if (++cube_[1] < radix[1]) return Progress::kMore;
    cube_[1] = 0;
    if (++cube_[2] < radix[2]) return Progress::kMore;
    cube_[2] = 0;
    if (map_->link_count() != links_before_) {
        links_before_ = map_->link_count();
        return Progress::kMore;
    }
    NameStranger();
    return Progress::kDone;
}

void TorusSearch::LookAtCube() {
    if (Wraps()) return;
    do {
        JoinCube();
    } while (Fill(Absent()));
}

/// A dimension that is no ring has no cube from its last place to its first.
bool TorusSearch::Wraps() const {
    const TorusShape& shape = map_->shape();
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (shape.is_open(d) && shape.radix[d] > 1 && cube_[d] + 1 == shape.radix[d]) return true;
    }
    return false;
}

GridPlace TorusSearch::PlaceOf(unsigned corner) const {
    GridPlace place = cube_;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if ((corner >> d & 1U) != 0) place = map_->Moved(place, d, 1);
    }
    return place;
}

/// All links between switches at corners are links of the torus.
void TorusSearch::JoinCube() {
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        for (unsigned corner = 0; corner < kCorners; ++corner) {
            const unsigned next = corner | 1U << d;
            if (next == corner || !Uses(next)) continue;
            const SwitchIndex low = SwitchAt(corner);
            const SwitchIndex high = SwitchAt(next);
            if (low != kNoSwitch && high != kNoSwitch) map_->Join(d, low, high);
        }
    }
}

TorusSearch::Corners TorusSearch::Absent() const {
    unsigned absent = 0;
    for (unsigned corner = 0; corner < kCorners; ++corner) {
        if (Uses(corner) && SwitchAt(corner) == kNoSwitch) absent |= 1U << corner;
    }
    return static_cast<Corners>(absent);
}

/// Fills one corner. False: none can be told.
bool TorusSearch::Fill(Corners absent) {
    const int count = std::popcount(absent);
    if (count == 0 || std::popcount(active_) < 2) return false;
    if (std::popcount(active_) == 2) return FillFlat(absent);
    if (count == 1) return FillOneCorner(static_cast<unsigned>(std::countr_zero(absent)));
    if (count <= 3) return IsStar(absent) && FillCorners(absent);
    for (unsigned base = kCorners; base-- > 0;) {
        const unsigned across = base ^ 7U;
        if (absent == (Around(across) | 1U << across)) return FillCorners(absent);
        if (FillOver(base, absent)) return true;
    }
    return false;
}

/// A corner is absent, and else at most corners beside it.
bool TorusSearch::IsStar(Corners absent) {
    for (unsigned corner = 0; corner < kCorners; ++corner) {
        const unsigned apart = absent & ~(1U << corner);
        if ((absent >> corner & 1U) != 0 && (apart & ~Around(corner)) == 0) return true;
    }
    return false;
}

/// Known are the four corners of a face at `base`, or three of them: fills the one over `base`.
bool TorusSearch::FillOver(unsigned base, Corners absent) {
    const unsigned known = 0xFFU & ~unsigned{absent};
    for (const auto& [one, other] : kFaces) {
        const unsigned angle = 1U << base | 1U << (base ^ one) | 1U << (base ^ other);
        if (known != Face(base, one, other) && known != angle) continue;
        const unsigned third = 7U ^ one ^ other;
        if (FillFrom(base, static_cast<unsigned>(std::countr_zero(third)))) return true;
    }
    return false;
}

/// A cube of two dimensions: a corner by its face, or one of an edge by its neighbors.
bool TorusSearch::FillFlat(Corners absent) {
    const unsigned one = active_ & (~active_ + 1);
    const unsigned other = active_ ^ one;
    if (std::popcount(absent) == 1)
        return FillFace(static_cast<unsigned>(std::countr_zero(absent)), one, other);
    if (std::popcount(absent) != 2) return false;
    for (unsigned base = 0; base < kCorners; ++base) {
        if (!Uses(base) || (absent >> base & 1U) != 0) continue;
        for (const unsigned across : {one, other}) {
            const unsigned along = active_ ^ across;
            const unsigned lacking = 1U << (base ^ across) | 1U << (base ^ across ^ along);
            if (absent != lacking) continue;
            if (FillFrom(base, static_cast<unsigned>(std::countr_zero(across)))) return true;
        }
    }
    return false;
}

/// Of several corners, the first one that is on a face whose other corners are known.
bool TorusSearch::FillCorners(Corners absent) {
    for (const bool is_first : {true, false}) {
        for (unsigned corner = 0; corner < kCorners; ++corner) {
            const bool is_absent = (absent >> corner & 1U) != 0;
            if (is_absent && FillByFaces(corner, absent, is_first)) return true;
        }
    }
    return false;
}

/// By the faces whose turn it is: where a corner and its three neighbors are known, OpenSM begins
/// with x and y.
bool TorusSearch::FillByFaces(unsigned corner, Corners absent, bool is_first) {
    const bool is_star = std::popcount(absent) == 4;
    for (const auto& [one, other] : kFaces) {
        if ((absent & Face(corner, one, other)) != 1U << corner) continue;
        const bool is_early = !is_star || (one == kX && other == kY);
        if (is_early == is_first && FillFace(corner, one, other)) return true;
    }
    return false;
}

bool TorusSearch::FillOneCorner(unsigned corner) {
    const auto& [one, other] = kFaces[kFaceOfLast[corner]];
    return FillFace(corner, one, other);
}

bool TorusSearch::FillFace(unsigned target, unsigned one, unsigned other) {
    const SwitchIndex found = FaceCorner(SwitchAt(target ^ one), SwitchAt(target ^ one ^ other),
                                         SwitchAt(target ^ other));
    return found != kNoSwitch && Place(found, PlaceOf(target));
}

/// The switch over `base` in a dimension: it closes a loop with each edge at `base` in the others,
/// and is not the one on the other side of `base`, which is known.
bool TorusSearch::FillFrom(unsigned base, unsigned dimension) {
    const GridPlace place = PlaceOf(base);
    const bool is_up = (base >> dimension & 1U) == 0;
    const SwitchIndex beyond = map_->Neighbor(place, dimension, is_up ? -1 : 1);
    if (beyond == kNoSwitch || !IsSafe(place, dimension)) return false;
    const SwitchIndex at = SwitchAt(base);
    for (const Trunk& trunk : map_->topology().trunks(at)) {
        if (!map_->IsFree(at, trunk) || trunk.peer == beyond) continue;
        if (ClosesLoops(trunk.peer, base, dimension)) {
            return Place(trunk.peer, PlaceOf(base ^ 1U << dimension));
        }
    }
    return false;
}

bool TorusSearch::ClosesLoops(SwitchIndex over, unsigned base, unsigned dimension) const {
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
        if (d == dimension || (active_ >> d & 1U) == 0) continue;
        if (FaceCorner(SwitchAt(base ^ 1U << d), SwitchAt(base), over) == kNoSwitch) return false;
    }
    return true;
}

/// A ring of four is a loop of four links itself: it must be known as far as that two switches of
/// it beside this one have their place, so that its links are not taken for those of a face.
bool TorusSearch::IsSafe(const GridPlace& place, std::size_t dimension) {
    const TorusShape& shape = map_->shape();
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (d == dimension || shape.radix[d] != kRingOfFour || shape.is_open(d)) continue;
        if (!JoinRing(place, d)) return false;
    }
    return true;
}

/// Links what is known of a ring of four. False: that is less than two switches beside this one.
bool TorusSearch::JoinRing(const GridPlace& place, std::size_t dimension) {
    int known = 0;
    for (const int steps : {1, 2, 3}) {
        if (map_->Neighbor(place, dimension, steps) != kNoSwitch) ++known;
    }
    if (known < 2) return false;
    for (const int steps : {0, 1, 2, 3}) {
        const SwitchIndex low = map_->Neighbor(place, dimension, steps);
        const SwitchIndex high = map_->Neighbor(place, dimension, steps + 1);
        if (low != kNoSwitch && high != kNoSwitch) map_->Join(dimension, low, high);
    }
    return true;
}

/// The switch beside `known` that links `from` and `to`, by links that are not placed yet.
SwitchIndex TorusSearch::FaceCorner(SwitchIndex from, SwitchIndex known, SwitchIndex to) const {
    const Topology& topology = map_->topology();
    for (const Trunk& trunk : topology.trunks(from)) {
        if (trunk.peer == known || !map_->IsFree(from, trunk)) continue;
        for (const Trunk& onward : topology.trunks(trunk.peer)) {
            if (onward.peer == to && map_->IsFree(trunk.peer, onward)) return trunk.peer;
        }
    }
    return kNoSwitch;
}

bool TorusSearch::Place(SwitchIndex at, const GridPlace& place) {
    if (map_->Put(at, place)) return true;
    complaint_ = {.what = EngineFault::kTorusTwice, .guid = map_->topology().switch_row(at).guid};
    return false;
}

/// The first switch without a place, and a cable of it.
void TorusSearch::NameStranger() {
    const Topology& topology = map_->topology();
    for (const SwitchIndex at : topology.switches_by_guid()) {
        if (map_->spot(at).is_placed) continue;
        const auto trunks = topology.trunks(at);
        complaint_ = {.what = EngineFault::kTorusStranger,
                      .guid = topology.switch_row(at).guid,
                      .port = trunks.empty() ? kNoPort : trunks.front().port};
        return;
    }
}

}  // namespace ember
