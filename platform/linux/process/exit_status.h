// SPDX-License-Identifier: Apache-2.0
// EmberSM: what embersm ends with.
#pragma once

#include <string_view>

#include "platform/common/headline.h"

namespace ember {

/// The status that the process ends with; --help tells the same.
enum class ExitStatus : int {
    kWell = 0,
    kNotUp = 1,
    kUsage = 2,
    kDevice = 3,
    kPermission = 4,
    kOccupied = 5,
    kFile = 6,
    // Only with --once, when the subnet is up and yet not as it should be; the first that holds.
    kTooLarge = 7,       ///< For a part of the fabric: the board is too small for it.
    kTablesKept = 9,     ///< With the tables that the switches had, as no engine could route.
    kSafeRouting = 10,   ///< By the safe routing, as no engine could route.
    kCreditLoop = 8,     ///< With routes that may deadlock.
    kLanesLacking = 11,  ///< With switches that lack SL to VL or VL arbitration tables.
    kNotEnforced = 12,   ///< With ports at which partitions do not hold.
};

/// True for an end after which another start would end alike: all went well, --once said how the
/// subnet is, or the command line was wrong.
[[nodiscard]] constexpr bool IsFinal(ExitStatus status) {
    switch (status) {
        case ExitStatus::kDevice:
        case ExitStatus::kPermission:
        case ExitStatus::kOccupied:
        case ExitStatus::kFile:
            return false;
        case ExitStatus::kWell:
        case ExitStatus::kNotUp:
        case ExitStatus::kUsage:
        case ExitStatus::kTooLarge:
        case ExitStatus::kTablesKept:
        case ExitStatus::kSafeRouting:
        case ExitStatus::kCreditLoop:
        case ExitStatus::kLanesLacking:
        case ExitStatus::kNotEnforced:
            return true;
    }
    return false;  // A status of somebody else: of a signal, or of a sanitizer.
}

/// The status of --once when the subnet manager has come to rest so.
[[nodiscard]] ExitStatus StatusFor(Condition condition);

/// Says one sentence on standard error, after the program's name, and hands the status back.
ExitStatus Complain(ExitStatus status, std::string_view sentence);

}  // namespace ember
