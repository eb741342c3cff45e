// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the journal to the serial line.

#include "platform/bare/uart_log.h"

#include <array>

#include "core/log/render.h"
#include "platform/bare/uart.h"
#include "platform/common/fixed_text.h"

namespace ember::bare {

void UartLog::SayNote(const Record& record) const {
    std::array<char, kMaxRenderedOctets> sentence{};
    std::array<char, kMaxRenderedOctets + 96> room{};
    FixedText line(room);
    line.AddNumber(record.time_us / 1'000'000U).Add('.');
    line.AddNumber(record.time_us % 1'000'000U, 6).Add(' ');
    const Sentence& row = SentenceOf(record.note);
    line.Add(WordOf(row.severity)).Add(": ").Add(Render(record, vocabulary_, sentence));
    line.Add(" [").Add(row.code).Add("]\n");
    Say(line.text());
}

void UartLog::Drain(const Journal& journal) {
    Record record;
    std::uint64_t missed = 0;
    while (journal.Read(cursor_, record, missed) ==
           Status::kOk) {  // Ends: nobody writes meanwhile.
        SayNote(record);
    }
    if (missed == 0) return;
    SayNote({record.time_us, {missed}, Note::kNotesMissed});
}

}  // namespace ember::bare
