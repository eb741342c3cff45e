// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words of a question.
#include "config/explain/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace ember::explain {
namespace {

inline constexpr std::size_t kGroups = 8;  ///< Of a GID, 16 bits each.
inline constexpr std::size_t kGroupDigits = 4;
inline constexpr std::size_t kGidDigits = kGroups * kGroupDigits;

/// By the code of a rate. IBA vol. 1, 15.2.5.16.
constexpr std::array<std::string_view, 27> kRateWords{
    "",    "",   "2.5", "10",  "30",  "5",  "20", "40",  "60",  "80",  "120",  "14",   "56",  "112",
    "168", "25", "100", "200", "300", "28", "50", "400", "600", "800", "1200", "1600", "2400"};
static_assert(kRateWords.size() == static_cast<std::size_t>(kTopRate) + 1);

[[nodiscard]] bool ReadDigits(std::string_view text, int base, std::uint64_t& number) {
    if (text.empty()) return false;
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, number, base);
    return error == std::errc{} && behind == end;
}

[[nodiscard]] bool HasHexPrefix(std::string_view text) {
    return text.starts_with("0x") || text.starts_with("0X");
}

/// The groups of `text`, apart by colons, to the front of `groups`. False: one is none.
[[nodiscard]] bool ReadGroups(std::string_view text, std::array<std::uint16_t, kGroups>& groups,
                              std::size_t& count) {
    count = 0;
    while (!text.empty()) {  // Each turn takes a group.
        const std::size_t colon = text.find(':');
        const std::string_view group = text.substr(0, colon);
        std::uint64_t value = 0;
        if (count == kGroups || group.size() > kGroupDigits) return false;
        if (!ReadDigits(group, 16, value)) return false;
        groups[count++] = static_cast<std::uint16_t>(value);
        if (colon == std::string_view::npos) return true;
        text = text.substr(colon + 1);
        if (text.empty()) return false;
    }
    return true;
}

[[nodiscard]] Gid GidOf(const std::array<std::uint16_t, kGroups>& groups) {
    Gid gid;
    for (std::size_t i = 0; i < kGroups; ++i) {
        std::uint64_t& half = i < kGroups / 2 ? gid.high : gid.low;
        half = half << 16U | groups[i];
    }
    return gid;
}

}  // namespace

bool Words::Next(std::string_view& word) {
    const std::size_t first = rest_.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        rest_ = {};
        return false;
    }
    rest_ = rest_.substr(first);
    const bool is_quoted = rest_.front() == '"';
    if (is_quoted) rest_ = rest_.substr(1);
    const std::size_t end = std::min(rest_.find(is_quoted ? '"' : ' '), rest_.size());
    word = rest_.substr(0, end);
    rest_ = rest_.substr(std::min(end + 1, rest_.size()));
    return true;
}

bool ReadHex(std::string_view text, std::uint64_t& number) {
    return ReadDigits(HasHexPrefix(text) ? text.substr(2) : text, 16, number);
}

bool ReadNumber(std::string_view text, std::uint64_t most, std::uint64_t& number) {
    const bool is_hex = HasHexPrefix(text);
    return ReadDigits(is_hex ? text.substr(2) : text, is_hex ? 16 : 10, number) && number <= most;
}

bool ReadGid(std::string_view text, Gid& gid) {
    if (HasHexPrefix(text)) {
        const std::string_view digits = text.substr(2);
        return digits.size() == kGidDigits && ReadDigits(digits.substr(0, 16), 16, gid.high) &&
               ReadDigits(digits.substr(16), 16, gid.low);
    }
    std::array<std::uint16_t, kGroups> groups{};
    const std::size_t gap = text.find("::");
    std::size_t before = 0;
    if (gap == std::string_view::npos) {
        if (!ReadGroups(text, groups, before) || before != kGroups) return false;
        gid = GidOf(groups);
        return true;
    }
    std::array<std::uint16_t, kGroups> behind{};
    std::size_t count = 0;
    if (!ReadGroups(text.substr(0, gap), groups, before)) return false;
    if (!ReadGroups(text.substr(gap + 2), behind, count)) return false;
    if (before + count >= kGroups) return false;
    std::copy_n(behind.begin(), count, groups.end() - static_cast<std::ptrdiff_t>(count));
    gid = GidOf(groups);
    return true;
}

bool ReadMtu(std::string_view text, Mtu& mtu) {
    for (const Mtu one : {Mtu::k256, Mtu::k512, Mtu::k1024, Mtu::k2048, Mtu::k4096}) {
        std::uint64_t octets = 0;
        if (!ReadNumber(text, OctetsOf(one), octets) || octets != OctetsOf(one)) continue;
        mtu = one;
        return true;
    }
    return false;
}

bool ReadRate(std::string_view text, Rate& rate) {
    if (text.empty()) return false;
    const auto word = std::find(kRateWords.begin(), kRateWords.end(), text);
    if (word == kRateWords.end()) return false;
    rate = static_cast<Rate>(word - kRateWords.begin());
    return true;
}

std::uint32_t OctetsOf(Mtu mtu) {
    const auto code = static_cast<unsigned>(mtu);
    return code == 0 || mtu > Mtu::k4096 ? 0 : 128U << code;
}

std::string_view RateWord(Rate rate) {
    const auto code = static_cast<std::size_t>(rate);
    return code < kRateWords.size() ? kRateWords[code] : std::string_view();
}

void AddGid(FixedText& text, const Gid& gid) {
    for (std::size_t i = 0; i < kGroups; ++i) {
        const std::uint64_t half = i < kGroups / 2 ? gid.high : gid.low;
        const auto shift = static_cast<unsigned>(48 - 16 * (i % (kGroups / 2)));
        if (i != 0) text.Add(':');
        text.AddHex((half >> shift) & 0xFFFFU, kGroupDigits);
    }
}

}  // namespace ember::explain
