// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties of the mailbox's driver, whatever its device writes.
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "tests/support/hostile_device.h"

namespace ember {
namespace {

using testing::HostileDevice;

RC_GTEST_PROP(HostileMailbox, HoldsAgainstAnyDevice, (const std::vector<std::uint8_t>& script)) {
    const HostileDevice::Outcome outcome = HostileDevice::Play(script);
    RC_ASSERT(!outcome.wrote_elsewhere);
    RC_ASSERT(!outcome.impossible);
    RC_ASSERT(outcome.most_per_call <= MailboxPort::kDropsPerCall + 1);
}

TEST(HostileMailbox, TheHostileDeviceGetsSomethingThrough) {
    // A reset, a good descriptor, and a host that looks: the property is not about nothing.
    const std::vector<std::uint8_t> script{1, 2, 0x07, 0xE3, 0x00, 0x07};
    EXPECT_EQ(HostileDevice::Play(script).received, 1U);
}

}  // namespace
}  // namespace ember
