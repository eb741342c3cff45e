// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes as text, for platforms: no heap, no printf, no locale.
#include "core/log/render.h"

#include <array>

#include "core/log/words.h"

namespace ember {
namespace {

constexpr std::array<std::string_view, 4> kSeverityWords = {"debug", "info", "warning", "error"};

/// The words that take the most room are shorter than this; so is any number.
constexpr std::size_t kLongestValue = 26;

/// But for those of {fault}, which are half a sentence each.
constexpr std::size_t kLongestFault = 96;

consteval bool EverySentenceFits() {
    for (const std::string_view word : kEngineFaultWords) {
        if (word.size() > kLongestFault) return false;
    }
    for (const Sentence& sentence : kSentences) {
        std::size_t octets = sentence.text.size() + BlanksIn(sentence.note) * kLongestValue;
        if (sentence.text.find("{fault}") != std::string_view::npos) octets += kLongestFault;
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

/// Fills one blank; `kind` is what stands between its braces.
void Fill(Pen& pen,
          std::string_view kind,
          std::uint64_t value,
          std::span<const std::string_view> engines) {
    if (kind == "guid") {
        pen.Put("0x");
        pen.PutNumber(value, 16, 16);
    } else if (kind == "hex") {
        pen.Put("0x");
        pen.PutNumber(value, 16, 1);
    } else if (kind == "status") {
        pen.PutWord(value, kStatusWords);
    } else if (kind == "role") {
        pen.PutWord(value, kRoleWords);
    } else if (kind == "reason") {
        pen.PutWord(value, kSweepReasonWords);
    } else if (kind == "phase") {
        pen.PutWord(value, kPhaseWords);
    } else if (kind == "limit") {
        pen.PutWord(value, kLimitWords);
    } else if (kind == "node") {
        pen.PutWord(value, kNodeWords);
    } else if (kind == "cue") {
        pen.PutWord(value, kCueWords);
    } else if (kind == "engine") {
        pen.PutWord(value, engines);
    } else if (kind == "kind") {
        pen.PutWord(value, kEngineWords);
    } else if (kind == "file") {
        pen.PutWord(value, kOptionFileWords);
    } else if (kind == "key") {
        pen.PutWord(value, kStartKeyWords);
    } else if (kind == "fault") {
        pen.PutWord(value, kEngineFaultWords);
    } else {
        pen.PutNumber(value, 10, 1);  // {}, {lid} and {port}: CatalogueIsSound() knows no others.
    }
}

}  // namespace

std::string_view Render(const Record& record,
                        std::span<const std::string_view> engines,
                        std::span<char> text) {
    EMBER_ASSERT(record.note < Note::kEnd);
    const std::string_view sentence = SentenceOf(record.note).text;
    Pen pen(text);
    std::size_t value = 0;
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        if (sentence[at] != '{') {
            pen.Put(sentence[at]);
            continue;
        }
        const std::size_t end = sentence.find('}', at);  // CatalogueIsSound(): there is one.
        const std::string_view blank(sentence.data() + at + 1, end - at - 1);  // substr() throws.
        Fill(pen, blank, record.values[value++], engines);
        at = end;
    }
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
