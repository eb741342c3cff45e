// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports that do not hold, or do not enforce, what the partitions say.

#include "core/fabric/link_end.h"
#include "core/partitions/p_key_upkeep.h"

namespace ember {

/// A link below ACTIVE carries no data, and its switch port learns with the Set that makes it
/// ACTIVE what it enforces.
bool PKeyUpkeep::IsUnenforced(PortIndex guard) const {
    if (guard == kNoPortIndex || Enforcement() == PartEnforce::kOff) return false;
    const Port& port = parts_.fabric.port(guard);
    if (port.info.Get(PortInfo::kPortState) != PortState::kActive) return false;
    if (port.p_key_guard != PKeyGuard::kOn) return true;
    const bool is_all = port.info.Get(PortInfo::kPartitionEnforcement) == 3;  // The usual value.
    return !(is_all && Enforcement() == PartEnforce::kBoth) &&
           parts_.ports.Plan(guard, false).enforces_anew();
}

PartitionGaps PKeyUpkeep::FindGaps() const {
    PartitionGaps gaps;
    if (!manages_ || !parts_.partitions.AreConfigured()) return gaps;
    const auto name = [&](PortIndex at) {
        if (!gaps.any()) gaps.first = EndOf(parts_.fabric, at);
    };
    const std::uint32_t last = Raw(parts_.fabric.top_lid());
    for (std::uint32_t lid = 1; lid <= last; ++lid) {
        const PortIndex at = EndPortAt(static_cast<Lid>(lid));
        if (at == kNoPortIndex) continue;
        const Known& known = known_[lid];
        if (known.is_unset) {
            name(at);
            ++gaps.unset;
        }
        // The table of the switch port could not be written: it enforces what was before.
        const bool is_stale = known.state == State::kFailed && !known.is_unset;
        const PortIndex guard = GuardOf(at);
        if (!is_stale && !IsUnenforced(guard)) continue;
        name(guard == kNoPortIndex ? at : guard);
        ++gaps.unenforced;
    }
    return gaps;
}

}  // namespace ember
