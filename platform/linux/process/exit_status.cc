// SPDX-License-Identifier: Apache-2.0
// EmberSM: what embersm ends with.

#include "platform/linux/process/exit_status.h"

#include <cstdio>

namespace ember {

ExitStatus StatusFor(Condition condition) {
    switch (condition) {
        case Condition::kNodesLost:   // Not in the first sweep, after which --once ends.
        case Condition::kStandingBy:  // As it should be: another one manages the subnet.
        case Condition::kUp:
            return ExitStatus::kWell;
        case Condition::kNotActive:
        case Condition::kTwoMasters:
        case Condition::kNotUp:
            return ExitStatus::kNotUp;
        case Condition::kTooLarge:
            return ExitStatus::kTooLarge;
        case Condition::kTablesKept:
            return ExitStatus::kTablesKept;
        case Condition::kSafeRouting:
            return ExitStatus::kSafeRouting;
        case Condition::kCreditLoop:
            return ExitStatus::kCreditLoop;
        case Condition::kNotEnforced:
            return ExitStatus::kNotEnforced;
        case Condition::kLanesLacking:
            return ExitStatus::kLanesLacking;
    }
    return ExitStatus::kNotUp;
}

ExitStatus Complain(ExitStatus status, std::string_view sentence) {
    std::fprintf(stderr, "embersm: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
    return status;
}

}  // namespace ember
