// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sweep that a trap asks for, and how many traps are heard.

#include "core/discovery/traps.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

static_assert(TrapAdmission::kChanges.burst > 0 && TrapAdmission::kAdvice.burst > 0 &&
              TrapAdmission::kWithoutRow.burst > 0);

/// Takes one trap from a share; false: it is used up. `whole_us`: when the share is whole again.
[[nodiscard]] bool Take(const TrapShare& share, std::uint64_t now_us, std::uint64_t& whole_us) {
    EMBER_ASSERT(share.burst > 0);
    const std::uint64_t from_us = std::max(whole_us, now_us);
    const std::uint64_t most_us = std::uint64_t{share.burst - 1} * share.refill_us;
    if (from_us - now_us > most_us) return false;
    whole_us = from_us + share.refill_us;
    EMBER_ASSERT(whole_us - now_us <= std::uint64_t{share.burst} * share.refill_us);
    return true;
}

[[nodiscard]] bool ReportsChange(const Notice& notice) {
    const auto number = notice.Get(Notice::kTrapNumber);
    return notice.Get(Notice::kIsGeneric) != 0 &&
           (number == TrapNumber::kLinkStateChange || number == TrapNumber::kLocalChanges);
}

}  // namespace

TrapRequest RequestOf(const Notice& notice, bool is_switch) {
    if (notice.Get(Notice::kIsGeneric) == 0) return TrapRequest::kLightSweep;
    const auto number = notice.Get(Notice::kTrapNumber);
    if (number == TrapNumber::kLinkStateChange) {
        return is_switch ? TrapRequest::kHeavySweep : TrapRequest::kNothing;
    }
    if (number != TrapNumber::kLocalChanges) return TrapRequest::kLightSweep;
    const auto changes = std::bit_cast<LocalChangesNotice>(notice);
    const bool only_description = changes.Get(LocalChangesNotice::kOtherLocalChanges) != 0 &&
                                  changes.Get(LocalChangesNotice::kNodeDescriptionChange) != 0 &&
                                  changes.Get(LocalChangesNotice::kLinkSpeedEnabledChange) == 0 &&
                                  changes.Get(LocalChangesNotice::kLinkWidthEnabledChange) == 0;
    return only_description ? TrapRequest::kDescription : TrapRequest::kHeavySweep;
}

/// The row of an issuer, or a free one. nullptr: every row's issuer has used a part of its share.
TrapAdmission::Row* TrapAdmission::RowOf(const TrapIssuer& issuer, bool is_change,
                                         std::uint64_t now_us) {
    EMBER_ASSERT(issuer.port != kNoGuid);
    Row* whole = nullptr;
    Row* quietest = nullptr;
    for (Row& row : rows_) {
        if (row.issuer == issuer.port) return &row;
        if (std::max(row.changes_whole_us, row.advice_whole_us) <= now_us) whole = &row;
        if (quietest == nullptr || row.heard_us < quietest->heard_us) quietest = &row;
    }
    if (rows_.TryPush(Row{.issuer = issuer.port}) == Status::kOk) return &rows_[rows_.size() - 1];
    Row* const taken = whole == nullptr && is_change ? quietest : whole;
    if (taken != nullptr) *taken = Row{.issuer = issuer.port};
    return taken;
}

bool TrapAdmission::Admits(const TrapIssuer& issuer, const Notice& notice, std::uint64_t now_us) {
    EMBER_ASSERT(issuer.port != kNoGuid);
    const bool is_change = issuer.is_switch && ReportsChange(notice);
    Row* const row = RowOf(issuer, is_change, now_us);
    if (row == nullptr) return Take(kWithoutRow, now_us, others_whole_us_);
    EMBER_ASSERT(row->issuer == issuer.port);
    row->heard_us = now_us;
    return is_change ? Take(kChanges, now_us, row->changes_whole_us)
                     : Take(kAdvice, now_us, row->advice_whole_us);
}

}  // namespace ember
