// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric on paper, routed as a subnet manager on it would.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/netlist/cuts.h"
#include "config/netlist/fabric_builder.h"
#include "config/netlist/netlist.h"
#include "core/base/lft_arena.h"
#include "core/fabric/node_names.h"
#include "core/graph/topology.h"
#include "core/routing/plan_maker.h"
#include "core/routing/router.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"

namespace ember::plan {

/// LIDs by port GUID: base LIDs that a manager has given out and keeps.
using LidsByGuid = std::map<Guid, Lid>;

/// A unicast-step of a chain.
struct PlannedStep {
    std::uint64_t id = 0;
    std::string_view engine;
    const SubnetPart* part = nullptr;  ///< nullptr: the whole fabric.
};

/// A fabric as a subnet manager would run it: LIDs, forwarding tables and the verdict on them, by
/// the same code that runs on the switch: AssignLids(), the engines of the catalogue, Router,
/// Verifier.
///
/// Throws std::runtime_error with a sentence when the netlist cannot be a subnet (a GUID twice,
/// more than 48 Ki LIDs).
class Planned {
public:
    /// `netlist` is what the manager can see: see net::Reachable(). `settings` and the tables they
    /// refer to live as long as this. With `before`, an earlier plan under the same settings, its
    /// LIDs are kept, and under Order::kBalanced its tables are mended, as a manager that runs does
    /// when something fails; otherwise all is new.
    ///
    /// `board`, or else that of `before`: routes are made in arenas as large as those of a board of
    /// these limits, so what has no room there is refused here too. If it cannot hold the fabric at
    /// all, and without a board, the arenas are as large as the fabric needs.
    Planned(net::Netlist netlist, const net::NetEnd& home, const Settings& settings,
            const Planned* before = nullptr, const Limits* board = nullptr);
    Planned(const Planned&) = delete;
    Planned& operator=(const Planned&) = delete;

    [[nodiscard]] const net::Netlist& netlist() const { return netlist_; }
    [[nodiscard]] const Fabric& fabric() const { return built_.fabric(); }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] const Verdict& verdict() const { return router_.verdict(); }
    /// Of the last engine that was refused, if the safe routing followed; else those of the
    /// verdict.
    [[nodiscard]] const Findings& refusal() const {
        return refusal_.has_value() ? *refusal_ : verdict().findings;
    }
    /// Row = SwitchIndex, column = LID. Of no use unless the verdict says may_program().
    [[nodiscard]] Tables lfts() const { return planned_.read_only(); }
    [[nodiscard]] LidsByGuid lids() const;
    [[nodiscard]] const OptionReport& option_report() const { return router_.option_report(); }
    /// The steps of a chain that its routes are of, in the order in which they ran; none of a list.
    [[nodiscard]] std::vector<PlannedStep> steps() const;
    /// Of these, the row of the last one that routes on a switch; the first for each if none does.
    [[nodiscard]] std::size_t StepOf(SwitchIndex at) const;
    /// The lanes that its paths take.
    [[nodiscard]] const RoutingLanes& lanes() const { return router_.planned_lanes(); }
    /// The links that could wait for each other in a circle if all packets had one lane; empty:
    /// none could.
    [[nodiscard]] ChannelList CycleOnOneLane();
    /// The limits that a board must have to hold this fabric: exact, but for what no fabric decides
    /// (SMPs in flight, other SMs, journal), which is 0. Of a board whose later steps have an LFT
    /// arena of their own, as in all `has`, or of one where scratch holds their tables.
    [[nodiscard]] Limits needed(const Limits& has = {}) const;

    /// The netlist's node of a switch row.
    [[nodiscard]] const net::NetNode& node(SwitchIndex at) const {
        return netlist_.nodes[nodes_[Raw(at)]];
    }
    /// The rate of the fastest cable of a host; kNone: no host has a cable.
    [[nodiscard]] Rate host_rate() const;

    /// The name of a node of the netlist, for people: that in node_name_map_name, else its
    /// description, or the GUID where that is blank.
    [[nodiscard]] std::string NameOf(const net::NetNode& node) const;
    [[nodiscard]] std::string NameOf(SwitchIndex at) const { return NameOf(node(at)); }
    /// The same of the node with this GUID, or the GUID when no node has it.
    [[nodiscard]] std::string NameOf(Guid guid) const;

private:
    [[nodiscard]] std::uint32_t LargestStep() const;

    void Route(const Settings& settings, const Planned* before);
    void Run();
    void TakeTables(const Planned& before);

    net::Netlist netlist_;
    const Limits* board_;  ///< nullptr: none.
    net::BuiltFabric built_;
    Limits room_;  ///< Of the arenas.
    NodeNames names_;
    net::ArenaStorage topology_room_;
    net::ArenaStorage scratch_;
    net::LazyArray<std::uint8_t> hop_octets_;
    net::LazyArray<std::uint8_t> lft_octets_;
    net::LazyArray<std::uint8_t> step_lft_octets_;
    net::LazyArray<std::uint64_t> part_words_;
    std::vector<EngineOptions> step_options_;
    net::LazyArray<std::uint8_t> path_sl_octets_;
    net::LazyArray<std::uint64_t> lane_map_words_;
    std::vector<std::uint32_t> nodes_;  ///< By switch row.
    LftArena planned_;
    Engines engines_;
    Topology topology_;
    PlanMaker maker_;
    Router router_;
    std::optional<Findings> refusal_;
};

/// A GUID as people write it.
[[nodiscard]] std::string Hex(Guid guid);

/// "verified", "possible credit loop", "safe routing", "refused", "nothing to route".
[[nodiscard]] std::string_view Word(RoutingOutcome outcome);
/// Why an engine's try was refused, in one sentence without a stop; empty when it was not.
[[nodiscard]] std::string Explain(const Planned& plan, const RoutingAttempt& attempt);
/// The switches and ports of a list, in order; and the VLs, where its graph has several.
[[nodiscard]] std::string ChannelText(const Planned& plan, const ChannelList& list);
/// The switches and ports of a possible credit loop among end ports; empty when there is none.
[[nodiscard]] std::string CreditLoop(const Planned& plan);
/// The shape that the engine took the fabric for, and its scheme; empty if it did not look.
[[nodiscard]] std::string Choice(const Planned& plan);
/// Whether the operator's levels of service are in force; empty: there is nothing to say.
[[nodiscard]] std::string ServiceLevels(const Planned& plan);
/// A sentence for hosts that stand in root_guid_file for their switches, and, if `with_misses`,
/// for each option file that names GUIDs or ports which are not there: what embersm would note in
/// its log. Of an opensm.conf the diagnostics tell the latter.
[[nodiscard]] std::vector<std::string> OptionNotes(const Planned& plan, bool with_misses);

}  // namespace ember::plan
