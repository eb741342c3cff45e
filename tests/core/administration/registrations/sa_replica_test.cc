// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of following another subnet manager's registrations.
#include "core/administration/registrations/sa_replica.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/registrations/sa_journal.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/sa_tables_store.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kMs = 1000;

/// A log whose frames the replica takes one after the other; while it has one, the log is busy.
class Pipe final : public StateLog {
public:
    Result<std::size_t> Read(std::uint64_t /*offset*/, std::span<std::byte> /*octets*/) override {
        return Status::kAbsent;
    }
    std::uint64_t AgeSeconds() override { return 0; }
    Status Begin() override { return Status::kOk; }
    Status Append(std::span<const std::byte> octets) override {
        if (!frame.empty()) return Status::kBusy;
        frame.assign(octets.begin(), octets.end());
        return Status::kOk;
    }
    Status Commit() override { return frame.empty() ? Status::kOk : Status::kBusy; }
    std::uint64_t SafeBytes() const override { return 0; }

    std::vector<std::byte> frame;
};

struct Standby {
    explicit Standby(const Fabric& fabric, const Limits& limits = SmallSaLimits())
        : store(limits),
          words(5, std::vector<std::uint64_t>(4)),
          replica({words[0], words[1], words[2], words[3], words[4]}, {fabric, store.tables()}) {}

    SaTablesStore store;
    std::vector<std::vector<std::uint64_t>> words;
    SaReplica replica;
};

class SaReplicaTest : public ::testing::Test {
protected:
    SaReplicaTest() {
        for (std::size_t i = 0; i < fabric().port_bound(); ++i) {
            const Port& port = fabric().port(static_cast<PortIndex>(i));
            if (port.guid != kNoGuid && port.lid != kNoLid) ports_.push_back(port.guid);
        }
    }
    const Fabric& fabric() { return built_.fabric(); }
    /// The frame in the pipe, in full. False: the replica does not take it.
    bool Carry(Standby& to) {
        if (pipe_.frame.empty()) return true;
        const std::vector<std::byte> frame = pipe_.frame;
        pipe_.frame.clear();
        if (to.replica.Take(frame) != Status::kOk) return false;
        for (int steps = 0; to.replica.Step(now_us_); ++steps) {
            EXPECT_LT(steps, 1000);
        }
        return true;
    }
    void Run(Standby& to, std::uint64_t time_us) {
        for (const std::uint64_t end_us = now_us_ + time_us; now_us_ < end_us; now_us_ += kMs) {
            while (journal_.Step(now_us_)) {  // Ends: the pipe is busy.
            }
            ASSERT_TRUE(Carry(to));
        }
    }
    void Change() { master_.Change(chance_, ports_, now_us_); }

    BuiltFabric built_{net::FatTree2(4)};
    std::vector<Guid> ports_;
    std::mt19937_64 chance_{16};
    std::uint64_t now_us_ = 1'000'000;
    std::vector<LogRecord> rows_{64};
    Log notes_{rows_};
    Pipe pipe_;
    SaTablesStore master_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(4096);
    SaJournal journal_{buffer_, {&pipe_, notes_, master_.tables()}};
};

TEST_F(SaReplicaTest, BecomesWhatTheMasterHasAndFollowsIt) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        chance_.seed(seed);
        Standby standby(fabric());
        for (int i = 0; i < 60; ++i) {
            Change();
        }
        journal_.Begin(0);
        EXPECT_FALSE(standby.replica.is_whole());
        Run(standby, 200 * kMs);
        ASSERT_TRUE(standby.replica.is_whole());
        ASSERT_EQ(standby.store.Describe(), master_.Describe()) << "replay with seed " << seed;
        for (int i = 0; i < 60; ++i) {
            Change();
            if (chance_() % 4 == 0) Run(standby, chance_() % 100 * kMs);
        }
        Run(standby, 300 * kMs);
        ASSERT_EQ(standby.store.Describe(), master_.Describe()) << "replay with seed " << seed;
    }
}

TEST_F(SaReplicaTest, ASecondCopyRemovesWhatHasEndedMeanwhile) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        chance_.seed(seed);
        Standby standby(fabric());
        for (int i = 0; i < 40; ++i) {
            standby.store.Change(chance_, ports_, now_us_);  // Of another time.
            Change();
        }
        journal_.Begin(0);
        Run(standby, 300 * kMs);
        ASSERT_EQ(standby.store.Describe(), master_.Describe()) << "replay with seed " << seed;
        journal_.Rest();
        for (int i = 0; i < 40; ++i) {
            Change();  // The replica is not told.
        }
        journal_.Begin(0);
        Run(standby, 300 * kMs);
        ASSERT_EQ(standby.store.Describe(), master_.Describe()) << "replay with seed " << seed;
    }
}

// Registrations known before a copy stay known until the copy has been read to its end.
TEST_F(SaReplicaTest, ACopyThatEndsHalfwayTakesNothingAway) {
    Standby standby(fabric());
    for (int i = 0; i < 80; ++i) {
        Change();
    }
    journal_.Begin(0);
    Run(standby, 300 * kMs);
    const std::string known = standby.store.Describe();
    std::vector<std::byte> frame(sizeof(SaFrameHead));
    SaFrameHead head;
    head.generation = 77;
    CloseFrame(frame, head);  // A copy begins, and tells of nothing yet.
    ASSERT_EQ(standby.replica.Take(frame), Status::kOk);
    EXPECT_FALSE(standby.replica.Step(now_us_));
    EXPECT_EQ(standby.store.Describe(), known);
    EXPECT_TRUE(standby.replica.is_whole());
}

TEST_F(SaReplicaTest, AFrameThatDoesNotFollowIsRefused) {
    Standby standby(fabric());
    const auto frame_of = [](std::uint32_t generation, std::uint32_t sequence) {
        std::vector<std::byte> frame(sizeof(SaFrameHead));
        SaFrameHead head;
        head.generation = generation;
        head.sequence = sequence;
        CloseFrame(frame, head);
        return frame;
    };
    EXPECT_EQ(standby.replica.Take(frame_of(1, 1)), Status::kMalformed) << "none came before";
    EXPECT_EQ(standby.replica.Take(frame_of(1, 0)), Status::kOk);
    EXPECT_EQ(standby.replica.Take(frame_of(1, 2)), Status::kMalformed);
    EXPECT_EQ(standby.replica.Take(frame_of(2, 1)), Status::kMalformed);
    std::vector<std::byte> damaged = frame_of(1, 1);
    damaged[9] ^= std::byte{1};
    EXPECT_EQ(standby.replica.Take(damaged), Status::kMalformed);
    std::vector<std::byte> longer = frame_of(1, 1);
    longer.push_back(std::byte{0});
    EXPECT_EQ(standby.replica.Take(longer), Status::kMalformed);
    EXPECT_EQ(standby.replica.Take(frame_of(1, 1)), Status::kOk);
    standby.replica.Forget();
    EXPECT_EQ(standby.replica.Take(frame_of(1, 2)), Status::kMalformed);
}

TEST_F(SaReplicaTest, WhatDoesNotFitIsToldAndTheReplicaIsNotWhole) {
    Limits small = SmallSaLimits();
    small.max_members = 2;
    Standby standby(fabric(), small);
    for (int i = 0; i < 120; ++i) {
        Change();
    }
    journal_.Begin(0);
    Run(standby, 300 * kMs);
    EXPECT_TRUE(standby.replica.is_overfull());
    EXPECT_FALSE(standby.replica.is_whole());
    EXPECT_GT(standby.replica.unusable(), 0U);
}

}  // namespace
}  // namespace ember::testing
