// SPDX-License-Identifier: Apache-2.0
// EmberSM: transactions over the management port: ask, wait, retry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/status.h"
#include "core/exchange/due_queue.h"
#include "core/exchange/generations.h"
#include "core/exchange/window.h"
#include "core/platform.h"
#include "core/settings/settings.h"
#include "core/wire/mad.h"
#include "core/wire/smp.h"

namespace ember {

/// The number of a part that asks: answers are handed to it, and Abandon() forgets all its
/// transactions. A part declares its own; the dispatch of SubnetManager proves them different.
enum class Client : std::uint8_t {};
inline constexpr Client kNoClient{0};

/// Values that the client finds again in the answer. The exchange only carries them.
struct Cookie {
    Client client = kNoClient;
    std::uint8_t kind = 0;
    std::uint16_t detail = 0;
    std::uint32_t subject = 0;
};

/// A Get or Set to an SMA, or a Trap to another SM, which a TrapRepress answers.
struct Ask {
    Method method = Method::kGet;  ///< kGet, kSet, or kTrap by LID.
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    bool directed = true;  ///< By `path`, else to `lid`.
    DirectedPath path{};
    Lid lid = kNoLid;
    std::uint64_t m_key = 0;
    SmpData data{};
    Cookie cookie{};
    std::uint32_t timeout_us = 0;  ///< Of the first try; 0: as Exchange says.
    std::uint8_t tries = 0;        ///< In all; 0: transaction_retries.
};

/// The end of a transaction.
struct Answer {
    Cookie cookie{};
    /// kOk; kTimeout: no try was answered; kRefused: the answer has a MAD status other than 0.
    Status status = Status::kOk;
    std::uint16_t mad_status = 0;  ///< Without the direction bit. 0 unless kRefused.
    Method method{};               ///< Of the question.
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    SmpData data{};   ///< Zeros after a timeout.
    SmpData asked{};  ///< The data of the question: a Set is compared with this.
    /// From the try that was answered to its answer; after a timeout from the first try.
    std::uint32_t round_trip_us = 0;
};

/// Counters of the exchange since the start. "Sent" means that the port took the datagram.
struct ExchangeStatistics {
    /// Rows of gets and sets: attribute ids up to LedInfo; row 0 counts all others.
    static constexpr std::size_t kAttributes = 0x32;

    std::uint64_t sent = 0;         ///< Datagrams, every try and every Send() included.
    std::uint64_t resent = 0;       ///< Of these, second and later tries.
    std::uint64_t one_way = 0;      ///< Of these, datagrams that have no answer: see Send().
    std::uint64_t answered = 0;     ///< Transactions.
    std::uint64_t refused = 0;      ///< Of these, with a MAD status.
    std::uint64_t timeouts = 0;     ///< Tries that were not answered in time.
    std::uint64_t given_up = 0;     ///< Transactions of which no try was answered in time.
    std::uint64_t late = 0;         ///< Answers to transactions given up or abandoned.
    std::uint64_t duplicates = 0;   ///< Answers to transactions answered before.
    std::uint64_t unmatched = 0;    ///< Answers to no question of this run.
    std::uint64_t malformed = 0;    ///< Answers that do not fit their question.
    std::uint64_t peer_busy = 0;    ///< Answers with the MAD status "busy".
    std::uint64_t port_busy = 0;    ///< Times that the port was full.
    std::uint64_t port_failed = 0;  ///< Datagrams lost because the port is gone.
    std::uint32_t peak_in_flight = 0;
    std::uint32_t round_trip_us = 0;  ///< Smoothed: 7/8 old, 1/8 new.
    /// First tries by attribute, so that losses do not change the counts.
    std::array<std::uint64_t, kAttributes> gets{};
    std::array<std::uint64_t, kAttributes> sets{};

    /// The count of an attribute; that of all other attributes for an id above the table.
    [[nodiscard]] std::uint64_t GetsOf(AttributeId attribute) const {
        return gets[RowOf(attribute)];
    }
    [[nodiscard]] std::uint64_t SetsOf(AttributeId attribute) const {
        return sets[RowOf(attribute)];
    }
    [[nodiscard]] static constexpr std::size_t RowOf(AttributeId attribute) {
        return Raw(attribute) < kAttributes ? Raw(attribute) : 0;
    }
};

/// Transactions with SMAs: a question is sent, and exactly one answer, or its absence, is returned.
///
/// A client checks has_room() and calls Post(). SubnetManager offers each received response to
/// Take(), and once a step calls Expire() until it returns false. No function waits: every wait is
/// a deadline, and NextDeadlineUs() is the first one.
///
/// - Window. A datagram is on the wire from its sending until its answer or its timeout, or until
///   linger_us() is over and another answer was received meanwhile: then the datagram is lost or
///   its peer is silent, and other questions need not wait for that. At most max_wire_smps
///   datagrams are on the wire (window.h: losses halve that, answers restore it). While no answer
///   at all is received, one more may be sent for each max_smps_timeout, up to max_wire_smps2.
/// - Tries. There are transaction_retries tries in all. The first waits transaction_timeout, each
///   further one twice as long as the one before, up to 8 times the first. A random part of up to
///   1/8 is added, so that datagrams that were lost together are not repeated together. (OpenSM
///   waits the same time each try.) While answers show losses, questions are repeated sooner and
///   more often, up to kMostTries, in no more time than the tries would have taken; see is_lossy().
/// - TransactionId, lower 32 bits: slot (12), try (4), generation of the slot (16). Each try has an
///   id of its own, because the Linux kernel refuses a second one in use. An answer to any try of
///   the current generation counts. Generations are random: answers to questions of an earlier run
///   match no transaction, and a peer learns nothing about the ids of other questions. An answer by
///   a directed route must show the path of its question.
/// - Busy. A full port delays sending; no datagram is lost. A peer that answers "busy" is asked
///   again after 1/8 of the timeout; that uses up a try.
///
/// Post and Take cost O(log window) at most, Expire() O(log window) for each transaction due.
class Exchange {
public:
    /// A transaction under way. Rows of the board's storage, max_smps of them.
    struct Transaction {
        /// kOverdue: off the wire, but an answer still counts until the timeout.
        enum class State : std::uint8_t { kFree, kQueued, kOnWire, kOverdue };
        enum class End : std::uint8_t { kNone, kAnswered, kTimedOut, kAbandoned };

        Ask ask{};
        std::uint64_t first_sent_us = 0;
        std::uint64_t sent_us = 0;
        std::uint32_t timeout_us = 0;  ///< Of the current try.
        std::uint16_t generation = 0;
        std::uint16_t last_generation = 0;  ///< The generation before.
        std::uint16_t next = 0;  ///< In the free list, or in the queue of transactions to be sent.
        std::uint16_t before = 0;
        std::uint8_t tried = 0;
        std::uint8_t tries = 0;
        State state = State::kFree;
        End last_end = End::kNone;   ///< How the generation before ended.
        bool peer_was_busy = false;  ///< The last try was answered with "busy".
        bool timed_out = false;      ///< A try was not answered in time.
    };

    /// Both spans hold Limits::max_smps rows, 1..4096.
    struct Memory {
        std::span<Transaction> transactions;
        std::span<DueQueue::Entry> due;
    };

    Exchange(const Memory& memory, MadPort& port, Entropy& entropy);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Applies max_wire_smps, max_wire_smps2, max_smps_timeout, transaction_timeout and
    /// transaction_retries. Transactions under way keep the number of tries they were posted with.
    void Configure(const Settings& settings);

    /// True when Post() would send at once: the window is open and the queue is empty.
    [[nodiscard]] bool has_room() const;

    /// Begins a transaction. Asserts has_room(), a method as in Ask, and a cookie that names
    /// its client.
    void Post(const Ask& ask, std::uint64_t now_us);

    /// For a client that prefers an early answer to a certain one: shortens the tries of a
    /// question, so that where answers take milliseconds a silent peer is known within tenths of a
    /// second.
    void Hasten(Ask& ask) const;
    /// How long an answer may take, judged by the usual round trip: 5 ms to transaction_timeout.
    /// transaction_timeout before the first answer.
    [[nodiscard]] std::uint32_t linger_us() const;
    /// True when datagrams are lost: a sixteenth of the last answers were to repeated questions.
    [[nodiscard]] bool is_lossy() const { return lost_share_ >= kLossyShare; }
    /// The most tries of a question, made where datagrams are lost; the TransactionId has four bits
    /// for them.
    static constexpr std::uint8_t kMostTries = 15;

    /// Offers a received SMP that passed CheckSmp(). kOk: it answers a transaction, which is over
    /// now; `answer` is filled. kAbsent: the SMP was counted, and the caller drops it, as it is no
    /// response, or one to another SM, or late, or a duplicate, or does not fit its question, or
    /// says "busy" and the question is tried again.
    Status Take(const Envelope& envelope, std::uint64_t now_us, Answer& answer);

    /// Sends the tries that are due. True when a transaction has used up its tries: `answer` has
    /// kTimeout, and the caller calls again. False when nothing more is due now.
    bool Expire(std::uint64_t now_us, Answer& answer);

    /// Sends a datagram that has no answer (a response, a TrapRepress). kBusy: the port is
    /// full and the datagram is dropped; the peer repeats its request. kDevice: the port is gone.
    Status Send(const Envelope& envelope);

    /// When Expire() has work again; kNever: no transaction is under way.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// Ends a client's transactions without an answer. Answers that still come are counted as late.
    void Abandon(Client client);

    /// Transactions posted and not over, including those that wait for the port or the window.
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    /// Of these, those on the wire.
    [[nodiscard]] std::size_t on_wire() const { return on_wire_; }
    /// The most SMPs that may be on the wire now.
    [[nodiscard]] std::size_t window() const { return window_.size(); }
    /// False once the port has said kDevice.
    [[nodiscard]] bool port_is_alive() const { return port_is_alive_; }
    [[nodiscard]] const ExchangeStatistics& statistics() const { return statistics_; }

private:
    [[nodiscard]] bool WindowIsOpen() const { return on_wire_ < window_.size(); }
    [[nodiscard]] std::uint32_t TimeoutOf(const Transaction& transaction);
    [[nodiscard]] std::uint32_t quick_us() const;
    [[nodiscard]] bool IsOver(const Transaction& transaction, std::uint64_t now_us) const;
    [[nodiscard]] bool MayLinger(std::uint16_t slot, std::uint64_t now_us);
    void LearnLosses(const Transaction& transaction, bool is_present_try, std::uint64_t now_us);

    Status Transmit(std::uint16_t slot, std::uint64_t now_us);
    void SendQueued(std::uint64_t now_us);
    bool GiveUpOrQueue(std::uint16_t slot, std::uint64_t now_us, Answer& answer);
    [[nodiscard]] std::uint16_t Match(const Mad& mad);
    void Defer(std::uint16_t slot, bool is_present_try, std::uint64_t now_us);
    void CountStray(const Transaction& transaction, std::uint16_t generation);
    void Fill(const Transaction& transaction, Status status, Answer& answer) const;

    void Enqueue(std::uint16_t slot);
    void Unqueue(std::uint16_t slot);
    void EnterWire(std::uint16_t slot, std::uint64_t due_us);
    void LeaveWire(std::uint16_t slot);
    void Release(std::uint16_t slot, Transaction::End end);

    std::span<Transaction> transactions_;
    DueQueue due_;  ///< Deadlines of the transactions on the wire.
    MadPort& port_;
    Entropy& entropy_;
    Generations generations_;
    Window window_;
    /// Shares of answers, in 1/256: a sixteenth is lossy.
    static constexpr std::uint32_t kWhole = 256;
    static constexpr std::uint32_t kLossyShare = 16;

    std::uint32_t timeout_us_ = 200000;
    std::uint32_t lost_share_ = 0;  ///< Smoothed share of answers to repeated questions.
    std::uint8_t tries_ = 3;
    bool port_is_alive_ = true;
    std::uint64_t port_busy_until_us_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t on_wire_ = 0;
    std::uint16_t free_ = 0;
    std::uint16_t queue_head_;
    std::uint16_t queue_tail_;
    ExchangeStatistics statistics_;
};

}  // namespace ember
