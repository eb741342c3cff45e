// SPDX-License-Identifier: Apache-2.0
// EmberSM: whatever is lost or refused, no packet runs in a loop, and in the end the tables are
// what was planned.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "config/netlist/random.h"
#include "config/netlist/topologies.h"
#include "tests/support/programming_harness.h"

namespace ember {
namespace {

using Fate = ProgrammingHarness::Fate;
using Question = ProgrammingHarness::Question;

/// Loses and refuses one datagram in `one_in` while it is bad.
void MakeUnsteady(ProgrammingHarness& harness, net::Random& random, std::uint32_t one_in) {
    harness.fate = [&random, one_in](const Question& question) {
        if (random.Below(one_in) != 0) return Fate::kTaken;
        const bool is_block = question.attribute == AttributeId::kLinearForwardingTable;
        // A block above a top that is refused may come to life (see LftProgramming): not tried
        // here.
        const std::uint32_t kinds = is_block && question.method == Method::kSet ? 2 : 3;
        switch (random.Below(kinds)) {
            case 0:
                return Fate::kRequestLost;
            case 1:
                return Fate::kAnswerLost;
            default:
                return Fate::kRefused;
        }
    };
}

/// Another subnet manager's tables: right up to a top of its own, and rubbish above it.
void BurnInAnother(ProgrammingHarness& harness, net::Random& random) {
    harness.BurnIn();
    for (std::uint32_t at = 0; at < harness.switches(); ++at) {
        const std::uint32_t top = random.Below(Raw(harness.top()) + 20U);
        for (std::size_t lid = top + 1; lid < harness.hardware(at).lft.size(); ++lid) {
            harness.hardware(at).lft[lid] = static_cast<std::uint8_t>(random.Below(8));
        }
        harness.hardware(at).info.Set(SwitchInfo::kLinearFdbTop, static_cast<Lid>(top));
    }
}

RC_GTEST_PROP(ProgrammingProperty, NoLoopAndInTheEndWhatWasPlanned, (std::uint32_t seed)) {
    net::Random random(seed);
    const std::uint32_t switches = 2 + random.Below(9);
    ProgrammingHarness harness(
        random.Below(2) == 0 ? net::Ring(switches + 1, 2) : net::RandomGraph(seed, switches, 3, 2),
        static_cast<std::uint8_t>(random.Below(3)));
    const auto pick = [&](std::size_t count) {
        return random.Below(static_cast<std::uint32_t>(count));
    };
    harness.PlanShortest(pick);
    BurnInAnother(harness, random);
    bool is_first = true;
    for (int change = 0; change < 3; ++change) {
        harness.PlanShortest(pick);
        MakeUnsteady(harness, random, 2 + random.Below(12));
        for (int round = 0; round < 2; ++round) {
            harness.Round(is_first);
            RC_ASSERT(harness.loop() == "");
            is_first = false;
        }
        harness.fate = [](const Question&) { return Fate::kTaken; };
        RC_ASSERT(harness.Round().failed == 0U);
        RC_ASSERT(harness.loop() == "");
        RC_ASSERT(harness.IsAsPlanned());
    }
    harness.seen.clear();
    harness.Round();
    RC_ASSERT(harness.seen.empty());
}

}  // namespace
}  // namespace ember
