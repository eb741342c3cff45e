// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines and values of a qos_policy_file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/loaded_qos_policy.h"

namespace ember::emberc {

/// A name as the file has it. OpenSM compares names without regard to case and blanks.
struct QosName {
    std::string text;
    std::string key;  ///< By which names are compared.
    Spot spot;
};

/// A kind of numbers in a list, and its range.
struct NumberKind {
    std::string_view what;
    std::uint64_t min = 0;
    std::uint64_t max = 0;
    bool is_p_key = false;  ///< Its top bit, the kind of membership, is left out.
};

inline constexpr NumberKind kServiceIdKind{"service ID", 0, ~std::uint64_t{0}};
inline constexpr NumberKind kPortGuidKind{"port GUID", 1, ~std::uint64_t{0}};
inline constexpr NumberKind kPKeyKind{"P_Key", 0, 0xFFFF, true};
inline constexpr NumberKind kQosClassKind{"QoS class", 0, kTopQosClass};
inline constexpr NumberKind kPathBitsKind{"path bits", 0, 127};
inline constexpr NumberKind kPortNumKind{"port number", 0, 0xFFFF};

/// Goes through the lines of a qos_policy_file that say something. A mistake is reported, and
/// nothing is the answer then.
class QosText {
public:
    QosText(std::string_view text, Diagnostics& diagnostics)
        : reader_(text, diagnostics), diagnostics_(diagnostics) {}

    /// Goes to the next line with something before its comment. False at the end.
    [[nodiscard]] bool NextLine();

    /// The line without comment and blanks at its ends, and what of it was not taken yet.
    [[nodiscard]] const Word& line() const { return line_; }
    [[nodiscard]] const Word& rest() const { return rest_; }

    /// Takes the word in front, up to a blank, ':' or ','.
    Word TakeWord();
    /// Takes the character if it stands in front, and the blanks behind it.
    bool Take(char c);
    /// Nothing may be left of the line; `form` says what a line is.
    void ExpectEnd(std::string_view form);

    /// Takes a list of items apart by commas, up to the end of the line, or to ':' where `has_sl`.
    /// A list goes on in the next line when a comma ends this one. Calls `visit(item)` while the
    /// item's line is the present one. False when there is no item, or an empty one.
    template <typename Visit>
    bool TakeList(bool has_sl, const Visit& visit) {
        while (true) {
            const Word item = TakeItem(has_sl);
            if (item.text.empty()) {
                Error(item, Code::kMissingValue, "a value is missing; OpenSM refuses the file");
                return false;
            }
            visit(item);
            if (!Take(',')) return true;
            if (!rest_.text.empty()) continue;
            if (!GoesOn()) return true;
        }
    }
    /// Takes a list of numbers and of ranges, "0x10, 0x20-0x2f", and adds it to `ranges`.
    void TakeRanges(const NumberKind& kind, bool has_sl, LoadedQosPolicy::Ranges& ranges);
    /// Takes the number that is left of the line.
    [[nodiscard]] std::optional<std::uint64_t> TakeNumber(std::string_view what, std::uint64_t min,
                                                          std::uint64_t max);
    /// Takes the name that is left of the line.
    [[nodiscard]] std::optional<QosName> TakeName();
    /// A part of the present line as a number or GUID.
    [[nodiscard]] std::optional<std::uint64_t> ReadNumber(const Word& word, std::string_view what,
                                                          std::uint64_t min, std::uint64_t max) {
        return reader_.ReadNumber(word, what, min, max);
    }
    [[nodiscard]] std::optional<Guid> ReadGuid(const Word& word) { return reader_.ReadGuid(word); }
    /// An item of a list as a name, without its quotation marks.
    [[nodiscard]] std::optional<QosName> ReadName(const Word& item);

    [[nodiscard]] Spot SpotOf(const Word& word) const { return emberc::SpotOf(reader_, word); }
    void Report(Severity severity, const Word& at, Code code, std::string text) {
        reader_.Report(severity, at, code, std::move(text));
    }
    void Error(const Word& at, Code code, std::string text) {
        Report(Severity::kError, at, code, std::move(text));
    }
    [[nodiscard]] bool has_errors() const { return diagnostics_.CountOf(Severity::kError) > 0; }
    /// The same of a place that was passed.
    void ReportAt(Severity severity, const Spot& at, Code code, std::string text) {
        emberc::ReportAt(diagnostics_, severity, at, code, std::move(text));
    }

private:
    /// Whether the list whose comma ends this line goes on in the next one, which is then the
    /// present one. A line of another kind is left for NextLine().
    [[nodiscard]] bool GoesOn();
    [[nodiscard]] Word TakeItem(bool has_sl);
    [[nodiscard]] std::optional<QosRange> ReadRange(const NumberKind& kind, const Word& item);
    void Skip(std::size_t octets);
    [[nodiscard]] bool PassOverLastMark();

    LineReader reader_;
    Diagnostics& diagnostics_;
    Word line_;
    Word rest_;
    bool is_left_ = false;  ///< The present line is the next one too.
};

/// By which names are compared: in lower case, without blanks.
[[nodiscard]] std::string KeyOf(std::string_view name);

/// The same without blanks at its ends.
[[nodiscard]] Word Trimmed(Word word);

/// Parts of `text` between `separator`s, one at least, without blanks at their ends.
[[nodiscard]] std::vector<Word> Split(Word text, char separator);

/// Adds a range: afterwards they ascend, and none meets another.
void AddRange(LoadedQosPolicy::Ranges& ranges, QosRange range);

/// Whether each number of `inner` is one of `outer`; whether some number is in both.
[[nodiscard]] bool Covers(const LoadedQosPolicy::Ranges& outer,
                          const LoadedQosPolicy::Ranges& inner);
[[nodiscard]] bool Overlap(const LoadedQosPolicy::Ranges& one,
                           const LoadedQosPolicy::Ranges& other);

}  // namespace ember::emberc
