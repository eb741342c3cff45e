// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what findings mean for engines by what they promise.

#include "core/routing/judgement.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr Promise kNothing = {.all_switches = false};
constexpr Promise kFree = {.deadlock_free = true, .all_switches = false};

Findings WithFault(Findings::Fault fault) {
    Findings findings;
    findings.fault = fault;
    return findings;
}
Findings WithLoop() {
    Findings findings;
    findings.end_ports_may_deadlock = true;
    return findings;
}

TEST(Judgement, ALostPairOrALoopIsNeverAccepted) {
    Findings lost = WithFault(Findings::Fault::kLost);
    EXPECT_EQ(JudgeRoutes({.promise = kNothing}, lost).reason, RoutingReason::kLostPair);
    Findings loop = WithFault(Findings::Fault::kLoop);
    const Judgement judgement = JudgeRoutes({.promise = kNothing}, loop);
    EXPECT_EQ(judgement.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(judgement.reason, RoutingReason::kLoop);
    EXPECT_FALSE(judgement.has_loop_alone);  // That is a loop of packets, not of credits.
}

TEST(Judgement, APairOfMereSwitchesApartIsTheFaultOfWhoPromisesAll) {
    Findings findings;
    findings.switch_pairs_apart = 2;
    findings.apart_at = Guid{7};
    findings.apart_lid = Lid{9};
    findings.apart_port_guid = Guid{8};
    EXPECT_EQ(JudgeRoutes({.promise = kNothing}, findings).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(findings.fault, Findings::Fault::kNone);
    EXPECT_EQ(JudgeRoutes({}, findings).reason, RoutingReason::kLostPair);
    EXPECT_EQ(findings.fault, Findings::Fault::kLost);
    EXPECT_EQ(findings.at, Guid{7});
    EXPECT_EQ(findings.lid, Lid{9});
    EXPECT_EQ(findings.port_guid, Guid{8});
}

TEST(Judgement, ALongerPathIsRefusedWhereShortestOnesArePromised) {
    Findings findings;
    findings.longer_routes = 1;
    EXPECT_EQ(JudgeRoutes({.promise = {.shortest = true}}, findings).reason,
              RoutingReason::kNotShortest);
    EXPECT_EQ(JudgeRoutes({}, findings).outcome, RoutingOutcome::kVerified);
}

TEST(Judgement, ACreditLoopIsRefusedByPromiseByOrderAndWhileThereIsALastResort) {
    const RouteTerms strict[] = {{.promise = kFree},
                                 {.promise = kNothing, .require_deadlock_free = true},
                                 {.promise = kNothing, .may_bridge = true}};
    for (const RouteTerms& terms : strict) {
        Findings findings = WithLoop();
        const Judgement judgement = JudgeRoutes(terms, findings);
        EXPECT_EQ(judgement.outcome, RoutingOutcome::kRefused);
        EXPECT_EQ(judgement.reason, RoutingReason::kCreditLoop);
        EXPECT_TRUE(judgement.has_loop_alone);
    }
}

TEST(Judgement, ACreditLoopIsAWarningUnlessTheFirstAlternativesPromiseNone) {
    Findings findings = WithLoop();
    const Judgement warned = JudgeRoutes({.promise = kNothing}, findings);
    EXPECT_EQ(warned.outcome, RoutingOutcome::kWarned);
    EXPECT_TRUE(warned.has_loop_alone);
    const Judgement fallback = JudgeRoutes({.promise = kNothing, .first = kFree}, findings);
    EXPECT_EQ(fallback.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(fallback.reason, RoutingReason::kUnsafeFallback);
    EXPECT_TRUE(fallback.has_loop_alone);
}

TEST(Judgement, TheSafeRoutingIsCalledSafe) {
    Findings findings;
    const Judgement judgement = JudgeRoutes({.promise = kFree, .is_safe = true}, findings);
    EXPECT_EQ(judgement.outcome, RoutingOutcome::kSafe);
    EXPECT_FALSE(judgement.has_loop_alone);
}

TEST(Judgement, TablesOfSwitchesStayAsAFallbackWould) {
    Findings findings;
    findings.longer_routes = 5;
    EXPECT_TRUE(MayKeepTables({.first = {.shortest = true}}, findings));
    EXPECT_FALSE(MayKeepTables({}, WithFault(Findings::Fault::kLost)));

    EXPECT_TRUE(MayKeepTables({}, WithLoop()));
    EXPECT_FALSE(MayKeepTables({.first = kFree}, WithLoop()));
    EXPECT_FALSE(MayKeepTables({.require_deadlock_free = true}, WithLoop()));

    Findings apart;
    apart.switch_pairs_apart = 1;
    EXPECT_FALSE(MayKeepTables({}, apart));
    EXPECT_TRUE(MayKeepTables({.first = kNothing}, apart));
    apart.manager_pairs_apart = 1;  // The manager's own paths are never given up.
    EXPECT_FALSE(MayKeepTables({.first = kNothing}, apart));
}

}  // namespace
}  // namespace ember
