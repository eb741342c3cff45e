// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a subnet is to be routed: in which steps, and by which engines.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/engine_kind.h"
#include "core/base/static_vector.h"
#include "core/graph/subnet_part.h"
#include "core/lanes/level_wish.h"
#include "core/routing/engine.h"
#include "core/settings/settings.h"
#include "core/wire/port_info.h"

namespace ember {

/// A way to route a step.
struct Alternative {
    EngineKind kind = EngineKind::kMinHop;
    RoutingEngine* engine = nullptr;  ///< nullptr: this board does not have it.
    // Of a unicast-step of rch_policy_file, each of which has a part and options of its own.
    const EngineOptions* options = nullptr;  ///< nullptr: part and options are those of the step.
    const SubnetPart* part = nullptr;        ///< nullptr, with options: the whole subnet.
    std::uint64_t id = 0;                    ///< Its number; 0: it is no unicast-step.
    /// A later step writes this LID of each port, counted from its base LID.
    std::uint8_t path_bit = kAllPathBits;

    static constexpr std::uint8_t kAllPathBits = 0xFF;
};

/// Steps of a plan.
inline constexpr std::size_t kMaxRoutingSteps = 16;
/// Alternatives of all steps of a plan together.
inline constexpr std::size_t kMaxAlternatives = kMaxEngines;

/// A step of a plan: a part of the subnet, and the engines that may route it.
struct RoutingStep {
    const SubnetPart* part = nullptr;  ///< nullptr: the whole subnet.
    const EngineOptions* options = nullptr;
    std::span<const Alternative> alternatives;  ///< The first that works is taken.

    /// The options that one of the alternatives has.
    [[nodiscard]] const EngineOptions& OptionsOf(const Alternative& alternative) const {
        return alternative.options != nullptr ? *alternative.options : *options;
    }
    /// The part that it routes; nullptr: the whole subnet.
    [[nodiscard]] const SubnetPart* PartOf(const Alternative& alternative) const {
        return alternative.options != nullptr ? alternative.part : part;
    }
};

/// How a subnet is routed. Steps run one after the other; a step writes the entries of its
/// destinations on its switches over those of the steps before, as far as its part leads from the
/// one to the other. The result is proved as a whole.
struct RoutingPlan {
    std::span<const RoutingStep> steps;      ///< 1..Limits::max_routing_steps.
    const EngineOptions* options = nullptr;  ///< Options for the subnet as a whole.
    VlCap most_vls = VlCap::kVl0To14;        ///< Upper bound of Exit::vls.
    bool require_deadlock_free = false;      ///< Whatever the engines promise.
    /// An engine that loses a pair of end ports by OpenSM's rules, or lets them wait in a circle,
    /// and promises a last resort, is asked for that under its own name before another one is: in a
    /// list without no_fallback.
    bool bridges = false;
    bool writes_lanes = false;  ///< SL to VL maps are written: OffersLanes().
    LevelWish levels{};         ///< For each, lanes are multiplied.
    /// Pairs of switches whose end ports are in the part of one step share no lane with the others,
    /// and no mix of steps closes a credit loop. Lanes that the engines of steps make do not count.
    bool has_step_lanes = false;
    /// Steps get such lanes too, if they close a credit loop on one lane and lanes can be had.
    bool may_lay_lanes = false;
    RoutingEngine* lane_engine = nullptr;  ///< Which makes them; nullptr: the board has none.

    /// A chain of rch_policy_file, of one step or more.
    [[nodiscard]] bool is_chain() const {
        return !steps[0].alternatives.empty() && steps[0].alternatives[0].id != 0;
    }
    /// A single step for the whole subnet: its routes may be mended and proved by their changes.
    [[nodiscard]] bool is_plain() const {
        return steps.size() == 1 && steps[0].part == nullptr && !is_chain();
    }
};

/// The plan of the option routing_engine: one step, the whole subnet, the engines of the list.
class ListPlan {
public:
    ListPlan() = default;
    ListPlan(const ListPlan&) = delete;
    ListPlan& operator=(const ListPlan&) = delete;

    /// `settings` outlives the plan. `on_board`: all engines that there are.
    void Make(const Settings& settings, std::span<RoutingEngine* const> on_board) {
        alternatives_.clear();
        for (EngineKind kind : EnginesToTry(settings.routing_engine, settings.order)) {
            // A board may be built without auto, which is missed only where it is listed.
            const bool is_listed = !settings.routing_engine.empty();
            if (!is_listed && FindEngine(on_board, kind) == nullptr) kind = EngineKind::kMinHop;
            const Status kept =
                alternatives_.TryPush({.kind = kind, .engine = FindEngine(on_board, kind)});
            EMBER_ASSERT(kept == Status::kOk);
        }
        step_ = {.options = &settings, .alternatives = alternatives()};
        plan_ = {.steps = {&step_, 1},
                 .options = &settings,
                 .most_vls = static_cast<VlCap>(settings.max_op_vls),
                 .require_deadlock_free = settings.require_deadlock_free,
                 .bridges = !settings.no_fallback,
                 .writes_lanes = OffersLanes(settings),
                 .levels = LevelWishOf(settings)};
    }
    [[nodiscard]] const RoutingPlan& plan() const { return plan_; }
    [[nodiscard]] std::span<const Alternative> alternatives() const {
        return {alternatives_.begin(), alternatives_.size()};
    }

private:
    StaticVector<Alternative, kMaxAlternatives> alternatives_;
    RoutingStep step_;
    RoutingPlan plan_;
};

}  // namespace ember
