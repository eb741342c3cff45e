// SPDX-License-Identifier: Apache-2.0
// EmberSM: transactions of general management packets (GMPs).
#include "core/exchange/gmp_exchange.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// TransactionId: the row above its generation.
constexpr unsigned kRowShift = 16;
/// As in Exchange: longer than any peer takes.
constexpr std::uint32_t kLongestWaitMs = 60'000;

}  // namespace

GmpExchange::GmpExchange(std::span<Row> rows, MadPort& port, Entropy& entropy,
                         const Settings& settings)
    : rows_(rows), port_(port), generations_(entropy), settings_(settings) {
    EMBER_ASSERT(rows_.size() <= kNoRow);
    std::fill(rows_.begin(), rows_.end(), Row{});
}

Status GmpExchange::Send(std::uint16_t row, Envelope& envelope, std::uint64_t now_us) {
    EMBER_ASSERT(row < rows_.size());
    const std::uint64_t timeout_us =
        std::min(settings_.transaction_timeout, kLongestWaitMs) * kMillisecondUs;
    Row& own = rows_[row];
    if (own.tried == 0) own.generation = generations_.Next(own.generation);
    envelope.queue_pair = 1;
    envelope.answer_within_us = static_cast<std::uint32_t>(timeout_us);
    envelope.mad.header.transaction_id =
        static_cast<TransactionId>(std::uint64_t{row} << kRowShift | own.generation);
    const Status status = port_.Send(envelope);
    if (status != Status::kOk) {
        Wait(own, now_us + kPortPauseUs);
        return status;
    }
    EMBER_ASSERT(own.tried < 0xFF);
    ++own.tried;
    Wait(own, now_us + timeout_us);
    return Status::kOk;
}

void GmpExchange::Wait(Row& row, std::uint64_t until_us) {
    EMBER_ASSERT(until_us != kNever);
    row.waits = true;
    row.due_us = static_cast<std::uint32_t>(until_us);
    next_due_us_ = std::min(next_due_us_, until_us);
}

Status GmpExchange::Expire(std::uint64_t now_us, std::uint16_t& row) {
    if (NextDeadlineUs() > now_us) return Status::kAbsent;
    if (!scans_) {
        scans_ = true;
        scan_ = 0;
        next_due_us_ = kNever;
    }
    EMBER_ASSERT(scan_ <= rows_.size());
    const std::uint32_t tries = std::min<std::uint32_t>(settings_.transaction_retries, 255);
    while (scan_ < rows_.size()) {
        Row& own = rows_[scan_++];
        if (!own.waits) continue;
        // More than the longest wait: the deadline was before now.
        const std::uint32_t left_us = own.due_us - static_cast<std::uint32_t>(now_us);
        if (left_us != 0 && left_us <= kLongestWaitMs * kMillisecondUs) {
            next_due_us_ = std::min(next_due_us_, now_us + left_us);
            continue;
        }
        own.waits = false;
        row = static_cast<std::uint16_t>(scan_ - 1);
        if (own.tried == 0 || own.tried < tries) return Status::kOk;
        own.tried = 0;
        return Status::kTimeout;
    }
    scans_ = false;
    return Status::kAbsent;
}

std::uint16_t GmpExchange::Match(const Mad& response) const {
    // The upper half belongs to the kernel.
    const auto id = static_cast<std::uint32_t>(Raw(TransactionId{response.header.transaction_id}));
    const auto row = static_cast<std::uint16_t>(id >> kRowShift);
    const bool is_ours = IsResponse(response.header.method) && row < rows_.size() &&
                         rows_[row].tried != 0 &&
                         rows_[row].generation == static_cast<std::uint16_t>(id);
    return is_ours ? row : kNoRow;
}

void GmpExchange::End(std::uint16_t row) {
    EMBER_ASSERT(row < rows_.size());
    rows_[row].waits = false;
    rows_[row].tried = 0;
}

void GmpExchange::Abandon() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        End(static_cast<std::uint16_t>(row));
    }
    scans_ = false;
    next_due_us_ = kNever;
}

}  // namespace ember
