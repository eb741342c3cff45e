// SPDX-License-Identifier: Apache-2.0
// EmberSM: the share of one port in a table that clients fill.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// The port that asked for a row of such a table: 32 bits made of its PortGUID, which fit in rows
/// where a GUID does not. Two ports with equal bits have one share; that refuses a port nothing
/// before the table is half full.
enum class Requester : std::uint32_t {};
/// For rows of the subnet manager itself, and rows whose requester is not known any more. No share
/// is charged for them.
inline constexpr Requester kNoRequester{0};

/// The requester of a PortGUID; kNoRequester of kNoGuid.
[[nodiscard]] constexpr Requester RequesterOf(Guid port) {
    if (port == kNoGuid) return kNoRequester;
    const auto mixed = static_cast<std::uint32_t>(Raw(port) * 0x9E3779B97F4A7C15ULL >> 32U);
    return mixed == 0 ? Requester{1} : Requester{mixed};
}

/// Half of the rows go to any port that asks. While these are taken, a port may have an eighth of
/// all rows: so no port takes the last row from others, whatever it asks for.
inline constexpr std::size_t kShareOfTable = 8;
/// True when half of the rows are taken.
[[nodiscard]] constexpr bool IsCrowded(std::size_t taken, std::size_t rows) {
    return taken >= rows / 2;
}
/// Rows that a port may have while the table is crowded, at least 1.
[[nodiscard]] constexpr std::size_t ShareOf(std::size_t rows) {
    return std::max<std::size_t>(rows / kShareOfTable, 1);
}
/// True when `is_mine(row)` is true for fewer than `share` of the rows below `bound`. A pass over
/// all of them at most.
template <typename IsMine>
[[nodiscard]] bool HasFewer(std::size_t share, std::size_t bound, IsMine is_mine) {
    EMBER_ASSERT(share > 0);
    std::size_t mine = 0;
    for (std::size_t i = 0; i < bound && mine < share; ++i) {
        if (is_mine(i)) ++mine;
    }
    return mine < share;
}

/// An upper bound of the rows of each requester: requesters of a bucket are counted together. The
/// bound mostly decides about a share without a pass over the table.
class RequesterCounts {
public:
    void Add(Requester requester) {
        if (requester != kNoRequester) ++counts_[BucketOf(requester)];
    }
    void Remove(Requester requester) {
        if (requester == kNoRequester) return;
        EMBER_ASSERT(counts_[BucketOf(requester)] != 0);
        --counts_[BucketOf(requester)];
    }
    void clear() { counts_.fill(0); }
    /// At least the rows that the requester has.
    [[nodiscard]] std::size_t AtMost(Requester requester) const {
        return counts_[BucketOf(requester)];
    }

private:
    static constexpr std::size_t kBuckets = 128;
    [[nodiscard]] static constexpr std::size_t BucketOf(Requester requester) {
        return static_cast<std::uint32_t>(requester) % kBuckets;
    }
    std::array<std::uint32_t, kBuckets> counts_{};
};

}  // namespace ember
