// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines and words of an option file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "core/base/ids.h"

namespace ember::emberc {

/// A stretch of a line.
struct Word {
    std::string_view text;
    std::size_t begin = 0;  ///< Octets before it.
};

/// Goes through the lines of a file and reports what is wrong with one to Diagnostics. Nothing is
/// allocated for a line that is in order, because files of tens of millions of lines are usual.
class LineReader {
public:
    LineReader(std::string_view text, Diagnostics& diagnostics)
        : rest_(text), diagnostics_(diagnostics) {}

    /// Goes to the next line; false at the end of the file, or where it turns out to be no text.
    [[nodiscard]] bool NextLine();

    /// Goes to the next line that has words before a '#', which begins a comment anywhere.
    [[nodiscard]] bool NextWords();

    [[nodiscard]] std::string_view line() const { return line_; }
    [[nodiscard]] std::size_t number() const { return number_; }  ///< From 1.
    [[nodiscard]] std::span<const Word> words() const { return words_; }

    /// The whole line, without blanks at its ends.
    [[nodiscard]] Word all() const;

    // Words as what they should be. A word that is something else is reported, and nothing is the
    // answer.
    [[nodiscard]] std::optional<std::uint64_t> ReadNumber(const Word& word);
    [[nodiscard]] std::optional<std::uint64_t> ReadNumber(const Word& word, std::string_view what,
                                                          std::uint64_t min, std::uint64_t max);
    [[nodiscard]] std::optional<Guid> ReadGuid(const Word& word);
    [[nodiscard]] std::optional<PortNumber> ReadPort(const Word& word);

    /// Whether the line has exactly so many words; `form` tells what they should be.
    [[nodiscard]] bool HasWords(std::size_t count, std::string_view form);

    void Report(Severity severity, const Word& at, Code code, std::string text);
    void Error(const Word& at, Code code, std::string text) {
        Report(Severity::kError, at, code, std::move(text));
    }

private:
    void SplitWords();
    void PassStrayMark();

    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
    std::vector<Word> words_;
    bool has_stray_mark_ = false;  ///< A stray mark was reported.
    Diagnostics& diagnostics_;
};

/// A place of the file that a later line has something to say about.
struct Spot {
    Place place;
    std::string source;
};
[[nodiscard]] Spot SpotOf(const LineReader& reader, const Word& word);
void ReportAt(Diagnostics& to, Severity severity, const Spot& spot, Code code, std::string text);

/// "0x0002c90200001234".
[[nodiscard]] std::string Hex(Guid guid);

}  // namespace ember::emberc
