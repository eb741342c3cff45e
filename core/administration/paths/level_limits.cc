// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a QoS level leaves of a path.
#include "core/administration/paths/level_limits.h"

#include "core/base/assert.h"

namespace ember {

bool MayCarry(const Partitions& partitions, PortIndex one, PortIndex other, std::uint16_t p_key) {
    return MayCommunicate(partitions.Find(one, p_key).membership,
                          partitions.Find(other, p_key).membership);
}

std::uint16_t SharedPKey(const Partitions& partitions, PortIndex one, PortIndex other,
                         std::span<const QosRange> p_keys) {
    if (p_keys.empty()) return partitions.First(one, other);
    // At most kPKeyBase: ranges do not meet.
    for (const QosRange& range : p_keys) {
        EMBER_ASSERT(range.to <= kPKeyBase);
        for (std::uint64_t p_key = range.from; p_key <= range.to; ++p_key) {
            const auto candidate = static_cast<std::uint16_t>(p_key);
            if (MayCarry(partitions, one, other, candidate)) return candidate;
        }
    }
    return kNoPKey;
}

}  // namespace ember
