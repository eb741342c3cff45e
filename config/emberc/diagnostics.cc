// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc has to say about a file, and where.
#include "config/emberc/diagnostics.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "config/netlist/tame.h"

namespace ember::emberc {
namespace {

std::string_view NameOf(Severity severity) {
    static constexpr std::array<std::string_view, 4> kWords = {"note", "allowed", "warning",
                                                               "error"};
    return kWords[static_cast<std::size_t>(severity)];
}

// Parameters of SELECT GRAPHIC RENDITION (ISO 6429).
constexpr std::string_view kBold = "1";
constexpr std::string_view kGreen = "1;32";

std::string_view ColourOf(Severity severity) {
    static constexpr std::array<std::string_view, 4> kWords = {"1;36", "1;36", "1;35", "1;31"};
    return kWords[static_cast<std::size_t>(severity)];
}

/// A text out of a file is tamed before it stands between two sequences that a terminal obeys.
std::string Painted(std::string text, std::string_view colour, Paint paint) {
    if (paint == Paint::kPlain) return text;
    net::Tame(text);
    return fmt::format("\x1B[{}m{}\x1B[0m", colour, text);
}

/// Octets that begin a character in UTF-8 take a column on the screen; those that go on do not.
bool BeginsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// Blanks up to the column, with the tabs of the line above, then one mark for each character.
std::string CaretUnder(const std::string& line, const Place& place) {
    std::string caret;
    const std::size_t before = std::min(line.size(), place.column - 1);
    for (std::size_t i = 0; i < before; ++i) {
        if (BeginsCharacter(line[i])) caret += line[i] == '\t' ? '\t' : ' ';
    }
    caret += '^';
    const std::size_t end = std::min(line.size(), place.column - 1 + place.length);
    for (std::size_t i = place.column; i < end; ++i) {
        if (BeginsCharacter(line[i])) caret += '~';
    }
    return caret;
}

std::string Count(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void Diagnostics::Add(Diagnostic diagnostic) {
    all_.push_back(std::move(diagnostic));
}

void Diagnostics::Soften() {
    for (Diagnostic& one : all_) {
        one.severity = Severity::kNote;
    }
}

void Diagnostics::Judge(const Verdicts& verdicts) {
    for (Diagnostic& one : all_) {
        const auto code = static_cast<std::size_t>(one.code);
        if (verdicts.denied.test(code)) {
            one.severity = Severity::kError;
        } else if (verdicts.allowed.test(code) && one.severity == Severity::kWarning) {
            one.severity = Severity::kAllowed;
        }
    }
}

void Diagnostics::Sort() {
    std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
}

std::size_t Diagnostics::CountOf(Severity severity) const {
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(),
                      [severity](const Diagnostic& one) { return one.severity == severity; }));
}

std::string RenderText(const Diagnostics& diagnostics, Paint paint, Showing showing) {
    std::string out;
    for (const Diagnostic& one : diagnostics.all()) {
        // A file of this host that goes into the blob is never silent: it may decide who talks.
        const bool is_urgent = one.severity >= Severity::kWarning || one.code == Code::kDefaultFile;
        if (showing == Showing::kUrgent && !is_urgent) continue;
        std::string place = diagnostics.file();
        if (one.place.line > 0) place += fmt::format(":{}:{}", one.place.line, one.place.column);
        out += Painted(place + ":", kBold, paint) + " " +
               Painted(fmt::format("{}:", NameOf(one.severity)), ColourOf(one.severity), paint) +
               " " + Painted(one.text, kBold, paint) + fmt::format(" [{}]\n", WordOf(one.code));
        if (one.place.line == 0) continue;
        std::string line = one.source;
        net::Tame(line);
        out += fmt::format("    {}\n    {}\n", line,
                           Painted(CaretUnder(line, one.place), kGreen, paint));
    }
    return out;
}

std::string RenderText(std::span<const Diagnostics> files, Paint paint, Showing showing) {
    std::string out;
    for (const Diagnostics& file : files) {
        out += RenderText(file, paint, showing);
    }
    return out;
}

std::size_t CountOf(std::span<const Diagnostics> files, Severity severity) {
    std::size_t sum = 0;
    for (const Diagnostics& file : files) {
        sum += file.CountOf(severity);
    }
    return sum;
}

bool AreSilent(std::span<const Diagnostics> files) {
    return std::all_of(files.begin(), files.end(),
                       [](const Diagnostics& file) { return file.all().empty(); });
}

std::string Summary(std::span<const Diagnostics> files, Showing showing) {
    std::string out = Count(CountOf(files, Severity::kError), "error") + ", " +
                      Count(CountOf(files, Severity::kWarning), "warning");
    const std::size_t notes = CountOf(files, Severity::kNote);
    const std::size_t allowed = CountOf(files, Severity::kAllowed);
    const std::string_view hint = showing == Showing::kAll ? "" : " (-v shows them)";
    if (notes != 0) out += fmt::format(", {}{}", Count(notes, "note"), hint);
    if (allowed != 0) out += fmt::format(", {} allowed{}", allowed, notes != 0 ? "" : hint);
    return out;
}

nlohmann::json RenderJson(std::span<const Diagnostics> files) {
    nlohmann::json out = nlohmann::json::array();
    for (const Diagnostics& file : files) {
        for (const Diagnostic& one : file.all()) {
            out.push_back({{"file", file.file()},
                           {"line", one.place.line},
                           {"column", one.place.column},
                           {"length", one.place.length},
                           {"severity", NameOf(one.severity)},
                           {"code", WordOf(one.code)},
                           {"text", one.text},
                           {"source", one.source}});
        }
    }
    return out;
}

}  // namespace ember::emberc
