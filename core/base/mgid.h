// SPDX-License-Identifier: Apache-2.0
// EmberSM: what stands in the GID of a multicast group.
#pragma once

#include <cstdint>

#include "core/base/gid.h"

namespace ember {

/// Octets 2 and 3 of a MGID: what made it. RFC 4391, 4, and IBA vol. 1, 15.2.5.17.
inline constexpr std::uint16_t kSignatureIpv4 = 0x401B;
inline constexpr std::uint16_t kSignatureIpv6 = 0x601B;
inline constexpr std::uint16_t kSignatureSa = 0xA01B;

inline constexpr std::uint8_t kLinkLocalScope = 2;

[[nodiscard]] constexpr std::uint16_t SignatureOf(const Gid& mgid) {
    return static_cast<std::uint16_t>(mgid.high >> 32U);
}
[[nodiscard]] constexpr bool IsIpMgid(const Gid& mgid) {
    return SignatureOf(mgid) == kSignatureIpv4 || SignatureOf(mgid) == kSignatureIpv6;
}
/// The P_Key in the MGID of an IP group, of the full membership. RFC 4391, 4.
[[nodiscard]] constexpr std::uint16_t PKeyOfIpMgid(const Gid& mgid) {
    return static_cast<std::uint16_t>(mgid.high >> 16U);
}
[[nodiscard]] constexpr Gid WithPKey(const Gid& ip_mgid, std::uint16_t p_key) {
    constexpr std::uint64_t kMask = std::uint64_t{0xFFFF} << 16U;
    return {(ip_mgid.high & ~kMask) | std::uint64_t{p_key} << 16U, ip_mgid.low};
}

/// Four bits. IBA vol. 1, 4.1.1.
[[nodiscard]] constexpr std::uint8_t ScopeOf(const Gid& mgid) {
    return static_cast<std::uint8_t>(mgid.high >> 48U & 0xFU);
}
[[nodiscard]] constexpr Gid WithScope(const Gid& mgid, std::uint8_t scope) {
    constexpr std::uint64_t kMask = std::uint64_t{0xF} << 48U;
    return {(mgid.high & ~kMask) | std::uint64_t{scope & 0xFU} << 48U, mgid.low};
}

/// A MGID that others than the SA may choose. IBA vol. 1, 15.2.5.17.
[[nodiscard]] constexpr bool IsSoundMgid(const Gid& mgid) {
    if (!IsMulticast(mgid)) return false;
    if (IsIpMgid(mgid)) return true;
    if (SignatureOf(mgid) == kSignatureSa && ScopeOf(mgid) == kLinkLocalScope) return false;
    return (mgid.high >> 52U & 0xFU) <= 1;  // T: not permanently assigned.
}

}  // namespace ember
