// SPDX-License-Identifier: Apache-2.0
// EmberSM: which P_Key stands at which index of a port's table.

#include "core/partitions/p_key_placement.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

using Entries = std::span<std::uint16_t>;

[[nodiscard]] bool Holds(std::span<const std::uint16_t> table, std::uint16_t p_key) {
    return std::find(table.begin(), table.end(), p_key) != table.end();
}

/// The order in which new P_Keys get their places: that of their octets, lowest last octet first.
struct IsBefore {
    [[nodiscard]] bool operator()(std::uint16_t one, std::uint16_t other) const {
        return TurnOf(one) < TurnOf(other);
    }
    [[nodiscard]] static std::uint32_t TurnOf(std::uint16_t p_key) {
        const auto base = static_cast<std::uint32_t>(p_key & kPKeyBase);
        const std::uint32_t swapped = (base & 0xFFU) << 8U | base >> 8U;
        return swapped << 1U | static_cast<std::uint32_t>(p_key >> 15U);
    }
};

/// New P_Keys, as far as there is room for them.
class FreshPKeys {
public:
    explicit FreshPKeys(Entries room) : room_(room) {}

    void Add(std::uint16_t p_key) {
        EMBER_ASSERT(NamesPartition(p_key));
        if (count_ == room_.size()) {
            LeaveOut(p_key);
        } else {
            room_[count_++] = p_key;
        }
    }
    /// Puts them into empty entries of `table` from `next` on, then into those from index 1 on.
    void PutInto(Entries table, std::size_t next) {
        const Entries p_keys = room_.first(count_);
        std::make_heap(p_keys.begin(), p_keys.end(), IsBefore{});  // Its sort does not recurse.
        std::sort_heap(p_keys.begin(), p_keys.end(), IsBefore{});
        std::size_t low = 1;
        for (const std::uint16_t p_key : p_keys) {
            std::size_t& at = next < table.size() ? next : low;
            while (at < table.size() && table[at] != kNoPKey) {
                ++at;
            }
            if (at < table.size()) {
                table[at++] = p_key;
            } else {
                LeaveOut(p_key);
            }
        }
    }
    [[nodiscard]] const PKeysLeftOut& left_out() const { return left_out_; }

private:
    void LeaveOut(std::uint16_t p_key) {
        ++left_out_.count;
        if (left_out_.first == kNoPKey) left_out_.first = p_key;
    }

    Entries room_;
    std::size_t count_ = 0;
    PKeysLeftOut left_out_;
};

/// The new content of a port's entry: the form that the port holds now, or nothing.
[[nodiscard]] std::uint16_t Kept(const PortPartition& of, std::uint16_t entry,
                                 const PKeyRules& rules) {
    const std::uint16_t full = HeldPKey(of, Membership::kFull, rules);
    const std::uint16_t limited = HeldPKey(of, Membership::kLimited, rules);
    if (entry == full || entry == limited) return entry;
    if (rules.allows_both) return kNoPKey;  // Its forms are two P_Keys, each with a place.
    return full != kNoPKey ? full : limited;
}

/// Clears what the port does not hold, and what stands there twice.
void Purge(const Partitions& partitions, PortIndex port, const PKeyRules& rules, Entries table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::uint16_t entry = table[i];
        table[i] = kNoPKey;
        if (!rules.keeps_places || !NamesPartition(entry)) continue;
        const std::uint16_t kept = Kept(partitions.Find(port, entry), entry, rules);
        // A form that the table has at another index too stays there.
        const bool is_elsewhere =
            Holds(table.first(i), kept) || (kept != entry && Holds(table.subspan(i), kept));
        if (!is_elsewhere) table[i] = kept;
    }
}

/// The P_Key for index 0; kNoPKey: the port has none for it.
[[nodiscard]] std::uint16_t FirstPKey(const Partitions& partitions, PortIndex port,
                                      const PKeyRules& rules) {
    const std::uint16_t base = partitions.FirstOf(port);
    if (!NamesPartition(base)) return kNoPKey;
    const PortPartition of = partitions.Find(port, base);
    const std::uint16_t full = HeldPKey(of, Membership::kFull, rules);
    if (full != kNoPKey || (rules.allows_both && rules.only_full_first)) return full;
    return HeldPKey(of, Membership::kLimited, rules);
}

}  // namespace

std::uint16_t HeldPKey(const PortPartition& of, Membership form, const PKeyRules& rules) {
    EMBER_ASSERT(form == Membership::kFull || form == Membership::kLimited);
    const auto has = [&](Membership bit) {
        return (static_cast<unsigned>(of.membership) & static_cast<unsigned>(bit)) != 0;
    };
    if (!has(form)) return kNoPKey;
    if (form == Membership::kFull) return static_cast<std::uint16_t>(of.p_key | kFullMembership);
    return has(Membership::kFull) && !rules.allows_both ? kNoPKey : of.p_key;
}

PKeysLeftOut PlacePKeys(const Partitions& partitions, PortIndex port, const PKeyRules& rules,
                        std::span<std::uint16_t> table, std::span<std::uint16_t> fresh) {
    EMBER_ASSERT(!table.empty());
    const auto last = std::find_if(table.rbegin(), table.rend(),
                                   [](std::uint16_t entry) { return entry != kNoPKey; });
    const auto used = static_cast<std::size_t>(table.rend() - last);
    Purge(partitions, port, rules, table);

    FreshPKeys p_keys(fresh);
    const std::uint16_t first = FirstPKey(partitions, port, rules);
    if (first != kNoPKey) {  // The P_Key that stood there needs another place.
        std::replace(table.begin(), table.end(), first, kNoPKey);
        table[0] = first;
    }
    PortPartition of{};
    for (PartitionWalk walk = partitions.Of(port); walk.Next(of);) {
        for (const Membership form : {Membership::kLimited, Membership::kFull}) {
            const std::uint16_t p_key = HeldPKey(of, form, rules);
            if (p_key != kNoPKey && !Holds(table, p_key)) p_keys.Add(p_key);
        }
    }
    p_keys.PutInto(table, rules.keeps_places ? std::max<std::size_t>(used, 1) : 1);
    EMBER_ASSERT(first == kNoPKey || table[0] == first);
    return p_keys.left_out();
}

bool EnforcePKeys(std::span<const std::uint16_t> table, std::span<std::uint16_t> enforced) {
    std::fill(enforced.begin(), enforced.end(), kNoPKey);
    std::size_t count = 0;
    for (const std::uint16_t entry : table) {
        const bool is_covered = (entry & kFullMembership) == 0 &&
                                Holds(table, static_cast<std::uint16_t>(entry | kFullMembership));
        if (!NamesPartition(entry) || is_covered) continue;
        if (count == enforced.size()) {
            std::fill(enforced.begin(), enforced.end(), kNoPKey);
            return false;
        }
        enforced[count++] = entry;
    }
    return true;
}

}  // namespace ember
