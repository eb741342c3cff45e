// SPDX-License-Identifier: Apache-2.0
// EmberSM: the time that goes into what emberc writes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ember::emberc {

/// An environment that makes no sense, in one sentence: exit status kUsageIsWrong.
class DateError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Seconds since 1970: now, or what SOURCE_DATE_EPOCH says, which makes builds repeatable
/// (reproducible-builds.org). Throws DateError when that is no number.
[[nodiscard]] std::uint64_t SourceDate();

/// "2026-11-22 19:31:27 UTC".
[[nodiscard]] std::string DateText(std::uint64_t seconds);

}  // namespace ember::emberc
