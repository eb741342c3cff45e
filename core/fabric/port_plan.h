// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a port shall be, as assignment tells programming.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/attribute.h"
#include "core/wire/port_info.h"

namespace ember {

/// What a port shall be.
struct PortPlan {
    PortInfo set{};             ///< The Set to send; meaningless unless `differs`.
    std::uint32_t changes = 0;  ///< By kManagedFields: what the Set changes.
    bool differs = false;       ///< Something that the device keeps is not as it shall be.
    bool extended = false;      ///< The modifier carries bit 31: extended speeds are meant.
    bool bounce = false;      ///< The link is taken down by the Set, because its MTU or VLs change.
    bool reregister = false;  ///< The Set asks the client to register again.
};

/// Decides what a port shall be. Implemented by core/assignment, asked by core/programming.
class PortPlanner {
public:
    /// The plan for the port at `at`, which was read in this sweep. `everybody_reregisters` in the
    /// first sweep as master.
    [[nodiscard]] virtual PortPlan Plan(PortIndex at, bool everybody_reregisters) const = 0;

protected:
    ~PortPlanner() = default;
};

/// Fields of PortInfo that a Set of ours may change and whose fate is watched: some devices
/// acknowledge a Set and keep the old value. Bit i of Port::stubborn says that field i was set,
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
    static_cast<Extent>(PortInfo::kLocalPhyErrors),
    static_cast<Extent>(PortInfo::kOverrunErrors),
    static_cast<Extent>(PortInfo::kLinkSpeedExtEnabled),
};
static_assert(kManagedFields.size() <= 32, "Port::stubborn has 32 bits");

/// The bits in which two PortInfos differ, by kManagedFields.
[[nodiscard]] constexpr std::uint32_t DifferingFields(const PortInfo& one, const PortInfo& other) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kManagedFields.size(); ++i) {
        const Field<std::uint64_t> field{kManagedFields[i]};
        if (one.Get(field) != other.Get(field)) bits |= 1U << i;
    }
    return bits;
}

/// The bit of one field in such a mask.
[[nodiscard]] consteval std::uint32_t ManagedBit(Extent field) {
    for (std::size_t i = 0; i < kManagedFields.size(); ++i) {
        if (kManagedFields[i].bit == field.bit) return 1U << i;
    }
    return 0;  // Caught where it is used: a mask of no field makes no sense.
}

/// Fields without which a port is not ours, or answers by another's LID: set again until kept.
inline constexpr std::uint32_t kNeverStubborn =
    ManagedBit(PortInfo::kMKey) | ManagedBit(PortInfo::kLid) | ManagedBit(PortInfo::kLmc) |
    ManagedBit(PortInfo::kMasterSmLid);
/// Fields of which a link that is up learns only when it comes up anew.
inline constexpr std::uint32_t kRetrains =
    ManagedBit(PortInfo::kNeighborMtu) | ManagedBit(PortInfo::kOperationalVls);

}  // namespace ember
