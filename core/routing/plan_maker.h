// SPDX-License-Identifier: Apache-2.0
// EmberSM: how the configuration wants a subnet to be routed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/static_vector.h"
#include "core/fabric/fabric.h"
#include "core/graph/subnet_part.h"
#include "core/port_groups/port_group_policy.h"
#include "core/routing/engine.h"
#include "core/routing/routing_plan.h"
#include "core/settings/chain_rows.h"
#include "core/settings/settings.h"

namespace ember {

/// Makes the plan by which a subnet is routed: the chain of rch_policy_file, or, without one, the
/// list of routing_engine.
///
/// Each topology that the chain names is found in the subnet: one pass over all ports, in slices,
/// says which port is in which of them. A fallback is an alternative of the step that it is for.
/// A chain of more unicast-steps than Limits::max_routing_steps is not run in part: the first step,
/// which is for the whole subnet, and its fallbacks route alone, and is_too_long() says so.
class PlanMaker {
public:
    struct Memory {
        std::span<std::uint64_t> parts;    ///< PartWords() for each part but the whole.
        std::span<EngineOptions> options;  ///< For each unicast-step.
    };
    /// Words that the topologies of a chain take on a board; none where it has no later steps.
    [[nodiscard]] static constexpr std::size_t PartWords(const Limits& limits) {
        return (limits.max_routing_steps - std::size_t{1}) * WordsOfPart(limits);
    }
    /// Options of unicast-steps: one has at most one step.
    [[nodiscard]] static constexpr std::size_t OptionRows(const Limits& limits) {
        return limits.max_routing_steps;
    }

    PlanMaker(const Memory& memory, const Limits& limits);
    PlanMaker(const PlanMaker&) = delete;
    PlanMaker& operator=(const PlanMaker&) = delete;

    /// Starts a plan. All of it outlives the plan, and stands still until Advance() says kDone.
    /// `on_board`: all engines that there are.
    void Begin(const Fabric& fabric, const Settings& settings,
               std::span<RoutingEngine* const> on_board);
    /// Looks at the next ports, a few thousand at most. kDone: plan() holds. At once without chain.
    [[nodiscard]] Progress Advance();

    /// After Advance() has said kDone.
    [[nodiscard]] const RoutingPlan& plan() const { return has_chain_ ? chain_ : list_.plan(); }
    /// The alternatives of all steps, step by step.
    [[nodiscard]] std::span<const Alternative> alternatives() const {
        return has_chain_ ? std::span<const Alternative>(alternatives_) : list_.alternatives();
    }
    /// The chain has more unicast-steps than the board takes: the first one routes alone.
    [[nodiscard]] bool is_too_long() const { return is_too_long_; }
    /// The unicast-step in this row of ManagerTables::chain_steps has a topology that is without
    /// switches or without end ports: it routes nothing.
    [[nodiscard]] bool IsEmpty(std::size_t step) const;

private:
    static constexpr std::size_t kPortsPerSlice = 1024;

    /// A topology in use, and the words of its part.
    struct Part {
        std::size_t topology = 0;  ///< Row of ManagerTables::topologies.
        BitSet switches;
        BitSet lids;
        BitSet ports;
        bool has_end_ports = false;
        SubnetPart view;
    };

    [[nodiscard]] static constexpr std::size_t PortWords(const Limits& limits) {
        return BitSet::WordsFor(limits.max_switches * (limits.max_switch_ports + std::size_t{1}));
    }
    [[nodiscard]] static constexpr std::size_t WordsOfPart(const Limits& limits) {
        return SubnetPart::Words(limits.max_switches) + SubnetPart::Words(limits.max_lid) +
               PortWords(limits);
    }

    void MakeParts();
    void MakeSteps();
    void AddAlternatives(std::size_t first);
    [[nodiscard]] Alternative AlternativeOf(std::size_t row);
    [[nodiscard]] const SubnetPart* PartOf(const ChainStep& step) const;
    void Look(NodeIndex at);
    void LookAtPort(const Node& node, const Port& port, const BitSet& groups);

    Memory memory_;
    Limits limits_;
    ListPlan list_;
    const Fabric* fabric_ = nullptr;
    const Settings* settings_ = nullptr;
    std::span<RoutingEngine* const> on_board_;
    std::span<const ChainStep> rows_;  ///< The steps that are run.
    std::size_t next_ = 0;             ///< The row of the next node to look at.
    StaticVector<Part, kMostChainSteps> parts_;
    std::array<Alternative, kMostChainSteps> alternative_rows_;
    std::span<Alternative> alternatives_;
    std::array<RoutingStep, kMostChainSteps> steps_;
    RoutingPlan chain_;
    PortGroupPolicy::NameFacts facts_;
    std::array<std::uint64_t, BitSet::WordsFor(kMostPortGroups)> groups_{};
    bool has_chain_ = false;
    bool is_too_long_ = false;
};

}  // namespace ember
