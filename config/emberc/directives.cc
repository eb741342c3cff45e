// SPDX-License-Identifier: Apache-2.0
// EmberSM: comments by which a file speaks to emberc.
#include "config/emberc/directives.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

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

}  // namespace ember::emberc
