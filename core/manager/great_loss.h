// SPDX-License-Identifier: Apache-2.0
// EmberSM: a sweep that misses more than half of the nodes, and what is said of the subnet then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {

/// A node that says something false of itself, or falls silent for a moment, takes along all that
/// is behind it. So a sweep that meets fewer than half of the nodes that were there is doubted: its
/// routes go out, as those who are met need them, but another sweep kConfirmUs later must see the
/// same before the subnet counts as up. The subnet is up with a reservation then, until more than
/// that are there again, or an operator has a heavy sweep made and so takes the subnet as it is.
class GreatLoss {
public:
    static constexpr std::uint64_t kConfirmUs = 2 * kSecondUs;
    /// So much longer is waited for a sweep in which nothing moves.
    static constexpr std::uint64_t kUnrestUs = 3 * kSecondUs;

    enum class Word : std::uint8_t {
        kNone,         ///< No such loss.
        kUnconfirmed,  ///< The subnet does not count as up yet.
        kNew,          ///< Seen twice: the subnet is up with the reservation, from now on.
        kKnown,        ///< The reservation still holds.
    };

    /// A sweep as master that has ended without errors.
    struct Seen {
        std::size_t nodes = 0;    ///< Met.
        bool is_settled = true;   ///< Else another sweep follows at once, as what was met moved.
        bool is_by_hand = false;  ///< An operator has asked for it.
    };
    [[nodiscard]] Word Judge(const Seen& seen, std::uint64_t now_us) {
        EMBER_ASSERT(seen.nodes != 0);
        const bool is_accepted = is_logged_ && seen.is_by_hand;
        if (is_accepted || seen.nodes * 2 >= before_) {
            *this = GreatLoss{};
            before_ = seen.nodes;
            return Word::kNone;
        }
        if (is_logged_) return Word::kKnown;
        if (confirm_ends_us_ == kNever) confirm_ends_us_ = look_us_ = now_us + kConfirmUs;
        const std::uint64_t patience_us = seen.is_settled ? 0 : kUnrestUs;
        if (now_us < confirm_ends_us_ + patience_us) return Word::kUnconfirmed;
        is_logged_ = true;
        look_us_ = kNever;
        return Word::kNew;
    }
    /// A sweep as master that has ended with errors met so many nodes, which are there although the
    /// sweep may have taken their links down.
    void Note(std::size_t nodes) {
        if (!is_logged_) before_ = std::max(before_, nodes);
    }
    /// True once when the sweep is due that decides.
    [[nodiscard]] bool TakeLook(std::uint64_t now_us) {
        if (now_us < look_us_) return false;
        look_us_ = kNever;
        return true;
    }
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return look_us_; }
    /// While there is such a loss, in doubt or not: the nodes that were there; else 0.
    [[nodiscard]] std::size_t before() const { return confirm_ends_us_ == kNever ? 0 : before_; }
    /// Nodes met before do not count: another has been master meanwhile.
    void Forget() { *this = GreatLoss{}; }

private:
    std::size_t before_ = 0;
    bool is_logged_ = false;
    std::uint64_t confirm_ends_us_ = kNever;
    std::uint64_t look_us_ = kNever;
};

}  // namespace ember
