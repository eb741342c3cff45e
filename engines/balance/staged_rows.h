// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding entries on their way to the tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"

namespace ember {

/// The entries of all switches for some receivers in sequence. Entries come leaf switch by leaf
/// switch, and a row of the tables is pages away from the next one: so they are kept side by side
/// until a cache line of each row is full.
class StagedRows {
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    static constexpr std::size_t kWidth = 64;

public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_switches * kWidth);
    }

    void Begin(const Topology& topology, Matrix<SwitchIndex, std::uint8_t> tables, Arena& scratch);
    /// Rows are of the receivers first..first+count-1 from now on, and drop (255).
    void Open(std::size_t first, std::size_t count);
    /// The entries of a switch for these.
    [[nodiscard]] std::span<std::uint8_t> Row(SwitchIndex at) const {
        if (is_direct_) return tables_[at].subspan(begin_ + used_ - count_, count_);
        return staged_.subspan(Raw(at) * kWidth + used_ - count_, count_);
    }
    /// Writes what is kept.
    void Flush();

private:
    const Topology* topology_ = nullptr;
    Matrix<SwitchIndex, std::uint8_t> tables_;
    std::span<std::uint8_t> staged_;  ///< By switch, kWidth each.
    std::size_t begin_ = 0;           ///< Receiver of the first that is kept.
    std::size_t used_ = 0;            ///< So many are kept.
    std::size_t count_ = 0;           ///< The last ones of these are those of Open().
    bool is_direct_ = false;          ///< Too many at once: Row() is of the tables.
};

}  // namespace ember
