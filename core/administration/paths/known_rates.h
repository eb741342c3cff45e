// SPDX-License-Identifier: Apache-2.0
// EmberSM: codes of rates that a client may not know.
#pragma once

#include <array>
#include <cstdint>

#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// A code of a rate that came later than the codes of SDR to EDR, all of which every port knows.
struct LaterRate {
    /// The bits of CapabilityMask2 with which the codes came.
    static constexpr std::uint16_t k2x = capability_mask2::kIsLinkWidth2xSupported;
    static constexpr std::uint16_t kHdr = capability_mask2::kIsLinkSpeedHdrSupported;
    static constexpr std::uint16_t kNdr = capability_mask2::kIsLinkSpeedNdrSupported;
    static constexpr std::uint16_t kXdr = capability_mask2::kIsLinkSpeedXdrSupported;

    Rate rate;
    std::uint16_t known_by;  // a port with any of these bits knows it
    Rate lower;              // the next lower rate
};

/// The codes of 2x (28 and 50 Gb/s), HDR (50, 400 and 600), NDR (400 to 1,200), as OpenSM has them,
/// and XDR (800 and above). The highest is first: a lower rate of a row has its row behind it.
inline constexpr std::array kLaterRates{
    LaterRate{Rate::k2400Gb, LaterRate::kXdr, Rate::k1600Gb},
    LaterRate{Rate::k1600Gb, LaterRate::kXdr, Rate::k1200Gb},
    LaterRate{Rate::k1200Gb, LaterRate::kNdr | LaterRate::kXdr, Rate::k800Gb},
    LaterRate{Rate::k800Gb, LaterRate::kNdr | LaterRate::kXdr, Rate::k600Gb},
    LaterRate{Rate::k600Gb, LaterRate::kHdr | LaterRate::kNdr, Rate::k400Gb},
    LaterRate{Rate::k400Gb, LaterRate::kHdr | LaterRate::kNdr, Rate::k300Gb},
    LaterRate{Rate::k50Gb, LaterRate::k2x | LaterRate::kHdr, Rate::k40Gb},
    LaterRate{Rate::k28Gb, LaterRate::k2x, Rate::k25Gb}};

/// The rate, or the next lower one of which the client on a port with this PortInfo knows the code.
/// A rate of 28 Gb/s becomes 25 only where the port has extended speeds, else 20.
[[nodiscard]] constexpr Rate RateKnownTo(const PortInfo& info, Rate rate) {
    const std::uint32_t mask = info.Get(PortInfo::kCapabilityMask);
    const bool has_mask2 = (mask & capability_mask::kIsCapabilityMask2Supported) != 0;
    const bool has_extended = (mask & capability_mask::kIsExtendedSpeedsSupported) != 0;
    const std::uint16_t mask2 = has_mask2 ? info.Get(PortInfo::kCapabilityMask2) : std::uint16_t{0};
    const Rate asked = rate;
    for (const LaterRate& later : kLaterRates) {
        if (rate == later.rate && (mask2 & later.known_by) == 0) rate = later.lower;
    }
    return asked == Rate::k28Gb && rate == Rate::k25Gb && !has_extended ? Rate::k20Gb : rate;
}

}  // namespace ember
