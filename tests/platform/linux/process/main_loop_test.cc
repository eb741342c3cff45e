// SPDX-License-Identifier: Apache-2.0
// EmberSM: the loop ends when it should, and serves everybody meanwhile.

#include "platform/linux/process/main_loop.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "platform/linux/emberctl/client.h"
#include "platform/linux/emberctl/dump.h"
#include "platform/linux/embersm/sim_waiting.h"
#include "platform/linux/system/clock.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using testing::SimWorld;

class MainLoopTest : public ::testing::Test {
protected:
    void Compose(const net::Netlist& netlist, const Settings& settings) {
        world_.emplace(netlist);
        world_->AddManager(settings);
        waiting_.emplace(world_->sim());
        ASSERT_EQ(signals_.Open(), Status::kOk);
        control_.emplace(ControlServer::Parts{
            .sm = world_->sm(), .memory = {}, .configuration = configuration_, .dump = dump_});
        world_->sm().log().SetMinimum(Severity::kError);
    }
    LoopEnd Run(bool once) {
        MainLoop loop{world_->sm(), world_->sim().clock(), *waiting_, signals_, log_, *control_,
                      once};
        return loop.Run();
    }

    std::optional<SimWorld> world_;
    std::optional<SimWaiting> waiting_;
    Signals signals_;
    LogOutput log_{{}};
    ConfigurationReport configuration_;
    std::array<NodeIndex, 256> nodes_{};
    std::array<SwitchIndex, 256> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob dump_{DumpJob::Room{nodes_, switches_, scratch_}};
    std::optional<ControlServer> control_;
};

TEST_F(MainLoopTest, EndsAtTheFirstSubnetUpWhenThatIsAllThatIsWanted) {
    Compose(net::FatTree2(4), Settings{});
    EXPECT_EQ(Run(true), LoopEnd::kUp);
    EXPECT_TRUE(world_->sm().progress().up);
}

TEST_F(MainLoopTest, WritesTheDumpFilesThatAreWantedBeforeItEnds) {
    Settings settings;
    settings.log_flags = kLogRouting;
    settings.sa_db_dump = true;
    Compose(net::FatTree2(4), settings);
    const fs::path folder = fs::path(::testing::TempDir()) / "main_loop_dumps";
    fs::remove_all(folder);
    fs::create_directory(folder);
    SweepDumps dumps(world_->sm(), dump_);
    ASSERT_EQ(dumps.Open(folder), "");
    control_.emplace(ControlServer::Parts{.sm = world_->sm(),
                                          .memory = {},
                                          .configuration = configuration_,
                                          .dump = dump_,
                                          .sweep_dumps = &dumps});
    EXPECT_EQ(Run(true), LoopEnd::kUp);
    EXPECT_TRUE(fs::exists(folder / "opensm-lfts.dump"));
    EXPECT_TRUE(fs::exists(folder / "opensm-sa.dump"));
    fs::remove_all(folder);
}

TEST_F(MainLoopTest, EndsWhenTheRoutingIsRefusedAndOnlyThatWasWanted) {
    Settings settings;
    settings.require_deadlock_free = true;
    settings.no_fallback = true;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kMinHop), Status::kOk);
    world_.reset();
    Compose(net::Ring(6, 1), settings);
    EXPECT_EQ(Run(true), LoopEnd::kNotUp);
    EXPECT_FALSE(world_->sm().progress().up);
}

TEST_F(MainLoopTest, EndsWhenItIsNotActiveAndOnlyTheSubnetWasWanted) {
    Settings settings;
    settings.sm_inactive = true;
    Compose(net::FatTree2(4), settings);
    EXPECT_EQ(Run(true), LoopEnd::kNotUp);
}

TEST_F(MainLoopTest, EndsByASignal) {
    Compose(net::FatTree2(4), Settings{});
    ASSERT_EQ(Run(true), LoopEnd::kUp);
    std::raise(SIGTERM);
    EXPECT_EQ(Run(false), LoopEnd::kAsked);
}

TEST_F(MainLoopTest, ServesItsClientsWhileItRuns) {
    Compose(net::FatTree2(4), Settings{});
    std::string pattern = fs::temp_directory_path() / "ember-loop-XXXXXX";
    const fs::path folder = mkdtemp(pattern.data());
    const std::string path = folder / "sock";
    ASSERT_EQ(control_->Open(path), "");
    ASSERT_EQ(Run(true), LoopEnd::kUp);
    waiting_->KeepPace();
    std::string answer;
    std::vector<std::string> files;
    std::thread client([&] {
        answer = ctl::Ask(path, "sweep heavy", 10);
        for (int i = 0; i < 500 && files.empty(); ++i) {
            try {
                files = ctl::Dump(path, folder, 10).files;
            } catch (const ctl::Trouble&) {  // The sweep is under way.
                usleep(20'000);
            }
        }
        kill(getpid(), SIGTERM);
    });
    EXPECT_EQ(Run(false), LoopEnd::kAsked);
    client.join();
    EXPECT_NE(answer.find(R"("sweep":"heavy")"), std::string::npos) << answer;
    EXPECT_GE(world_->sm().progress().heavy_sweeps, 2U);
    // The other two are of a node order of ftree and of lanes.
    EXPECT_EQ(files.size(), std::size(kDumpFiles) - 2);
    for (const std::string& file : files) {
        EXPECT_TRUE(fs::is_regular_file(folder / file)) << file;
    }
    fs::remove_all(folder);
}

TEST(SimWaiting, HurriesUntilItIsToldToKeepPace) {
    SimWorld world(net::FatTree2(4));
    SimWaiting waiting(world.sim());
    const LinuxClock host;
    const std::uint64_t began_us = host.NowUs();
    for (int i = 0; i < 100; ++i) {
        waiting.WaitUntil(world.now_us() + testing::kSecond, 0, {});
    }
    EXPECT_GE(world.now_us(), 100 * testing::kSecond);
    EXPECT_LT(host.NowUs() - began_us, 50 * testing::kSecond);

    waiting.KeepPace();
    const std::uint64_t host_us = host.NowUs();
    const std::uint64_t sim_us = world.now_us();
    while (host.NowUs() - host_us < 200 * testing::kMs) {
        waiting.WaitUntil(world.now_us() + testing::kSecond, 0, {});
    }
    EXPECT_LE(world.now_us() - sim_us, host.NowUs() - host_us + testing::kMs);
    EXPECT_GE(world.now_us() - sim_us, 100 * testing::kMs);
}

}  // namespace
}  // namespace ember
