// SPDX-License-Identifier: Apache-2.0
// EmberSM: which P_Key stands at which index of a port's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/partitions/partitions.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// How P_Keys find their places.
struct PKeyRules {
    /// allow_both_pkeys: a port may hold both forms of a P_Key. Else it holds the full one alone.
    bool allows_both = false;
    /// keep_pkey_indexes: a P_Key that the table holds stays where it is.
    bool keeps_places = true;
    /// With `allows_both` a limited P_Key never goes to index 0, which stays empty, as OpenSM has
    /// it. Else index 0 gets its P_Key (Partitions::FirstOf()) in whichever form the port holds.
    bool only_full_first = false;
};

/// P_Keys that found no place.
struct PKeysLeftOut {
    std::uint32_t count = 0;
    std::uint16_t first = kNoPKey;  ///< The first of them; kNoPKey: there is none.
};

/// The P_Key of `form` (kFull or kLimited) that the port holds of a partition, by the rules;
/// kNoPKey: it does not hold that form.
[[nodiscard]] std::uint16_t HeldPKey(const PortPartition& of, Membership form,
                                     const PKeyRules& rules);

/// Puts the P_Keys of the end port `port` into its table, a P_Key an entry; empty entries are
/// kNoPKey. Source: OpenSM, osm_pkey_mgr.c; IBA vol. 1, 10.9.
///
/// `table` is what the port has, or zeros; any content is taken. P_Keys of partitions that the port
/// is not in go, and so does a P_Key that stands there twice. A P_Key whose membership alone has
/// changed keeps its index. Index 0 gets the P_Key of Partitions::FirstOf(). The others go behind
/// the last entry that was in use, in the order of their octets in the memory of a little-endian
/// host, limited before full; those that find the end of the table go to the empty entries from
/// index 1 on. So no entry says more than the partitions do, whatever the port had.
///
/// `fresh`: room for the P_Keys that need a place, two for each partition at most. P_Keys that do
/// not fit into it are left out, as are those that do not fit into the table.
PKeysLeftOut PlacePKeys(const Partitions& partitions, PortIndex port, const PKeyRules& rules,
                        std::span<std::uint16_t> table, std::span<std::uint16_t> fresh);

/// Takes over the P_Keys that the switch port enforces which the port of `table` is linked to: all
/// of `table` in its order, without empty entries, and without a limited P_Key beside its full one.
/// The rest of `enforced` becomes empty. False: they do not fit, and `enforced` is empty.
[[nodiscard]] bool EnforcePKeys(std::span<const std::uint16_t> table,
                                std::span<std::uint16_t> enforced);

}  // namespace ember
