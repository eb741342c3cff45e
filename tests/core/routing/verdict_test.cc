// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how a routing run is said to have ended.

#include "core/routing/verdict.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

Verdict Found(Guid at) {
    Verdict verdict;
    verdict.engine = "updn";
    verdict.findings.at = at;
    verdict.findings.routes = 12;
    return verdict;
}

TEST(VerdictTest, FindingsOfAnEngineThatMadeNoTablesAreNone) {
    for (const RoutingReason reason :
         {RoutingReason::kEngineFailed, RoutingReason::kEngineAbsent, RoutingReason::kStepLanes}) {
        Verdict verdict = Found(Guid{4});
        verdict.End(RoutingOutcome::kRefused, reason, Status::kFull);
        EXPECT_EQ(verdict.findings.routes, 0U);
        EXPECT_EQ(verdict.reason, reason);
        EXPECT_EQ(verdict.status, Status::kFull);
    }
    Verdict verdict = Found(Guid{4});
    verdict.End(RoutingOutcome::kRefused, RoutingReason::kLoop, Status::kOk);
    EXPECT_EQ(verdict.findings.routes, 12U);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
}

TEST(VerdictTest, ATryIsNotedAsItIsJudged) {
    Verdict verdict = Found(Guid{4});
    verdict.End(RoutingOutcome::kRefused, RoutingReason::kLostPair, Status::kOk);
    verdict.NoteAttempt({.step = 2, .step_id = 30, .stayed = true});
    ASSERT_EQ(verdict.attempts.size(), 1U);
    const RoutingAttempt& attempt = *verdict.attempts.begin();
    EXPECT_EQ(attempt.engine, "updn");
    EXPECT_EQ(attempt.step, 2);
    EXPECT_EQ(attempt.step_id, 30U);
    EXPECT_TRUE(attempt.stayed);
    EXPECT_EQ(attempt.reason, RoutingReason::kLostPair);
    EXPECT_EQ(attempt.at, Guid{4});
    EXPECT_TRUE(verdict.has_refusals());
    EXPECT_EQ(verdict.last_engine(), "updn");
}

TEST(VerdictTest, AResortKeepsTheTriesOfBeforeAndNothingElse) {
    Verdict verdict = Found(Guid{4});
    verdict.mending_failed = verdict.proved_changes_only = true;
    verdict.End(RoutingOutcome::kRefused, RoutingReason::kLoop, Status::kOk);
    verdict.NoteAttempt({});
    verdict.BeginResort();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kNothingToRoute);
    EXPECT_TRUE(verdict.engine.empty());
    EXPECT_EQ(verdict.findings.routes, 0U);
    EXPECT_FALSE(verdict.mending_failed);
    EXPECT_FALSE(verdict.proved_changes_only);
    EXPECT_EQ(verdict.attempts.size(), 1U);
}

TEST(VerdictTest, OnlyAVerifiedRoutingIsLoweredAndComesBack) {
    Verdict verdict;
    verdict.outcome = RoutingOutcome::kVerified;
    verdict.Lower(true);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
    EXPECT_TRUE(verdict.is_lowered);
    verdict.Lower(false);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    verdict.outcome = RoutingOutcome::kWarned;  // For a credit loop.
    verdict.Lower(false);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
}

}  // namespace
}  // namespace ember
