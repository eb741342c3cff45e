// SPDX-License-Identifier: Apache-2.0
// EmberSM: sorting rows by their GUIDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The number by which `order` compares a GUID. OpenSM keeps GUIDs in the byte order of the wire
/// and compares them as native numbers; on a little-endian host that reads their octets backwards.
[[nodiscard]] constexpr std::uint64_t SortKey(Guid guid, Order order) {
    return order == Order::kGuid ? Raw(guid) : __builtin_bswap64(Raw(guid));
}

/// The bytes that SortByKey() takes from its arena for `count` rows.
template <Enum Row>
[[nodiscard]] constexpr std::size_t SortScratchBytes(std::size_t count) {
    return Arena::BytesFor<std::uint64_t>(count) + Arena::BytesFor<Row>(count) +
           Arena::BytesFor<std::uint32_t>(257);
}

/// Sorts `rows` by ascending key and `keys` with them, where keys[i] belongs to rows[i]; rows of
/// equal keys keep their order. A radix sort: its time is bounded, it does not recurse, and it
/// makes no pass for an octet that is the same in all keys, as most octets of GUIDs are.
template <Enum Row>
void SortByKey(std::span<std::uint64_t> keys, std::span<Row> rows, Arena& scratch) {
    EMBER_ASSERT(keys.size() == rows.size());
    const Arena::Frame frame(scratch);
    std::span<std::uint64_t> other_keys = scratch.Take<std::uint64_t>(keys.size());
    std::span<Row> other_rows = scratch.Take<Row>(rows.size());
    std::span<std::uint32_t> starts = scratch.Take<std::uint32_t>(257);
    bool swapped = false;

    for (unsigned shift = 0; shift < 64; shift += 8) {
        const auto digit = [shift](std::uint64_t key) -> std::size_t {
            return key >> shift & 0xFF;
        };
        for (std::uint32_t& start : starts) {
            start = 0;
        }
        for (const std::uint64_t key : keys) {
            ++starts[digit(key) + 1];
        }
        if (keys.empty() || starts[digit(keys[0]) + 1] == keys.size()) continue;

        for (std::size_t i = 1; i < 256; ++i) {
            starts[i] += starts[i - 1];
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t to = starts[digit(keys[i])]++;
            other_keys[to] = keys[i];
            other_rows[to] = rows[i];
        }
        std::swap(keys, other_keys);
        std::swap(rows, other_rows);
        swapped = !swapped;
    }
    if (!swapped) return;
    for (std::size_t i = 0; i < keys.size(); ++i) {  // The result is in the borrowed tables.
        other_keys[i] = keys[i];
        other_rows[i] = rows[i];
    }
}

}  // namespace ember
