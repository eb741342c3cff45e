// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what embersm ends with.

#include "platform/linux/process/exit_status.h"

#include <cstddef>
#include <gtest/gtest.h>

namespace ember {
namespace {

/// A supervisor that starts such a child again would do so for ever.
TEST(ExitStatus, OfEachConditionIsFinal) {
    for (std::size_t i = 0; i < kConditionWords.size(); ++i) {
        EXPECT_TRUE(IsFinal(StatusFor(static_cast<Condition>(i)))) << kConditionWords[i];
    }
    EXPECT_TRUE(IsFinal(ExitStatus::kWell));
    EXPECT_TRUE(IsFinal(ExitStatus::kUsage));
}

TEST(ExitStatus, OfWhatMayPassIsNotFinal) {
    for (const ExitStatus status :
         {ExitStatus::kDevice, ExitStatus::kPermission, ExitStatus::kOccupied, ExitStatus::kFile}) {
        EXPECT_FALSE(IsFinal(status)) << static_cast<int>(status);
    }
    for (const int other : {-1, 13, 99, 127, 255}) {
        EXPECT_FALSE(IsFinal(static_cast<ExitStatus>(other))) << other;
    }
}

}  // namespace
}  // namespace ember
