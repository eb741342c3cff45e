// SPDX-License-Identifier: Apache-2.0
// EmberSM: the timeouts of transactions, and what late answers show about losses.

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"

namespace ember {
namespace {

/// The longest wait is 2^3 times the first; 2^1 times where datagrams are lost.
constexpr unsigned kMaxDoublings = 3;
constexpr unsigned kLossyDoublings = 1;
/// In round trips: an answer is overdue after kLingers, and not expected any more after kQuick.
constexpr std::uint32_t kLingers = 8;
constexpr std::uint32_t kQuick = 32;
/// At least so many microseconds: an agent may be busy with other work.
constexpr std::uint32_t kLeastLingerUs = 5 * kMillisecondUs;
constexpr std::uint32_t kLeastQuickUs = 25 * kMillisecondUs;
/// The timeout of a repeated try gets a random part of up to 1/8.
constexpr std::uint32_t kFraction = 8;

}  // namespace

std::uint32_t Exchange::linger_us() const {
    const std::uint64_t trips_us = std::uint64_t{statistics_.round_trip_us} * kLingers;
    if (trips_us == 0) return timeout_us_;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(trips_us, kLeastLingerUs), timeout_us_));
}

/// The timeout of a first try where answers are fast.
std::uint32_t Exchange::quick_us() const {
    const std::uint64_t trips_us = std::uint64_t{statistics_.round_trip_us} * kQuick;
    if (trips_us == 0) return timeout_us_;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(trips_us, kLeastQuickUs), timeout_us_));
}

void Exchange::Hasten(Ask& ask) const {
    constexpr std::uint8_t kTries = 3;
    constexpr std::uint8_t kLossyTries = 6;
    ask.timeout_us = quick_us();
    ask.tries = is_lossy() ? kLossyTries : std::min(tries_, kTries);
}

std::uint32_t Exchange::TimeoutOf(const Transaction& transaction) {
    const bool is_own = transaction.ask.timeout_us != 0;
    const bool is_quick = is_lossy() && !is_own;
    const std::uint32_t first_us = is_own     ? transaction.ask.timeout_us
                                   : is_quick ? quick_us()
                                              : timeout_us_;
    EMBER_ASSERT(first_us != 0);
    if (transaction.tried == 0) return first_us;
    const unsigned most = is_quick ? kLossyDoublings : kMaxDoublings;
    const std::uint64_t longer_us = std::uint64_t{first_us}
                                    << std::min<unsigned>(transaction.tried, most);
    const std::uint64_t chance_us = entropy_.Draw() % (longer_us / kFraction + 1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(longer_us + chance_us, 0xFFFFFFFF));
}

/// A peer that answers a repeated question is alive, so its earlier try or answer was lost. An
/// answer to an earlier try was only late: a sign of congestion too, but repeating sooner would not
/// help.
void Exchange::LearnLosses(const Transaction& transaction, bool is_present_try,
                           std::uint64_t now_us) {
    constexpr std::uint32_t kSmoothing = 16;
    if (transaction.timed_out) window_.HearLoss(transaction.first_sent_us, now_us);
    const bool was_lost = transaction.timed_out && is_present_try;
    lost_share_ -= lost_share_ / kSmoothing;
    if (was_lost) lost_share_ += kWhole / kSmoothing;
    EMBER_ASSERT(lost_share_ <= kWhole);
}

/// True when the transaction's time on the wire is over, but not its timeout. The datagram leaves
/// the wire if another answer was received meanwhile.
bool Exchange::MayLinger(std::uint16_t slot, std::uint64_t now_us) {
    const Transaction& transaction = transactions_[slot];
    const std::uint64_t due_us = transaction.sent_us + transaction.timeout_us;
    if (transaction.peer_was_busy || now_us >= due_us) return false;
    const bool is_overdue = window_.heard_us() > transaction.sent_us;
    LeaveWire(slot);
    if (is_overdue) {
        transactions_[slot].state = Transaction::State::kOverdue;
        due_.Add(slot, due_us);
    } else {
        EnterWire(slot, std::min(due_us, now_us + linger_us()));
    }
    return true;
}

/// True when a transaction has used up its tries. Where datagrams are lost, the time of the
/// configured tries counts, and more tries are made in it.
bool Exchange::IsOver(const Transaction& transaction, std::uint64_t now_us) const {
    EMBER_ASSERT(transaction.tries > 0);
    if (transaction.tried < transaction.tries) return false;
    if (!is_lossy() || transaction.ask.timeout_us != 0) return true;
    if (transaction.tries <= 1 || transaction.tried >= kMostTries) return true;
    const unsigned doublings = std::min<unsigned>(transaction.tries, kMaxDoublings);
    const std::uint64_t rest = transaction.tries - doublings;
    const std::uint64_t waits = ((1U << doublings) - 1U) + (rest << kMaxDoublings);
    return now_us >= transaction.first_sent_us + waits * timeout_us_;
}

}  // namespace ember
