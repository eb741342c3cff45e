// SPDX-License-Identifier: Apache-2.0
// EmberSM: sites that are drawn, and the judges of lanes, partitions and keys.
//
// Goal:   every part of a site occurs, none changes what another draws, and each judge sees what it
//         is there for.
// Method: many stories are drawn; a world that is well is broken on purpose.
#include "tests/swarm/site.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "tests/swarm/swarm.h"

namespace ember::swarm {
namespace {

constexpr std::uint32_t kAllParts = (1U << kSiteParts) - 1;

std::uint32_t Without(SitePart part) {
    return 1U << static_cast<unsigned>(part);
}

TEST(Sites, HaveEachPartInSomeStories) {
    for (std::size_t row = 0; row < kSiteParts; ++row) {
        std::size_t stories = 0;
        for (std::uint64_t seed = 1; seed <= 500; ++seed) {
            const Case which{.seed = seed, .with_known = true};
            if (Takes(which, static_cast<SitePart>(row))) ++stories;
        }
        const std::uint32_t expected = 500 / kSitePartRows[row].one_in;
        EXPECT_GT(stories, expected / 2) << kSitePartRows[row].name;
        EXPECT_LT(stories, expected * 2) << kSitePartRows[row].name;
    }
}

TEST(Sites, LeaveTheRestOfAStoryAsItIs) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const std::uint32_t all =
            kAllParts & ~Without(SitePart::kSize) & ~Without(SitePart::kChanges);
        const Story with = Draw({.seed = seed});
        const Story without = Draw({.seed = seed, .without = all});
        EXPECT_EQ(with.shape, without.shape);
        ASSERT_EQ(with.events.size(), without.events.size());
        for (std::size_t i = 0; i < with.events.size(); ++i) {
            EXPECT_EQ(with.events[i].seed, without.events[i].seed);
        }
        EXPECT_EQ(with.seats.size(), without.seats.size());
    }
}

TEST(Sites, HaveChainsOfTwoToFourStepsOfAllEngines) {
    std::set<std::size_t> lengths;
    std::set<EngineKind> engines;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const Case which{.seed = seed, .with_known = true};
        if (!Takes(which, SitePart::kChain)) continue;
        const Story story = Draw(which);
        const auto steps = story.seats[0].settings.manager_tables.chain_steps;
        lengths.insert(steps.size());
        EXPECT_EQ(steps[0].topology, 0U) << "the first is for the whole subnet";
        for (const ChainStep& step : steps) {
            engines.insert(step.engine);
        }
    }
    EXPECT_EQ(lengths, (std::set<std::size_t>{2, 3, 4}));
    EXPECT_EQ(engines.size(), 12U);
}

/// The engine in force is torus-2QoS itself, and nothing after it.
TEST(Sites, DescribeTheTorusThatAFabricIs) {
    std::size_t tori = 0;
    for (std::uint64_t seed = 1; seed <= 300 && tori < 5; ++seed) {
        Story story =
            Draw({.seed = seed, .only = std::vector<std::uint32_t>{}, .without = kAllParts});
        if (!story.shape.starts_with("torus:")) continue;
        ++tori;
        story.board = Board::kRoomy;
        story.hardware = {};
        story.seats.resize(1);
        story.seats[0].start_us = 0;
        story.seats[0].settings.routing_engine.clear();
        static_cast<void>(story.seats[0].settings.routing_engine.TryPush(EngineKind::kTorus2Qos));
        story.seats[0].settings.qos = true;
        Swarm swarm(story, {});
        const Outcome outcome = swarm.Run();
        EXPECT_FALSE(outcome.failed()) << story.shape << ": " << outcome.what;
        EXPECT_EQ(swarm.world().sm(0).router().verdict().engine, "torus-2QoS") << story.shape;
    }
    EXPECT_EQ(tori, 5U);
}

TEST(Sites, HaveFabricsOfUpToFourHundredLids) {
    std::size_t largest = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const Case which{.seed = seed, .with_known = true};
        if (Takes(which, SitePart::kSize)) {
            largest = std::max(largest, Draw(which).netlist.nodes.size());
        }
    }
    EXPECT_GT(largest, 256U);
    EXPECT_LE(largest, 576U) << "what the board has room for";
}

/// The first story whose site has all these parts, of one manager, in which nothing happens.
Story QuietSite(std::initializer_list<SitePart> parts) {
    for (std::uint64_t seed = 1;; ++seed) {
        Case which{.seed = seed, .only = std::vector<std::uint32_t>{}, .with_known = true};
        which.without = kAllParts;
        for (const SitePart part : parts) {
            which.without &= ~Without(part);
        }
        const bool has_all = std::all_of(parts.begin(), parts.end(), [&](SitePart part) {
            return Takes(which, part).has_value();
        });
        if (!has_all) continue;
        Story story = Draw(which);
        if (story.netlist.switch_count() < 2 || story.seats.size() != 1) continue;
        story.board = Board::kRoomy;
        story.hardware = {};
        story.seats[0].settings.part_enforce = PartEnforce::kBoth;
        return story;
    }
}

class WellSite {
public:
    explicit WellSite(std::initializer_list<SitePart> parts)
        : story_(QuietSite(parts)), swarm_(story_, {}) {
        const Outcome outcome = swarm_.Run();
        EXPECT_FALSE(outcome.failed()) << outcome.oracle << ": " << outcome.what;
    }
    [[nodiscard]] std::string Complaint() {
        std::string_view oracle;
        std::string complaint;
        static_cast<void>(swarm_.watch().IsHealthy(oracle, complaint));
        return std::string(oracle);
    }
    /// Of the last host.
    [[nodiscard]] std::uint32_t row() { return swarm_.sim().RowOf(swarm_.hosts().back(), 1); }
    sim::World& hardware() { return swarm_.world().world(); }

    Story story_;
    Swarm swarm_;
};

TEST(WellSites, APKeyThatNoFileGivesIsSeen) {
    WellSite site({SitePart::kPartitions});
    const auto block = site.hardware().PKeyBlock(site.row(), 0);
    block[62] = 0x80;
    block[63] = 0x55;
    EXPECT_EQ(site.Complaint(), "partitions are kept");
}

TEST(WellSites, ASwitchPortThatEnforcesNothingIsSeen) {
    WellSite site({SitePart::kPartitions});
    site.hardware()
        .port(site.hardware().Wired(site.row()))
        .info.Set(PortInfo::kPartitionEnforcement, std::uint8_t{0});
    EXPECT_EQ(site.Complaint(), "partitions are kept");
    EXPECT_NE(UpMeansUp(site.swarm_), "");
}

TEST(WellSites, AnMKeyThatIsGoneIsSeen) {
    WellSite site({SitePart::kKeys});
    site.hardware().port(site.row()).info.Set(PortInfo::kMKey, std::uint64_t{0});
    EXPECT_EQ(site.Complaint(), "ports are locked");
}

TEST(WellSites, AMapToALaneThatALinkHasNotIsSeen) {
    WellSite site({SitePart::kLanes});
    for (std::uint8_t& octet : site.hardware().SlToVl(site.row(), 0, 0)) {
        octet = 0xEE;
    }
    EXPECT_EQ(site.Complaint(), "packets arrive");
}

TEST(WellSites, ALaneThatNoArbitrationServesIsSeen) {
    WellSite site({SitePart::kLanes});
    for (std::uint32_t block = 1; block <= 4; ++block) {
        for (std::uint8_t& octet : site.hardware().VlArbBlock(site.row(), block)) {
            octet = 14;  // VL 14, weight 14.
        }
    }
    EXPECT_EQ(site.Complaint(), "packets arrive");
}

}  // namespace
}  // namespace ember::swarm
