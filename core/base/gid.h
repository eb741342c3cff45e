// SPDX-License-Identifier: Apache-2.0
// EmberSM: global identifiers.
#pragma once

#include <cstdint>

namespace ember {

/// GID: the prefix of a subnet and a GUID, or a multicast group's 16 octets. IBA vol. 1, 4.1.1.
struct Gid {
    std::uint64_t high = 0;  ///< Octets 0..7: the subnet prefix.
    std::uint64_t low = 0;   ///< Octets 8..15: the GUID.
    [[nodiscard]] constexpr bool operator==(const Gid&) const = default;
};

/// True for the GID of a multicast group: its octet 0 is 0xFF. IBA vol. 1, 4.1.1.
[[nodiscard]] constexpr bool IsMulticast(const Gid& gid) {
    return gid.high >> 56U == 0xFF;
}

}  // namespace ember
