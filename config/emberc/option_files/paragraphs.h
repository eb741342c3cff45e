// SPDX-License-Identifier: Apache-2.0
// EmberSM: files of paragraphs, each of which has a value for some qualifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/qos_text.h"

namespace ember::emberc {

/// The form of a file of paragraphs: "topology", lines "id: 1", "end-topology".
struct ParagraphForm {
    std::string_view begin;  ///< The line before a paragraph,
    std::string_view end;    ///< and the line behind it.
    std::span<const std::string_view> qualifiers;
    std::uint32_t mandatory = 0;  ///< A bit for each qualifier that a paragraph must have,
    std::uint32_t free_text = 0;  ///< and for each that may have any value, be it none.
};

/// A reader of the values of paragraphs.
class ParagraphClient {
public:
    /// A paragraph begins at `spot`.
    virtual void Begin(const Spot& spot) = 0;
    /// The value of a qualifier, which stands at `spot`, is what is left of the line: without a
    /// colon, and empty only where ParagraphForm::free_text allows it.
    virtual void Read(std::size_t qualifier, const Spot& spot, QosText& text) = 0;

protected:
    ParagraphClient() = default;
    ParagraphClient(const ParagraphClient&) = default;
    ParagraphClient& operator=(const ParagraphClient&) = default;
    ~ParagraphClient() = default;
};

/// Takes the colon behind a qualifier. Where a blank or '=' stands instead, what is meant is plain:
/// that draws a warning. False: nothing follows, which is an error.
[[nodiscard]] bool TakeColon(QosText& text, const Word& qualifier);

/// The index of the qualifier `word`. By a name that differs from it in one letter, or in capitals,
/// and from no other, one is meant that is not in the set `seen`; that draws a warning. Their
/// number: none is, which is an error. `whole` is what has them.
[[nodiscard]] std::size_t FindQualifier(QosText& text, const Word& word, std::string_view whole,
                                        std::span<const std::string_view> qualifiers,
                                        std::uint32_t seen);

/// Reads all paragraphs. Reports lines that belong to none, paragraphs that are not ended,
/// qualifiers that are unknown, missing, there twice or without a value, and colons in values.
void ReadParagraphs(const ParagraphForm& form, QosText& text, ParagraphClient& client);

}  // namespace ember::emberc
