// SPDX-License-Identifier: Apache-2.0
// EmberSM: characters of web pages and word processors that look like blanks and quotes.
#include "config/emberc/lookalikes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ember::emberc {
namespace {

struct Lookalike {
    std::string_view octets;  ///< In UTF-8.
    std::string_view name;
    char meant;
};

constexpr std::string_view kFirstOctets = "\xC2\xE2\xE3";
constexpr std::array kLookalikes = {
    Lookalike{"\xC2\xA0", "a non-breaking space (U+00A0)", ' '},
    Lookalike{"\xE2\x80\xAF", "a narrow non-breaking space (U+202F)", ' '},
    Lookalike{"\xE2\x80\x82", "an en space (U+2002)", ' '},
    Lookalike{"\xE2\x80\x83", "an em space (U+2003)", ' '},
    Lookalike{"\xE2\x80\x87", "a figure space (U+2007)", ' '},
    Lookalike{"\xE2\x80\x89", "a thin space (U+2009)", ' '},
    Lookalike{"\xE2\x80\x8B", "a zero-width space (U+200B)", ' '},
    Lookalike{"\xE3\x80\x80", "an ideographic space (U+3000)", ' '},
    Lookalike{"\xE2\x80\x9C", "a typographic quote (U+201C)", '"'},
    Lookalike{"\xE2\x80\x9D", "a typographic quote (U+201D)", '"'},
    Lookalike{"\xE2\x80\x9E", "a typographic quote (U+201E)", '"'},
    Lookalike{"\xE2\x80\x90", "a typographic hyphen (U+2010)", '-'},
    Lookalike{"\xE2\x80\x91", "a non-breaking hyphen (U+2011)", '-'},
    Lookalike{"\xE2\x80\x92", "a figure dash (U+2012)", '-'},
    Lookalike{"\xE2\x80\x93", "an en dash (U+2013)", '-'},
    Lookalike{"\xE2\x88\x92", "a minus sign (U+2212)", '-'},
    Lookalike{"\xE2\x80\x98", "a typographic quote (U+2018)", '\''},
    Lookalike{"\xE2\x80\x99", "a typographic quote (U+2019)", '\''},
};

const Lookalike* LookalikeAt(std::string_view rest) {
    const auto* const found =
        std::find_if(kLookalikes.begin(), kLookalikes.end(),
                     [rest](const Lookalike& one) { return rest.starts_with(one.octets); });
    return found == kLookalikes.end() ? nullptr : found;
}

constexpr std::string_view NameOfPlain(char meant) {
    if (meant == ' ') return "a blank";
    return meant == '-' ? "a plain hyphen" : "a plain quote";
}

/// Goes through a text line by line.
class Straightener {
public:
    explicit Straightener(std::string_view text) : text_(text) { out_.reserve(text.size()); }

    std::string Run(Diagnostics& diagnostics);

private:
    void DoLine(std::string_view line);

    std::string_view text_;
    std::string out_;
    std::size_t number_ = 0;
    std::size_t lines_ = 0;  ///< With one of them.
    std::optional<Diagnostic> first_;
};

void Straightener::DoLine(std::string_view line) {
    const std::string_view body = line.substr(0, line.find('#'));
    bool has_any = false;
    std::size_t taken = 0;
    std::size_t at = body.find_first_of(kFirstOctets);
    while (at != std::string_view::npos) {
        const Lookalike* const found = LookalikeAt(body.substr(at));
        const std::size_t width = found == nullptr ? 1 : found->octets.size();
        if (found != nullptr) {
            has_any = true;
            out_ += body.substr(taken, at - taken);
            out_ += found->meant;
            taken = at + width;
        }
        if (found != nullptr && !first_) {
            first_ = Diagnostic{
                .severity = Severity::kWarning,
                .place = {number_, at + 1, width},
                .code = Code::kLookalike,
                .text = fmt::format("{} is read as {}", found->name, NameOfPlain(found->meant)),
                .source = std::string(line)};
        }
        at = body.find_first_of(kFirstOctets, at + width);
    }
    out_ += line.substr(taken);
    if (has_any) ++lines_;
}

std::string Straightener::Run(Diagnostics& diagnostics) {
    while (!text_.empty()) {
        ++number_;
        const std::size_t end = text_.find('\n');
        const bool ends = end != std::string_view::npos;
        DoLine(text_.substr(0, end));
        if (ends) out_ += '\n';
        text_.remove_prefix(ends ? end + 1 : text_.size());
    }
    if (!first_) return std::move(out_);
    if (lines_ > 1) {
        first_->text += fmt::format("; {} more line{} such characters", lines_ - 1,
                                    lines_ == 2 ? " has" : "s have");
    }
    diagnostics.Add(std::move(*first_));
    return std::move(out_);
}

}  // namespace

std::string Straightened(std::string_view text, Diagnostics& diagnostics) {
    if (text.find_first_of(kFirstOctets) == std::string_view::npos) return std::string(text);
    return Straightener(text).Run(diagnostics);
}

}  // namespace ember::emberc
