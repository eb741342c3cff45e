// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a board, or its port, would refuse.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/checks.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/chain_members.h"
#include "config/emberc/option_files/contents.h"
#include "config/netlist/netlist.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

class BoardCheck {
public:
    BoardCheck(const Conf& conf, const OptionContents& contents, const BoardTerms& board,
               Diagnostics& report)
        : conf_(conf), contents_(contents), board_(board), report_(report) {}

    void CheckBandwidths();
    void CheckChain();
    void CheckStepSwitches(const net::Netlist& fabric);
    void CheckMaps();
    void CheckLanes();

private:
    [[nodiscard]] const Setting& At(std::string_view name) const {
        const std::optional<std::size_t> key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return conf_[*key];
    }
    /// At the value of a key.
    void Say(Severity severity, std::string_view name, std::string text) {
        report_.Add({.severity = severity,
                     .place = At(name).value_place,
                     .code = Code::kNotTaken,
                     .text = std::move(text),
                     .source = At(name).source});
    }

    const Conf& conf_;
    const OptionContents& contents_;
    const BoardTerms& board_;
    Diagnostics& report_;
};

/// Limits of bandwidth are for boards whose devices take them: any other refuses the blob. Of the
/// ports of embersm the simulated one alone has such devices behind it.
void BoardCheck::CheckBandwidths() {
    if (!contents_.bandwidths) return;
    constexpr std::string_view kFile = option_files::EnhancedQosPolicyFile::kOption;
    if (board_.port == PortKind::kUmad || board_.port == PortKind::kMailbox) {
        Say(Severity::kError, kFile,
            fmt::format("embersm --{} sets no limits of bandwidth: it would refuse this "
                        "configuration",
                        board_.port == PortKind::kUmad ? "umad" : "mailbox"));
    } else if (board_.limits == nullptr && board_.port == PortKind::kUnknown) {
        Say(Severity::kWarning, kFile,
            "a board whose devices take no limits of bandwidth refuses this configuration; --board "
            "and --port tell whether one does");
    } else if (board_.limits != nullptr && board_.limits->bandwidth_tables == 0) {
        Say(Severity::kError, kFile,
            fmt::format("no device of the board {} takes limits of bandwidth: it would refuse this "
                        "configuration",
                        board_.name));
    } else if (board_.has_ports && board_.port == PortKind::kUnknown) {
        Say(Severity::kWarning, kFile,
            fmt::format("on the board {} only the simulated devices take limits of bandwidth: "
                        "embersm --umad and --mailbox refuse this configuration; --port tells "
                        "which it is for",
                        board_.name));
    }
}

/// A board may take fewer steps than a configuration has, or have one lane.
void BoardCheck::CheckChain() {
    if (!contents_.chain) return;
    const std::size_t steps = contents_.chain->steps.size();
    if (steps > board_.limits->max_routing_steps) {
        Say(Severity::kError, option_files::RchPolicyFile::kOption,
            fmt::format("the board {} takes {} unicast-steps, and this chain has {}", board_.name,
                        board_.limits->max_routing_steps, steps));
    }
    if (At("chain_lanes").value.number != 0 && board_.limits->max_lanes == 1) {
        Say(Severity::kError, "chain_lanes",
            fmt::format("the board {} routes by one lane, which all steps share", board_.name));
    }
}

/// How many switches a step has is known where the fabric is.
void BoardCheck::CheckStepSwitches(const net::Netlist& fabric) {
    const std::uint32_t most = board_.limits->max_step_switches;
    if (!contents_.chain || most == 0) return;
    const std::vector<StepMembers> steps =
        MembersOf(*contents_.chain, contents_.port_groups.value_or(LoadedPortGroups{}),
                  contents_.topologies.value_or(LoadedTopologies{}), fabric);
    for (std::size_t i = 1; i < steps.size(); ++i) {
        if (steps[i].switches.size() <= most) continue;
        Say(Severity::kError, option_files::RchPolicyFile::kOption,
            fmt::format("the board {} takes {} switches in a step that is not the first, and "
                        "unicast-step {} has {}",
                        board_.name, most, steps[i].id, steps[i].switches.size()));
    }
}

/// torus-2QoS turns a packet's lane where it crosses a dateline, whatever the size of the torus.
void BoardCheck::CheckMaps() {
    if (board_.limits->max_lanes > 1 && board_.limits->lane_map_bytes != 0) return;
    const std::string lack =
        board_.limits->max_lanes == 1
            ? fmt::format("the board {} routes by one lane", board_.name)
            : fmt::format("the board {} has no room for SL to VL maps", board_.name);
    if (contents_.chain) {
        for (const LoadedChain::Step& step : contents_.chain->steps) {
            if (step.row.engine != EngineKind::kTorus2Qos) continue;
            Say(Severity::kError, option_files::RchPolicyFile::kOption,
                fmt::format("{}, and torus-2QoS, the engine of unicast-step {}, needs them", lack,
                            step.row.id));
        }
        return;
    }
    if (!AsksEngine(conf_, EngineKind::kTorus2Qos)) return;
    const bool alone = AsksOnly(conf_, EngineKind::kTorus2Qos);
    Say(alone ? Severity::kError : Severity::kWarning, "routing_engine",
        fmt::format("{}, by which torus-2QoS is free of credit loops: {}", lack,
                    alone ? "no engine of the list can route"
                          : "the other engines of the list route instead"));
}

/// The lanes that dfsssp and lash need depend on the fabric: one is enough where no circle is.
void BoardCheck::CheckLanes() {
    const bool has_lanes = board_.limits->max_lanes > 1 && board_.limits->path_sl_bytes != 0;
    if (has_lanes || contents_.chain) return;
    for (const EngineKind kind : {EngineKind::kDfsssp, EngineKind::kLash}) {
        if (!AsksEngine(conf_, kind)) continue;
        Say(Severity::kWarning, "routing_engine",
            fmt::format("the board {} routes by one lane: {} is refused on a fabric where it needs "
                        "more than one",
                        board_.name, EngineName(kind)));
    }
}

}  // namespace

void CheckBoard(const Conf& conf, const OptionContents& contents, const BoardTerms& board,
                const net::Netlist* fabric, Diagnostics& report) {
    BoardCheck check(conf, contents, board, report);
    check.CheckBandwidths();
    if (board.limits != nullptr) {
        check.CheckChain();
        if (fabric != nullptr) check.CheckStepSwitches(*fabric);
        check.CheckMaps();
        check.CheckLanes();
    }
    report.Sort();
}

}  // namespace ember::emberc
