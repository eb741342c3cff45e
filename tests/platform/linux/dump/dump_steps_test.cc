// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the dump files that each step of a chain has.
//
// Method: a chain for the whole fabric and for a part, in which one engine fails; a dump, and its
//         files beside those of the whole.

#include <array>
#include <set>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/settings/qos_tables.h"
#include "tests/platform/linux/dump/dump_harness.h"
#include "tests/support/acting_engine.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using testing::SimWorld;

class DumpSteps : public testing::DumpHarness {
protected:
    DumpSteps() : DumpHarness(EMBER_SOURCE_DIR) {}

    /// A tree of 2 spines and 4 leaves; the topology has the switches from the second on.
    void Route(std::vector<ChainStep> steps) {
        std::vector<std::uint64_t> guids;
        for (const net::NetNode& node : tree_.nodes) {
            if (node.is_switch()) guids.push_back(Raw(net::PortGuid(node, 0)));
        }
        std::sort(guids.begin(), guids.end());
        rules_ = {{guids[0], guids[0], 0, kLastPortOfAll}};
        left_out_ = guids[0];
        groups_ = {{.guids = 1}};
        topologies_ = {{.id = 1,
                        .switches = kGroupOfTypes | qos_node_type::kSwitch,
                        .end_ports = kGroupOfTypes | qos_node_type::kCa},
                       {.id = 2, .switches = 0, .end_ports = kGroupOfTypes | qos_node_type::kCa}};
        steps_ = std::move(steps);
        settings_.manager_tables.port_groups = groups_;
        settings_.manager_tables.port_group_rules = rules_;
        settings_.manager_tables.topologies = topologies_;
        settings_.manager_tables.chain_steps = steps_;
        world_ = std::make_unique<SimWorld>(tree_);
        world_->AddManager(settings_);
        world_->AddEngine(failing_);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilUp(60 * testing::kSecond)) << world_->Notes();
    }
    /// The names of the files.
    std::set<std::string> Dump() {
        EXPECT_EQ(sink_.Open(folder_.c_str()), Status::kOk);
        DumpEnd how = steps_job_.Begin(world_->sm(), sink_);
        for (int i = 0; i < 100'000 && how == DumpEnd::kRunning; ++i) {
            how = steps_job_.Advance(world_->sm(), 1000);
        }
        EXPECT_EQ(how, DumpEnd::kWritten);
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }
    [[nodiscard]] std::string Text(const std::string& name) { return ReadFile(folder_ / name); }

    net::Netlist tree_ = net::FatTree2(4);
    Settings settings_ = testing::OpensmSettings();
    std::vector<PortGroup> groups_;
    std::vector<PortGroupRule> rules_;
    std::vector<PortTopology> topologies_;
    std::vector<ChainStep> steps_;
    std::uint64_t left_out_ = 0;
    testing::ActingEngine failing_{EngineKind::kFtree, "ftree", {}};
    std::unique_ptr<SimWorld> world_;
    std::array<std::uint8_t, StepReplay::LftBytes(kSimSmall)> lfts_{};
    std::array<std::uint8_t, StepReplay::HopMatrixBytes(kSimSmall)> hops_{};
    DumpJob steps_job_{DumpJob::Room{nodes_, switches_, scratch_, {lfts_, hops_}}};
};

TEST_F(DumpSteps, HaveTheFilesOfTheWholeWhereTheyAreForTheWhole) {
    Route({{.id = 1, .engine = EngineKind::kMinHop}});
    const auto names = Dump();
    for (const auto& [whole, step] :
         {std::pair{"opensm-subnet.lst", "opensm-subnet.1.minhop.lst"},
          std::pair{"opensm-lfts.dump", "opensm-lfts.1.minhop.dump"},
          std::pair{"opensm.fdbs", "opensm.fdbs.1.minhop"},
          std::pair{"opensm-lid-matrix.dump", "opensm-lid-matrix.1.minhop.dump"}}) {
        ASSERT_EQ(names.count(step), 1U) << step;
        EXPECT_EQ(Text(step), Text(whole)) << step;
    }
    EXPECT_EQ(names.count("opensm.mcfdbs"), 1U);
    EXPECT_EQ(names.count("opensm.mcfdbs.1.minhop"), 0U) << "once for the fabric";
}

/// The names are those of the documents: number and engine, and the engine that failed too.
TEST_F(DumpSteps, TellOfTheEngineThatFailedAndOfTheOneInItsPlace) {
    failing_.status = Status::kUnreachable;
    Route({{.id = 1, .engine = EngineKind::kMinHop},
           {.id = 2, .topology = 1, .engine = EngineKind::kFtree},
           {.id = 3, .topology = 1, .fallback_of = 2, .engine = EngineKind::kMinHop}});
    const auto names = Dump();
    for (const char* const name :
         {"opensm-lid-matrix.2.ftree.dump", "opensm-lid-matrix.3.minhop.dump",
          "opensm.fdbs.2.ftree", "opensm.fdbs.3.minhop", "opensm-subnet.2.ftree.lst",
          "opensm-lfts.3.minhop.dump"}) {
        EXPECT_EQ(names.count(name), 1U) << name;
    }
    EXPECT_NE(Text("opensm.fdbs.2.ftree").find("UNREACHABLE"), std::string::npos);
    EXPECT_EQ(Text("opensm.fdbs.3.minhop").find("UNREACHABLE"), std::string::npos);
}

TEST_F(DumpSteps, TellOfTheirPartAlone) {
    Route({{.id = 1, .engine = EngineKind::kMinHop},
           {.id = 4, .topology = 2, .engine = EngineKind::kMinHop}});
    Dump();
    const std::string whole = Text("opensm-lfts.1.minhop.dump");
    const std::string part = Text("opensm-lfts.4.minhop.dump");
    const auto switches = [](const std::string& text) {
        std::size_t count = 0;
        for (std::size_t at = text.find("Unicast lids"); at != std::string::npos;
             at = text.find("Unicast lids", at + 1)) {
            ++count;
        }
        return count;
    };
    EXPECT_EQ(switches(whole), 6U);
    EXPECT_EQ(switches(part), 1U);
    EXPECT_LT(Text("opensm-subnet.4.minhop.lst").size(), Text("opensm-subnet.lst").size());
    EXPECT_LT(Text("opensm.fdbs.4.minhop").size(), Text("opensm.fdbs").size() / 6);
}

TEST_F(DumpSteps, AreLeftOutWithoutRoomForThem) {
    Route({{.id = 1, .engine = EngineKind::kMinHop}});
    ASSERT_EQ(Begin(world_->sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world_->sm()), DumpEnd::kWritten);
    EXPECT_FALSE(fs::exists(folder_ / "opensm.fdbs.1.minhop"));
}

}  // namespace
}  // namespace ember
