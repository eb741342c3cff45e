// SPDX-License-Identifier: Apache-2.0
// EmberSM: in which order the tables of many ports change, so that no wrong pair ever communicates.

#include "core/partitions/p_key_steps.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/partitions/partitions.h"

namespace ember {
namespace {

/// The membership that a table gives its port in the partition of `p_key`: with both forms, full.
[[nodiscard]] Membership MembershipOf(std::span<const std::uint16_t> table, std::uint16_t p_key) {
    Membership found = Membership::kNone;
    for (const std::uint16_t entry : table) {
        if (!SamePartition(entry, p_key)) continue;
        if ((entry & kFullMembership) != 0) return Membership::kFull;
        found = Membership::kLimited;
    }
    return found;
}

[[nodiscard]] bool Holds(std::span<const std::uint16_t> table, std::uint16_t p_key) {
    return std::find(table.begin(), table.end(), p_key) != table.end();
}

/// The step in which a member becomes another one. kLeave too where nothing changes.
[[nodiscard]] PKeyStep StepOf(Membership before, Membership after) {
    if (before == after || after == Membership::kNone) return PKeyStep::kLeave;
    if (before == Membership::kNone) return PKeyStep::kJoin;
    return after == Membership::kFull ? PKeyStep::kRise : PKeyStep::kFall;
}

}  // namespace

std::uint32_t PKeysAfter(PKeyStep step, std::span<const std::uint16_t> has,
                         std::span<const std::uint16_t> wanted, std::span<std::uint16_t> next) {
    EMBER_ASSERT(has.size() == wanted.size());
    EMBER_ASSERT(next.size() == wanted.size());
    std::uint32_t later = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::uint16_t entry = wanted[i];
        next[i] = entry;
        if (!NamesPartition(entry)) continue;
        const Membership before = MembershipOf(has, entry);
        const PKeyStep own = StepOf(before, MembershipOf(wanted, entry));
        if (own <= step) continue;
        later |= BitOf(own);
        switch (own) {
            case PKeyStep::kRise:  // The limited form has one index, also where both are wanted.
                next[i] = static_cast<std::uint16_t>(entry & kPKeyBase);
                if (next[i] != entry && Holds(wanted, next[i])) next[i] = kNoPKey;
                break;
            case PKeyStep::kFall:
                next[i] = static_cast<std::uint16_t>(entry | kFullMembership);
                break;
            case PKeyStep::kLeave:
            case PKeyStep::kJoin:
                next[i] = kNoPKey;
                break;
        }
    }
    return later;
}

}  // namespace ember
