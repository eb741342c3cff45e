// SPDX-License-Identifier: Apache-2.0
// EmberSM: how often a heavy sweep looks for nodes that answer no knock of the light sweep.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"

namespace ember {

/// Behind some port a link is up and nothing answers. The light sweep knocks with the M_Keys that
/// are likely; a heavy sweep tries all, those of the file included. So such a silence has a heavy
/// sweep made after 10 s, after another 20 s, and so on, and every 640 s in the end: a device that
/// never answers is no reason to ask all others often, and one that does answer is found in the
/// end, whatever else is not known of it.
class LookPatience {
public:
    static constexpr std::uint64_t kFirstUs = 10 * kSecondUs;
    static constexpr std::uint64_t kMostUs = 64 * kFirstUs;

    /// A light sweep has ended. `is_mute`: nothing answers behind some link. True, and counted,
    /// when a heavy sweep may follow.
    [[nodiscard]] bool Grants(bool is_mute, std::uint64_t now_us) {
        if (!is_mute) {
            wait_us_ = 0;
            return false;
        }
        const bool is_first = wait_us_ == 0;
        if (!is_first && now_us < next_us_) return false;
        wait_us_ = is_first ? kFirstUs : std::min(2 * wait_us_, kMostUs);
        next_us_ = now_us + wait_us_;
        return !is_first;
    }

private:
    std::uint64_t wait_us_ = 0;  ///< 0: no silence since the last light sweep without one.
    std::uint64_t next_us_ = 0;
};

}  // namespace ember
