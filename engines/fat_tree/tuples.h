// SPDX-License-Identifier: Apache-2.0
// EmberSM: the address of a switch in a tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "engines/fat_tree/ranks.h"

namespace ember {

/// The address of a switch: eight octets, the first one in the top bits. Octet 0 is the rank; from
/// one rank to the next only one further octet changes; what is not used is 0xFF.
using TreeTuple = std::uint64_t;
/// Of a switch that the search did not come by.
inline constexpr TreeTuple kNoTuple = ~TreeTuple{0};
inline constexpr std::uint16_t kMaxTreeRank = 8;  ///< Levels that an address has room for.

/// Octet `place` of an address.
[[nodiscard]] constexpr std::uint8_t TupleOctet(TreeTuple tuple, std::size_t place) {
    return static_cast<std::uint8_t>(tuple >> (56 - 8 * place));
}
[[nodiscard]] constexpr TreeTuple WithTupleOctet(TreeTuple tuple, std::size_t place,
                                                 std::uint8_t value) {
    const std::size_t shift = 56 - 8 * place;
    return (tuple & ~(TreeTuple{0xFF} << shift)) | TreeTuple{value} << shift;
}

/// Gives every switch an address, by a search that takes ports in ascending order: down first, then
/// up. The search starts at a leaf; or (quasi_ftree_indexing) at each root in turn that has none
/// yet, goes no further than to switches with compute nodes, and then addresses of switches above
/// the leaves end with the number of that search.
class TreeTuples {
public:
    /// The most that Give() takes from its arena and keeps.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<TreeTuple>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<TreeTuple>(SlotsFor(limits.max_switches));
    }

    constexpr TreeTuples() = default;
    TreeTuples(const TreeTuples&) = delete;
    TreeTuples& operator=(const TreeTuples&) = delete;

    /// `has_compute_node`: by SwitchIndex; stands still, as does the rest.
    void Begin(const Topology& topology, const TreeRanks& ranks,
               std::span<const bool> has_compute_node, std::uint16_t leaf_rank, Arena& scratch);
    /// Starts at one leaf. False: more than 255 switches differ in one octet.
    [[nodiscard]] bool StartAtLeaf(SwitchIndex leaf);
    /// Starts at every root, in the order of the GUIDs. False: likewise.
    [[nodiscard]] bool StartAtRoots();

    [[nodiscard]] TreeTuple tuple(SwitchIndex at) const { return tuple_[at]; }

private:
    [[nodiscard]] static constexpr std::size_t SlotsFor(std::size_t switches) {
        return std::bit_ceil(2 * switches + 2);
    }
    enum class Way : std::uint8_t { kDown, kUp };

    [[nodiscard]] bool Search(SwitchIndex start, TreeTuple tuple);
    [[nodiscard]] bool Give(SwitchIndex here, Way way);
    [[nodiscard]] bool TakeFree(TreeTuple tuple, std::size_t place, SwitchIndex at, int& value);
    [[nodiscard]] bool Occupy(TreeTuple tuple);

    const Topology* topology_ = nullptr;
    const TreeRanks* ranks_ = nullptr;
    std::span<const bool> has_compute_node_;
    std::uint16_t leaf_rank_ = 0;
    Table<SwitchIndex, TreeTuple> tuple_;
    std::span<SwitchIndex> queue_;
    std::span<TreeTuple> taken_;  ///< All addresses given, hashed; kNoTuple: a free slot.
    std::size_t queued_ = 0;
};

}  // namespace ember
