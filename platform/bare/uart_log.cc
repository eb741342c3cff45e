// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the journal to the serial line.

#include "platform/bare/uart_log.h"

#include <array>

#include "core/log/render.h"
#include "platform/bare/uart.h"
#include "platform/common/fixed_text.h"

namespace ember::bare {

void UartLog::Drain(const Journal& journal) {
    Record record;
    std::uint64_t missed = 0;
    while (journal.Read(cursor_, record, missed) ==
           Status::kOk) {  // Ends: nobody writes meanwhile.
        std::array<char, kMaxRenderedOctets> sentence{};
        std::array<char, kMaxRenderedOctets + 64> room{};
        FixedText line(room);
        line.AddNumber(record.time_us / 1'000'000U).Add('.');
        line.AddNumber(record.time_us % 1'000'000U, 6).Add(' ');
        line.Add(WordOf(kSentences[static_cast<std::size_t>(record.note)].severity)).Add(": ");
        line.Add(Render(record, engines_, sentence)).Add('\n');
        Say(line.text());
    }
    if (missed == 0) return;
    std::array<char, 64> room{};
    FixedText line(room);
    Say(line.AddNumber(missed).Add(" notes were lost: read too late\n").text());
}

}  // namespace ember::bare
