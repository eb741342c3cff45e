// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that the process around the core acts on.
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "board/sim_small/profile.h"
#include "platform/linux/dump/sweep_dumps.h"
#include "platform/umad/port_choice.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/config/plan/plan_support.h"

namespace ember::acts {
namespace {

/// The port of a machine with two of them on which the subnet manager sits.
std::string PortOfTwo(const Settings& settings) {
    const std::array ports = {LocalPort{"mlx5_0", 1, Guid{0x11}, 4},
                              LocalPort{"mlx5_0", 2, Guid{0x12}, 4}};
    const LocalPort* const chosen = ChoosePort(ports, {.guid = settings.guid});
    return chosen == nullptr ? "none" : fmt::format("port {}", chosen->port);
}

/// `file` when the dump directory has it after a subnet has been up for a while; else "nothing".
std::string DumpedBySweeps(const Settings& settings, const std::string& file) {
    const plan::Folder folder;
    const auto world = BringUp(settings);
    struct Room {
        std::array<NodeIndex, kSimSmall.max_nodes> nodes{};
        std::array<SwitchIndex, kSimSmall.max_switches> switches{};
        alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch{};
    };
    const auto room = std::make_unique<Room>();
    DumpJob job({room->nodes, room->switches, room->scratch});
    SweepDumps dump(world->sm(), job);
    EXPECT_EQ(dump.Open(folder.File("")), "");
    for (int i = 0; i < 30; ++i) {
        world->RunFor(kSecond);
        dump.Consider();
        while (job.running()) {
            const DumpEnd how = job.Advance(world->sm(), 1'000'000);
            EXPECT_TRUE(how == DumpEnd::kRunning || dump.Took(how));
        }
    }
    return folder.Read(file).empty() ? "nothing" : file;
}

std::string RegistrationsDumped(const Settings& settings) {
    return DumpedBySweeps(settings, "opensm-sa.dump");
}

std::string RoutingDumped(const Settings& settings) {
    return DumpedBySweeps(settings, "opensm.fdbs");
}

/// The name of a node on pages and in the log.
std::string NameOfANode(const Settings& settings) {
    const auto world = BringUp(settings);
    std::array<char, kMaxNameOctets> room{};
    const std::size_t octets = world->sm().names().NameOf(Guid{0x42}, room);
    return octets == 0 ? "nothing" : std::string(room.data(), octets);
}

}  // namespace

std::vector<Row> ProcessRows() {
    // clang-format off
    return {
        {"guid", "0x12", &PortOfTwo, "port 1", "port 2"},
        {"node_name_map_name", "names", &NameOfANode, "nothing", "the spine", "", {{"names", "0x42 \"the spine\"\n"}}},
        {"log_flags", "0x43", &RoutingDumped, "nothing", "opensm.fdbs"},
        {"sa_db_dump", "TRUE", &RegistrationsDumped, "nothing", "opensm-sa.dump"},
    };
    // clang-format on
}

}  // namespace ember::acts
