// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rates of links, in path and group records.
#include "core/wire/rate.h"

namespace ember {
namespace {

// Columns of kRates.
enum Speed : std::size_t { kSdr, kDdr, kQdr, kFdr, kEdr, kHdr, kNdr, kXdr, kSpeeds };

using Row = std::array<Rate, kSpeeds>;

// clang-format off
constexpr Row k1x  {Rate::k2Gb5, Rate::k5Gb,  Rate::k10Gb,  Rate::k14Gb,
                    Rate::k25Gb, Rate::k50Gb, Rate::k100Gb, Rate::k200Gb};
constexpr Row k2x  {Rate::k5Gb,  Rate::k10Gb, Rate::k20Gb,  Rate::k28Gb,
                    Rate::k50Gb, Rate::k100Gb, Rate::k200Gb, Rate::k400Gb};
constexpr Row k4x  {Rate::k10Gb, Rate::k20Gb, Rate::k40Gb,  Rate::k56Gb,
                    Rate::k100Gb, Rate::k200Gb, Rate::k400Gb, Rate::k800Gb};
constexpr Row k8x  {Rate::k20Gb, Rate::k40Gb, Rate::k80Gb,  Rate::k112Gb,
                    Rate::k200Gb, Rate::k400Gb, Rate::k800Gb, Rate::k1600Gb};
constexpr Row k12x {Rate::k30Gb, Rate::k60Gb, Rate::k120Gb, Rate::k168Gb,
                    Rate::k300Gb, Rate::k600Gb, Rate::k1200Gb, Rate::k2400Gb};
// clang-format on

[[nodiscard]] std::size_t SpeedOf(const PortInfo& info, bool extended) {
    if (extended) {
        if (info.Get(PortInfo::kLinkSpeedExtActive2) == link_speed_ext2::kXdr) return kXdr;
        switch (info.Get(PortInfo::kLinkSpeedExtActive)) {
            case link_speed_ext::kFdr:
                return kFdr;
            case link_speed_ext::kEdr:
                return kEdr;
            case link_speed_ext::kHdr:
                return kHdr;
            case link_speed_ext::kNdr:
                return kNdr;
            default:
                break;  // No extended speed is active: LinkSpeedActive counts.
        }
    }
    switch (info.Get(PortInfo::kLinkSpeedActive)) {
        case link_speed::kDdr:
            return kDdr;
        case link_speed::kQdr:
            return kQdr;
        default:
            return kSdr;
    }
}

}  // namespace

Rate LinkRate(std::uint8_t width, std::size_t speed) {
    if (speed >= kSpeeds) return Rate::k2Gb5;
    switch (width) {
        case link_width::k2x:
            return k2x[speed];
        case link_width::k4x:
            return k4x[speed];
        case link_width::k8x:
            return k8x[speed];
        case link_width::k12x:
            return k12x[speed];
        default:
            return k1x[speed];
    }
}

Rate LinkRate(const PortInfo& info, bool extended) {
    return LinkRate(info.Get(PortInfo::kLinkWidthActive), SpeedOf(info, extended));
}

}  // namespace ember
