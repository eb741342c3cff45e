// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the dumps of OpenSM have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/line_reader.h"
#include "core/settings/settings.h"

namespace ember::emberc {

/// A number that begins a stretch of text, and what follows it.
struct LeadingNumber {
    std::uint64_t value = 0;
    std::string_view digits;
    std::string_view rest;
};

/// "0x1f: ..." or, with base 10, "031 ...". Nothing when there are no digits or too many.
[[nodiscard]] std::optional<LeadingNumber> ReadHex(std::string_view text);
[[nodiscard]] std::optional<LeadingNumber> ReadDecimal(std::string_view text);

/// The GUID behind " guid " in the line at hand, where a switch's part of the file begins.
/// Nothing, and a diagnostic, when there is none.
[[nodiscard]] std::optional<Guid> ReadSwitchGuid(LineReader& reader);

/// A unicast LID at the begin of `entry`, the line without the blanks before it.
[[nodiscard]] std::optional<LeadingNumber> ReadEntryLid(LineReader& reader, const Word& entry);

/// Counts the octets that a file's tables take, so that a few lines do not ask for gigabytes.
class TableSize {
public:
    /// Whether so many more octets can be in a blob. The first time they cannot, that is reported.
    [[nodiscard]] bool Grow(LineReader& reader, const Word& at, std::size_t octets);

private:
    std::size_t octets_ = 0;
    bool reported_ = false;
};

/// Whose each LID is, as far as the lines tell.
class LidOwners {
public:
    /// Reads " portguid 0x..." in the line at hand, if it is there.
    void Read(LineReader& reader, std::uint16_t lid);

    /// Ascending by LID.
    [[nodiscard]] std::vector<LidOwner> All() const;

private:
    struct Owner {
        Guid guid = kNoGuid;
        std::size_t line = 0;
    };
    std::vector<Owner> owners_;  ///< By LID.
};

}  // namespace ember::emberc
