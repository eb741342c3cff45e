// SPDX-License-Identifier: Apache-2.0
// EmberSM: subscriptions: which port wants to hear of which events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/fabric/events.h"
#include "core/fabric/sa_state.h"
#include "core/wire/inform_info.h"
#include "core/wire/p_key_table.h"

namespace ember {

enum class SubscriptionIndex : std::uint16_t {};
inline constexpr SubscriptionIndex kNoSubscription{0xFFFF};

/// A subscription, and how far its subscriber was told. At most one Report is under way; the next
/// event waits in the ring of events until it was acknowledged or given up.
struct Subscription {
    Guid subscriber = kNoGuid;   ///< PortGUID; kNoGuid: the row is free.
    InformInfo info;             ///< As asked; QPN is the subscriber's.
    std::uint8_t path_bits = 0;  ///< Its LID beyond the base LID of its port.
    std::uint8_t service_level = 0;
    std::uint16_t p_key_index = 0;  ///< By which the subscriber asked, in our own port's table.
    std::uint16_t p_key = kNoPKey;  ///< Which P_Key that was; kNoPKey: it is not known.
    bool is_reporting = false;  ///< A Report is under way; its transaction has the row's number.
    bool reports_trap = false;  ///< The Report, or the next, is about a trap, not our events.
    /// Serial numbers, their lower half, of what is told or looked at next: of our own events, and
    /// of traps. No ring moves on by more than 2^32 between two looks.
    std::uint32_t next_event = 0;
    std::uint32_t next_trap = 0;
};

/// All subscriptions.
class Subscriptions {
public:
    explicit Subscriptions(std::span<Subscription> rows) : rows_(rows) {
        EMBER_ASSERT(rows.size() <= Raw(kNoSubscription));
        Clear();
    }
    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;

    /// `sink` hears of every change but Clear() and Restore(); nullptr: no sink does.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// Forgets everything.
    void Clear() {
        rows_.fill(Subscription{});
        bound_ = 0;
        count_ = 0;
    }

    /// The same subscription: subscriber, QPN, and everything that says of what.
    [[nodiscard]] SubscriptionIndex Find(const Subscription& wanted) const;
    /// `wanted` is not there yet. kFull: no row is free; kBusy: rows are short, and this subscriber
    /// has an eighth of them already.
    Status Put(const Subscription& wanted);
    void Remove(SubscriptionIndex at);
    /// As it was before a restart, without regard to shares; not there yet. kFull: no row is free.
    Status Restore(const Subscription& wanted);

    /// Removes those of which `is_gone(const Subscription&)`; how many. A pass over all.
    template <typename IsGone>
    std::size_t Drop(IsGone is_gone) {
        std::size_t gone = 0;
        for (std::size_t i = 0; i < bound_; ++i) {
            const auto at = static_cast<SubscriptionIndex>(i);
            if (!IsLive(at) || !is_gone(rows_[at])) continue;
            Remove(at);
            ++gone;
        }
        return gone;
    }

    [[nodiscard]] bool IsLive(SubscriptionIndex at) const {
        return Raw(at) < bound_ && rows_[at].subscriber != kNoGuid;
    }
    [[nodiscard]] Subscription& row(SubscriptionIndex at) { return rows_[at]; }
    [[nodiscard]] const Subscription& row(SubscriptionIndex at) const { return rows_[at]; }
    [[nodiscard]] std::size_t bound() const { return bound_; }  ///< Above the highest row used.
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    [[nodiscard]] bool HasShareLeft(Guid subscriber) const;
    void Insert(const Subscription& wanted);

    Table<SubscriptionIndex, Subscription> rows_;
    SaStateSink* sink_ = nullptr;
    std::size_t bound_ = 0;
    std::size_t count_ = 0;
};

/// As it is written down, and what of it is.
[[nodiscard]] SubscriptionEntry EntryOf(const Subscription& row);
[[nodiscard]] Subscription SubscriptionOf(const SubscriptionEntry& entry);

}  // namespace ember
