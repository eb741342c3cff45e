// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric on paper, routed as a subnet manager on it would.
#include "config/emberc/plan/planner.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <utility>

#include "config/emberc/plan/board.h"
#include "core/fabric/aggregation_nodes.h"
#include "core/lids/lids.h"
#include "core/links/link_rating.h"

namespace ember::plan {
namespace {

/// A plan asks what a board must offer, and takes what any board could.
constexpr std::uint32_t kMostLanes = 15;

/// A board on which no engine lacks room for this fabric.
Limits RoomyFor(Limits limits) {
    limits.scratch_bytes =
        static_cast<std::uint32_t>(Router::ScratchBytes(limits, EngineScratchBytes(limits)));
    if (limits.max_lanes == 1) return limits;
    limits.path_sl_bytes = static_cast<std::uint32_t>(PathSl::Bytes(
        PathSl::Form::kBySwitchAndLid, limits.max_switches, static_cast<Lid>(limits.max_lid)));
    limits.lane_map_bytes = static_cast<std::uint32_t>(
        sizeof(std::uint64_t) * LaneMap::Words(limits.max_switches,
                                               static_cast<std::uint8_t>(limits.max_switch_ports),
                                               LaneMap::kMostRows));
    return limits;
}

/// The board can have the fabric in its tables.
bool Holds(const Limits& board, const net::BuiltFabric& built) {
    const Limits& needed = built.limits();
    return needed.max_nodes <= board.max_nodes && needed.max_switches <= board.max_switches &&
           needed.max_ports <= board.max_ports &&
           needed.max_switch_ports <= board.max_switch_ports &&
           Raw(built.fabric().top_lid()) <= board.max_lid;
}

net::BuiltFabric::Options OptionsOf(const net::NetEnd& home, const Settings& settings,
                                    const Planned* before, const Limits* board) {
    net::BuiltFabric::Options options;
    options.lmc = settings.lmc;
    options.lmc_esp0 = settings.lmc_esp0;
    options.filed_lids = settings.manager_tables.port_lids;
    options.order = settings.order;
    options.own_node = home.node;
    options.own_port = home.port;
    options.keep_lids = !settings.reassign_lids;
    if (board != nullptr) options.max_kept_lid = board->max_lid;
    options.has_links = true;
    options.max_lanes = OffersLanes(settings) ? kMostLanes : 1;
    const std::size_t steps = settings.manager_tables.chain_steps.size();
    options.max_steps = static_cast<std::uint32_t>(std::max<std::size_t>(1, steps));
    if (before != nullptr) options.lids = before->lids();
    return options;
}

}  // namespace

Planned::Planned(net::Netlist netlist, const net::NetEnd& home, const Settings& settings,
                 const Planned* before, const Limits* board)
    : netlist_(std::move(netlist)),
      board_(board == nullptr && before != nullptr ? before->board_ : board),
      built_(netlist_, OptionsOf(home, settings, before, board_)),
      room_(board_ != nullptr && Holds(*board_, built_) ? *board_ : RoomyFor(built_.limits())),
      names_(built_.fabric(), settings),
      topology_room_(Topology::ScratchBytes(built_.limits())),
      scratch_(room_.scratch_bytes),
      hop_octets_(HopBytes(room_)),
      lft_octets_(room_.max_switches * LidStride(room_)),
      step_lft_octets_(HasStepArena(room_) ? lft_octets_.values().size() : 0),
      part_words_(PlanMaker::PartWords(room_)),
      step_options_(PlanMaker::OptionRows(room_)),
      path_sl_octets_(room_.path_sl_bytes * std::size_t{2}),
      lane_map_words_(room_.lane_map_bytes / sizeof(std::uint64_t) * 2),
      nodes_(built_.limits().max_switches),
      planned_(lft_octets_.values(), room_),
      maker_({.parts = part_words_.values(), .options = step_options_}, room_),
      router_({.hops = hop_octets_.values(),
               .step_lfts = step_lft_octets_.values(),
               .path_sl = path_sl_octets_.values(),
               .lane_map = lane_map_words_.values()},
              room_) {
    planned_.Fit(built_.fabric().top_lid(), 0);
    for (std::uint32_t i = 0; i < netlist_.nodes.size(); ++i) {
        if (netlist_.nodes[i].is_switch()) nodes_[Raw(built_.switch_index(i))] = i;
    }
    topology_.Build(built_.fabric(), settings.order, topology_room_.arena());
    Route(settings, before);
}

/// Columns that `before` has not are dropped, and rows of switches that it has not.
void Planned::TakeTables(const Planned& before) {
    for (const SwitchIndex at : topology_.switches_by_guid()) {
        const std::span<std::uint8_t> row = planned_[at];
        std::fill(row.begin(), row.end(), kNoHops);
        const SwitchIndex was = before.topology().FindSwitch(topology_.switch_row(at).guid);
        if (was == kNoSwitch) continue;
        const std::span<const std::uint8_t> had = before.lfts()[was];
        std::copy_n(had.begin(), std::min(had.size(), row.size()), row.begin());
    }
}

void Planned::Route(const Settings& settings, const Planned* before) {
    maker_.Begin(built_.fabric(), settings, engines_.All());
    while (maker_.Advance() == Progress::kMore) {
    }
    const RoutingPlan& plan = maker_.plan();
    const bool may_mend =
        before != nullptr && settings.order == Order::kBalanced && before->verdict().may_program();
    if (may_mend) {
        TakeTables(*before);
        router_.BeginMending(built_.fabric(), plan, planned_.tables(), scratch_.arena());
    } else {
        router_.Begin(built_.fabric(), plan, planned_.tables(), scratch_.arena());
    }
    Run();
    if (router_.verdict().outcome != RoutingOutcome::kRefused || settings.no_fallback) return;
    RoutingEngine* const safest = FindLastResort(engines_.All(), settings);
    if (safest == nullptr) return;
    refusal_ = router_.verdict().findings;
    router_.BeginSafe(*safest);
    Run();
}

void Planned::Run() {
    while (router_.Advance() == Progress::kMore) {
    }
}

ChannelList Planned::CycleOnOneLane() {
    const Arena::Frame frame(scratch_.arena());
    Verifier verifier;
    verifier.Begin({.topology = &topology_, .hops = router_.hops(), .lfts = lfts()},
                   scratch_.arena());
    while (verifier.Advance() == Progress::kMore) {
    }
    return verifier.findings().end_ports_may_deadlock ? verifier.findings().cycle : ChannelList{};
}

std::vector<PlannedStep> Planned::steps() const {
    std::vector<PlannedStep> steps;
    if (verdict().engine != kChainWord) return steps;
    for (const RoutingAttempt& attempt : verdict().attempts) {
        if (attempt.outcome == RoutingOutcome::kRefused) continue;
        for (const Alternative& one : maker_.alternatives()) {
            if (one.id == attempt.step_id) steps.push_back({one.id, attempt.engine, one.part});
        }
    }
    return steps;
}

std::size_t Planned::StepOf(SwitchIndex at) const {
    const std::vector<PlannedStep> steps = this->steps();
    for (std::size_t i = steps.size(); i > 1; --i) {
        const SubnetPart* const part = steps[i - 1].part;
        if (part == nullptr || part->Has(at)) return i - 1;
    }
    return 0;
}

LidsByGuid Planned::lids() const {
    LidsByGuid lids;
    ForEachEndPort(built_.fabric(), [&](PortIndex, const Port& port) {
        if (port.lid != kNoLid) lids[port.guid] = port.lid;
    });
    return lids;
}

Rate Planned::host_rate() const {
    Rate best = Rate::kNone;
    const Fabric& fabric = built_.fabric();
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        const Node& node = fabric.node(port.node);
        if (node.type == NodeType::kSwitch || IsAggregationNode(node)) return;
        if (port.peer == kNoPortIndex || !HasLink(port.info)) return;
        const Rate rate = RateOfLink(fabric, at);
        if (RateRank(rate) > RateRank(best)) best = rate;
    });
    return best;
}

/// Switches of the largest part of a later step.
std::uint32_t Planned::LargestStep() const {
    std::size_t most = 1;
    for (const RoutingStep& step : maker_.plan().steps.subspan(1)) {
        for (const Alternative& one : step.alternatives) {
            const SubnetPart* const part = step.PartOf(one);
            most = std::max(
                most, part == nullptr ? topology_.switch_bound() : CountSwitches(topology_, *part));
        }
    }
    return static_cast<std::uint32_t>(most);
}

Limits Planned::needed(const Limits& has) const {
    Limits needed = built_.limits();
    if (needed.max_routing_steps > 1 && has.max_step_switches != 0)
        needed.max_step_switches = LargestStep();
    needed.max_lid = Raw(built_.fabric().top_lid());
    needed.max_smps = 0;
    needed.max_other_sms = 0;
    needed.journal_notes = 0;
    needed.max_lanes = lanes().count;
    needed.path_sl_bytes = static_cast<std::uint32_t>(lanes().path_sl.bytes());
    needed.lane_map_bytes =
        static_cast<std::uint32_t>(lanes().lane_map.words() * sizeof(std::uint64_t));
    const std::size_t least = LeastScratchBytes(needed, LeastEngineScratchBytes(needed));
    // An engine took what it may not find on a board: the board shall have enough for it.
    const std::size_t most = Router::ScratchBytes(needed, EngineScratchBytes(needed));
    const bool took_more = scratch_.arena().peak_bytes() > least;
    needed.scratch_bytes = static_cast<std::uint32_t>(took_more ? std::max(least, most) : least);
    return needed;
}

std::string Planned::NameOf(const net::NetNode& node) const {
    std::array<char, kMostNameOctets> room{};
    const std::size_t length = names_.MappedName(node.guid, room);
    if (length != 0) return {room.data(), length};
    // A description that was never set may be of blanks, or of nothing.
    const bool is_blank = node.description.find_first_not_of(' ') == std::string::npos;
    return is_blank ? Hex(node.guid) : node.description;
}

std::string Planned::NameOf(Guid guid) const {
    for (const net::NetNode& node : netlist_.nodes) {
        if (node.guid == guid) return NameOf(node);
        for (std::size_t p = 1; !node.is_switch() && p < node.ports.size(); ++p) {
            if (net::PortGuid(node, p) == guid) {
                return node.port_count() == 1 ? NameOf(node)
                                              : fmt::format("{} port {}", NameOf(node), p);
            }
        }
    }
    return Hex(guid);
}

std::string Hex(Guid guid) {
    return fmt::format("0x{:016x}", Raw(guid));
}

std::string_view Word(RoutingOutcome outcome) {
    static constexpr std::array<std::string_view, 6> kWords = {
        "nothing to route", "verified", "possible credit loop", "safe routing", "kept", "refused"};
    static_assert(kWords.size() == static_cast<std::size_t>(RoutingOutcome::kRefused) + 1);
    return kWords[static_cast<std::size_t>(outcome)];
}

}  // namespace ember::plan
