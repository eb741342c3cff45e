// SPDX-License-Identifier: Apache-2.0
// EmberSM: ask, wait, retry: transactions over the management port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/status.h"
#include "core/exchange/due_queue.h"
#include "core/exchange/window.h"
#include "core/platform.h"
#include "core/settings.h"
#include "core/wire/mad.h"
#include "core/wire/smp.h"

namespace ember {

/// Who asked: answers are handed to that room, and Abandon() forgets all it asked.
enum class Client : std::uint8_t {
    kNone,
    kDiscovery,
    kLightSweep,
    kProgramming,
    kRole,
    kAdministration,
    kMulticast,
    kScrub,
};

/// What the asker wants to find in the answer again; the exchange only carries it.
struct Cookie {
    Client client = Client::kNone;
    std::uint8_t kind = 0;
    std::uint16_t detail = 0;
    std::uint32_t subject = 0;
};

/// A question to an SMA.
struct Ask {
    Method method = Method::kGet;  ///< kGet or kSet.
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    bool directed = true;  ///< By `path`, else to `lid`.
    DirectedPath path{};
    Lid lid = kNoLid;
    std::uint64_t m_key = 0;
    SmpData data{};
    Cookie cookie{};
    std::uint32_t timeout_us = 0;  ///< Of the first try; 0: transaction_timeout, or see Exchange.
    std::uint8_t tries = 0;        ///< In all; 0: transaction_retries.
};

/// What became of it.
struct Answer {
    Cookie cookie{};
    /// kOk; kTimeout: silent through every try; kRefused: answered with a MAD status.
    Status status = Status::kOk;
    std::uint16_t mad_status = 0;  ///< Without the direction bit. 0 unless kRefused.
    Method method{};               ///< That of the question.
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    SmpData data{};  ///< Zeros after a timeout.
    /// From the try that was answered to its answer; after a timeout from the first try.
    std::uint32_t round_trip_us = 0;
};

/// What the exchange has counted since start. "Sent" is what the port took.
struct ExchangeStatistics {
    static constexpr std::size_t kAttributes = 0x32;  ///< Ids up to LedInfo; row 0: all others.

    std::uint64_t sent = 0;         ///< Datagrams, every try and every Tell() included.
    std::uint64_t resent = 0;       ///< Of these, second and later tries.
    std::uint64_t told = 0;         ///< Of these, answers and other datagrams nobody answers.
    std::uint64_t answered = 0;     ///< Transactions.
    std::uint64_t refused = 0;      ///< Of these, with a MAD status.
    std::uint64_t timeouts = 0;     ///< Tries that were not answered in time.
    std::uint64_t given_up = 0;     ///< Transactions of which every try was such.
    std::uint64_t late = 0;         ///< Answers to transactions given up or abandoned.
    std::uint64_t duplicates = 0;   ///< Answers to transactions answered before.
    std::uint64_t unmatched = 0;    ///< Answers to nothing we asked in this life.
    std::uint64_t malformed = 0;    ///< Answers that do not fit their question.
    std::uint64_t peer_busy = 0;    ///< Answers that said: busy, ask again.
    std::uint64_t port_busy = 0;    ///< Times the port took no more.
    std::uint64_t port_failed = 0;  ///< Datagrams lost because the port is gone.
    std::uint32_t peak_in_flight = 0;
    std::uint32_t round_trip_us = 0;  ///< Smoothed: 7/8 old, 1/8 new.
    /// Transactions by attribute: first tries, so that loss does not blur them.
    std::array<std::uint64_t, kAttributes> gets{};
    std::array<std::uint64_t, kAttributes> sets{};

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

/// Transactions with SMAs: a question goes out, and its answer or the lack of one comes back.
///
/// The asker looks at has_room(), then Post()s. Whoever receives datagrams offers each response to
/// Take(), and once a step calls Expire() until it says false. Nothing here waits: every wait is a
/// deadline, and NextDeadlineUs() tells the first one.
///
/// - Window. A datagram is on the wire from its sending until its answer or its timeout, or until
///   linger_us() is over and somebody was heard meanwhile: then it is lost, or its peer is silent,
///   and others need not wait for that. At most max_wire_smps are (window.h: halved by losses,
///   grown by answers); while nothing at all is heard, one more may go for each max_smps_timeout,
///   up to max_wire_smps2.
/// - Tries. transaction_retries tries in all; the first waits transaction_timeout, each further one
///   twice as long as the one before, up to 8 times the first, plus up to 1/8 of chance so that
///   those who were lost together do not return together. (OpenSM waits the same time each try.)
///   While answers show that datagrams are lost, questions are repeated sooner and more often, up
///   to kMostTries, in no more time than the tries would have taken; see is_lossy().
/// - TransactionId, lower 32 bits: slot (12), try (4), generation of the slot (16). Each try has
///   its own, as the Linux kernel refuses a second one in use; an answer to any try of the current
///   generation counts. Generations are drawn by chance, so answers to an earlier life do not
///   match, and who is asked learns nothing about the questions to others. An answer by a directed
///   route must show the way that was asked for.
/// - Busy. A port that is full keeps us from sending, nothing is lost. A peer that answers "busy"
///   is asked again after 1/8 of the timeout; that uses up a try.
///
/// Post and Take cost O(log window) at most, Expire() O(log window) for each transaction due.
class Exchange {
public:
    /// A transaction under way. Rows of the board's storage, max_smps of them.
    struct Transaction {
        /// kOverdue: its answer is still waited for, though it is no more on the wire.
        enum class State : std::uint8_t { kFree, kQueued, kOnWire, kOverdue };
        enum class End : std::uint8_t { kNever, kAnswered, kTimedOut, kAbandoned };

        Ask ask{};
        std::uint64_t first_sent_us = 0;
        std::uint64_t sent_us = 0;
        std::uint32_t timeout_us = 0;  ///< Of the present try.
        std::uint16_t generation = 0;
        std::uint16_t last_generation = 0;  ///< The one before.
        std::uint16_t next = 0;  ///< In the free list or in the queue of those to be sent.
        std::uint16_t before = 0;
        std::uint8_t tried = 0;
        std::uint8_t tries = 0;
        State state = State::kFree;
        End last_end = End::kNever;  ///< How the generation before ended.
        bool peer_was_busy = false;  ///< The last try was answered with "busy".
        bool timed_out = false;      ///< Some try was not answered in time.
    };

    /// Both spans hold Limits::max_smps rows, 1..4096.
    struct Memory {
        std::span<Transaction> transactions;
        std::span<DueQueue::Entry> due;
    };

    Exchange(const Memory& memory, MadPort& port, Entropy& entropy);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Takes over max_wire_smps, max_wire_smps2, max_smps_timeout, transaction_timeout and
    /// transaction_retries. Transactions under way keep the tries they were posted with.
    void Configure(const Settings& settings);

    /// True when a Post() would go out at once: the window is open and nobody waits before it.
    [[nodiscard]] bool has_room() const;

    /// Asks. Asserts has_room(), a method of Get or Set, and a cookie that names its client.
    void Post(const Ask& ask, std::uint64_t now_us);

    /// For whoever rather knows soon than surely: makes the tries of a question so short that
    /// silence is told within some tenths of a second, where answers take milliseconds.
    void Hasten(Ask& ask) const;
    /// How long an answer may be out, by what others take: 5 ms to transaction_timeout; that, as
    /// long as nobody has answered.
    [[nodiscard]] std::uint32_t linger_us() const;
    /// Of the last answers many came to repeated questions only.
    [[nodiscard]] bool is_lossy() const { return lost_share_ >= kLossyShare; }
    /// Tries of a question on a lossy way: four bits of the TransactionId count them.
    static constexpr std::uint8_t kMostTries = 15;

    /// Offers a received SMP that passed CheckSmp(). kOk: it answers a question of ours, `answer`
    /// is filled and the transaction is over. kAbsent: it is not a response, or not to us, or late,
    /// or repeated, or does not fit its question, or says "busy" and is tried again: counted, drop
    /// it.
    Status Take(const Envelope& envelope, std::uint64_t now_us, Answer& answer);

    /// Sends again what is due. True when a transaction has used up its tries: `answer` says
    /// kTimeout, and there may be more: call again. False when nothing more is due now.
    bool Expire(std::uint64_t now_us, Answer& answer);

    /// Sends a datagram that nobody answers (a response, a TrapRepress, a trap). Not kept when the
    /// port is busy: the peer repeats its question.
    Status Tell(const Envelope& envelope);

    /// When Expire() has work again; ~0 when never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// Forgets a client's transactions. Their answers will be counted as late.
    void Abandon(Client client);

    /// Transactions posted and not over, those waiting for the port or the window included.
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    [[nodiscard]] std::size_t on_wire() const { return on_wire_; }
    /// SMPs that may be on the wire now.
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
    [[nodiscard]] std::uint16_t DrawGeneration(std::uint16_t last);
    void Defer(std::uint16_t slot, bool is_present_try, std::uint64_t now_us);
    void CountStray(const Transaction& transaction, std::uint16_t generation);
    void Fill(const Transaction& transaction, Status status, Answer& answer) const;

    void Enqueue(std::uint16_t slot);
    void Unqueue(std::uint16_t slot);
    void EnterWire(std::uint16_t slot, std::uint64_t due_us);
    void LeaveWire(std::uint16_t slot);
    void Release(std::uint16_t slot, Transaction::End end);

    std::span<Transaction> transactions_;
    DueQueue due_;  ///< Deadlines of those on the wire.
    MadPort& port_;
    Entropy& entropy_;
    Window window_;
    /// Shares of answers, in 1/256: a sixteenth of them is much.
    static constexpr std::uint32_t kWhole = 256;
    static constexpr std::uint32_t kLossyShare = 16;

    std::uint32_t timeout_us_ = 200000;
    std::uint32_t lost_share_ = 0;  ///< Smoothed: of the answers, those to repeated questions.
    std::uint8_t tries_ = 3;
    bool port_is_alive_ = true;
    std::uint64_t port_busy_until_us_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t on_wire_ = 0;
    std::uint16_t free_ = 0;
    std::uint64_t chance_ = 0;  ///< Drawn, and used up 16 bits at a time:
    unsigned chances_ = 0;      ///< so often still.
    std::uint16_t queue_head_;
    std::uint16_t queue_tail_;
    ExchangeStatistics statistics_;
};

}  // namespace ember
