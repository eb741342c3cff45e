// SPDX-License-Identifier: Apache-2.0
// EmberSM: the boards that managers of a story stand on.
#include "tests/swarm/boards.h"

#include <array>

#include "board/sim_small/profile.h"
#include "board/switch_small/profile.h"
#include "engines/catalogue.h"

namespace ember::swarm {
namespace {

// Limits that a story's fabric fits into.
constexpr Limits kRoomy = {
    .max_nodes = 96,
    .max_switches = 24,
    .max_ports = 512,
    .max_switch_ports = 40,
    .max_lid = 255,
    .max_smps = 64,
    .max_other_sms = 8,
    .journal_notes = 256,
    .scratch_bytes = 384U << 10U,
    .max_sa_requests = 64,
    .max_sa_transfers = 8,
    .max_sa_sources = 32,
    .max_groups = 24,
    .max_members = 128,
    .max_mlids = 32,
    .max_events = 32,
    .max_alias_guids = 16,
    .max_services = 32,
    .max_subscriptions = 32,
    .replication_bytes = 4096,
    .max_lanes = 8,
    .max_routing_steps = 4,
    .max_qos_rules = 64,
    .path_sl_bytes = 8U << 10U,
    .lane_map_bytes = 40U << 10U,
};
static_assert(Sound(kRoomy));
static_assert(kRoomy.scratch_bytes >= EngineScratchBytes(kRoomy).making);

constexpr Limits With(std::uint32_t Limits::*limit, std::uint32_t value) {
    Limits limits = kRoomy;
    limits.*limit = value;
    return limits;
}
constexpr Limits kFewNodes = [] {
    Limits limits = kRoomy;
    limits.max_nodes = 12;
    limits.max_switches = 8;
    return limits;
}();
constexpr Limits kFewSwitches = With(&Limits::max_switches, 4);
constexpr Limits kFewPorts = [] {
    Limits limits = kRoomy;
    limits.max_ports = 60;
    limits.max_nodes = 40;
    return limits;
}();
constexpr Limits kFewLids = With(&Limits::max_lid, 20);
constexpr Limits kNarrow = With(&Limits::max_switch_ports, 6);
constexpr Limits kFewClients = [] {
    Limits limits = kRoomy;
    limits.max_sa_requests = 8;
    limits.max_sa_transfers = 2;
    limits.max_sa_sources = 4;
    limits.max_groups = 3;
    limits.max_members = 6;
    limits.max_events = 4;
    limits.max_alias_guids = 1;
    limits.max_services = 3;
    limits.max_subscriptions = 3;
    limits.state_buffer_bytes = 1024;
    return limits;
}();
constexpr Limits kFewDatagrams = [] {
    Limits limits = kRoomy;
    limits.max_smps = 2;
    limits.max_other_sms = 3;
    limits.journal_notes = 16;
    limits.max_flapping_links = 1;
    return limits;
}();

/// The board that is sold, for stories of several managers too.
constexpr Limits kReplicatingSwitch = [] {
    Limits limits = kSwitchSmall;
    limits.replication_bytes = 4096;
    return limits;
}();

using AddSeat = std::size_t (*)(testing::SimWorld& world, const SeatPlan& plan);
template <Limits kLimits>
std::size_t AddTo(testing::SimWorld& world, const SeatPlan& plan) {
    return world.AddManager<kLimits>(plan.node, plan.port, plan.settings);
}
constexpr std::array<AddSeat, static_cast<std::size_t>(Board::kCount)> kAddSeat = {
    AddTo<kRoomy>,       AddTo<kFewNodes>,
    AddTo<kFewSwitches>, AddTo<kFewPorts>,
    AddTo<kFewLids>,     AddTo<kNarrow>,
    AddTo<kFewClients>,  AddTo<kFewDatagrams>,
    AddTo<kSimSmall>,    AddTo<kReplicatingSwitch>,
};

}  // namespace

void AddToBoard(testing::SimWorld& world, Board board, const SeatPlan& plan) {
    static_cast<void>(kAddSeat[static_cast<std::size_t>(board)](world, plan));
}

}  // namespace ember::swarm
