// SPDX-License-Identifier: Apache-2.0
// EmberSM: subscriptions: which port wants to hear of which events.
#include "core/administration/registrations/subscriptions.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/shares.h"

namespace ember {
namespace {

/// The answer time is no part of what a subscription is.
[[nodiscard]] InformInfo Essence(InformInfo info) {
    info.Set(InformInfo::kRespTimeValue, std::uint8_t{0});
    info.Set(InformInfo::kSubscribe, std::uint8_t{0});
    info.Set(InformInfo::kReserved160, std::uint16_t{0});
    info.Set(InformInfo::kReserved248, std::uint8_t{0});
    info.Set(InformInfo::kReserved256, std::uint8_t{0});
    info.Set(InformInfo::kReserved288, std::uint32_t{0});
    return info;
}

}  // namespace

SubscriptionIndex Subscriptions::Find(const Subscription& wanted) const {
    const InformInfo essence = Essence(wanted.info);
    for (std::size_t i = 0; i < bound_; ++i) {
        const auto at = static_cast<SubscriptionIndex>(i);
        if (rows_[at].subscriber != wanted.subscriber) continue;
        if (Essence(rows_[at].info) == essence) return at;
    }
    return kNoSubscription;
}

bool Subscriptions::HasShareLeft(Guid subscriber) const {
    if (!IsCrowded(count_, rows_.size())) return true;
    return HasFewer(ShareOf(rows_.size()), bound_, [&](std::size_t i) {
        return rows_[static_cast<SubscriptionIndex>(i)].subscriber == subscriber;
    });
}

Status Subscriptions::Put(const Subscription& wanted) {
    EMBER_ASSERT(wanted.subscriber != kNoGuid);
    if (count_ == rows_.size()) return Status::kFull;
    if (!HasShareLeft(wanted.subscriber)) return Status::kBusy;
    Insert(wanted);
    EmitEntry(sink_, SaEntryKind::kSubscription, EntryOf(wanted));
    return Status::kOk;
}

Status Subscriptions::Restore(const Subscription& wanted) {
    EMBER_ASSERT(wanted.subscriber != kNoGuid);
    if (count_ == rows_.size()) return Status::kFull;
    Insert(wanted);
    return Status::kOk;
}

void Subscriptions::Insert(const Subscription& wanted) {
    EMBER_ASSERT(count_ < rows_.size());
    EMBER_ASSERT(wanted.subscriber != kNoGuid);
    std::size_t i = 0;
    while (i < bound_ && rows_[static_cast<SubscriptionIndex>(i)].subscriber != kNoGuid)
        ++i;
    bound_ = std::max(bound_, i + 1);
    EMBER_ASSERT(i < rows_.size());
    rows_[static_cast<SubscriptionIndex>(i)] = wanted;
    ++count_;
}

void Subscriptions::Remove(SubscriptionIndex at) {
    EMBER_ASSERT(count_ != 0);
    EMBER_ASSERT(IsLive(at));
    EmitEntry(sink_, SaEntryKind::kSubscriptionGone, EntryOf(rows_[at]));
    rows_[at] = Subscription{};
    --count_;
}

// The P_Key is written where InformInfo has 16 reserved bits: an entry has no room of its own, and
// its length is the format of the journal.

SubscriptionEntry EntryOf(const Subscription& row) {
    InformInfo info = row.info;
    info.Set(InformInfo::kReserved160, row.p_key);
    return {row.subscriber, info, row.path_bits, row.service_level};
}

Subscription SubscriptionOf(const SubscriptionEntry& entry) {
    Subscription row;
    row.subscriber = entry.subscriber;
    row.info = entry.info;
    row.p_key = row.info.Get(InformInfo::kReserved160);
    row.info.Set(InformInfo::kReserved160, std::uint16_t{0});
    row.path_bits = entry.path_bits;
    row.service_level = entry.service_level;
    return row;
}

}  // namespace ember
