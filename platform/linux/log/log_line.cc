// SPDX-License-Identifier: Apache-2.0
// EmberSM: a note as a line of the log.

#include "platform/linux/log/log_line.h"

#include <array>

#include "core/log/json_writer.h"

namespace ember {
namespace {

void AddValue(JsonWriter& json, const Blank& blank, std::uint64_t value,
              const Vocabulary& vocabulary) {
    if (blank.kind == BlankKind::kDecimal || blank.kind == BlankKind::kLid ||
        blank.kind == BlankKind::kPort) {
        json.Add(blank.name, value);
    } else if (blank.kind == BlankKind::kGuid) {
        json.AddGuid(blank.name, value);
    } else {
        std::array<char, kMaxRenderedOctets> room{};
        json.Add(blank.name, RenderValue(blank.kind, value, vocabulary, room));
    }
}

}  // namespace

void AddTextLine(FixedText& line, std::string_view prefix, const LogRecord& record,
                 const Vocabulary& vocabulary) {
    if (!prefix.empty()) line.Add(prefix).Add(' ');
    std::array<char, kMaxRenderedOctets> room{};
    const Sentence& sentence = SentenceOf(record.note);
    line.Add(WordOf(sentence.severity)).Add(": ").Add(Render(record, vocabulary, room));
    line.Add(" [").Add(sentence.code).Add(']');
}

void AddJsonLine(FixedText& line, const LineHead& head, const LogRecord& record,
                 const Vocabulary& vocabulary) {
    std::array<char, kMaxRenderedOctets> text{};
    std::array<char, kMaxJsonLine> room{};
    const Sentence& sentence = SentenceOf(record.note);
    JsonWriter json(room);
    json.SetNames(vocabulary.names);
    json.Open();
    if (!head.time.empty()) json.Add("time", head.time);
    if (!head.prefix.empty()) json.Add("prefix", head.prefix);
    json.Add("severity", WordOf(sentence.severity)).Add("code", sentence.code);
    json.Add("text", Render(record, vocabulary, text));
    json.Open("values");
    std::size_t value = 0;
    for (Blank blank = NextBlank(sentence.text, 0); blank.end != 0;
         blank = NextBlank(sentence.text, blank.end)) {
        AddValue(json, blank, record.values[value++], vocabulary);
    }
    json.Close().Close();
    EMBER_ASSERT(!json.full());  // log_line_test writes the longest there are.
    line.Add(json.text());
}

}  // namespace ember
