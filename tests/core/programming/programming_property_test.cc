// SPDX-License-Identifier: Apache-2.0
// EmberSM: whatever is lost or refused, no packet runs in a circle, and in the end the tables are
// what was planned.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "config/netlist/random.h"
#include "config/netlist/topologies.h"
#include "tests/core/programming/bench.h"

namespace ember {
namespace {

using Fate = Bench::Fate;
using Question = Bench::Question;

/// Loses and refuses one datagram in `one_in` while it is bad.
void MakeUnsteady(Bench& bench, net::Random& random, std::uint32_t one_in) {
    bench.fate = [&random, one_in](const Question& question) {
        if (random.Below(one_in) != 0) return Fate::kTaken;
        const bool is_block = question.attribute == AttributeId::kLinearForwardingTable;
        // A block above a top that is refused may come to life (see answers.cc): not tried here.
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
void BurnInAnother(Bench& bench, net::Random& random) {
    bench.BurnIn();
    for (std::uint32_t at = 0; at < bench.switches(); ++at) {
        const std::uint32_t top = random.Below(Raw(bench.top()) + 20U);
        for (std::size_t lid = top + 1; lid < bench.hardware(at).lft.size(); ++lid) {
            bench.hardware(at).lft[lid] = static_cast<std::uint8_t>(random.Below(8));
        }
        bench.hardware(at).info.Set(SwitchInfo::kLinearFdbTop, static_cast<Lid>(top));
    }
}

RC_GTEST_PROP(ProgrammingProperty, NoCircleAndInTheEndWhatWasPlanned, (std::uint32_t seed)) {
    net::Random random(seed);
    const std::uint32_t switches = 2 + random.Below(9);
    Bench bench(
        random.Below(2) == 0 ? net::Ring(switches + 1, 2) : net::RandomGraph(seed, switches, 3, 2),
        static_cast<std::uint8_t>(random.Below(3)));
    const auto pick = [&](std::size_t count) {
        return random.Below(static_cast<std::uint32_t>(count));
    };
    bench.PlanShortest(pick);
    BurnInAnother(bench, random);
    bool is_first = true;
    for (int change = 0; change < 3; ++change) {
        bench.PlanShortest(pick);
        MakeUnsteady(bench, random, 2 + random.Below(12));
        for (int round = 0; round < 2; ++round) {
            bench.Round(is_first);
            RC_ASSERT(bench.circle() == "");
            is_first = false;
        }
        bench.fate = [](const Question&) { return Fate::kTaken; };
        RC_ASSERT(bench.Round().failed == 0U);
        RC_ASSERT(bench.circle() == "");
        RC_ASSERT(bench.IsAsPlanned());
    }
    bench.seen.clear();
    bench.Round();
    RC_ASSERT(bench.seen.empty());
}

}  // namespace
}  // namespace ember
