// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a trap from the fabric asks for.

#include "core/discovery/traps.h"

#include <bit>

namespace ember {
namespace {

/// FNV-1a over the notice, less the toggle and count that every repetition may change.
[[nodiscard]] std::uint64_t Fold(Notice notice) {
    notice.Set(Notice::kNoticeToggle, std::uint8_t{0});
    notice.Set(Notice::kNoticeCount, std::uint16_t{0});
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const std::uint8_t octet : notice.octets()) {
        hash = (hash ^ octet) * 0x100000001B3ULL;
    }
    return hash;
}

[[nodiscard]] TrapWish WishOf(const Notice& notice) {
    if (notice.Get(Notice::kIsGeneric) == 0) return TrapWish::kLightSweep;
    const auto number = notice.Get(Notice::kTrapNumber);
    if (number == TrapNumber::kLinkStateChange) return TrapWish::kHeavySweep;
    if (number != TrapNumber::kLocalChanges) return TrapWish::kLightSweep;
    const auto changes = std::bit_cast<LocalChangesNotice>(notice);
    const bool only_description = changes.Get(LocalChangesNotice::kOtherLocalChanges) != 0 &&
                                  changes.Get(LocalChangesNotice::kNodeDescriptionChange) != 0 &&
                                  changes.Get(LocalChangesNotice::kLinkSpeedEnabledChange) == 0 &&
                                  changes.Get(LocalChangesNotice::kLinkWidthEnabledChange) == 0;
    return only_description ? TrapWish::kDescription : TrapWish::kHeavySweep;
}

}  // namespace

std::uint32_t TrapDesk::Count(Lid from, std::uint64_t details, std::uint64_t now_us) {
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        Seen& seen = seen_[i];
        if (seen.from == from && seen.details == details) {
            seen.count = now_us - seen.last_us > kWindowUs ? 1 : seen.count + 1;
            seen.last_us = now_us;
            return seen.count;
        }
        if (seen.last_us < seen_[oldest].last_us) oldest = i;
    }
    if (seen_.full()) seen_.SwapRemove(oldest);
    const Status pushed = seen_.TryPush(Seen{from, 1, details, now_us});
    EMBER_ASSERT(pushed == Status::kOk);
    return 1;
}

TrapWish TrapDesk::Judge(Lid from, const Notice& notice, std::uint64_t now_us) {
    if (Count(from, Fold(notice), now_us) >= kPatience) return TrapWish::kNothing;
    return WishOf(notice);
}

}  // namespace ember
