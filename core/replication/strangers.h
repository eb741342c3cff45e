// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many messages of strangers are looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/base/time.h"

namespace ember {

/// Bounds how many codes of messages are computed that belong to no open session.
///
/// Shares go by the LID that a message came from, which the sender's adapter writes, not its
/// program. So a host that floods uses up its own share, and none of a manager's. A place where the
/// role has met an SM has a share of its own. All others have kShares together: which one is a
/// LID's is drawn anew in each window, so one that shares with a flood does so for one window.
class StrangerBudget {
public:
    static constexpr std::uint64_t kWindowUs = 100 * kMillisecondUs;
    /// In a window: two greetings of 50 ms, two answers, and as many repeated by the wire.
    static constexpr std::uint8_t kMostOfMet = 8;
    static constexpr std::uint8_t kMostOfShare = 2;
    static constexpr std::size_t kShares = 32;
    static constexpr std::size_t kMostMet = 17;  ///< Other SMs, and the master.
    /// Of all together.
    static constexpr std::size_t kMost = kMostMet * kMostOfMet + kShares * kMostOfShare;

    /// LIDs at which the role has met SMs; further ones than kMostMet have no share of their own.
    /// `lmc`: a port has 2^lmc LIDs, which count as one.
    void SetMet(std::span<const Lid> lids, std::uint8_t lmc);
    /// A message from `from` may be looked at. False: its share of this window is used up.
    [[nodiscard]] bool Takes(Lid from, std::uint64_t now_us);

private:
    struct Met {
        Lid lid = kNoLid;
        std::uint8_t taken = 0;
    };
    [[nodiscard]] std::uint8_t* ShareOfMet(Lid from);
    [[nodiscard]] std::size_t ShareOf(Lid from) const;

    StaticVector<Met, kMostMet> met_;
    std::array<std::uint8_t, kShares> taken_{};
    std::uint64_t since_us_ = 0;  ///< Of this window.
    std::uint8_t lmc_ = 0;
};

}  // namespace ember
