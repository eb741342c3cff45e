// SPDX-License-Identifier: Apache-2.0
// EmberSM: integers in decimal, hexadecimal and octal.
#include "config/emberc/numbers.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <re2/re2.h>
#include <string>

namespace ember::emberc {
namespace {

Number NoNumber(std::string_view text) {
    static const RE2 kOctalWithNines("0[0-9]+");
    static const RE2 kBareHex("[0-9]*[a-fA-F][0-9a-fA-F]*");
    static const RE2 kWithAMark("(?:0[xX][0-9a-fA-F]+|[0-9]+)([:;,.=])");
    const re2::StringPiece piece(text.data(), text.size());
    std::string why = fmt::format("'{}' is not a number", text);
    if (RE2::FullMatch(piece, kOctalWithNines)) {
        why += ": with a 0 in front it is octal, and 8 and 9 are no octal digits";
    } else if (RE2::FullMatch(piece, kBareHex)) {
        why += ": write 0x in front of hexadecimal digits";
    } else if (std::string mark; RE2::FullMatch(piece, kWithAMark, &mark)) {
        why += fmt::format(": leave out the '{}' behind it", mark);
    }
    Number number;
    number.error = Remark{.code = Code::kBadNumber, .text = why};
    return number;
}

}  // namespace

Number ReadNumber(std::string_view text) {
    static const RE2 kGrammar("([-+]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))");
    re2::StringPiece sign;
    re2::StringPiece hexadecimal;
    re2::StringPiece octal;
    re2::StringPiece decimal;
    if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kGrammar, &sign, &hexadecimal,
                        &octal, &decimal)) {
        return NoNumber(text);
    }

    const re2::StringPiece digits = !hexadecimal.empty() ? hexadecimal
                                    : !octal.empty()     ? octal
                                                         : decimal;
    const int base = !hexadecimal.empty() ? 16 : !octal.empty() ? 8 : 10;
    Number number;
    const auto result =
        std::from_chars(digits.data(), digits.data() + digits.size(), number.value, base);
    number.negative = sign == "-" && number.value != 0;
    number.octal = base == 8 && number.value > 7;
    constexpr std::uint64_t kMostNegative = std::numeric_limits<std::int64_t>::max();
    if (result.ec != std::errc{} || (number.negative && number.value > kMostNegative)) {
        number.error = Remark{.code = Code::kOutOfRange,
                              .text = fmt::format("'{}' does not fit in 64 bits", text)};
    }
    return number;
}

}  // namespace ember::emberc
