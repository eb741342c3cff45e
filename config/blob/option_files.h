// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of option files, from a blob into memory that stays.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/settings/settings.h"

namespace ember {

namespace schema {
struct Configuration;
}

/// Memory for the tables of one configuration: Settings::tables are views into it, so it stays as
/// it is as long as those settings are in force. New settings go into a room that is not in use; a
/// board that reads configurations while it runs owns two and swaps them when the subnet manager
/// has taken over the new ones. Begins at a multiple of Arena::kGrain (an assertion).
struct OptionRoom {
    std::span<std::byte> octets;
    /// The board's devices take limits of bandwidth: a blob with such is no blob for any other.
    bool takes_bandwidth = false;
};

inline constexpr std::size_t kOptionGrain = 64;  ///< Arena::kGrain.
/// For what vectors lose at their ends, and for the views of the steps of a chain.
inline constexpr std::size_t kOptionGrains = 288;

/// A room of so many octets is large enough for the tables of every blob of `blob_bytes`.
[[nodiscard]] constexpr std::size_t OptionRoomBytesFor(std::size_t blob_bytes) {
    const std::size_t octets = blob_bytes + blob_bytes / 2 + kOptionGrains * kOptionGrain;
    return (octets + kOptionGrain - 1) / kOptionGrain * kOptionGrain;
}

/// The tables of a payload as CheckOptionFiles() found them.
struct OptionFilesReport {
    bool well_formed = false;       ///< Every element stands where it can be read.
    std::string_view out_of_range;  ///< The option whose table cannot be; empty: all can.
    std::size_t room_bytes = 0;     ///< Octets of a room that the tables take.
    bool has_bandwidth = false;     ///< The tables limit bandwidths.
};

/// Checks every element, in time proportional to their number: ports, weights, LIDs, order, counts
/// against each other; in the files of the steps of a chain too. `from` has passed a FlatBuffers
/// verifier.
[[nodiscard]] OptionFilesReport CheckOptionFiles(const schema::Configuration& from);

/// Where tables are put, without a copy of all views on the stack.
struct TablePlaces {
    EngineTables& engine_tables;
    ManagerTables& manager_tables;

    template <typename Value>
    [[nodiscard]] Value& At(Value EngineTables::*member) const {
        return engine_tables.*member;
    }
    template <typename Value>
    [[nodiscard]] Value& At(Value ManagerTables::*member) const {
        return manager_tables.*member;
    }
};

/// Copies what CheckOptionFiles() found good into a room of at least report.room_bytes. Tables that
/// were at `to` are lost; those that `from` has not are empty.
void CopyOptionFiles(const schema::Configuration& from, OptionRoom room, TablePlaces to);

}  // namespace ember
