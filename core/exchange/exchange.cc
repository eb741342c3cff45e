// SPDX-License-Identifier: Apache-2.0
// EmberSM: transactions over the management port: ask, wait, retry.
#include "core/exchange/exchange.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {
namespace {

constexpr std::uint16_t kNoSlot = 0xFFFF;

/// A busy peer is left alone for 1/8 of a timeout.
constexpr std::uint32_t kBusyFraction = 8;

/// The content of the lower 32 bits of a TransactionId.
struct Ticket {
    std::uint32_t slot;        ///< 12 bits: max_smps is 4096 at most.
    unsigned try_number;       ///< 4 bits, modulo 16: 0 for the first.
    std::uint16_t generation;  ///< 16 bits.

    [[nodiscard]] TransactionId id() const {
        return static_cast<TransactionId>(slot << 20U | try_number << 16U | generation);
    }
    [[nodiscard]] static Ticket Of(TransactionId id) {
        const auto low = static_cast<std::uint32_t>(Raw(id));
        return {low >> 20U, low >> 16U & 0xFU, static_cast<std::uint16_t>(low)};
    }
};

/// How many tries ago the try of a ticket was: 0 for the current one. A try that was not made yet
/// gives more than were made.
[[nodiscard]] unsigned TriesAgo(unsigned tried, const Ticket& ticket) {
    return (tried - 1U - ticket.try_number) & 0xFU;
}

[[nodiscard]] bool IsSmp(const MadHeader& header) {
    return header.mgmt_class == MgmtClass::kSubnLid ||
           header.mgmt_class == MgmtClass::kSubnDirected;
}

/// True when the response took the path of its question: its InitialPath is that of the request.
/// IBA vol. 1, 14.2.1.2.
[[nodiscard]] bool WentOurWay(const DirectedPath& path, const Mad& mad) {
    const auto smp = std::bit_cast<DirectedSmp>(mad);
    return smp.header.hop_count == path.hops &&
           std::equal(path.ports.begin(), path.ports.begin() + path.hops,
                      smp.initial_path.begin() + 1);
}

/// True when the response repeats class, attribute and modifier of its question.
/// IBA vol. 1, 13.4.6.
[[nodiscard]] bool Fits(const Ask& ask, const Mad& mad) {
    const MadHeader& header = mad.header;
    const MgmtClass mgmt_class = ask.directed ? MgmtClass::kSubnDirected : MgmtClass::kSubnLid;
    return header.base_version == kBaseVersion && header.class_version == kSubnClassVersion &&
           header.mgmt_class == mgmt_class && header.attribute_id == ask.attribute &&
           header.attribute_modifier == ask.modifier &&
           (!ask.directed || WentOurWay(ask.path, mad));
}

[[nodiscard]] std::uint32_t Span32(std::uint64_t from_us, std::uint64_t to_us) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(to_us - from_us, 0xFFFFFFFF));
}

}  // namespace

Exchange::Exchange(const Memory& memory, MadPort& port, Entropy& entropy)
    : transactions_(memory.transactions),
      due_(memory.due),
      port_(port),
      entropy_(entropy),
      generations_(entropy),
      queue_head_(kNoSlot),
      queue_tail_(kNoSlot) {
    EMBER_ASSERT(!transactions_.empty() && transactions_.size() <= 4096);
    EMBER_ASSERT(memory.due.size() == transactions_.size());
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        transactions_[i] = Transaction{};
        transactions_[i].next =
            i + 1 < transactions_.size() ? static_cast<std::uint16_t>(i + 1) : kNoSlot;
    }
    static constexpr Settings kDefaults{};  // The settings are too large for the stack.
    Configure(kDefaults);
}

void Exchange::Configure(const Settings& settings) {
    window_.Configure(transactions_.size(), settings.max_wire_smps, settings.max_wire_smps2,
                      settings.max_smps_timeout);
    // A minute is longer than any SMA takes, and keeps the doublings within 32 bits.
    timeout_us_ = std::clamp<std::uint32_t>(settings.transaction_timeout, 1, 60000) * 1000U;
    tries_ =
        static_cast<std::uint8_t>(std::clamp<std::uint32_t>(settings.transaction_retries, 1, 255));
}

bool Exchange::has_room() const {
    return free_ != kNoSlot && queue_head_ == kNoSlot && WindowIsOpen();
}

void Exchange::Post(const Ask& ask, std::uint64_t now_us) {
    EMBER_ASSERT(has_room());
    EMBER_ASSERT(ask.method == Method::kGet || ask.method == Method::kSet ||
                 (ask.method == Method::kTrap && !ask.directed));
    EMBER_ASSERT(ask.cookie.client != kNoClient);

    const std::uint16_t slot = free_;
    Transaction& transaction = transactions_[slot];
    EMBER_ASSERT(transaction.state == Transaction::State::kFree);
    free_ = transaction.next;
    transaction.ask = ask;
    transaction.last_generation = transaction.generation;
    transaction.generation = generations_.Next(transaction.last_generation);
    transaction.first_sent_us = now_us;
    transaction.tried = 0;
    transaction.tries = ask.tries != 0 ? ask.tries : tries_;
    transaction.peer_was_busy = false;
    transaction.timed_out = false;
    if (in_flight_++ == 0) window_.BeginSilence(now_us);
    statistics_.peak_in_flight =
        std::max(statistics_.peak_in_flight, static_cast<std::uint32_t>(in_flight_));

    if (Transmit(slot, now_us) == Status::kBusy) Enqueue(slot);
}

Status Exchange::Send(const Envelope& envelope) {
    const Status status = port_.Send(envelope);
    if (status == Status::kOk) {
        ++statistics_.sent;
        ++statistics_.one_way;
    } else if (status == Status::kBusy) {
        ++statistics_.port_busy;
    } else {
        ++statistics_.port_failed;
        port_is_alive_ = false;
    }
    return status;
}

/// Sends the next try. kBusy: nothing has changed. Otherwise the transaction is on the wire; if the
/// port is gone it times out.
Status Exchange::Transmit(std::uint16_t slot, std::uint64_t now_us) {
    EMBER_ASSERT(slot < transactions_.size());
    Transaction& transaction = transactions_[slot];
    const Ask& ask = transaction.ask;
    const unsigned try_number = transaction.tried;
    const std::uint32_t timeout_us = TimeoutOf(transaction);
    const TransactionId id = Ticket{slot, try_number & 0xFU, transaction.generation}.id();

    const SmpRequest request{ask.method, ask.attribute, ask.modifier, ask.m_key, id, ask.data};
    Envelope envelope;
    envelope.answer_within_us = timeout_us;
    if (ask.directed) {
        envelope.mad = MakeDirected(request, ask.path);
    } else {
        envelope.peer = ask.lid;
        envelope.mad = MakeLidRouted(request);
    }
    const Status status = port_.Send(envelope);
    if (status == Status::kBusy) {
        ++statistics_.port_busy;
        port_busy_until_us_ = now_us + kPortPauseUs;
        return status;
    }
    if (status == Status::kOk) {
        ++statistics_.sent;
        if (try_number > 0) ++statistics_.resent;
    } else {
        ++statistics_.port_failed;
        port_is_alive_ = false;
    }
    if (try_number == 0) {
        const std::size_t row = ExchangeStatistics::RowOf(ask.attribute);
        if (ask.method == Method::kGet) ++statistics_.gets[row];
        if (ask.method == Method::kSet) ++statistics_.sets[row];
        transaction.first_sent_us = now_us;
    }
    ++transaction.tried;
    transaction.sent_us = now_us;
    transaction.timeout_us = timeout_us;
    transaction.peer_was_busy = false;
    EnterWire(slot, now_us + std::min(timeout_us, linger_us()));
    return status;
}

/// The slot of the question that this response answers, or kNoSlot after counting the reason.
std::uint16_t Exchange::Match(const Mad& mad) {
    const MadHeader& header = mad.header;
    const Ticket ticket = Ticket::Of(header.transaction_id);
    if (ticket.slot >= transactions_.size()) {
        ++statistics_.unmatched;
        return kNoSlot;
    }
    const Transaction& transaction = transactions_[ticket.slot];
    if (transaction.state == Transaction::State::kFree ||
        transaction.generation != ticket.generation ||
        TriesAgo(transaction.tried, ticket) >= transaction.tried) {
        CountStray(transaction, ticket.generation);
        return kNoSlot;
    }
    if (header.method != ResponseOf(transaction.ask.method) || !Fits(transaction.ask, mad)) {
        ++statistics_.malformed;
        return kNoSlot;
    }
    return static_cast<std::uint16_t>(ticket.slot);
}

/// The peer answered "busy": the question is repeated later. A "busy" to an earlier try changes
/// nothing, as the current try is under way or queued.
void Exchange::Defer(std::uint16_t slot, bool is_present_try, std::uint64_t now_us) {
    EMBER_ASSERT(slot < transactions_.size());
    ++statistics_.peer_busy;
    Transaction& transaction = transactions_[slot];
    const bool is_awaited = transaction.state == Transaction::State::kOnWire ||
                            transaction.state == Transaction::State::kOverdue;
    if (!is_awaited || !is_present_try) return;
    // A second "busy" to the same try must not put it off again: a peer that repeats it would keep
    // the transaction, and the sweep that waits for it, alive for ever.
    if (transaction.peer_was_busy) return;
    transaction.peer_was_busy = true;
    LeaveWire(slot);
    EnterWire(slot, now_us + TimeoutOf(transaction) / kBusyFraction);
}

Status Exchange::Take(const Envelope& envelope, std::uint64_t now_us, Answer& answer) {
    const MadHeader& header = envelope.mad.header;
    if (!IsSmp(header) || !IsResponse(header.method)) return Status::kAbsent;
    const std::uint16_t slot = Match(envelope.mad);
    if (slot == kNoSlot) return Status::kAbsent;

    const Transaction& transaction = transactions_[slot];
    const bool is_present_try = TriesAgo(transaction.tried, Ticket::Of(header.transaction_id)) == 0;
    const std::uint16_t mad_status = StatusOf(header);
    window_.HearAnswer(now_us);
    if ((mad_status & kMadStatusBusy) != 0 && transaction.tried < transaction.tries) {
        Defer(slot, is_present_try, now_us);
        return Status::kAbsent;
    }

    Fill(transaction, mad_status == 0 ? Status::kOk : Status::kRefused, answer);
    answer.mad_status = mad_status;
    answer.data = DataOf(envelope.mad);
    answer.round_trip_us =
        Span32(is_present_try ? transaction.sent_us : transaction.first_sent_us, now_us);
    if (is_present_try) {
        const std::uint32_t old_us = statistics_.round_trip_us;
        statistics_.round_trip_us =
            old_us == 0 ? answer.round_trip_us : old_us - old_us / 8 + answer.round_trip_us / 8;
    }
    ++statistics_.answered;
    if (mad_status != 0) ++statistics_.refused;
    LearnLosses(transaction, is_present_try, now_us);
    Release(slot, Transaction::End::kAnswered);
    return Status::kOk;
}

/// Counts an answer whose transaction is over.
void Exchange::CountStray(const Transaction& transaction, std::uint16_t generation) {
    const bool is_free = transaction.state == Transaction::State::kFree;
    const std::uint16_t last = is_free ? transaction.generation : transaction.last_generation;
    if (generation != last || transaction.last_end == Transaction::End::kNone) {
        ++statistics_.unmatched;
    } else if (transaction.last_end == Transaction::End::kAnswered) {
        ++statistics_.duplicates;
    } else {
        ++statistics_.late;
    }
}

bool Exchange::Expire(std::uint64_t now_us, Answer& answer) {
    EMBER_ASSERT(on_wire_ <= in_flight_);
    if (in_flight_ > 0) window_.ObserveSilence(now_us);
    while (!due_.empty() && due_.first_us() <= now_us) {  // Ends: each one leaves the wire.
        if (GiveUpOrQueue(due_.first_slot(), now_us, answer)) return true;
    }
    SendQueued(now_us);
    return false;
}

bool Exchange::GiveUpOrQueue(std::uint16_t slot, std::uint64_t now_us, Answer& answer) {
    EMBER_ASSERT(slot < transactions_.size());
    if (MayLinger(slot, now_us)) return false;
    Transaction& transaction = transactions_[slot];
    if (!transaction.peer_was_busy) {
        ++statistics_.timeouts;
        transaction.timed_out = true;
    }
    if (!IsOver(transaction, now_us)) {
        LeaveWire(slot);
        Enqueue(slot);
        return false;
    }
    Fill(transaction, Status::kTimeout, answer);
    answer.mad_status = 0;
    answer.data = SmpData{};
    answer.round_trip_us = Span32(transaction.first_sent_us, now_us);
    ++statistics_.given_up;
    Release(slot, Transaction::End::kTimedOut);
    return true;
}

void Exchange::SendQueued(std::uint64_t now_us) {
    if (now_us < port_busy_until_us_) return;
    EMBER_ASSERT((queue_head_ == kNoSlot) == (queue_tail_ == kNoSlot));
    while (queue_head_ != kNoSlot && WindowIsOpen()) {  // Ends: each one leaves the queue.
        const std::uint16_t slot = queue_head_;
        Unqueue(slot);
        if (Transmit(slot, now_us) != Status::kBusy) continue;
        // Back to the front of the queue: the port takes datagrams in their order.
        Transaction& transaction = transactions_[slot];
        transaction.state = Transaction::State::kQueued;
        transaction.before = kNoSlot;
        transaction.next = queue_head_;
        (queue_head_ == kNoSlot ? queue_tail_ : transactions_[queue_head_].before) = slot;
        queue_head_ = slot;
        return;
    }
}

std::uint64_t Exchange::NextDeadlineUs() const {
    std::uint64_t next_us = due_.empty() ? kNever : due_.first_us();
    if (queue_head_ != kNoSlot && WindowIsOpen()) next_us = std::min(next_us, port_busy_until_us_);
    if (in_flight_ > 0) next_us = std::min(next_us, window_.NextAllowanceUs());
    return next_us;
}

void Exchange::Abandon(Client client) {
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        const Transaction& transaction = transactions_[i];
        if (transaction.state == Transaction::State::kFree) continue;
        if (transaction.ask.cookie.client != client) continue;
        Release(static_cast<std::uint16_t>(i), Transaction::End::kAbandoned);
    }
}

void Exchange::Fill(const Transaction& transaction, Status status, Answer& answer) const {
    EMBER_ASSERT(transaction.state != Transaction::State::kFree);
    answer.cookie = transaction.ask.cookie;
    answer.status = status;
    answer.method = transaction.ask.method;
    answer.attribute = transaction.ask.attribute;
    answer.modifier = transaction.ask.modifier;
    answer.asked = transaction.ask.data;
}

void Exchange::Enqueue(std::uint16_t slot) {
    EMBER_ASSERT(slot < transactions_.size());
    EMBER_ASSERT(transactions_[slot].state != Transaction::State::kQueued);
    Transaction& transaction = transactions_[slot];
    transaction.state = Transaction::State::kQueued;
    transaction.next = kNoSlot;
    transaction.before = queue_tail_;
    (queue_tail_ == kNoSlot ? queue_head_ : transactions_[queue_tail_].next) = slot;
    queue_tail_ = slot;
}

void Exchange::Unqueue(std::uint16_t slot) {
    const Transaction& transaction = transactions_[slot];
    EMBER_ASSERT(transaction.state == Transaction::State::kQueued);
    const std::uint16_t next = transaction.next;
    const std::uint16_t before = transaction.before;
    EMBER_ASSERT(before != kNoSlot || queue_head_ == slot);
    (before == kNoSlot ? queue_head_ : transactions_[before].next) = next;
    (next == kNoSlot ? queue_tail_ : transactions_[next].before) = before;
}

void Exchange::EnterWire(std::uint16_t slot, std::uint64_t due_us) {
    EMBER_ASSERT(on_wire_ < in_flight_);
    transactions_[slot].state = Transaction::State::kOnWire;
    ++on_wire_;
    due_.Add(slot, due_us);
}

void Exchange::LeaveWire(std::uint16_t slot) {
    const Transaction::State state = transactions_[slot].state;
    EMBER_ASSERT(state == Transaction::State::kOnWire || state == Transaction::State::kOverdue);
    due_.Remove(slot);
    EMBER_ASSERT(state != Transaction::State::kOnWire || on_wire_ != 0);
    if (state == Transaction::State::kOnWire) --on_wire_;
}

void Exchange::Release(std::uint16_t slot, Transaction::End end) {
    Transaction& transaction = transactions_[slot];
    EMBER_ASSERT(transaction.state != Transaction::State::kFree);
    if (transaction.state == Transaction::State::kQueued) {
        Unqueue(slot);
    } else {
        LeaveWire(slot);
    }
    transaction.state = Transaction::State::kFree;
    transaction.last_end = end;
    transaction.next = free_;
    free_ = slot;
    EMBER_ASSERT(in_flight_ != 0);
    --in_flight_;
}

}  // namespace ember
