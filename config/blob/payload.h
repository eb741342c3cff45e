// SPDX-License-Identifier: Apache-2.0
// EmberSM: the inside of a blob: FlatBuffers structure, ranges, and the copy into Settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/blob/option_files.h"
#include "config/keys/field.h"
#include "core/settings/settings.h"

namespace flatbuffers {
class Table;
}  // namespace flatbuffers

namespace ember {

/// A payload as ReadPayload() found it.
struct PayloadReport {
    bool well_formed = false;
    std::uint32_t schema_version = 0;
    std::string_view field_out_of_range;  ///< Empty when every value fits.
    std::size_t room_bytes = 0;           ///< Octets of a room that tables of option files take.
    bool room_suffices = false;           ///< The tables fit in the room given.
    bool is_enforceable = false;          ///< The board can do what they ask for.

    [[nodiscard]] bool accepted() const {
        return well_formed && field_out_of_range.empty() && room_suffices && is_enforceable;
    }
};

/// The value of a field that is there, of a kind that is a number; kI32 with its sign extended.
[[nodiscard]] std::uint64_t NumberAt(const flatbuffers::Table& table, FieldKind kind,
                                     std::uint16_t offset);

/// Checks structure and ranges of `payload`, which begins at a multiple of 8, and whether its
/// tables fit in `room`. `settings` and the room are written when all that holds; nullptr: neither
/// is. No heap, no recursion of our own.
[[nodiscard]] PayloadReport ReadPayload(std::span<const std::byte> payload, OptionRoom room,
                                        Settings* settings);
[[nodiscard]] inline PayloadReport ReadPayload(std::span<const std::byte> payload, OptionRoom room,
                                               Settings& settings) {
    return ReadPayload(payload, room, &settings);
}

}  // namespace ember
