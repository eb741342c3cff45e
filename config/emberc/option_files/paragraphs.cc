// SPDX-License-Identifier: Apache-2.0
// EmberSM: files of paragraphs, each of which has a value for some qualifiers.
#include "config/emberc/option_files/paragraphs.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

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
    [[nodiscard]] std::size_t QualifierOf(const Word& word) const;
    [[nodiscard]] bool TakeColon(const Word& word);
    [[nodiscard]] bool HasColon(const Word& value);
    [[nodiscard]] static bool Has(std::uint32_t set, std::size_t qualifier) {
        return (set >> qualifier & 1U) != 0;
    }

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

/// The qualifier of that name. One that is missing so far is meant by a name that differs from it
/// in one letter, or in capitals, and from no other. Their number: none is.
std::size_t Paragraphs::QualifierOf(const Word& word) const {
    const auto& all = form_.qualifiers;
    const auto found = std::find(all.begin(), all.end(), word.text);
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    std::size_t meant = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_long = word.text.size() > all[i].size() + 1;
        if (Has(seen_, i) || is_long || EditDistance(word.text, all[i]) > 1) continue;
        if (meant != all.size()) return all.size();
        meant = i;
    }
    return meant;
}

/// Where a blank or '=' stands instead of the colon, what is meant is plain.
bool Paragraphs::TakeColon(const Word& word) {
    if (text_.Take(':')) return true;
    if (text_.rest().text.empty()) {
        text_.Error(word, Code::kUnknownLine, "a qualifier ends with a colon");
        return false;
    }
    const bool is_equals = text_.Take('=');
    text_.Report(Severity::kWarning, word, Code::kMissingColon,
                 fmt::format("a qualifier ends with a colon; {} is read as one",
                             is_equals ? "this '='" : "the blank behind it"));
    return true;
}

void Paragraphs::ReadEntry(const Word& word) {
    const std::size_t qualifier = QualifierOf(word);
    if (qualifier == form_.qualifiers.size()) {
        const std::string_view nearest = Nearest(word.text, form_.qualifiers);
        text_.Error(word, Code::kUnknownLine,
                    nearest.empty() ? fmt::format("a {} has: {}", form_.begin,
                                                  fmt::join(form_.qualifiers, ", "))
                                    : fmt::format("a {} has no '{}'; did you mean '{}'?",
                                                  form_.begin, word.text, nearest));
        return;
    }
    if (word.text != form_.qualifiers[qualifier]) {
        text_.Report(Severity::kWarning, word, Code::kUnknownKey,
                     fmt::format("a {} has no '{}', which is read as '{}'", form_.begin, word.text,
                                 form_.qualifiers[qualifier]));
    }
    const bool is_again = Has(seen_, qualifier);
    seen_ |= 1U << qualifier;
    const Spot spot = text_.SpotOf(word);
    if (!TakeColon(word)) return;
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

void ReadParagraphs(const ParagraphForm& form, QosText& text, ParagraphClient& client) {
    Paragraphs(form, text, client).Read();
}

}  // namespace ember::emberc
