// SPDX-License-Identifier: Apache-2.0
// EmberSM: how the configuration wants a subnet to be routed.

#include "core/routing/plan_maker.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/settings/qos_tables.h"

namespace ember {
namespace {

static_assert(kMostChainSteps <= kMaxRoutingSteps && kMostChainSteps <= kMaxAlternatives);

/// `groups` are those of the port, which is one of a node of `type`.
[[nodiscard]] bool IsIn(std::uint16_t group, const BitSet& groups, NodeType type) {
    if (group < kGroupOfTypes) return groups.Has(group);
    return (group & TypeBit(type)) != 0;
}

/// Takes over the option files that the step has for itself. A file that `own` lacks is none.
void SetTables(std::uint16_t files, const EngineTables& own, EngineTables& to) {
    const auto take = [&](std::uint16_t file, auto... members) {
        if ((files & file) != 0) ((to.*members = own.*members), ...);
    };
    using Tables = EngineTables;
    take(step_file::kRoots, &Tables::roots, &Tables::has_roots);
    take(step_file::kIds, &Tables::ids);
    take(step_file::kComputeNodes, &Tables::compute_nodes, &Tables::has_compute_nodes);
    take(step_file::kIoNodes, &Tables::io_nodes, &Tables::has_io_nodes);
    take(step_file::kRoutingOrder, &Tables::routing_order);
    take(step_file::kHopWeights, &Tables::hop_weights);
    take(step_file::kIgnored, &Tables::ignored);
    take(step_file::kSearch, &Tables::search, &Tables::search_ports);
    take(step_file::kTorus, &Tables::torus, &Tables::torus_seeds, &Tables::torus_ports);
}

/// The options of a step: its own where its file says them, else the main ones.
void SetOptions(const ChainStep& step, const Settings& settings, EngineOptions& to) {
    static constexpr EngineTables kNoTables;
    to = static_cast<const EngineOptions&>(settings);
    const auto set = [&step](std::uint16_t option, bool& value) {
        if ((step.own & option) != 0) value = (step.values & option) != 0;
    };
    set(step_option::kPortProfileSwitchNodes, to.port_profile_switch_nodes);
    set(step_option::kConnectRoots, to.connect_roots);
    set(step_option::kQuasiFtreeIndexing, to.quasi_ftree_indexing);
    set(step_option::kPortShifting, to.port_shifting);
    set(step_option::kNoScatter, to.guid_routing_order_no_scatter);
    set(step_option::kMeshAnalysis, to.do_mesh_analysis);
    set(step_option::kNueIncludeSwitches, to.nue_include_switches);
    if ((step.own & step_option::kMaxReverseHops) != 0) to.max_reverse_hops = step.max_reverse_hops;
    if ((step.own & step_option::kScatterPorts) != 0) to.scatter_ports = step.scatter_ports;
    const auto tables = settings.manager_tables.step_tables;
    const bool has_tables = step.tables != 0 && step.tables <= tables.size();
    SetTables(step.own_files, has_tables ? tables[step.tables - std::size_t{1}] : kNoTables,
              to.tables);
}

}  // namespace

PlanMaker::PlanMaker(const Memory& memory, const Limits& limits)
    : memory_(memory), limits_(limits) {
    EMBER_ASSERT(memory.parts.size() >= PartWords(limits));
    EMBER_ASSERT(memory.options.size() >= OptionRows(limits));
}

void PlanMaker::Begin(const Fabric& fabric, const Settings& settings,
                      std::span<RoutingEngine* const> on_board) {
    fabric_ = &fabric;
    settings_ = &settings;
    on_board_ = on_board;
    rows_ = settings.manager_tables.chain_steps;
    has_chain_ = !rows_.empty();
    is_too_long_ = rows_.size() > limits_.max_routing_steps;
    next_ = 0;
    parts_.clear();
    alternatives_ = {};
    if (!has_chain_) {
        list_.Make(settings, on_board);
        return;
    }
    MakeParts();
    MakeSteps();
}

/// A part for each topology that is named, empty at first.
void PlanMaker::MakeParts() {
    if (is_too_long_) return;
    std::span<std::uint64_t> rest = memory_.parts;
    const auto take = [&rest](std::size_t words) {
        const std::span<std::uint64_t> taken = rest.first(words);
        rest = rest.subspan(words);
        std::fill(taken.begin(), taken.end(), std::uint64_t{0});
        return taken;
    };
    for (const ChainStep& step : rows_) {
        if (PartOf(step) != nullptr || step.topology == 0) continue;
        const std::span<std::uint64_t> switches = take(SubnetPart::Words(limits_.max_switches));
        const std::span<std::uint64_t> lids = take(SubnetPart::Words(limits_.max_lid));
        const std::span<std::uint64_t> ports = take(PortWords(limits_));
        const Status kept =
            parts_.TryPush({.topology = step.topology - std::size_t{1},
                            .switches = BitSet(switches),
                            .lids = BitSet(lids),
                            .ports = BitSet(ports),
                            .view = {.switches = switches,
                                     .lids = lids,
                                     .switch_ports = ports,
                                     .port_stride = limits_.max_switch_ports + std::size_t{1}}});
        EMBER_ASSERT(kept == Status::kOk);
    }
}

const SubnetPart* PlanMaker::PartOf(const ChainStep& step) const {
    for (const Part& part : parts_) {
        if (step.topology != 0 && part.topology == step.topology - std::size_t{1})
            return &part.view;
    }
    return nullptr;
}

Alternative PlanMaker::AlternativeOf(std::size_t row) {
    const ChainStep& step = rows_[row];
    const EngineOptions* options = settings_;
    if ((step.own != 0 || step.own_files != 0) && row < memory_.options.size()) {
        SetOptions(step, *settings_, memory_.options[row]);
        options = &memory_.options[row];
    }
    return {.kind = step.engine,
            .engine = FindEngine(on_board_, step.engine),
            .options = options,
            .part = PartOf(step),
            .id = step.id,
            .path_bit = step.path_bit};
}

/// Adds the step of row `first` and, as its next alternatives, its fallbacks.
void PlanMaker::AddAlternatives(std::size_t first) {
    const auto add = [this](std::size_t row) {
        const std::size_t count = alternatives_.size();
        alternative_rows_[count] = AlternativeOf(row);
        alternatives_ = std::span(alternative_rows_).first(count + 1);
    };
    add(first);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row].fallback_of == first + 1) add(row);
    }
}

void PlanMaker::MakeSteps() {
    EMBER_ASSERT(rows_.size() <= kMostChainSteps);
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row].fallback_of != 0 || (is_too_long_ && count > 0)) continue;
        const std::size_t begin = alternatives_.size();
        AddAlternatives(row);
        steps_[count++] = {
            .part = nullptr, .options = settings_, .alternatives = alternatives_.subspan(begin)};
    }
    chain_ = {.steps = std::span(steps_).first(count),
              .options = settings_,
              .most_vls = static_cast<VlCap>(settings_->max_op_vls),
              .require_deadlock_free = settings_->require_deadlock_free,
              .writes_lanes = OffersLanes(*settings_),
              .levels = LevelWishOf(*settings_),
              .has_step_lanes = settings_->chain_lanes,
              .may_lay_lanes = settings_->order == Order::kBalanced,
              .lane_engine = FindLaneEngine(on_board_, *settings_)};
}

Progress PlanMaker::Advance() {
    if (parts_.empty()) return Progress::kDone;
    std::size_t looked_at = 0;
    for (; next_ < fabric_->node_bound() && looked_at < kPortsPerSlice; ++next_) {
        const auto at = static_cast<NodeIndex>(next_);
        if (!fabric_->IsLive(at)) continue;
        Look(at);
        looked_at += fabric_->node(at).port_count + std::size_t{1};
    }
    return next_ < fabric_->node_bound() ? Progress::kMore : Progress::kDone;
}

void PlanMaker::Look(NodeIndex at) {
    const PortGroupPolicy policy(*fabric_, *settings_);
    const Node& node = fabric_->node(at);
    policy.LookAtName(at, facts_);
    const BitSet groups(groups_);
    for (const Port& port : fabric_->PortsOf(at)) {
        groups.clear();
        policy.FindGroups(fabric_->IndexOf(port), facts_, groups);
        LookAtPort(node, port, groups);
    }
}

/// A switch is in a topology if one of its ports is, and with it its own LID; an end port is by
/// itself.
void PlanMaker::LookAtPort(const Node& node, const Port& port, const BitSet& groups) {
    const bool is_switch = node.type == NodeType::kSwitch;
    for (Part& part : parts_) {
        const PortTopology& topology = settings_->manager_tables.topologies[part.topology];
        const std::uint16_t group = is_switch ? topology.switches : topology.end_ports;
        if (!IsIn(group, groups, node.type)) continue;
        if (!is_switch) {
            if (port.lid == kNoLid) continue;
            part.lids.Add(Raw(port.lid));
            part.has_end_ports = true;
            continue;
        }
        const std::size_t row = Raw(node.switch_index);
        part.switches.Add(row);
        part.ports.Add(row * part.view.port_stride + Raw(port.number));
        const Port& own = fabric_->port(node.first_port);
        if (own.lid != kNoLid) part.lids.Add(Raw(own.lid));
    }
}

bool PlanMaker::IsEmpty(std::size_t step) const {
    const ChainStep& row = rows_[step];
    for (const Part& part : parts_) {
        if (row.topology != 0 && part.topology == row.topology - std::size_t{1})
            return !part.has_end_ports || part.switches.count() == 0;
    }
    return false;
}

}  // namespace ember
