// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what option files name that is not in the subnet.

#include "core/routing/option_check.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

constexpr Guid kNobody{0xEE};
constexpr Guid kNobodyElse{0xEF};

/// A switch with 3 hosts.
class OptionChecks : public ::testing::Test {
protected:
    OptionChecks() {
        for (const net::NetNode& node : netlist_.nodes) {
            if (node.is_switch()) hub_ = node.guid;
        }
        topology_.Build(built_.fabric(), Order::kOpensm, storage_.arena());
        for (const Destination& row : topology_.destinations()) {
            if (!row.is_switch()) host_ = row.port_guid;
        }
    }

    [[nodiscard]] OptionReport Check() {
        OptionCheck check;
        check.Begin(topology_, options_);
        for (slices_ = 1; check.Advance() == Progress::kMore; ++slices_) {
        }
        return check.report();
    }
    /// How many files have misses.
    [[nodiscard]] static std::size_t CountMissing(const OptionReport& report) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < kOptionFiles; ++i) {
            count += report[static_cast<OptionFile>(i)].any() ? 1U : 0U;
        }
        return count;
    }
    /// Exactly one file has misses: so many GUIDs, the first of which is kNobody.
    static void ExpectNobody(const OptionReport& report, OptionFile file, std::uint32_t guids) {
        EXPECT_EQ(CountMissing(report), 1U) << NameOf(file);
        EXPECT_EQ(report[file].guids, guids) << NameOf(file);
        EXPECT_EQ(report[file].first_guid, kNobody) << NameOf(file);
        EXPECT_EQ(report[file].ports, 0U) << NameOf(file);
    }

    net::Netlist netlist_ = net::SingleSwitch(3);
    testing::BuiltFabric built_{netlist_};
    testing::ArenaStorage storage_{1U << 20};
    Topology topology_;
    EngineOptions options_;
    EngineTables& tables_ = options_.tables;
    Guid hub_ = kNoGuid;
    Guid host_ = kNoGuid;
    std::size_t slices_ = 0;  ///< Of the last Check().
};

TEST_F(OptionChecks, CountsHostsThatNameRootsApartButUnderTheOrderOfOpensm) {
    const std::array roots = {kNobody, hub_, host_};
    tables_.roots = roots;
    const OptionMisses misses = Check()[OptionFile::kRoots];
    EXPECT_EQ(misses.guids, 1U);
    EXPECT_EQ(misses.hosts, 1U);
    EXPECT_EQ(misses.first_host, host_);
    options_.order = Order::kOpensm;
    const OptionMisses as_opensm = Check()[OptionFile::kRoots];
    EXPECT_EQ(as_opensm.guids, 2U);
    EXPECT_EQ(as_opensm.hosts, 0U);
}

TEST_F(OptionChecks, HasNothingToSayAboutNoFiles) {
    EXPECT_EQ(CountMissing(Check()), 0U);
}

TEST_F(OptionChecks, HasNothingToSayAboutWhatIsThere) {
    const std::array switches = {hub_};
    const std::array hosts = {host_};
    const std::array order = {host_, hub_};  // A switch's port 0 can be named in it.
    const std::array weights = {HopWeight{hub_, PortNumber{3}, 2}};
    const std::array ignored = {SwitchPort{hub_, PortNumber{0}}};
    const std::array search = {PortOrder{.guid = hub_, .first = 0, .count = 2}};
    const std::array ports = {PortNumber{3}, PortNumber{1}};
    tables_.roots = switches;
    tables_.compute_nodes = tables_.io_nodes = hosts;
    tables_.routing_order = order;
    tables_.hop_weights = weights;
    tables_.ignored = ignored;
    tables_.search = search;
    tables_.search_ports = ports;
    EXPECT_EQ(CountMissing(Check()), 0U);
}

TEST_F(OptionChecks, CountsGuidsThatNoNodeHas) {
    const std::array guids = {hub_, kNobody, kNobodyElse};
    tables_.roots = guids;
    ExpectNobody(Check(), OptionFile::kRoots, 2);
    tables_ = {};
    tables_.routing_order = guids;
    ExpectNobody(Check(), OptionFile::kRoutingOrder, 2);

    const std::array hosts = {host_, kNobody};
    tables_ = {};
    tables_.compute_nodes = hosts;
    ExpectNobody(Check(), OptionFile::kComputeNodes, 1);
    tables_ = {};
    tables_.io_nodes = hosts;
    ExpectNobody(Check(), OptionFile::kIoNodes, 1);

    const std::array ids = {GuidNumber{kNobody, 1}, GuidNumber{hub_, 2}};
    tables_ = {};
    tables_.ids = ids;
    ExpectNobody(Check(), OptionFile::kIds, 1);
}

TEST_F(OptionChecks, CountsEachSwitchOfASeedThatIsNotThere) {
    const std::array good = {TorusSeed{.from = hub_, .to = {kNoGuid, hub_}}};
    tables_.torus_seeds = good;
    EXPECT_EQ(CountMissing(Check()), 0U) << "what is not said is not missed";
    const std::array seeds = {good[0],
                              TorusSeed{.from = hub_, .to = {kNoGuid, kNobody, kNobodyElse}}};
    tables_.torus_seeds = seeds;
    ExpectNobody(Check(), OptionFile::kTorus, 2);
    EXPECT_EQ(NameOf(OptionFile::kTorus), "torus_config");
}

TEST_F(OptionChecks, CountsSwitchesThatAreNotThere) {
    const std::array weights = {HopWeight{kNobody, PortNumber{1}, 2}};
    tables_.hop_weights = weights;
    ExpectNobody(Check(), OptionFile::kHopWeights, 1);

    const std::array ignored = {SwitchPort{kNobody, PortNumber{77}}};
    tables_ = {};
    tables_.ignored = ignored;
    ExpectNobody(Check(), OptionFile::kIgnoredPorts, 1);

    const std::array search = {PortOrder{.guid = kNobody, .first = 0, .count = 1}};
    const std::array ports = {PortNumber{77}};
    tables_ = {};
    tables_.search = search;
    tables_.search_ports = ports;
    ExpectNobody(Check(), OptionFile::kSearchOrder, 1);

    const std::array lfts = {FileTable{.guid = kNobody}};
    tables_ = {};
    tables_.lfts = lfts;
    ExpectNobody(Check(), OptionFile::kLfts, 1);

    const std::array matrix = {FileMatrix{.guid = kNobody}};
    tables_ = {};
    tables_.matrix = matrix;
    ExpectNobody(Check(), OptionFile::kLidMatrix, 1);
}

/// Among the roots it names the switch that it hangs on.
TEST_F(OptionChecks, TakesAHostForNoSwitch) {
    const std::array numbers = {GuidNumber{host_, 1}};
    tables_.ids = numbers;
    EXPECT_EQ(Check()[OptionFile::kIds].first_guid, host_);
}

TEST_F(OptionChecks, CountsPortsThatTheSwitchDoesNotHave) {
    const std::array weights = {HopWeight{hub_, PortNumber{3}, 2},
                                HopWeight{hub_, PortNumber{4}, 2},
                                HopWeight{hub_, PortNumber{5}, 2}};
    const std::array ignored = {SwitchPort{hub_, PortNumber{200}}};
    const std::array search = {PortOrder{.guid = hub_, .first = 0, .count = 3}};
    const std::array ports = {PortNumber{1}, PortNumber{9}, PortNumber{10}};
    tables_.hop_weights = weights;
    tables_.ignored = ignored;
    tables_.search = search;
    tables_.search_ports = ports;
    const OptionReport report = Check();
    EXPECT_EQ(CountMissing(report), 3U);
    EXPECT_EQ(report[OptionFile::kHopWeights].ports, 2U);
    EXPECT_EQ(report[OptionFile::kHopWeights].first_switch, hub_);
    EXPECT_EQ(report[OptionFile::kHopWeights].first_port, PortNumber{4});
    EXPECT_EQ(report[OptionFile::kHopWeights].guids, 0U);
    EXPECT_EQ(report[OptionFile::kIgnoredPorts].first_port, PortNumber{200});
    EXPECT_EQ(report[OptionFile::kSearchOrder].ports, 1U);  // A line counts once.
    EXPECT_EQ(report[OptionFile::kSearchOrder].first_port, PortNumber{9});
}

TEST_F(OptionChecks, CutsLongFilesInSlicesAndCountsAcrossThem) {
    std::vector<Guid> order(50001, host_);
    order[20000] = kNobody;
    order[50000] = kNobodyElse;
    const std::vector<SwitchPort> ignored(30000, {hub_, PortNumber{77}});
    tables_.routing_order = order;
    tables_.ignored = ignored;
    const OptionReport report = Check();
    EXPECT_GE(slices_, std::size_t{80001} / 4096);
    EXPECT_EQ(report[OptionFile::kRoutingOrder].guids, 2U);
    EXPECT_EQ(report[OptionFile::kRoutingOrder].first_guid, kNobody);
    EXPECT_EQ(report[OptionFile::kIgnoredPorts].ports, 30000U);
    EXPECT_EQ(CountMissing(report), 2U);
}

TEST_F(OptionChecks, KnowsTheOptionsByName) {
    EXPECT_EQ(NameOf(OptionFile::kRoots), "root_guid_file");
    EXPECT_EQ(NameOf(OptionFile::kLidMatrix), "lid_matrix_dump_file");
}

}  // namespace
}  // namespace ember
