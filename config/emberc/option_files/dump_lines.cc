// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the dumps of OpenSM have in common.
#include "config/emberc/option_files/dump_lines.h"

#include <charconv>
#include <fmt/format.h>

#include "config/blob/container.h"

namespace ember::emberc {
namespace {

constexpr std::string_view kSwitchLabel = " guid ";
constexpr std::string_view kOwnerLabel = " portguid ";

std::optional<LeadingNumber> ReadDigits(std::string_view text, std::string_view digits, int base) {
    LeadingNumber number;
    const auto result =
        std::from_chars(digits.data(), digits.data() + digits.size(), number.value, base);
    if (result.ec != std::errc{}) return std::nullopt;
    const auto length = static_cast<std::size_t>(result.ptr - text.data());
    number.digits = text.substr(0, length);
    number.rest = text.substr(length);
    return number;
}

/// The GUID behind `label`, which stands at `at`; reported when there is none.
std::optional<Guid> ReadGuidBehind(LineReader& reader, std::size_t at, std::string_view label) {
    const std::size_t begin = at + label.size();
    const std::string_view text = reader.line().substr(begin);
    const auto number = ReadHex(text);
    if (number) return Guid{number->value};
    const std::string_view word = text.substr(0, text.find(' '));
    reader.Error({word, begin}, Code::kBadNumber,
                 fmt::format("'{}' is no GUID: 0x and up to 16 hexadecimal digits", word));
    return std::nullopt;
}

}  // namespace

std::optional<LeadingNumber> ReadHex(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    return hexadecimal ? ReadDigits(text, text.substr(2), 16) : std::nullopt;
}

std::optional<LeadingNumber> ReadDecimal(std::string_view text) {
    return ReadDigits(text, text, 10);
}

std::optional<Guid> ReadSwitchGuid(LineReader& reader) {
    const std::size_t at = reader.line().find(kSwitchLabel);
    if (at == std::string_view::npos) {
        reader.Error(reader.all(), Code::kMissingValue,
                     "a switch's part begins with its GUID: ' guid 0x...' is missing");
        return std::nullopt;
    }
    const std::optional<Guid> guid = ReadGuidBehind(reader, at, kSwitchLabel);
    if (!guid || *guid != kNoGuid) return guid;
    reader.Error({"0x0", at + kSwitchLabel.size()}, Code::kOutOfRange, "0 is nobody's GUID");
    return std::nullopt;
}

std::optional<LeadingNumber> ReadEntryLid(LineReader& reader, const Word& entry) {
    const auto lid = ReadHex(entry.text);
    if (!lid) {
        reader.Error(entry, Code::kBadNumber,
                     "an entry begins with a LID: 0x and hexadecimal digits");
        return std::nullopt;
    }
    if (lid->value >= 1 && lid->value <= Raw(kTopUnicastLid)) return lid;
    reader.Error({lid->digits, entry.begin}, Code::kOutOfRange,
                 fmt::format("LID {:#x} is not in 0x1..{:#x}", lid->value, Raw(kTopUnicastLid)));
    return std::nullopt;
}

bool TableSize::Grow(LineReader& reader, const Word& at, std::size_t octets) {
    if (octets <= kMaxBlobBytes - octets_) {
        octets_ += octets;
        return true;
    }
    if (reported_) return false;
    reported_ = true;
    reader.Error(at, Code::kTooLarge,
                 fmt::format("up to this LID the tables have more than {} octets, and no blob has",
                             kMaxBlobBytes));
    return false;
}

void LidOwners::Read(LineReader& reader, std::uint16_t lid) {
    const std::size_t at = reader.line().find(kOwnerLabel);
    if (at == std::string_view::npos) return;
    const std::optional<Guid> guid = ReadGuidBehind(reader, at, kOwnerLabel);
    if (!guid || *guid == kNoGuid) return;
    if (owners_.empty()) owners_.resize(std::size_t{Raw(kTopUnicastLid)} + 1);
    Owner& owner = owners_[lid];
    if (owner.guid == kNoGuid) owner = {*guid, reader.number()};
    if (owner.guid == *guid) return;
    const std::size_t begin = at + kOwnerLabel.size();
    const std::string_view text = reader.line().substr(begin);
    reader.Error({ReadHex(text)->digits, begin}, Code::kContradiction,
                 fmt::format("line {} gives LID {:#x} to {}", owner.line, lid, Hex(owner.guid)));
}

std::vector<LidOwner> LidOwners::All() const {
    std::vector<LidOwner> all;
    for (std::size_t lid = 0; lid < owners_.size(); ++lid) {
        if (owners_[lid].guid == kNoGuid) continue;
        all.push_back(
            {.lid = Lid{static_cast<std::uint16_t>(lid)}, .port_guid = owners_[lid].guid});
    }
    return all;
}

}  // namespace ember::emberc
