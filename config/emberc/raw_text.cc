// SPDX-License-Identifier: Apache-2.0
// EmberSM: a file's text before its parser: comments to emberc, and characters of web pages.
#include "config/emberc/raw_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace ember::emberc {
namespace {

constexpr std::string_view kMark = "emberc:";
constexpr std::string_view kAllow = "allow";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kEnds = " \t\r,";

/// A line, and what of it was not taken yet.
class Directive {
public:
    Directive(std::string_view line, std::size_t number, Diagnostics& diagnostics)
        : line_(line), number_(number), diagnostics_(diagnostics) {}

    void Read();

private:
    void Skip(std::string_view what) {
        at_ = std::min(line_.find_first_not_of(what, at_), line_.size());
    }
    [[nodiscard]] std::string_view Word() {
        begin_ = at_;
        at_ = std::min(line_.find_first_of(kEnds, at_), line_.size());
        return line_.substr(begin_, at_ - begin_);
    }
    void Error(std::string text) {
        diagnostics_.Add({.severity = Severity::kError,
                          .place = {number_, begin_ + 1, std::max<std::size_t>(1, at_ - begin_)},
                          .code = Code::kUnknownCode,
                          .text = std::move(text),
                          .source = std::string(line_)});
    }

    std::string_view line_;
    std::size_t number_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  ///< Of the word that was taken last.
};

void Directive::Read() {
    Skip(kBlanks);
    if (at_ == line_.size() || line_[at_] != '#') return;
    Skip(" \t#");
    if (!line_.substr(at_).starts_with(kMark)) return;
    at_ += kMark.size();
    Skip(kBlanks);
    if (const std::string_view verb = Word(); verb != kAllow) {
        return Error(
            fmt::format("'emberc: {}' says nothing: a file may say 'emberc: allow CODE'", verb));
    }
    Skip(kEnds);
    if (at_ == line_.size()) {
        begin_ = at_;
        return Error("'emberc: allow' names no code; `emberc codes` lists them");
    }
    while (at_ < line_.size()) {
        const std::string_view word = Word();
        if (const auto code = FindCode(word)) {
            diagnostics_.AllowHere(*code);
        } else {
            const std::string_view nearest = NearestCode(word);
            Error(fmt::format("there is no code '{}'{}", word,
                              nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
        }
        Skip(kEnds);
    }
}

}  // namespace

void ReadDirectives(std::string_view text, Diagnostics& diagnostics) {
    std::size_t number = 1;
    std::size_t counted = 0;  // Line ends before here are in `number`.
    std::size_t mark = text.find(kMark);
    while (mark != std::string_view::npos) {
        const std::size_t before = text.rfind('\n', mark);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        const std::size_t end = std::min(text.find('\n', mark), text.size());
        number += static_cast<std::size_t>(
            std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                       text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
        counted = begin;
        Directive(text.substr(begin, end - begin), number, diagnostics).Read();
        mark = text.find(kMark, end);
    }
}

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
