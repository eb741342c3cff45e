// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many messages of strangers are looked at.
#include "core/replication/strangers.h"

#include <algorithm>

namespace ember {

void StrangerBudget::SetMet(std::span<const Lid> lids, std::uint8_t lmc) {
    const std::span<const Lid> kept = lids.first(std::min(lids.size(), kMostMet));
    const bool is_same =
        lmc == lmc_ && std::equal(kept.begin(), kept.end(), met_.begin(), met_.end(),
                                  [](Lid lid, const Met& met) { return lid == met.lid; });
    if (is_same) return;
    lmc_ = lmc;
    met_.clear();
    for (const Lid lid : kept) {
        const Status added = met_.TryPush({.lid = lid});
        EMBER_ASSERT(added == Status::kOk);
    }
}

std::uint8_t* StrangerBudget::ShareOfMet(Lid from) {
    auto* const found = std::find_if(met_.begin(), met_.end(), [&](const Met& met) {
        return Raw(met.lid) >> lmc_ == Raw(from) >> lmc_;
    });
    return found == met_.end() ? nullptr : &found->taken;
}

/// Mixes the LID with the window: senders that meet in one share part in the next.
std::size_t StrangerBudget::ShareOf(Lid from) const {
    std::uint64_t mixed = (since_us_ << 16U | Raw(from) >> lmc_) * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ mixed >> 32U) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(mixed >> 32U) % kShares;
}

bool StrangerBudget::Takes(Lid from, std::uint64_t now_us) {
    if (now_us >= since_us_ + kWindowUs) {
        since_us_ = now_us;
        taken_.fill(0);
        for (Met& met : met_) {
            met.taken = 0;
        }
    }
    std::uint8_t* const own = ShareOfMet(from);
    std::uint8_t& taken = own != nullptr ? *own : taken_[ShareOf(from)];
    if (taken >= (own != nullptr ? kMostOfMet : kMostOfShare)) return false;
    ++taken;
    return true;
}

}  // namespace ember
