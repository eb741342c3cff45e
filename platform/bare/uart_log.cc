// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the log to the serial line.

#include "platform/bare/uart_log.h"

#include <array>

#include "core/log/fixed_text.h"
#include "core/log/render.h"
#include "platform/bare/uart.h"

namespace ember::bare {

void UartLog::SayNote(const LogRecord& record) const {
    std::array<char, kMaxRenderedOctets> room{};  // Room for a part at a time: the stack is short.
    const Sentence& row = SentenceOf(record.note);
    FixedText front(room);
    front.AddNumber(record.time_us / 1'000'000U).Add('.');
    front.AddNumber(record.time_us % 1'000'000U, 6).Add(' ').Add(WordOf(row.severity)).Add(": ");
    Say(front.text());
    Say(Render(record, vocabulary_, room));
    Say(" [");
    Say(row.code);
    Say("]\n");
}

void UartLog::Drain(const Log& log) {
    LogRecord record;
    std::uint64_t missed = 0;
    while (log.Read(cursor_, record, missed) ==
           Status::kOk) {  // Ends: nothing is written meanwhile.
        SayNote(record);
    }
    if (missed == 0) return;
    SayNote({record.time_us, {missed}, Note::kNotesMissed});
}

}  // namespace ember::bare
