// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the events for subscribers of notices.
#include "core/fabric/events.h"

#include <array>
#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(SubnetEvents, TrapsDoNotOverwriteOurOwnEvents) {
    std::array<SubnetEvent, 4> ring{};
    SubnetEvents events{ring};
    events.Write({.trap = TrapNumber::kOutOfService, .gid = {1, 2}, .at_us = 5});
    for (std::uint64_t i = 0; i < 1000; ++i) {
        events.Write({.trap = TrapNumber::kBadPKey, .gid = {}, .at_us = i, .issuer = Guid{i + 1}});
    }
    EXPECT_EQ(events.own().oldest(), 0U);
    ASSERT_EQ(events.own().next(), 1U);
    EXPECT_EQ(events.own().At(0).trap, TrapNumber::kOutOfService);
    EXPECT_EQ(events.traps().next(), 1000U);
    EXPECT_EQ(events.traps().oldest(), 1000U - SubnetEvents::kTraps);
}

TEST(SubnetEvents, OnePortWritesNoMoreThanItsShareOfTheTraps) {
    std::array<SubnetEvent, 4> ring{};
    SubnetEvents events{ring};
    events.Write({.trap = TrapNumber::kBadPKey, .gid = {}, .at_us = 0, .issuer = Guid{7}});
    for (std::uint64_t i = 0; i < 1000; ++i) {
        events.Write({.trap = TrapNumber::kBadQKey, .gid = {}, .at_us = i, .issuer = Guid{1}});
    }
    EXPECT_EQ(events.traps().next(), 1 + SubnetEvents::kShare);
    EXPECT_EQ(events.traps().At(0).issuer, Guid{7}) << "the trap of another port stays";
    events.Write({.trap = TrapNumber::kBadQKey,
                  .gid = {},
                  .at_us = 1000 + SubnetEvents::kShareUs,
                  .issuer = Guid{1}});
    EXPECT_EQ(events.traps().next(), 2 + SubnetEvents::kShare);
}

}  // namespace
}  // namespace ember
