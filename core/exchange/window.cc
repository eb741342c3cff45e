// SPDX-License-Identifier: Apache-2.0
// EmberSM: the window of SMPs on the wire.
#include "core/exchange/window.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {

void Window::Configure(std::size_t capacity, std::uint32_t usual, std::uint32_t ceiling,
                       std::uint32_t silence_us) {
    capacity_ = std::max<std::size_t>(capacity, 1);
    usual_ = std::clamp<std::size_t>(usual == 0 ? capacity_ : usual, 1, capacity_);
    ceiling_ = std::clamp<std::size_t>(ceiling, usual_, capacity_);
    EMBER_ASSERT(usual_ <= ceiling_);
    EMBER_ASSERT(ceiling_ <= capacity_);
    silence_us_ = std::max<std::uint64_t>(silence_us, 1);
    open_ = usual_;
    threshold_ = usual_;
    progress_ = 0;
    extra_ = 0;
}

std::size_t Window::size() const {
    return std::min(open_ + extra_, ceiling_);
}

void Window::HearAnswer(std::uint64_t now_us) {
    EMBER_ASSERT(open_ <= usual_);
    EMBER_ASSERT(open_ >= 1);
    EMBER_ASSERT(open_ <= capacity_);
    heard_us_ = now_us;
    extra_ = 0;
    if (open_ == usual_) return;
    if (open_ < threshold_) {
        ++open_;
        return;
    }
    if (++progress_ < open_) return;
    progress_ = 0;
    ++open_;
}

bool Window::HearLoss(std::uint64_t sent_us, std::uint64_t now_us) {
    if (ever_halved_ && sent_us <= halved_us_) return false;
    ever_halved_ = true;
    halved_us_ = now_us;
    const std::size_t was = open_;
    open_ = std::max(open_ / 2, std::min(kLeast, usual_));
    threshold_ = std::max<std::size_t>(open_, usual_ / 2);
    progress_ = 0;
    EMBER_ASSERT(open_ >= 1);
    return open_ != was;
}

void Window::ObserveSilence(std::uint64_t now_us) {
    EMBER_ASSERT(silence_us_ > 0);
    while (now_us >= NextAllowanceUs()) {  // Ends: at most ceiling_ - open_ times.
        ++extra_;
    }
    EMBER_ASSERT(extra_ == 0 || open_ + extra_ <= ceiling_);
}

std::uint64_t Window::NextAllowanceUs() const {
    // With max_wire_smps2 no larger than max_wire_smps there is no extra allowance.
    if (ceiling_ == usual_ || open_ + extra_ >= ceiling_) return kNever;
    return heard_us_ + (extra_ + 1) * silence_us_;
}

}  // namespace ember
