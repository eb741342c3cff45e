// SPDX-License-Identifier: Apache-2.0
// EmberSM: the wanted PortInfo of a port, which core/ports plans and core/programming sets.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/attribute.h"
#include "core/wire/port_info.h"

namespace ember {

/// The wanted PortInfo of a port.
struct PortPlan {
    PortInfo set{};             ///< The Set to send; meaningless unless `differs`.
    std::uint32_t changes = 0;  ///< The fields that the Set changes, by kManagedFields.
    bool differs = false;       ///< A field that the device keeps has another value than wanted.
    bool extended = false;      ///< The Set has kExtendedSpeedsModifier.
    bool bounce = false;        ///< The Set takes the link down, because its MTU or VLs change.
    bool reregister = false;    ///< The Set asks the client to register again.
    /// The Set changes what the port enforces.
    [[nodiscard]] constexpr bool enforces_anew() const;
};

/// Plans ports. Implemented by core/ports, called by core/programming.
class PortPlanner {
public:
    /// The plan for the port `at`, which was read in this sweep. `all_reregister` is true in the
    /// first sweep as master.
    [[nodiscard]] virtual PortPlan Plan(PortIndex at, bool all_reregister) const = 0;

protected:
    ~PortPlanner() = default;
};

/// Fields of PortInfo that our Sets change, and whose value is compared afterwards: some devices
/// acknowledge a Set and keep the old value. Bit i of Port::unkept says that field i was set,
/// acknowledged and not kept, so that it is not set again at every sweep.
inline constexpr std::array kManagedFields = {
    static_cast<Extent>(PortInfo::kMKey),
    static_cast<Extent>(PortInfo::kGidPrefix),
    static_cast<Extent>(PortInfo::kLid),
    static_cast<Extent>(PortInfo::kMasterSmLid),
    static_cast<Extent>(PortInfo::kMKeyLeasePeriod),
    static_cast<Extent>(PortInfo::kLinkWidthEnabled),
    static_cast<Extent>(PortInfo::kLinkDownDefaultState),
    static_cast<Extent>(PortInfo::kMKeyProtectBits),
    static_cast<Extent>(PortInfo::kLmc),
    static_cast<Extent>(PortInfo::kLinkSpeedEnabled),
    static_cast<Extent>(PortInfo::kNeighborMtu),
    static_cast<Extent>(PortInfo::kMasterSmSl),
    static_cast<Extent>(PortInfo::kVlStallCount),
    static_cast<Extent>(PortInfo::kHoqLife),
    static_cast<Extent>(PortInfo::kOperationalVls),
    static_cast<Extent>(PortInfo::kSubnetTimeOut),
    static_cast<Extent>(PortInfo::kPartitionEnforcement),
    static_cast<Extent>(PortInfo::kLocalPhyErrors),
    static_cast<Extent>(PortInfo::kOverrunErrors),
    static_cast<Extent>(PortInfo::kLinkSpeedExtEnabled),
    static_cast<Extent>(PortInfo::kVlHighLimit),
};
static_assert(kManagedFields.size() <= 32, "Port::unkept has 32 bits");

/// A PortInfo as eight words, in the byte order of the host.
using PortInfoWords = std::array<std::uint64_t, sizeof(PortInfo) / sizeof(std::uint64_t)>;

/// Ones where a PortInfo has a managed field. Only DifferingFields() reads it.
inline constexpr PortInfoWords kManagedBits = [] {
    PortInfo ones{};
    for (const Extent field : kManagedFields) {
        ones.Set(Field<std::uint64_t>{field}, field.mask());
    }
    return std::bit_cast<PortInfoWords>(ones);
}();

/// The fields in which two PortInfos differ: bit i stands for kManagedFields[i]. Mostly none does,
/// which eight words tell.
[[nodiscard]] constexpr std::uint32_t DifferingFields(const PortInfo& one, const PortInfo& other) {
    const auto words = std::bit_cast<PortInfoWords>(one);
    const auto others = std::bit_cast<PortInfoWords>(other);
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        difference |= (words[i] ^ others[i]) & kManagedBits[i];
    }
    if (difference == 0) return 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kManagedFields.size(); ++i) {
        const Field<std::uint64_t> field{kManagedFields[i]};
        if (one.Get(field) != other.Get(field)) bits |= 1U << i;
    }
    EMBER_ASSERT(bits != 0);  // A managed bit differs.
    return bits;
}

/// The bit of one field in such a mask; 0 for a field that is not managed.
[[nodiscard]] consteval std::uint32_t ManagedBit(Extent field) {
    for (std::size_t i = 0; i < kManagedFields.size(); ++i) {
        if (kManagedFields[i].bit == field.bit) return 1U << i;
    }
    return 0;
}

/// Fields that are set again until the device keeps them: without them the port is not ours,
/// answers to the LID of another port, or lets packets of foreign partitions pass.
inline constexpr std::uint32_t kSetUntilKept =
    ManagedBit(PortInfo::kMKey) | ManagedBit(PortInfo::kLid) | ManagedBit(PortInfo::kLmc) |
    ManagedBit(PortInfo::kMasterSmLid) | ManagedBit(PortInfo::kPartitionEnforcement);
/// Fields that take effect only when the link trains anew.
inline constexpr std::uint32_t kRetrains =
    ManagedBit(PortInfo::kNeighborMtu) | ManagedBit(PortInfo::kOperationalVls);
/// Fields in which a Set says 0 for "no change".
inline constexpr std::uint32_t kZeroLeaves = ManagedBit(PortInfo::kLinkWidthEnabled) |
                                             ManagedBit(PortInfo::kLinkSpeedEnabled) |
                                             ManagedBit(PortInfo::kLinkSpeedExtEnabled);
static_assert(std::popcount(kSetUntilKept) == 5 && std::popcount(kRetrains) == 2,
              "each of these fields is managed");
static_assert(std::popcount(kZeroLeaves) == 3, "likewise");

constexpr bool PortPlan::enforces_anew() const {
    return (changes & ManagedBit(PortInfo::kPartitionEnforcement)) != 0;
}

/// The fields that the Set `sent` changes in a port that has the values of `before`.
[[nodiscard]] constexpr std::uint32_t ChangedFields(const PortInfo& before, const PortInfo& sent) {
    std::uint32_t changed = DifferingFields(before, sent);
    for (std::size_t i = 0; i < kManagedFields.size(); ++i) {
        const bool is_left =
            (kZeroLeaves & 1U << i) != 0 && sent.Get(Field<std::uint64_t>{kManagedFields[i]}) == 0;
        if (is_left) changed &= ~(1U << i);
    }
    return changed;
}

}  // namespace ember
