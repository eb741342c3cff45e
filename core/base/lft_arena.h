// SPDX-License-Identifier: Apache-2.0
// EmberSM: the forwarding tables of all switches, in rows no longer than the subnet needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"

namespace ember {

/// The forwarding tables of all switches that a board holds, with all the LIDs that it holds.
[[nodiscard]] constexpr MatrixShape LftShape(const Limits& limits) {
    return {.rows = limits.max_switches, .stride = LidStride(limits)};
}

/// LinearForwardingTables in one arena: a row for each switch, an octet for each LID.
///
/// A board has room for LIDs that a subnet may never use. Rows are only as long as the highest LID
/// needs, so memory behind the last row is never touched and, on a host, never backed. A row is an
/// odd number of cache lines long. The highest LID of a board mostly is a power of two; with rows
/// of that length a column of the tables would fall into very few sets of a cache.
class LftArena {
public:
    /// `storage` holds limits.max_switches rows of LidStride(limits). There are no rows before
    /// Fit().
    LftArena(std::span<std::uint8_t> storage, const Limits& limits)
        : storage_(storage),
          max_rows_(limits.max_switches),
          max_blocks_(LidStride(limits) / kBlock) {
        EMBER_ASSERT(storage.size() >= max_rows_ * max_blocks_ * kBlock);
    }
    LftArena(const LftArena&) = delete;
    LftArena& operator=(const LftArena&) = delete;

    /// Makes rows long enough for LIDs up to `top`; rows never get shorter. The first `kept` rows
    /// keep their content. Costs one pass over these rows when rows get longer, else nothing.
    void Fit(Lid top, std::size_t kept) {
        const std::size_t old_stride = tables_.stride();
        const std::size_t blocks = std::min<std::size_t>(LftBlocks(top) | 1U, max_blocks_);
        const std::size_t stride = blocks * kBlock;
        EMBER_ASSERT(LftBlocks(top) <= max_blocks_);
        EMBER_ASSERT(kept <= max_rows_);
        if (stride <= old_stride) return;
        tables_ =
            Matrix<SwitchIndex, std::uint8_t>(storage_, {.rows = max_rows_, .stride = stride});
        for (std::size_t row = kept; row > 1; --row) {  // The last first: rows move upwards.
            std::uint8_t* const first = storage_.data();
            std::memmove(first + (row - 1) * stride, first + (row - 1) * old_stride, old_stride);
        }
    }

    [[nodiscard]] std::span<std::uint8_t> operator[](SwitchIndex at) const { return tables_[at]; }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> tables() const { return tables_; }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> read_only() const { return tables_; }

private:
    static constexpr std::size_t kBlock = 64;  ///< Entries of a LinearForwardingTable block.

    std::span<std::uint8_t> storage_;
    Matrix<SwitchIndex, std::uint8_t> tables_;
    std::size_t max_rows_;
    std::size_t max_blocks_;
};

}  // namespace ember
