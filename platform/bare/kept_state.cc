// SPDX-License-Identifier: Apache-2.0
// EmberSM: what survives a restart of a machine without an operating system.

#include "platform/bare/kept_state.h"

#include <array>
#include <bit>

#include "core/log/fixed_text.h"
#include "platform/bare/machine.h"
#include "platform/bare/uart.h"

namespace ember::bare {
namespace {

/// Why there is no driver for it.
std::string_view WhyNot(Status driver) {
    if (driver == Status::kUnknown) return "speaks a command set that is not known here";
    if (driver == Status::kMalformed) return "tells sizes that do not add up";
    return "does not answer";
}

}  // namespace

KeptState::KeptState(const Clock& clock)
    : bus_(std::bit_cast<volatile std::uint32_t*>(std::uintptr_t{kFlashAddress})),
      flash_(bus_, clock),
      area_(flash_),
      store_(flash_, 1),
      waited_(store_) {}

bool KeptState::Open(const FlashContents& contents) {
    driver_ = Status::kBusy;
    while (driver_ == Status::kBusy) {  // Ends: see CfiFlash::Open().
        driver_ = flash_.Open(kFlashBytes, {kStateOffset, kStateBytes});
    }
    if (driver_ != Status::kOk) return false;
    opening_ = OpenFlash(area_, store_, flash_.geometry(), contents, true);
    return IsOpen(opening_);
}

void KeptState::SayWhatWasFound() const {
    std::array<char, 256> room{};
    FixedText text(room);
    text.Add("state: the flash ");
    if (driver_ != Status::kOk) {
        text.Add(WhyNot(driver_));
    } else {
        text.Add(opening_ == FlashOpening::kOurs ? "is as it was left" : Explain(opening_));
    }
    const bool is_open = driver_ == Status::kOk && IsOpen(opening_);
    if (!is_open) text.Add("; nothing will survive a restart");
    text.Add('\n');
    Say(text.text());
}

}  // namespace ember::bare
