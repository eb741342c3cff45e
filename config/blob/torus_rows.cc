// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the torus of a blob must be.
#include "config/blob/torus_rows.h"

#include <algorithm>
#include <array>

#include "core/base/bit_set.h"

namespace ember::option_files {
namespace {

constexpr std::uint8_t kFourOfARing = 4;  // Two of its links and two others make a loop alike.

/// Ports, port 0 among them, none twice.
bool IsAPortOrder(const WireVector<std::uint8_t>* ports) {
    std::array<std::uint64_t, BitSet::WordsFor(256)> words{};
    const BitSet seen(words);
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(ports); ++i) {
        const std::uint8_t port = ports->Get(i);
        if (port > kMaxTablePorts || seen.Has(port)) return false;
        seen.Add(port);
    }
    return true;
}

bool SaysEnough(const TorusSeed& seed, const TorusShape& shape, std::size_t dimension) {
    const int said = (seed.to[2 * dimension] != kNoGuid ? 1 : 0) +
                     (seed.to[2 * dimension + 1] != kNoGuid ? 1 : 0);
    const std::uint8_t radix = shape.radix[dimension];
    if (radix == 1) return said == 0;
    return said >= (radix == kFourOfARing && !shape.is_open(dimension) ? 2 : 1);
}

/// The neighbor at `side` is neither the seed itself nor one of another place.
bool IsApart(const TorusSeed& seed, const TorusShape& shape, std::size_t side) {
    if (seed.to[side] == seed.from) return false;
    for (std::size_t other = 0; other < side; ++other) {
        if (seed.to[other] == kNoGuid) continue;
        const bool is_same_place = side / 2 == other / 2 && shape.radix[side / 2] == 2;
        if ((seed.to[side] == seed.to[other]) != is_same_place) return false;
    }
    return true;
}

}  // namespace

bool IsTorus(const TorusShape& shape) {
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (shape.radix[d] == 0 || (shape.radix[d] == 2 && !shape.is_open(d))) return false;
    }
    return shape.places() <= kMostTorusPlaces && shape.open < 1U << kTorusDimensions &&
           shape.group_ports > 0;
}

bool IsSeed(const TorusSeed& seed, const TorusShape& shape) {
    if (seed.from == kNoGuid) return false;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        if (seed.place[d] >= shape.radix[d] || !SaysEnough(seed, shape, d)) return false;
    }
    for (std::size_t i = 0; i < seed.to.size(); ++i) {
        if (seed.to[i] != kNoGuid && !IsApart(seed, shape, i)) return false;
    }
    return true;
}

bool TorusFits(const schema::OptionFiles& from) {
    if (SizeOf(from.torus()) == 0) {
        return SizeOf(from.torus_seeds()) == 0 && SizeOf(from.torus_ports()) == 0;
    }
    const TorusShape shape = CoreRow(*from.torus()->Get(0));
    const std::size_t seeds = SizeOf(from.torus_seeds());
    if (SizeOf(from.torus()) > 1 || !IsTorus(shape)) return false;
    if (seeds == 0 || seeds > kMostListedGuids || !IsAPortOrder(from.torus_ports())) return false;
    for (flatbuffers::uoffset_t i = 0; i < seeds; ++i) {
        if (!IsSeed(CoreRow(*from.torus_seeds()->Get(i)), shape)) return false;
    }
    return true;
}

}  // namespace ember::option_files
