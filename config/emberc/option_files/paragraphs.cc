// SPDX-License-Identifier: Apache-2.0
// EmberSM: files of paragraphs, each of which has a value for some qualifiers.
#include "config/emberc/option_files/paragraphs.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

[[nodiscard]] bool Has(std::uint32_t set, std::size_t qualifier) {
    return (set >> qualifier & 1U) != 0;
}

/// The one qualifier that is nearly `word`; their number: none is, or several are.
std::size_t NearlyOf(std::string_view word, std::span<const std::string_view> qualifiers,
                     std::uint32_t seen) {
    std::size_t meant = qualifiers.size();
    for (std::size_t i = 0; i < qualifiers.size(); ++i) {
        const bool is_long = word.size() > qualifiers[i].size() + 1;
        if (Has(seen, i) || is_long || EditDistance(word, qualifiers[i]) > 1) continue;
        if (meant != qualifiers.size()) return qualifiers.size();
        meant = i;
    }
    return meant;
}

class Paragraphs {
public:
    Paragraphs(const ParagraphForm& form, QosText& text, ParagraphClient& client)
        : form_(form), text_(text), client_(client) {}

    void Read();

private:
    void ReadLine();
    void Begin(const Word& word);
    void End(const Word& word);
    void Leave();
    void ReadEntry(const Word& word);
    [[nodiscard]] bool HasColon(const Word& value);

    const ParagraphForm& form_;
    QosText& text_;
    ParagraphClient& client_;
    Spot spot_;               ///< Where the paragraph that is open begins.
    std::uint32_t seen_ = 0;  ///< Its qualifiers, be their values right or wrong.
    bool is_open_ = false;
};

void Paragraphs::Begin(const Word& word) {
    if (is_open_) {
        text_.ReportAt(Severity::kError, spot_, Code::kOpenSection,
                       fmt::format("'{}' is missing", form_.end));
        Leave();
    }
    text_.ExpectEnd(fmt::format("'{}' stands alone in its line", form_.begin));
    spot_ = text_.SpotOf(word);
    seen_ = 0;
    is_open_ = true;
    client_.Begin(spot_);
}

void Paragraphs::End(const Word& word) {
    if (!is_open_) {
        text_.Error(word, Code::kOpenSection, fmt::format("no {} is open", form_.begin));
        return;
    }
    text_.ExpectEnd(fmt::format("'{}' stands alone in its line", form_.end));
    Leave();
}

void Paragraphs::Leave() {
    is_open_ = false;
    for (std::size_t i = 0; i < form_.qualifiers.size(); ++i) {
        if (!Has(form_.mandatory, i) || Has(seen_, i)) continue;
        text_.ReportAt(Severity::kError, spot_, Code::kMissingEntry,
                       fmt::format("the {} has no '{}'", form_.begin, form_.qualifiers[i]));
    }
}

/// A colon ends a qualifier and stands nowhere else.
bool Paragraphs::HasColon(const Word& value) {
    const std::size_t colon = value.text.find(':');
    if (colon == std::string_view::npos) return false;
    text_.Error({value.text.substr(colon, 1), value.begin + colon}, Code::kBadValue,
                "a colon must not stand in a value");
    return true;
}

void Paragraphs::ReadEntry(const Word& word) {
    const std::size_t qualifier = FindQualifier(text_, word, form_.begin, form_.qualifiers, seen_);
    if (qualifier == form_.qualifiers.size()) return;
    const bool is_again = Has(seen_, qualifier);
    seen_ |= 1U << qualifier;
    const Spot spot = text_.SpotOf(word);
    if (!TakeColon(text_, word)) return;
    if (is_again) {
        text_.Error(word, Code::kDuplicateKey, fmt::format("'{}' stands here twice", word.text));
    } else if (HasColon(text_.rest())) {
        return;
    } else if (!Has(form_.free_text, qualifier) && text_.rest().text.empty()) {
        text_.Error(word, Code::kMissingValue, "a value is missing");
    } else {
        client_.Read(qualifier, spot, text_);
    }
}

void Paragraphs::ReadLine() {
    const Word word = text_.TakeWord();
    if (word.text == form_.begin) return Begin(word);
    if (word.text == form_.end) return End(word);
    if (is_open_) return ReadEntry(word);
    text_.Error(text_.line(), Code::kUnknownLine,
                fmt::format("a {} begins with the line '{}' and ends with '{}'", form_.begin,
                            form_.begin, form_.end));
}

void Paragraphs::Read() {
    while (text_.NextLine()) {
        ReadLine();
    }
    if (!is_open_) return;
    text_.ReportAt(Severity::kError, spot_, Code::kOpenSection,
                   fmt::format("'{}' is missing", form_.end));
    Leave();
}

}  // namespace

bool TakeColon(QosText& text, const Word& qualifier) {
    if (text.Take(':')) return true;
    if (text.rest().text.empty()) {
        text.Error(qualifier, Code::kUnknownLine, "a qualifier ends with a colon");
        return false;
    }
    const bool is_equals = text.Take('=');
    text.Report(Severity::kWarning, qualifier, Code::kMissingColon,
                fmt::format("a qualifier ends with a colon; {} is read as one",
                            is_equals ? "this '='" : "the blank behind it"));
    return true;
}

std::size_t FindQualifier(QosText& text, const Word& word, std::string_view whole,
                          std::span<const std::string_view> qualifiers, std::uint32_t seen) {
    const auto found = std::find(qualifiers.begin(), qualifiers.end(), word.text);
    if (found != qualifiers.end()) return static_cast<std::size_t>(found - qualifiers.begin());
    const std::size_t meant = NearlyOf(word.text, qualifiers, seen);
    if (meant != qualifiers.size()) {
        text.Report(Severity::kWarning, word, Code::kUnknownKey,
                    fmt::format("a {} has no '{}', which is read as '{}'", whole, word.text,
                                qualifiers[meant]));
        return meant;
    }
    const std::string_view nearest = Nearest(word.text, qualifiers);
    text.Error(word, Code::kUnknownLine,
               nearest.empty() ? fmt::format("a {} has: {}", whole, fmt::join(qualifiers, ", "))
                               : fmt::format("a {} has no '{}'; did you mean '{}'?", whole,
                                             word.text, nearest));
    return meant;
}

void ReadParagraphs(const ParagraphForm& form, QosText& text, ParagraphClient& client) {
    Paragraphs(form, text, client).Read();
}

}  // namespace ember::emberc
