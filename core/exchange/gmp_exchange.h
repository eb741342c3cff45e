// SPDX-License-Identifier: Apache-2.0
// EmberSM: transactions of general management packets (GMPs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/base/time.h"
#include "core/exchange/generations.h"
#include "core/platform.h"
#include "core/settings/settings.h"

namespace ember {

/// Transactions with general services, of one asker and of any class: a request is sent, and one
/// answer, or its absence, is returned.
///
/// The asker gives each peer a row, and makes the datagram anew for every try: a row holds none, so
/// that thousands of peers may be silent at a time at 8 octets each, and cost the others nothing.
/// There is no window: requests to queue pair 1 do not compete with SMPs.
///
/// - Tries. There are transaction_retries in all, and each waits transaction_timeout: a repeated
///   datagram is the same. IBA vol. 1, 13.4.11.
/// - TransactionId, lower 32 bits: row (16), generation of the row (16), as in Exchange.
/// - Busy. A full port delays a try and uses none up.
///
/// Expire() goes over all rows when the first deadline is over; every other function but Abandon()
/// costs O(1).
class GmpExchange {
public:
    static constexpr std::uint16_t kNoRow = 0xFFFF;

    /// A peer. Rows of the board's storage, 65,535 at most.
    struct Row {
        std::uint32_t due_us = 0;  ///< Its lower half: no wait is longer than a minute.
        std::uint16_t generation = 0;
        std::uint8_t tried = 0;  ///< Tries of the transaction under way; 0: none is.
        bool waits = false;      ///< The row has a deadline.
    };
    static_assert(sizeof(Row) == 8);

    /// All outlive the exchange. `settings` may change underneath.
    GmpExchange(std::span<Row> rows, MadPort& port, Entropy& entropy, const Settings& settings);
    GmpExchange(const GmpExchange&) = delete;
    GmpExchange& operator=(const GmpExchange&) = delete;

    /// Sends the next try of a row, the first if no transaction is under way. The envelope names
    /// the peer: LID, queue pair, service level, P_Key index; its datagram is whole but for the
    /// TransactionId, which is filled in here, as is how long an answer is of use. Anything but
    /// kOk: the port did not take it, and Expire() will name the row again soon.
    Status Send(std::uint16_t row, Envelope& envelope, std::uint64_t now_us);

    /// The next row whose time is over. kOk: another try is due, by Send(), or else End() it.
    /// kTimeout: the tries are used up, and the transaction is over. kAbsent: nothing is due now.
    [[nodiscard]] Status Expire(std::uint64_t now_us, std::uint16_t& row);

    /// The row whose transaction a response belongs to by its TransactionId; kNoRow: none. Whether
    /// sender, class, method and attribute fit is judged by the asker, who knows the peer; then
    /// it calls End().
    [[nodiscard]] std::uint16_t Match(const Mad& response) const;

    /// The transaction of a row, if any, is over: answered or abandoned.
    void End(std::uint16_t row);
    /// All of them are.
    void Abandon();

    /// Tries of the transaction under way; 0: none is.
    [[nodiscard]] std::uint8_t tried(std::uint16_t row) const { return rows_[row].tried; }
    /// When Expire() has work again; kNever: no row waits.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return scans_ ? 0 : next_due_us_; }

private:
    void Wait(Row& row, std::uint64_t until_us);

    std::span<Row> rows_;
    MadPort& port_;
    Generations generations_;
    const Settings& settings_;
    std::uint64_t next_due_us_ = kNever;  ///< No deadline is earlier.
    bool scans_ = false;                  ///< Expire() has yet to look at the rows from scan_ on.
    std::size_t scan_ = 0;
};

}  // namespace ember
