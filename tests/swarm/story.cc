// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a seed becomes a story.
#include "tests/swarm/story.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "config/netlist/topologies.h"
#include "core/base/assert.h"
#include "tests/swarm/chance.h"
#include "tests/swarm/site.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using net::Random;

/// A shape and the numbers that make it larger. The least of each is what `least` says.
struct Shape {
    std::string_view format;  ///< '@' stands for the next number.
    std::uint32_t chance;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
};

const std::vector<Shape>& Shapes() {
    static const std::vector<Shape> all = {
        {"random:$,@,@:@", 8, {{2, 9}, {2, 4}, {1, 3}}},
        {"mesh:@:@", 3, {{2, 6}, {1, 3}}},  // A line.
        {"ft2:4", 4, {}},
        {"ft2:6", 2, {}},
        {"mesh:@x@:@", 3, {{2, 3}, {2, 4}, {1, 2}}},
        {"torus:@x@:@", 2, {{2, 3}, {3, 4}, {1, 2}}},
        {"ring:@:@", 3, {{3, 7}, {1, 3}}},
        {"single:@", 2, {{2, 8}}},
        {"parallel:@:@", 2, {{1, 4}, {1, 3}}},
        {"dualrail:@,@", 1, {{2, 4}, {1, 2}}},
        {"hypercube:3:@", 1, {{1, 2}}},
        {"dragonfly:2,1:@", 1, {{1, 2}}},
        {"ft3:4", 1, {}},
    };
    return all;
}

/// Of some hundred LIDs: what one block of a table holds, and more.
const std::vector<Shape>& LargeShapes() {
    static const std::vector<Shape> all = {
        {"ft2:16", 2, {}},
        {"ft2:20", 1, {}},
        {"ft2:24", 1, {}},
        {"torus:@x@:@", 2, {{3, 5}, {4, 6}, {2, 6}}},
        {"ring:@:@", 1, {{12, 40}, {2, 6}}},
        {"random:$,@,@:@", 2, {{12, 30}, {3, 5}, {3, 8}}},
        {"mesh:@x@:@", 1, {{3, 6}, {4, 6}, {2, 6}}},
        {"dragonfly:3,1:@", 1, {{4, 8}}},
        {"hypercube:5:@", 1, {{2, 5}}},
    };
    return all;
}

/// Takes a step from the number that is furthest above its least.
void Shrink(std::vector<std::uint32_t>& numbers, const Shape& shape) {
    std::size_t most = numbers.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto above = [&](std::size_t at) { return numbers[at] - shape.ranges[at].first; };
        if (above(i) != 0 && (most == numbers.size() || above(i) > above(most))) most = i;
    }
    if (most < numbers.size()) --numbers[most];
}

std::string DrawShape(const Case& which) {
    const std::optional<Random> large = Takes(which, SitePart::kSize);
    Random random = large.value_or(ChanceOf(which, Part::kFabric));
    const std::vector<Shape>& shapes = large ? LargeShapes() : Shapes();
    std::uint32_t sum = 0;
    for (const Shape& shape : shapes) {
        sum += shape.chance;
    }
    std::uint32_t at = random.Below(sum);
    std::size_t chosen = 0;
    while (at >= shapes[chosen].chance) {
        at -= shapes[chosen++].chance;
    }
    const Shape& shape = shapes[chosen];
    std::vector<std::uint32_t> numbers;
    for (const auto& [low, high] : shape.ranges) {
        numbers.push_back(Between(random, low, high));
    }
    for (std::uint32_t i = 0; i < which.less; ++i) {
        Shrink(numbers, shape);
    }
    std::string text;
    std::size_t next = 0;
    for (const char letter : shape.format) {
        if (letter == '@') {
            text += std::to_string(numbers[next++]);
        } else if (letter == '$') {
            text += std::to_string(which.seed % 1'000'000);
        } else {
            text += letter;
        }
    }
    return text;
}

void DrawHardware(const Case& which, Story& story) {
    Random random = ChanceOf(which, Part::kFabric);
    random.Next();
    story.hardware.linear_fdb_cap = random.Below(4) == 0 ? 256 : 1024;
    story.hardware.multicast_fdb_cap = random.Below(4) == 0 ? 32 : 64;
    story.hardware.partition_cap = 32;
    story.hardware.vl_cap = random.Below(3) == 0 ? VlCap::kVl0 : VlCap::kVl0To7;
    story.hardware.mtu_cap = random.Below(3) == 0 ? Mtu::k2048 : Mtu::k4096;
    story.hardware.all_enhanced_port0 = random.Below(5) == 0;
    story.timing.agent_ns = random.Below(4) == 0 ? 100'000 : 5'000;
    story.timing.agent_backlog = random.Below(5) == 0 ? 8 : 0;
    story.timing.training_ns = random.Below(2) == 0 ? 2'000'000 : 20'000'000;
    const bool is_small = random.Below(10) < 3;
    const auto small = static_cast<Board>(1 + random.Below(kSmallBoards));
    story.board = is_small ? small : Board::kRoomy;
    if (Takes(which, SitePart::kSize)) story.board = Board::kSimSmall;
    if (std::optional<Random> sold = Takes(which, SitePart::kBoard)) {
        story.board = sold->Below(2) == 0 ? Board::kSimSmall : Board::kSwitchSmall;
    }
}

/// A switch of NVIDIA's with SHARP has a channel adapter inside, behind a port of its own.
void AddDevices(const Case& which, net::Netlist& netlist) {
    if (!Takes(which, SitePart::kDevices)) return;
    const auto nodes = static_cast<std::uint32_t>(netlist.nodes.size());
    for (std::uint32_t at = 0; at < nodes; ++at) {
        if (!netlist.nodes[at].is_switch()) continue;
        const std::uint32_t device =
            netlist.Add(NodeType::kChannelAdapter, 1, "A-" + std::to_string(at),
                        "Mellanox Technologies Aggregation Node");
        netlist.nodes[device].vendor_id = 0x2C9;
        netlist.nodes[device].device_id = 0xCF09;
        netlist.nodes[at].ports.emplace_back();
        netlist.Connect(device, 1, at, netlist.nodes[at].port_count());
    }
    netlist.AssignGuids();
}

Settings DrawCommon(Random& random) {
    Settings common;
    common.sm_key = random.Next();
    common.sa_key = random.Next() | 1U;
    if (random.Below(8) == 0) {
        common.m_key = random.Next();
        common.m_key_protection_level = static_cast<std::uint8_t>(random.Below(3));
    }
    common.lmc =
        random.Below(4) == 0 ? static_cast<std::uint8_t>(Between(random, 1, 2)) : std::uint8_t{0};
    common.disable_multicast = random.Below(20) == 0;
    return common;
}

/// Whether managers on such a board see all of a fabric, and so each other.
bool SeesAll(Board board) {
    return board == Board::kRoomy || board == Board::kFewClients || board == Board::kFewDatagrams ||
           board > Board::kFewDatagrams;
}

std::size_t DrawSeatCount(const Case& which, Board board, Random& random) {
    const bool is_few = board == Board::kFewDatagrams;
    if (which.managers) return std::min<std::size_t>(2 + random.Below(4), is_few ? 3 : 5);
    const std::uint32_t draw = random.Below(100);
    const std::size_t others = is_few || draw < 95 ? 0 : draw - 94;
    return draw < 60 || !SeesAll(board) ? 1 : draw < 85 ? 2 : std::min<std::size_t>(3 + others, 5);
}

/// The first node behind `first` where a manager may sit; the number of nodes: there is none.
std::uint32_t FindSeat(const Story& story, std::uint32_t first, bool at_switch) {
    const auto count = static_cast<std::uint32_t>(story.netlist.nodes.size());
    for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint32_t node = (first + k) % count;
        const bool taken =
            std::any_of(story.seats.begin(), story.seats.end(),
                        [node](const SeatPlan& other) { return other.node == node; });
        if (!taken && story.netlist.nodes[node].is_switch() == at_switch) return node;
    }
    return count;
}

/// Managers sit on hosts, one in five on a switch.
void DrawSeats(const Case& which, Story& story) {
    Random random = ChanceOf(which, Part::kSeats);
    Random chance = ChanceOf(which, Part::kSettings);
    const Settings common = DrawCommon(chance);
    if (which.managers && !SeesAll(story.board)) story.board = Board::kRoomy;
    const std::size_t wanted = DrawSeatCount(which, story.board, random);
    const auto count = static_cast<std::uint32_t>(story.netlist.nodes.size());
    for (std::size_t i = 0; i < wanted; ++i) {
        SeatPlan seat;
        bool at_switch = random.Below(5) == 0 && story.board != Board::kNarrow;
        seat.start_us = i == 0 ? 0 : random.Below(3'000'000);
        seat.settings = DrawSettings(chance, common);
        const std::uint32_t first = random.Below(count);
        if (which.managers && FindSeat(story, first, at_switch) == count) at_switch = !at_switch;
        seat.node = FindSeat(story, first, at_switch);
        if (seat.node == count) continue;
        seat.port = at_switch ? 0 : 1;
        story.seats.push_back(seat);
    }
    EMBER_ASSERT(!story.seats.empty());
    // Three in four stories of several managers: they tell each other what clients register.
    Random keys = ChanceOf(which, Part::kReplication);
    if (story.seats.size() < 2 || (keys.Below(4) == 0 && !which.managers)) return;
    const bool is_fast = keys.Below(2) == 0;
    for (SeatPlan& seat : story.seats) {
        for (const char octet : std::string_view("the same in all of them")) {
            const auto number = static_cast<std::uint8_t>(octet);
            EMBER_ASSERT(seat.settings.replication_key.TryPush(number) == Status::kOk);
        }
        if (is_fast) seat.settings.sminfo_polling_timeout = Settings{}.sminfo_polling_timeout;
    }
}

/// Events of a table beside kVerbs, numbered behind those that there are. `first_row`: of the
/// table, as VerbAt() counts.
void DrawBeside(const Case& which, std::span<const Verb> table, std::size_t first_row,
                std::uint32_t count, Random& random, Story& story) {
    std::uint32_t sum = 0;
    for (const Verb& verb : table) {
        sum += verb.weight;
    }
    for (std::uint32_t i = story.drawn; i < story.drawn + count; ++i) {
        std::uint32_t at = random.Below(sum);
        std::size_t row = 0;
        while (at >= table[row].weight) {
            at -= table[row++].weight;
        }
        Event event;
        event.verb = first_row + row;
        event.at_us = random.Next() % story.rage_us;
        event.seed = random.Next();
        const bool is_in =
            !which.only || std::binary_search(which.only->begin(), which.only->end(), i);
        if (!is_in) continue;
        const auto later =
            std::find_if(story.events.begin(), story.events.end(),
                         [&event](const Event& other) { return other.at_us > event.at_us; });
        story.numbers.insert(story.numbers.begin() + (later - story.events.begin()), i);
        story.events.insert(later, event);
    }
    story.drawn += count;
}

void DrawAmongManagers(const Case& which, Story& story) {
    if (story.seats.size() < 2 || story.seats[0].settings.replication_key.empty()) return;
    Random random = ChanceOf(which, Part::kAmongManagers);
    const std::uint32_t count = which.managers ? 2 + random.Below(8) : random.Below(5);
    DrawBeside(which, kVerbsAmongManagers, kVerbs.size(), count, random, story);
}

void DrawOfDevices(const Case& which, Story& story) {
    std::optional<Random> random = Takes(which, SitePart::kChanges);
    if (!random) return;
    const std::size_t first_row = kVerbs.size() + kVerbsAmongManagers.size();
    DrawBeside(which, kVerbsOfDevices, first_row, Between(*random, 1, 6), *random, story);
}

void DrawEvents(const Case& which, Story& story) {
    Random random = ChanceOf(which, Part::kEvents);
    story.rage_us = (3 + random.Below(8)) * kSecond;
    // Swarm testing: a story knows some of the verbs only, so that those meet each other often.
    std::array<std::uint32_t, kVerbs.size()> weights{};
    for (std::size_t i = 0; i < kVerbs.size(); ++i) {
        const bool takes_part = random.Below(2) == 0;
        weights[i] = takes_part ? kVerbs[i].weight : 0;
    }
    const std::uint32_t sum = std::accumulate(weights.begin(), weights.end(), 0U);
    const std::uint32_t count = 2 + random.Below(30);
    std::vector<Event> drawn;
    for (std::uint32_t i = 0; i < count && sum != 0; ++i) {
        std::uint32_t at = random.Below(sum);
        Event event;
        while (at >= weights[event.verb]) {
            at -= weights[event.verb++];
        }
        event.at_us = random.Next() % story.rage_us;
        event.seed = random.Next();
        drawn.push_back(event);
    }
    std::sort(drawn.begin(), drawn.end(),
              [](const Event& one, const Event& other) { return one.at_us < other.at_us; });
    for (std::uint32_t i = 0; i < drawn.size(); ++i) {
        const bool is_in =
            !which.only || std::binary_search(which.only->begin(), which.only->end(), i);
        if (!is_in) continue;
        story.events.push_back(drawn[i]);
        story.numbers.push_back(i);
    }
    story.drawn = static_cast<std::uint32_t>(drawn.size());
    DrawAmongManagers(which, story);
    DrawOfDevices(which, story);
}

}  // namespace

Settings DrawSettings(Random& random, const Settings& common) {
    Settings drawn = common;
    constexpr std::array kIntervals = {1U, 1U, 2U, 5U};
    drawn.sweep_interval = kIntervals[random.Below(kIntervals.size())];
    drawn.force_heavy_sweep = random.Below(10) == 0;
    drawn.sweep_on_trap = random.Below(10) != 0;
    drawn.order = static_cast<Order>(random.Below(3));
    constexpr std::array kEngines = {EngineKind::kMinHop, EngineKind::kUpDn, EngineKind::kDnUp,
                                     EngineKind::kFtree,  EngineKind::kDor,  EngineKind::kFile};
    const std::uint32_t engines = random.Below(3);
    for (std::uint32_t i = 0; i < engines; ++i) {
        const EngineKind kind = kEngines[random.Below(kEngines.size())];
        const auto& list = drawn.routing_engine;
        if (std::find(list.begin(), list.end(), kind) != list.end()) continue;
        static_cast<void>(drawn.routing_engine.TryPush(kind));
    }
    drawn.max_wire_smps = Between(random, 1, 32);
    drawn.max_wire_smps2 = random.Below(2) == 0 ? 0 : Between(random, 1, 32);
    drawn.transaction_timeout = Between(random, 20, 200);
    drawn.transaction_retries = Between(random, 2, 5);
    drawn.max_op_vls = static_cast<std::uint8_t>(Between(random, 1, 5));
    drawn.lmc_esp0 = random.Below(3) == 0;
    drawn.reassign_lids = random.Below(10) == 0;
    drawn.honor_guid2lid_file = random.Below(3) == 0;
    drawn.flapping_link_policy =
        random.Below(3) == 0 ? FlappingLinkPolicy::kQuarantine : FlappingLinkPolicy::kDamp;
    drawn.flapping_link_count = static_cast<std::uint8_t>(Between(random, 2, 6));
    drawn.flapping_link_window = Between(random, 5, 60);
    drawn.flapping_link_hold = 1;
    drawn.sm_priority = static_cast<std::uint8_t>(random.Below(4));
    drawn.sminfo_polling_timeout = Between(random, 200, 1000);
    drawn.polling_retry_number = Between(random, 2, 4);
    drawn.use_mfttop = random.Below(4) != 0;
    drawn.mcgroup_join_validation = random.Below(2) == 0;
    drawn.connect_roots = random.Below(3) == 0;
    drawn.port_shifting = random.Below(4) == 0;
    drawn.scatter_ports = random.Below(4) == 0 ? 1 + random.Below(1000) : 0;
    drawn.offsweep_balancing_enabled = random.Below(3) == 0;
    drawn.offsweep_balancing_window = Between(random, 1, 10);
    return drawn;
}

Story Draw(const Case& which) {
    Story story;
    story.with_known = which.with_known;
    story.shape = DrawShape(which);
    std::string error;
    story.netlist = net::TopologyByName(story.shape, error);
    EMBER_ASSERT(!story.netlist.nodes.empty());
    AddDevices(which, story.netlist);
    story.site = std::make_shared<Site>(which, story.netlist);
    DrawHardware(which, story);
    DrawSeats(which, story);
    story.site->DescribeTorus(story.shape, story.netlist);
    story.site->LeaseKeys(story.seats.size());
    for (SeatPlan& seat : story.seats) {
        story.site->PutInto(seat.settings);
    }
    DrawEvents(which, story);
    return story;
}

}  // namespace ember::swarm
