// SPDX-License-Identifier: Apache-2.0
// EmberSM: the time that goes into what emberc writes.
#include "config/emberc/source_date.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string_view>

namespace ember::emberc {

std::uint64_t SourceDate() {
    const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
    if (epoch == nullptr) return static_cast<std::uint64_t>(std::time(nullptr));
    const std::string_view text = epoch;
    std::uint64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw DateError(
            fmt::format("SOURCE_DATE_EPOCH is \"{}\", not a number of seconds since 1970", text));
    }
    return seconds;
}

std::string DateText(std::uint64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    std::array<char, 64> text{};
    if (gmtime_r(&time, &parts) == nullptr ||
        std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
        return fmt::format("{} s after 1970", seconds);
    }
    return text.data();
}

}  // namespace ember::emberc
