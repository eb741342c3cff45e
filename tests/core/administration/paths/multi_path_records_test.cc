// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths between two sets of ports.

#include "core/administration/paths/multi_path_records.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/core/administration/paths/path_net.h"

namespace ember {
namespace {

using testing::kPrefix;
using testing::Mask;
using testing::PathAnswer;
using testing::PathNet;
using M = MultiPathRecord;
using P = PathRecord;

class MultiPathTest : public ::testing::Test {
protected:
    explicit MultiPathTest(std::uint8_t lmc = 0)
        : net_(net::FatTree2(4), WithLmc(lmc)), records_(net_.view(), net_.maker()) {}

    static net::BuiltFabric::Options WithLmc(std::uint8_t lmc) {
        net::BuiltFabric::Options options;
        options.lmc = lmc;
        return options;
    }

    /// The question with the GIDs of these hosts.
    std::vector<std::uint8_t> Question(const std::vector<std::uint32_t>& sources,
                                       const std::vector<std::uint32_t>& destinations) {
        asked_.Set(M::kSgidCount, static_cast<std::uint8_t>(sources.size()));
        asked_.Set(M::kDgidCount, static_cast<std::uint8_t>(destinations.size()));
        std::vector<std::uint8_t> octets(asked_.octets().begin(), asked_.octets().end());
        const auto add = [&](std::uint64_t word) {
            for (unsigned shift = 64; shift > 0; shift -= 8) {
                octets.push_back(static_cast<std::uint8_t>(word >> (shift - 8)));
            }
        };
        for (const auto* hosts : {&sources, &destinations}) {
            for (const std::uint32_t host : *hosts) {
                add(kPrefix);
                add(Raw(net_.port(host, 1).guid));
            }
        }
        return octets;
    }
    PathAnswer Ask(const std::vector<std::uint8_t>& question, std::uint64_t more = 0) {
        return net_.AskSource(records_, Method::kGetMulti, kCounts | more, question, budget_);
    }
    /// Hosts by the LIDs of the paths.
    std::vector<std::pair<Guid, Guid>> GuidsOf(const PathAnswer& answer) {
        std::vector<std::pair<Guid, Guid>> guids;
        for (const PathRecord& path : answer.records) {
            guids.emplace_back(path.Get(P::kSgidGuid), path.Get(P::kDgidGuid));
        }
        return guids;
    }
    Guid Host(std::uint32_t node) { return net_.port(node, 1).guid; }

    static constexpr std::uint64_t kCounts = Mask(M::kHasSgidCount, M::kHasDgidCount);
    PathNet net_;
    MultiPathRecords records_;
    MultiPathRecord asked_;
    std::uint32_t budget_ = 1000;
};

class MultiPathWithLmc : public MultiPathTest {
protected:
    MultiPathWithLmc() : MultiPathTest(1) {}
};

TEST_F(MultiPathTest, EachSourceHasAPathToEachDestination) {
    const auto question = Question({0, 2, 4}, {1, 6});
    const PathAnswer answer = Ask(question);
    const std::vector<std::pair<Guid, Guid>> expected{{Host(0), Host(1)}, {Host(0), Host(6)},
                                                      {Host(2), Host(1)}, {Host(2), Host(6)},
                                                      {Host(4), Host(1)}, {Host(4), Host(6)}};
    EXPECT_EQ(GuidsOf(answer), expected);
    for (budget_ = 1; budget_ < 40; budget_ += 7) {
        EXPECT_EQ(Ask(question).records, answer.records);
    }
    const PathRecord& path = answer.records[0];
    EXPECT_EQ(path.Get(P::kSlid), net_.port(0, 1).lid);
    EXPECT_EQ(path.Get(P::kDlid), net_.port(1, 1).lid);
    EXPECT_EQ(path.Get(P::kReversible), 1);
    EXPECT_EQ(path.Get(P::kPKey), 0xFFFF);
}

TEST_F(MultiPathTest, NumbPathBoundsAllPathsTogether) {
    asked_.Set(M::kNumbPath, std::uint8_t{3});
    EXPECT_EQ(Ask(Question({0, 2, 4}, {1, 6}), Mask(M::kHasNumbPath)).records.size(), 3U);
    asked_.Set(M::kNumbPath, std::uint8_t{0});
    EXPECT_TRUE(Ask(Question({0, 2, 4}, {1, 6}), Mask(M::kHasNumbPath)).records.empty());
}

TEST_F(MultiPathTest, MoreThan127PathsMustBeAskedFor) {
    const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
    std::vector<std::uint32_t> twice = all;
    twice.insert(twice.end(), all.begin(), all.end());
    EXPECT_EQ(Ask(Question(twice, twice)).records.size(), 127U);
}

TEST_F(MultiPathTest, WhatIsWrongHasAStatus) {
    const auto good = Question({0}, {1});
    EXPECT_EQ(Ask(good).status, SaStatus::kOk);
    for (const std::uint64_t mask :
         {std::uint64_t{0}, Mask(M::kHasSgidCount), Mask(M::kHasDgidCount),
          kCounts | Mask(M::kHasServiceIdHigh), kCounts | Mask(M::kHasServiceIdLow)}) {
        EXPECT_EQ(net_.AskSource(records_, Method::kGetMulti, mask, good).status,
                  SaStatus::kInsufficientComponents);
    }
    EXPECT_EQ(Ask(Question({}, {1})).status, SaStatus::kRequestInvalid);
    EXPECT_EQ(Ask(Question({1}, {})).status, SaStatus::kRequestInvalid);
    auto short_one = good;
    short_one.pop_back();  // The last GID is not whole.
    EXPECT_EQ(Ask(short_one).status, SaStatus::kRequestInvalid);
    EXPECT_EQ(Ask({}).status, SaStatus::kRequestInvalid);
    EXPECT_EQ(Ask({1, 2, 3}).status, SaStatus::kRequestInvalid);
    auto stranger = good;
    stranger.back() ^= 0x80;
    EXPECT_EQ(Ask(stranger).status, SaStatus::kRequestInvalidGid);
    auto far = good;
    far[sizeof(M) + 1] ^= 1;  // Another prefix.
    EXPECT_EQ(Ask(far).status, SaStatus::kRequestInvalidGid);
    asked_.Set(M::kRate, Rate{1});
    EXPECT_EQ(Ask(Question({0}, {1}), Mask(M::kHasRate, M::kHasRateSelector)).status,
              SaStatus::kRequestInvalid);
}

TEST_F(MultiPathTest, WishesHoldForEachPath) {
    net_.port(1, 1).info.Set(PortInfo::kMtuCap, Mtu::k2048);
    asked_.Set(M::kMtuSelector, Selector::kAbove);
    asked_.Set(M::kMtu, Mtu::k2048);
    asked_.Set(M::kSl, std::uint8_t{5});
    const PathAnswer answer =
        Ask(Question({0, 1}, {1, 2}), Mask(M::kHasMtu, M::kHasMtuSelector, M::kHasSl));
    const std::vector<std::pair<Guid, Guid>> expected{{Host(0), Host(2)}};
    EXPECT_EQ(GuidsOf(answer), expected);
    EXPECT_EQ(answer.records.at(0).Get(P::kSl), 5);
}

TEST_F(MultiPathWithLmc, AllLidPairsOfAPairOfPortsComeTogether) {
    const PathAnswer answer = Ask(Question({0}, {1, 2}));
    ASSERT_EQ(answer.records.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(answer.records[i].Get(P::kDgidGuid), i < 4 ? Host(1) : Host(2));
        EXPECT_EQ(answer.records[i].Get(P::kPreference), i % 4 < 2 ? 0 : 2);
    }
}

// Hosts 0 and 1 share a leaf, 2 and 3 another: (0, 1), (2, 3) is shorter than (0, 3), (2, 1).
TEST_F(MultiPathWithLmc, APathToMigrateToSharesNoEnd) {
    asked_.Set(M::kNumbPath, std::uint8_t{2});
    const auto ends_of = [&](const std::vector<std::uint32_t>& from,
                             const std::vector<std::uint32_t>& to) {
        const PathAnswer answer = Ask(Question(from, to), Mask(M::kHasNumbPath));
        EXPECT_EQ(answer.records.size(), 2U);
        const PathRecord& one = answer.records.at(0);
        const PathRecord& other = answer.records.at(1);
        // The offsets of the two sources follow each other, counted round.
        const auto offset = [&](const PathRecord& path) {
            return Raw(path.Get(P::kSlid)) -
                   Raw(net_.fabric().port(net_.fabric().FindPort(path.Get(P::kSgidGuid))).lid);
        };
        EXPECT_EQ((offset(one) + 1) % 2, offset(other));
        return GuidsOf(answer);
    };
    const std::vector<std::pair<Guid, Guid>> straight{{Host(0), Host(1)}, {Host(2), Host(3)}};
    EXPECT_EQ(ends_of({0, 2}, {1, 3}), straight);
    EXPECT_EQ(ends_of({2, 0}, {3, 1}), straight);  // Whichever comes first in the question.
    const std::vector<std::pair<Guid, Guid>> crossed{{Host(2), Host(3)}, {Host(4), Host(0)}};
    EXPECT_EQ(ends_of({2, 4}, {0, 3}), crossed);
    const std::vector<std::pair<Guid, Guid>> equal{{Host(0), Host(4)}, {Host(2), Host(6)}};
    EXPECT_EQ(ends_of({0, 2}, {4, 6}), equal);  // As long either way: the first stays.
}

}  // namespace
}  // namespace ember
