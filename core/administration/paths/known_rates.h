// SPDX-License-Identifier: Apache-2.0
// EmberSM: codes of rates that a client may not know.
#pragma once

#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// The rate, or the next lower one of which the client on a port with this PortInfo knows the code.
/// A code came with the width or speed that can make its rate: 2x (28 and 50 Gb/s), HDR (50, 400
/// and 600), NDR (400 to 1,200), as OpenSM has it, and XDR (800 and above).
[[nodiscard]] constexpr Rate RateKnownTo(const PortInfo& info, Rate rate) {
    namespace can = capability_mask2;
    const std::uint32_t mask = info.Get(PortInfo::kCapabilityMask);
    const bool has_mask2 = (mask & capability_mask::kIsCapabilityMask2Supported) != 0;
    const std::uint16_t mask2 = has_mask2 ? info.Get(PortInfo::kCapabilityMask2) : std::uint16_t{0};
    const bool has_2x = (mask2 & can::kIsLinkWidth2xSupported) != 0;
    const bool has_hdr = (mask2 & can::kIsLinkSpeedHdrSupported) != 0;
    const bool has_ndr = (mask2 & can::kIsLinkSpeedNdrSupported) != 0;
    const bool has_extended = (mask & capability_mask::kIsExtendedSpeedsSupported) != 0;
    if (rate == Rate::k28Gb && !has_2x) return has_extended ? Rate::k25Gb : Rate::k20Gb;
    if (rate == Rate::k50Gb && !has_2x && !has_hdr) return Rate::k40Gb;
    if ((rate == Rate::k400Gb || rate == Rate::k600Gb) && !has_hdr && !has_ndr) {
        return Rate::k300Gb;
    }
    const bool has_xdr = (mask2 & can::kIsLinkSpeedXdrSupported) != 0;
    if (rate == Rate::k1600Gb || rate == Rate::k2400Gb) {
        if (has_xdr) return rate;
        rate = Rate::k1200Gb;
    }
    if ((rate == Rate::k800Gb || rate == Rate::k1200Gb) && !has_ndr && !has_xdr) {
        return has_hdr ? Rate::k600Gb : Rate::k300Gb;
    }
    return rate;
}

}  // namespace ember
