// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes as text, for platforms: no heap, no printf, no locale.
#include "core/log/render.h"

#include <array>

#include "core/base/assert.h"
#include "core/log/words.h"

namespace ember {

static_assert(IsSound(kSentences),
              "a row of kSentences is missing or misplaced, or has a bad blank or another's code");

namespace {

/// "#" and 2^64 in decimal digits; in hexadecimal ones it is shorter.
constexpr std::size_t kLongestNumber = 21;

/// The words that take the most room are not longer than this,
constexpr std::size_t kLongestWord = 38;

/// but for those of {fault}, which are half a sentence each.
constexpr std::size_t kLongestFault = 96;

/// By BlankKind: the table whose row i is the word of value i; empty for what is no word, and for
/// {engine}.
constexpr std::array<std::span<const std::string_view>, kBlankKinds.size()> kWords = {
    {{},
     {},
     {},
     {},
     {},
     kStatusWords,
     kRoleWords,
     kSweepReasonWords,
     kLimitWords,
     kNodeWords,
     kCueWords,
     kEngineWords,
     kEngineFaultWords,
     kOptionFileWords,
     kLocalChangeWords,
     kLinkErrorWords,
     kLinkWidthWords,
     kLinkSpeedWords,
     kPortStateWords,
     kSeverityWords,
     kStartKeyWords,
     kFabricShapeWords,
     kRoutingSchemeWords,
     kShapeMismatchWords,
     kLaneKeyWords,
     {}}};

constexpr std::span<const std::string_view> WordsOf(BlankKind kind) {
    return kWords[static_cast<std::size_t>(kind)];
}
static_assert(WordsOf(BlankKind::kPort).empty() && !WordsOf(BlankKind::kStatus).empty() &&
              !WordsOf(BlankKind::kKey).empty() && WordsOf(BlankKind::kEngine).empty());

/// The octets that a blank takes at most, with the name behind a GUID in quotation marks.
consteval std::size_t RoomFor(BlankKind kind) {
    if (kind == BlankKind::kGuid) return kLongestNumber + kMaxNameOctets + 3;
    if (kind == BlankKind::kFault) return kLongestFault;
    return WordsOf(kind).empty() ? kLongestNumber : kLongestWord;
}

consteval bool EverySentenceFits() {
    for (std::size_t kind = 0; kind < kBlankKinds.size(); ++kind) {
        for (const std::string_view word : WordsOf(static_cast<BlankKind>(kind))) {
            if (word.size() > RoomFor(static_cast<BlankKind>(kind))) return false;
        }
    }
    for (const Sentence& sentence : kSentences) {
        std::size_t octets = sentence.text.size();
        for (Blank blank = NextBlank(sentence.text, 0); blank.end != 0;
             blank = NextBlank(sentence.text, blank.end)) {
            octets += RoomFor(blank.kind);
        }
        if (octets > kMaxRenderedOctets) return false;
    }
    return true;
}
static_assert(EverySentenceFits());

/// Puts characters one after the other, and stops at the end of the buffer.
class Pen {
public:
    explicit Pen(std::span<char> text) : text_(text) {}

    void Put(char c) {
        if (used_ < text_.size()) text_[used_++] = c;
    }
    void Put(std::string_view words) {
        for (const char c : words) {
            Put(c);
        }
    }
    /// At least `digits` digits of `value` to the base 10 or 16.
    void PutNumber(std::uint64_t value, unsigned base, std::size_t digits) {
        EMBER_ASSERT(base == 10 || base == 16);
        EMBER_ASSERT(digits <= 20);
        std::array<char, 20> reversed{};  // 2^64 has 20 decimal digits.
        std::size_t count = 0;
        do {
            reversed[count++] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        for (; count < digits; ++count) {
            reversed[count] = '0';
        }
        while (count > 0) {
            Put(reversed[--count]);
        }
    }
    void PutWord(std::uint64_t value, std::span<const std::string_view> words) {
        if (value < words.size()) {
            Put(words[static_cast<std::size_t>(value)]);
            return;
        }
        Put('#');
        PutNumber(value, 10, 1);
    }
    [[nodiscard]] std::string_view written() const { return {text_.data(), used_}; }

private:
    std::span<char> text_;
    std::size_t used_ = 0;
};

void PutValue(Pen& pen, BlankKind kind, std::uint64_t value, const Vocabulary& vocabulary) {
    if (!WordsOf(kind).empty()) return pen.PutWord(value, WordsOf(kind));
    if (kind == BlankKind::kEngine) return pen.PutWord(value, vocabulary.engines);
    const bool is_hex = kind == BlankKind::kGuid || kind == BlankKind::kHex;
    if (is_hex) pen.Put("0x");
    pen.PutNumber(value, is_hex ? 16 : 10, kind == BlankKind::kGuid ? 16 : 1);
}

void PutName(Pen& pen, std::uint64_t guid, const Vocabulary& vocabulary) {
    if (vocabulary.names == nullptr) return;
    std::array<char, kMaxNameOctets> room{};
    const std::size_t octets = vocabulary.names->NameOf(static_cast<Guid>(guid), room);
    EMBER_ASSERT(octets <= room.size());
    if (octets == 0) return;
    pen.Put(" \"");
    pen.Put(std::string_view(room.data(), octets));
    pen.Put('"');
}

}  // namespace

std::string_view Render(const LogRecord& record, const Vocabulary& vocabulary,
                        std::span<char> text) {
    EMBER_ASSERT(record.note < Note::kEnd);
    const std::string_view sentence = SentenceOf(record.note).text;
    Pen pen(text);
    std::size_t value = 0;
    std::size_t at = 0;
    // Ends: IsSound() has seen that each blank is closed, and that there are as many as values.
    for (Blank blank = NextBlank(sentence, 0); blank.end != 0;
         blank = NextBlank(sentence, blank.end)) {
        pen.Put(std::string_view(sentence.data() + at, blank.begin - at));  // substr() throws.
        EMBER_ASSERT(value < record.values.size());
        PutValue(pen, blank.kind, record.values[value], vocabulary);
        if (blank.kind == BlankKind::kGuid) PutName(pen, record.values[value], vocabulary);
        ++value;
        at = blank.end;
    }
    pen.Put(std::string_view(sentence.data() + at, sentence.size() - at));
    return pen.written();
}

std::string_view RenderValue(BlankKind kind, std::uint64_t value, const Vocabulary& vocabulary,
                             std::span<char> text) {
    Pen pen(text);
    PutValue(pen, kind, value, vocabulary);
    return pen.written();
}

std::string_view WordOf(Severity severity) {
    return kSeverityWords[static_cast<std::size_t>(severity)];
}

Result<Severity> SeverityOf(std::string_view word) {
    for (std::size_t i = 0; i < kSeverityWords.size(); ++i) {
        if (kSeverityWords[i] == word) return static_cast<Severity>(i);
    }
    return Status::kAbsent;
}

}  // namespace ember
