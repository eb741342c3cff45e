// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image that saves one number after the other and says each that is safe, until
// somebody ends it. With what it finds at its start it goes on: see tests/bare/run.py.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/log/fixed_text.h"
#include "platform/bare/clock.h"
#include "platform/bare/kept_state.h"
#include "platform/bare/uart.h"
#include "platform/common/late.h"

namespace {

/// Large enough for a save to take many writes, so that most ends come in between.
struct Count {
    std::uint32_t number = 0;
    std::array<std::uint32_t, 600> copies{};
};
using Octets = std::array<std::byte, sizeof(Count)>;

ember::Late<ember::bare::GenericTimer> timer;
ember::Late<ember::bare::KeptState> state;
Count count;
Octets octets;

void Say(std::string_view what, std::uint32_t number) {
    std::array<char, 64> room{};
    ember::FixedText text(room);
    text.Add(what).Add(' ').AddNumber(number).Add('\n');
    ember::bare::Say(text.text());
}

bool IsWhole() {
    for (const std::uint32_t copy : count.copies) {
        if (copy != count.number) return false;
    }
    return true;
}

int Wrong(std::string_view what) {
    ember::bare::Say(what);
    ember::bare::Say("\n");
    return 1;
}

}  // namespace

int main() {
    ember::bare::Say("begin\n");
    ember::bare::KeptState& kept = state.Make(timer.Make());
    const bool is_open = kept.Open({.lid_octets = sizeof(Count), .blob_octets = 0});
    kept.SayWhatWasFound();
    if (!is_open) return Wrong("not open");
    const ember::Result<std::size_t> loaded =
        kept.waited().Load(ember::StoreSlot::kGuidToLid, octets);
    if (loaded.status() == ember::Status::kMalformed) return Wrong("damaged");
    if (loaded.ok()) std::memcpy(&count, octets.data(), sizeof(count));
    if (!IsWhole()) return Wrong("torn");
    Say("found", count.number);
    for (;;) {
        ++count.number;
        count.copies.fill(count.number);
        std::memcpy(octets.data(), &count, sizeof(count));
        const auto saved = kept.waited().Save(ember::StoreSlot::kGuidToLid, octets);
        if (saved != ember::Status::kOk) return Wrong("not saved");
        Say("kept", count.number);
    }
}
