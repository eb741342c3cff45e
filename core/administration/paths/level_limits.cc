// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a QoS level leaves of a path.
#include "core/administration/paths/level_limits.h"

namespace ember {

std::uint16_t SharedPKey(const Partitions& partitions,
                         PortIndex one,
                         PortIndex other,
                         std::span<const QosRange> p_keys) {
    const std::uint16_t first = partitions.First(one, other);
    if (first == kNoPKey || Admits(p_keys, first)) return first;
    // At most kPKeyBase: ranges do not meet.
    for (const QosRange& range : p_keys) {
        for (std::uint64_t p_key = range.from; p_key <= range.to; ++p_key) {
            const auto candidate = static_cast<std::uint16_t>(p_key);
            if (partitions.Share(one, other, candidate)) return candidate;
        }
    }
    return kNoPKey;
}

}  // namespace ember
