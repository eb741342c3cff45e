// SPDX-License-Identifier: Apache-2.0
// EmberSM: candidates of 64 columns, marked eight ports at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "engines/exit_finder.h"

namespace ember {

/// An octet for each of 64 columns.
using Columns = std::array<std::uint8_t, kColumns>;

/// Marks with `bit` the columns in which `hops` holds what is `wanted`.
inline void MarkEqual(const std::uint8_t* hops, const Columns& wanted, std::uint8_t bit,
                      Columns& marks) {
    Columns equal;  // A local array: nothing else can change it, which the vectorizer must know.
    for (std::size_t i = 0; i < kColumns; ++i) {
        equal[i] = hops[i] == wanted[i] ? bit : std::uint8_t{0};
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
        marks[i] = static_cast<std::uint8_t>(marks[i] | equal[i]);
    }
}

/// The octet of a port's bit in the mask of a switch's ports.
[[nodiscard]] constexpr std::size_t OctetOf(PortNumber port) {
    return (Raw(port) - 1U) / 8U;
}

/// The port's bit in its octet.
[[nodiscard]] constexpr std::uint8_t BitOf(PortNumber port) {
    return static_cast<std::uint8_t>(1U << ((Raw(port) - 1U) % 8U));
}

/// Puts an octet of marks into its place in each column's mask.
template <std::size_t kWords>
void AddMarks(const Columns& marks, std::size_t octet, std::span<std::uint64_t> masks) {
    for (std::size_t i = 0; i < kColumns; ++i) {
        masks[i * kWords + octet / 8] |= std::uint64_t{marks[i]} << (octet % 8 * 8);
    }
}

/// Fills the masks of 64 columns: `mark(row, marks)` sets, for the row-th of `trunks`, its bit in
/// the columns to which it leads. kWords words a mask.
template <std::size_t kWords, typename Mark>
void FillMasks(std::span<const Trunk> trunks, std::span<std::uint64_t> masks, Mark mark) {
    std::fill(masks.begin(), masks.end(), 0);
    std::size_t next = 0;
    while (next < trunks.size()) {  // Each trunk is taken once.
        const std::size_t octet = OctetOf(trunks[next].port);
        Columns marks{};
        for (; next < trunks.size() && OctetOf(trunks[next].port) == octet; ++next) {
            mark(next, marks);
        }
        AddMarks<kWords>(marks, octet, masks);
    }
}

}  // namespace ember
