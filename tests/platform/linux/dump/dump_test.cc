// SPDX-License-Identifier: Apache-2.0
// EmberSM: dump files equal those of OpenSM 3.3.23 on the same fabric.
//
// Goal:   every octet of every file, so that tools which read OpenSM's files read ours.
// Method: tests/golden/dumps/ring holds a netlist and what OpenSM (minhop, from nothing, seated at
//         the switch S-000002 of ibsim) wrote about it. The same netlist is simulated here.

#include <algorithm>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "platform/linux/dump/dump_job.h"
#include "tests/platform/linux/dump/dump_harness.h"
#include "tests/support/routing_run.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// OpenSM writes guid2lid in the order of a hash table.
std::string SortedLines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    std::string sorted;
    for (const std::string& line : lines) {
        sorted += line + "\n";
    }
    return sorted;
}

/// ibsim's chips know no extended speeds, and their links run at SDR.
SimWorld::Options AsIbsim() {
    SimWorld::Options options;
    options.hardware.extended_speeds = false;
    return options;
}

class DumpTest : public DumpHarness {
protected:
    DumpTest() : DumpHarness(EMBER_SOURCE_DIR) {}

    /// Dumps what `world` has, and holds it against OpenSM's files.
    void ExpectFilesOf(SimWorld& world, const std::string& name) {
        ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond)) << world.Notes();
        ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
        ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
        std::uintmax_t bytes = 0;
        for (const DumpFile& file : kDumpFiles) {
            EXPECT_EQ(fs::exists(folder_ / file.name), job_.Has(file)) << file.name;
            ASSERT_EQ(fs::exists(golden_ / name / file.name), job_.Has(file)) << file.name;
            if (!job_.Has(file)) continue;
            std::string ours = ReadFile(folder_ / file.name);
            std::string theirs = ReadFile(golden_ / name / file.name);
            bytes += ours.size();
            if (file.name == "guid2lid") {
                ours = SortedLines(ours);
                theirs = SortedLines(theirs);
            }
            const auto differ =
                std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
            EXPECT_TRUE(ours == theirs)
                << file.name << " from octet " << differ.first - ours.begin();
        }
        EXPECT_EQ(job_.written_bytes(), bytes);
    }
};

TEST_F(DumpTest, IsNotWrittenByWhoFoundMoreThanItHasRoutedAndHandedItOver) {
    // Two halves with a master each are joined: the lower one finds out what there is, and that it
    // is another's.
    SimWorld world(net::ParallelLinks(1, 4));
    std::uint32_t trunk = sim::kNoRow;
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        const sim::SimNode& node = world.world().node_of(row);
        const std::uint32_t far = world.world().Beyond(row);
        if (far == sim::kNoRow) continue;
        if (!node.is_switch()) hosts.push_back(world.world().port(row).node);
        if (node.is_switch() && world.world().node_of(far).is_switch()) trunk = row;
    }
    ASSERT_NE(trunk, sim::kNoRow);
    world.sim().Do(sim::FabricSim::Action::kCut, trunk);
    Settings low = testing::BriskSettings();
    low.sm_priority = 1;
    Settings high = low;
    high.sm_priority = 9;
    world.AddManager(hosts.front(), 1, low);
    world.AddManager(hosts.back(), 1, high);
    ASSERT_TRUE(world.RunUntil(
        [&] { return world.sm(0).progress().up_count > 0 && world.sm(1).progress().up_count > 0; },
        60 * testing::kSecond));
    ASSERT_EQ(world.sm(0).status().nodes, 5U);
    world.sim().Do(sim::FabricSim::Action::kJoin, trunk);
    ASSERT_TRUE(world.RunUntil([&] { return world.sm(0).role().state() == SmState::kStandby; },
                               60 * testing::kSecond))
        << world.Notes(0);
    EXPECT_EQ(world.sm(0).fabric().switch_count(), 2U);
    EXPECT_EQ(Begin(world.sm(0)), DumpEnd::kNotResting);
    // The first offer was accepted: a manager that was refused would have routed both halves.
    EXPECT_EQ(world.Heard(Note::kHandoverFailed, 0), 0U) << world.Notes(0);
}

TEST_F(DumpTest, EqualsThatOfOpensmOctetForOctet) {
    const net::Netlist netlist = Ring();
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("S-000002"), 0, testing::OpensmSettings());
    ExpectFilesOf(world, "ring");
}

/// tests/golden/dumps/ring-lanes: the same OpenSM with `qos TRUE` and the maps below.
TEST_F(DumpTest, WithLanesHasTheMapsOfAllPorts) {
    const net::Netlist netlist = Ring();
    Settings settings = testing::OpensmSettings();
    settings.qos = true;
    const auto set = [&settings](LanePorts kind, std::uint8_t first) {
        for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
            const auto vl = static_cast<std::uint8_t>(sl == 0 ? first : sl % 4);
            ASSERT_EQ(settings.lanes[Raw(kind)].sl_to_vl.TryPush(vl), Status::kOk);
        }
    };
    set(LanePorts::kCa, 1);
    set(LanePorts::kSwitch0, 2);
    set(LanePorts::kSwitchExternal, 3);
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("S-000002"), 0, settings);
    ASSERT_TRUE(world.RunUntilQuiet(60 * testing::kSecond)) << world.Notes();
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    EXPECT_EQ(ReadFile(folder_ / "opensm-sl2vl.dump"),
              ReadFile(golden_ / "ring-lanes" / "opensm-sl2vl.dump"));
}

TEST_F(DumpTest, OfUpDnHasTheHopsOfLegalWaysOnly) {
    const net::Netlist netlist = Recorded("uneven-updn");
    const std::array roots = {netlist.nodes[netlist.Find("S-spine0")].guid,
                              netlist.nodes[netlist.Find("S-spine1")].guid};
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("H-0.0"), 1, settings);
    ExpectFilesOf(world, "uneven-updn");
}

TEST_F(DumpTest, OfFtreeHasTheOrderOfNodesWithItsDummies) {
    const net::Netlist netlist = Recorded("uneven-ftree");
    Settings settings = testing::OpensmSettings();
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kFtree), Status::kOk);
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("H-0.0"), 1, settings);
    ExpectFilesOf(world, "uneven-ftree");
}

TEST_F(DumpTest, UnderTheBalancedOrderHasNoOrderOfNodes) {
    const net::Netlist netlist = Recorded("uneven-ftree");
    Settings settings;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kFtree), Status::kOk);
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("H-0.0"), 1, settings);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    EXPECT_FALSE(fs::exists(folder_ / "opensm-ftree-ca-order.dump"));
    EXPECT_TRUE(fs::exists(folder_ / "opensm-lid-matrix.dump"));
}

TEST_F(DumpTest, IsTheSameWhenHopsOfFewSwitchesFitAtATime) {
    Settings settings = testing::OpensmSettings();
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kDnUp), Status::kOk);
    constexpr std::size_t kPorts = 16;
    SimWorld world(net::FatTree2(kPorts));
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    const SortedCounts counts = SortAsOpensm(world.sm().fabric(), nodes_, switches_);
    const HopReport::Case given = {.fabric = &world.sm().fabric(),
                                   .options = &world.sm().settings(),
                                   .engine = EngineKind::kDnUp,
                                   .hops = world.sm().router().hops(),
                                   .order = std::span(switches_).first(counts.switches)};
    std::size_t used = scratch_.size();
    std::vector<std::uint8_t> found[2];
    std::size_t searches[2] = {0, 0};
    for (const std::size_t run : {0U, 1U}) {
        Arena arena(std::span<std::byte>(scratch_).first(used));
        HopReport report;
        report.Begin(given, arena);
        for (std::size_t row = 0; row < counts.switches; ++row) {
            searches[run] += report.Has(row) ? 0U : 1U;
            for (int i = 0; i < 10000 && !report.Has(row); ++i) {
                report.WorkOn(row);
            }
            for (const SwitchIndex to : given.order) {
                for (std::size_t port = 0; port <= kPorts + 1; ++port) {  // A port too many.
                    found[run].push_back(report.Hops(given.order[row], to, port));
                }
            }
        }
        used = arena.used_bytes() - counts.switches * counts.switches * (kPorts + 1) / 2;
    }
    EXPECT_EQ(searches[0], 1U);
    EXPECT_GE(searches[1], 2U);
    EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace ember::testing
