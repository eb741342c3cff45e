// SPDX-License-Identifier: Apache-2.0
// EmberSM: dump files equal those of OpenSM 3.3.23 on the same fabric.
//
// Goal:   every octet of every file, so that tools which read OpenSM's files read ours.
// Method: tests/golden/dumps/ring holds a netlist and what OpenSM (minhop, from nothing, seated at
//         the switch S-000002 of ibsim) wrote about it. The same netlist is simulated here.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platform/linux/dump/dump_directory.h"
#include "platform/linux/dump/dump_job.h"
#include "tests/support/routing_run.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using testing::SimWorld;

std::string ReadFile(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

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

class DumpTest : public ::testing::Test {
protected:
    DumpTest() {
        std::string pattern = fs::temp_directory_path() / "ember-dump-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~DumpTest() override { fs::remove_all(folder_); }

    static net::Netlist Recorded(const std::string& name) {
        net::NetErrors errors;
        const std::string text = ReadFile(golden() / name / "fabric.net");
        net::Netlist netlist = net::ParseNetlist(text, "fabric.net", errors);
        for (net::NetNode& node : netlist.nodes) {
            for (net::NetPort& port : node.ports) {
                port.speed = link_speed::kSdr;
            }
        }
        EXPECT_TRUE(errors.empty()) << errors.front();
        return netlist;
    }
    static net::Netlist Ring() { return Recorded("ring"); }
    static fs::path golden() { return fs::path(EMBER_SOURCE_DIR) / "tests/golden/dumps"; }

    /// Dumps what `world` has, and holds it against OpenSM's files.
    void ExpectFilesOf(SimWorld& world, const std::string& name) {
        ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond)) << world.Notes();
        ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
        ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
        std::uintmax_t bytes = 0;
        for (const DumpFile& file : kDumpFiles) {
            EXPECT_EQ(fs::exists(folder_ / file.name), job_.Has(file)) << file.name;
            ASSERT_EQ(fs::exists(golden() / name / file.name), job_.Has(file)) << file.name;
            if (!job_.Has(file)) continue;
            std::string ours = ReadFile(folder_ / file.name);
            std::string theirs = ReadFile(golden() / name / file.name);
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

    DumpEnd Begin(const SubnetManager& sm) {
        EXPECT_EQ(sink_.Open(folder_.c_str()), Status::kOk);
        return job_.Begin(sm, sink_);
    }
    DumpEnd Finish(const SubnetManager& sm) {
        DumpEnd how = DumpEnd::kRunning;
        for (int i = 0; i < 10000 && how == DumpEnd::kRunning; ++i) {
            how = job_.Advance(sm, 1000);
        }
        return how;
    }

    fs::path folder_;
    std::array<NodeIndex, 1024> nodes_{};
    std::array<SwitchIndex, 1024> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob job_{DumpJob::Room{nodes_, switches_, scratch_}};
    DumpDirectory sink_;
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
    // It was taken over at the first offer: whoever was refused would have routed both halves.
    EXPECT_EQ(world.Heard(Note::kHandoverFailed, 0), 0U) << world.Notes(0);
}

TEST_F(DumpTest, EqualsThatOfOpensmOctetForOctet) {
    const net::Netlist netlist = Ring();
    SimWorld world(netlist, AsIbsim());
    world.AddManager(netlist.Find("S-000002"), 0, testing::OpensmSettings());
    ExpectFilesOf(world, "ring");
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
                                   .settings = &world.sm().settings(),
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
                for (std::size_t port = 0; port <= kPorts + 1; ++port) {  // One too many.
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

TEST_F(DumpTest, WaitsForASubnetAndForTheEndOfASweep) {
    SimWorld world(Ring());
    world.AddManager();
    EXPECT_EQ(Begin(world.sm()), DumpEnd::kNotUp);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    world.sm().RequestSweep(true, SweepReason::kRequest);
    world.sm().Step();
    ASSERT_EQ(world.sm().progress().stage, Stage::kDiscovering);
    EXPECT_EQ(Begin(world.sm()), DumpEnd::kNotResting);
    EXPECT_FALSE(job_.running());
}

TEST_F(DumpTest, IsGivenUpWhenTheSubnetMoves) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    world.sm().RequestSweep(true, SweepReason::kRequest);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kMoved);
    EXPECT_FALSE(job_.running());
    EXPECT_FALSE(fs::exists(folder_ / "opensm.fdbs"));
}

TEST_F(DumpTest, TellsOneMomentOfWhatClientsRegister) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    Groups& groups = world.sm().multicast().groups();
    Member who;
    who.port_guid = static_cast<Guid>(0x5555);
    who.join_state = join_state::kFull;
    const Result<GroupIndex> group = groups.Create({0xFF15A01C00000000, 7}, {}, {});
    ASSERT_TRUE(group.ok());
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    for (int i = 0; i < 100000 && !fs::exists(folder_ / "opensm-sa.dump.new"); ++i) {
        ASSERT_EQ(job_.Advance(world.sm(), 1), DumpEnd::kRunning);
    }
    constexpr std::uint64_t kFirst = 0x5550;
    constexpr std::uint64_t kMembers = 10;
    for (std::uint64_t i = 0; i < kMembers; ++i) {
        ASSERT_EQ(job_.Advance(world.sm(), 1), DumpEnd::kRunning);
        who.port_guid = static_cast<Guid>(kFirst + i);
        ASSERT_TRUE(groups.Join(group.value(), who, 0).ok());
    }
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    const std::string text = ReadFile(folder_ / "opensm-sa.dump");
    std::size_t members = 0;
    for (std::size_t at = text.find("mcm_port:"); at != std::string::npos;
         at = text.find("mcm_port:", at + 1)) {
        ++members;
    }
    EXPECT_EQ(members, kMembers) << text;

    // Clients that never rest end the dump; the file of before stays.
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    DumpEnd how = DumpEnd::kRunning;
    for (int i = 0; i < 100000 && how == DumpEnd::kRunning; ++i) {
        who.port_guid = static_cast<Guid>(0x6666);
        const Result<MemberIndex> other = groups.Join(group.value(), who, 0);
        ASSERT_TRUE(other.ok());
        groups.Leave(other.value(), join_state::kAll, 0);
        how = job_.Advance(world.sm(), 1);
    }
    EXPECT_EQ(how, DumpEnd::kMoved);
    EXPECT_EQ(ReadFile(folder_ / "opensm-sa.dump"), text);
}

TEST_F(DumpTest, SaysWhenTheDirectoryWillNotDo) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    EXPECT_EQ(sink_.Open((folder_ / "missing").c_str()), Status::kDevice);
    EXPECT_EQ(sink_.error(), ENOENT);
    fs::create_directory(folder_ / "guid2lid.new");  // In the way of the first file.
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kUnwritable);
    EXPECT_EQ(sink_.error(), EISDIR);
    EXPECT_FALSE(job_.running());
}

/// Whoever may write into the directory must not have the subnet manager write elsewhere, nor read
/// the keys of services.
TEST_F(DumpTest, FollowsNoLinkAndKeepsKeysToItsOwner) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    std::ofstream(folder_ / "mine") << "precious";
    fs::create_symlink(folder_ / "mine", folder_ / "opensm-subnet.lst.new");
    fs::create_hard_link(folder_ / "mine", folder_ / "opensm-lfts.dump.new");
    std::ofstream(folder_ / "opensm-sa.dump") << "of before, for all to read";
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    EXPECT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    EXPECT_EQ(ReadFile(folder_ / "mine"), "precious");
    for (const DumpFile& file : kDumpFiles) {
        if (!job_.Has(file)) continue;
        const fs::file_status status = fs::symlink_status(folder_ / file.name);
        EXPECT_TRUE(fs::is_regular_file(status)) << file.name;
        const bool is_open_to_others =
            (status.permissions() & (fs::perms::group_read | fs::perms::others_read)) !=
            fs::perms::none;
        if (file.holds_keys) EXPECT_FALSE(is_open_to_others) << file.name;
    }
    EXPECT_TRUE(kDumpFiles[7].holds_keys && kDumpFiles[7].name == "opensm-sa.dump");
}

/// Has room for a number of octets at a time, and then only for what it is given anew.
class TightSink final : public DumpSink {
public:
    std::size_t room = 0;
    std::map<std::string, std::string, std::less<>> files;
    std::string name;

    Status Begin(std::string_view file, bool /*holds_keys*/) override {
        if (room == 0) return Status::kBusy;
        name = file;
        files[name].clear();
        return Status::kOk;
    }
    Status Write(std::string_view& text) override {
        const std::size_t taken = std::min(room, text.size());
        files[name] += text.substr(0, taken);
        text.remove_prefix(taken);
        room -= taken;
        return text.empty() ? Status::kOk : Status::kBusy;
    }
    Status End() override { return room == 0 ? Status::kBusy : Status::kOk; }
};

TEST_F(DumpTest, WaitsForASinkThatTakesLittleAtATimeAndLosesNothing) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    ASSERT_EQ(Begin(world.sm()), DumpEnd::kRunning);
    ASSERT_EQ(Finish(world.sm()), DumpEnd::kWritten);
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink), DumpEnd::kRunning);
    ASSERT_EQ(job_.Advance(world.sm(), 1'000'000), DumpEnd::kRunning);
    EXPECT_TRUE(job_.waits());
    EXPECT_TRUE(sink.files.empty());
    DumpEnd how = DumpEnd::kRunning;
    for (int i = 0; i < 100000 && how == DumpEnd::kRunning; ++i) {
        sink.room += 77;
        how = job_.Advance(world.sm(), 1'000'000);
    }
    ASSERT_EQ(how, DumpEnd::kWritten);
    for (const auto& [name, text] : sink.files) {
        EXPECT_EQ(text, ReadFile(folder_ / name)) << name;
    }
    EXPECT_GE(sink.files.size(), 7U);
}

TEST_F(DumpTest, WhileItWaitsIsGivenUpWhenTheSubnetMoves) {
    SimWorld world(Ring());
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    TightSink sink;
    ASSERT_EQ(job_.Begin(world.sm(), sink), DumpEnd::kRunning);
    ASSERT_EQ(job_.Advance(world.sm(), 1000), DumpEnd::kRunning);
    world.sm().RequestSweep(true, SweepReason::kRequest);
    world.sm().Step();
    EXPECT_EQ(job_.Advance(world.sm(), 1000), DumpEnd::kMoved);
}

}  // namespace
}  // namespace ember
