// SPDX-License-Identifier: Apache-2.0
// EmberSM: the steps of a rch_policy_file: in which order they run, and which stands for which.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "config/emberc/option_files/chain_draft.h"

namespace ember::emberc {
namespace {

class ChainResolver {
public:
    ChainResolver(const std::vector<StepDraft>& drafts, const SubnetFacts& subnet, QosText& text)
        : drafts_(drafts), subnet_(subnet), text_(text) {}

    LoadedChain Resolve();

private:
    void OrderSteps();
    void DropIgnored();
    [[nodiscard]] std::string_view WhyIgnored(const StepDraft& step) const;
    void CheckFirst();
    void CheckOrderOfLines();
    [[nodiscard]] std::uint8_t TopologyOf(const StepDraft& step);
    [[nodiscard]] std::uint8_t PathBitOf(const StepDraft& step);
    void CheckFtree(const StepDraft& step);
    [[nodiscard]] std::uint8_t RowOf(std::uint64_t id) const;
    void AddStep(const StepDraft& step);
    [[nodiscard]] const StepDraft* First() const;

    const std::vector<StepDraft>& drafts_;
    const SubnetFacts& subnet_;
    QosText& text_;
    std::map<std::uint64_t, const StepDraft*> by_id_;  ///< All that have an id.
    std::vector<const StepDraft*> steps_;              ///< Drafts that count, ascending.
    LoadedChain chain_;
};

void ChainResolver::OrderSteps() {
    for (const StepDraft& draft : drafts_) {
        if (!draft.id) continue;
        const auto [at, is_new] = by_id_.try_emplace(draft.id->number, &draft);
        if (is_new) continue;
        text_.ReportAt(
            Severity::kError, draft.id->spot, Code::kContradiction,
            fmt::format("line {} begins a unicast-step of this id", at->second->spot.place.line));
    }
}

/// Why a fallback is for no step; empty: it is for one, or is none.
std::string_view ChainResolver::WhyIgnored(const StepDraft& step) const {
    if (!step.fallback) return {};
    const auto primary = by_id_.find(step.fallback->number);
    if (primary == by_id_.end()) return "there is no unicast-step of this id";
    if (primary->second == &step) return "a step is no fallback to itself";
    if (primary->second->fallback) return "that unicast-step is a fallback itself";
    return {};
}

void ChainResolver::DropIgnored() {
    for (const auto& [id, step] : by_id_) {
        const std::string_view why = WhyIgnored(*step);
        if (why.empty()) {
            steps_.push_back(step);
        } else {
            text_.ReportAt(Severity::kWarning, step->fallback->spot, Code::kNoEffect,
                           fmt::format("{}: this unicast-step is ignored", why));
        }
    }
}

const StepDraft* ChainResolver::First() const {
    const auto first = std::find_if(steps_.begin(), steps_.end(),
                                    [](const StepDraft* step) { return !step->fallback; });
    return first == steps_.end() ? nullptr : *first;
}

/// The first step, and what may take its place, are for everything.
void ChainResolver::CheckFirst() {
    const StepDraft* const first = First();
    if (first == nullptr) return;
    for (const StepDraft* const step : steps_) {
        const bool is_fallback = step->fallback && step->fallback->number == first->id->number;
        if (step != first && !is_fallback) continue;
        const std::string_view what = is_fallback ? "a fallback to the first unicast-step"
                                                  : "the unicast-step with the lowest id";
        if (step->topology && step->topology->number != 0) {
            text_.ReportAt(Severity::kError, step->topology->spot, Code::kConflict,
                           fmt::format("{} is for the whole fabric, which is topology 0", what));
        }
        if (step->path_bit && step->path_bit->number != 0) {
            text_.ReportAt(Severity::kError, step->path_bit->spot, Code::kConflict,
                           fmt::format("{} has path-bit 0, and routes all LIDs", what));
        }
    }
}

/// Steps run in the order of their ids, whatever that of their lines.
void ChainResolver::CheckOrderOfLines() {
    for (std::size_t i = 1; i < steps_.size(); ++i) {
        const StepDraft& before = *steps_[i - 1];
        const StepDraft& step = *steps_[i];
        if (before.spot.place.line < step.spot.place.line) continue;
        text_.ReportAt(Severity::kNote, step.id->spot, Code::kOverruled,
                       fmt::format("steps run in the order of their ids: this one after that of "
                                   "line {}",
                                   before.spot.place.line));
    }
}

/// The row + 1.
std::uint8_t ChainResolver::TopologyOf(const StepDraft& step) {
    if (!step.topology || step.topology->number == 0) return 0;
    const auto& topologies = subnet_.topologies->topologies;
    const auto found = std::find_if(topologies.begin(), topologies.end(), [&step](const auto& one) {
        return one.row.id == step.topology->number;
    });
    if (found != topologies.end()) {
        return static_cast<std::uint8_t>(found - topologies.begin() + 1);
    }
    if (!subnet_.is_chain_sound) return 0;  // Why it is not there was reported.
    text_.ReportAt(
        Severity::kError, step.topology->spot, Code::kUndefinedName,
        topologies.empty()
            ? std::string("there is no topology of this id: topo_policy_file names none")
            : fmt::format("topo_policy_file has no topology of the id {}", step.topology->number));
    return 0;
}

std::uint8_t ChainResolver::PathBitOf(const StepDraft& step) {
    const std::uint64_t bit = step.path_bit ? step.path_bit->number : 0;
    if (bit >= std::uint64_t{1} << subnet_.lmc) {
        text_.ReportAt(Severity::kError, step.path_bit->spot, Code::kConflict,
                       fmt::format("lmc {} gives a port {} LIDs, so that path-bits are 0..{}",
                                   subnet_.lmc, 1U << subnet_.lmc, (1U << subnet_.lmc) - 1));
    }
    return static_cast<std::uint8_t>(bit);
}

void ChainResolver::CheckFtree(const StepDraft& step) {
    if (step.engine != EngineKind::kFtree || subnet_.lmc == 0 || subnet_.is_balanced) return;
    text_.ReportAt(Severity::kError, step.engine_spot, Code::kConflict,
                   fmt::format("ftree gives a port one LID, lmc {} asks for {}; under `order "
                               "balanced` it can",
                               subnet_.lmc, 1U << subnet_.lmc));
}

std::uint8_t ChainResolver::RowOf(std::uint64_t id) const {
    const auto found = std::find_if(steps_.begin(), steps_.end(),
                                    [id](const StepDraft* step) { return step->id->number == id; });
    return static_cast<std::uint8_t>(found - steps_.begin());
}

void ChainResolver::AddStep(const StepDraft& step) {
    LoadedChain::Step loaded{.row = {.id = step.id->number,
                                     .line = static_cast<std::uint32_t>(step.spot.place.line),
                                     .topology = TopologyOf(step),
                                     .path_bit = PathBitOf(step),
                                     .engine = step.engine.value_or(EngineKind::kMinHop)},
                             .topology = step.topology ? step.topology->number : 0,
                             .place = step.spot.place,
                             .source = step.spot.source,
                             .config = step.config,
                             .config_place = step.config_spot.place,
                             .config_source = step.config_spot.source};
    if (step.fallback) {
        loaded.row.fallback_of = static_cast<std::uint8_t>(RowOf(step.fallback->number) + 1);
    }
    CheckFtree(step);
    chain_.steps.push_back(std::move(loaded));
}

LoadedChain ChainResolver::Resolve() {
    OrderSteps();
    DropIgnored();
    if (steps_.size() > kMostChainSteps) {
        text_.ReportAt(
            Severity::kError, {}, Code::kTooLarge,
            fmt::format("{} unicast-steps are more than {}", steps_.size(), kMostChainSteps));
        return {};
    }
    CheckFirst();
    CheckOrderOfLines();
    for (const StepDraft* const step : steps_) {
        AddStep(*step);
    }
    if (chain_.steps.empty() && !text_.has_errors()) {
        text_.ReportAt(Severity::kError, {}, Code::kMissingEntry,
                       "there is no unicast-step: the chain would route nothing");
    }
    return std::move(chain_);
}

}  // namespace

LoadedChain ResolveChain(const std::vector<StepDraft>& drafts, const SubnetFacts& subnet,
                         QosText& text) {
    return ChainResolver(drafts, subnet, text).Resolve();
}

}  // namespace ember::emberc
