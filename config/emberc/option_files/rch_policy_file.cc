// SPDX-License-Identifier: Apache-2.0
// EmberSM: rch_policy_file: the routing chain, step by step.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/blob/engine_words.h"
#include "config/emberc/foreign_keys.h"
#include "config/emberc/option_files/chain_draft.h"
#include "config/emberc/option_files/chain_members.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/paragraphs.h"
#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

enum class Qualifier : std::uint8_t {
    kId,
    kEngine,
    kUse,
    kConfig,
    kTopology,
    kFallback,
    kPathBit,
};

/// In the order of the enumerators.
constexpr std::array<std::string_view, 7> kQualifiers = {
    "id", "engine", "use", "config", "topology", "fallback-to", "path-bit"};

constexpr std::uint32_t BitOf(Qualifier qualifier) {
    return 1U << static_cast<unsigned>(qualifier);
}

constexpr ParagraphForm kForm{.begin = "unicast-step",
                              .end = "end-unicast-step",
                              .qualifiers = kQualifiers,
                              .mandatory = BitOf(Qualifier::kId) | BitOf(Qualifier::kEngine),
                              .free_text = BitOf(Qualifier::kUse)};

/// Why no step of a chain has this engine, which a list of routing_engine may have.
std::string_view WhyNotForChains(const EngineWord& word) {
    if (word.use != EngineWordUse::kEngine) return "this release of EmberSM has no such engine";
    if (ChainUseOf(word.kind) == ChainUse::kNone) {
        return "its tables are those of the whole subnet";
    }
    return "it needs several virtual lanes, and steps share one without `chain_lanes TRUE`";
}

class ChainReader final : public ParagraphClient {
public:
    ChainReader(std::string_view text, Diagnostics& diagnostics, const SubnetFacts& subnet)
        : text_(text, diagnostics), subnet_(subnet) {}

    LoadedChain Read();
    void CheckSteps(const LoadedChain& chain, const net::Netlist& fabric);
    void CheckNodes(const LoadedChain& chain, const std::vector<StepMembers>& members);
    void Begin(const Spot& spot) override { drafts_.push_back({.spot = spot}); }
    void Read(std::size_t qualifier, const Spot& spot, QosText& text) override;

private:
    [[nodiscard]] std::optional<EngineKind> ReadEngine(const Word& word);
    [[nodiscard]] std::optional<SpottedNumber> TakeNumber(std::string_view what, std::uint64_t min,
                                                          std::uint64_t max);

    QosText text_;
    const SubnetFacts& subnet_;
    std::vector<StepDraft> drafts_;
};

std::optional<EngineKind> ChainReader::ReadEngine(const Word& word) {
    std::vector<std::string_view> names;
    for (const EngineWord& one : EngineWords()) {
        const bool is_for_chains =
            one.use == EngineWordUse::kEngine && IsForChains(one.kind, subnet_.has_step_lanes);
        if (is_for_chains && one.word == word.text) return one.kind;
        if (is_for_chains) names.push_back(one.word);
        if (is_for_chains || one.word != word.text) continue;
        text_.Error(word, Code::kEngineNotAvailable,
                    fmt::format("no step of a chain can have engine '{}': {}", word.text,
                                WhyNotForChains(one)));
        return std::nullopt;
    }
    const std::string_view foreign = NearestToForeignEngine(word.text);
    const std::string_view nearest =
        foreign.empty() ? Nearest(word.text, names) : std::string_view(foreign);
    text_.Error(word, Code::kUnknownEngine,
                nearest.empty() ? fmt::format("there is no routing engine '{}'; chains have: {}",
                                              word.text, fmt::join(names, ", "))
                                : fmt::format("there is no routing engine '{}'; did you mean '{}'?",
                                              word.text, nearest));
    return std::nullopt;
}

std::optional<SpottedNumber> ChainReader::TakeNumber(std::string_view what, std::uint64_t min,
                                                     std::uint64_t max) {
    const Spot spot = text_.SpotOf(text_.rest());
    const auto number = text_.TakeNumber(what, min, max);
    if (!number) return std::nullopt;
    return SpottedNumber{.number = *number, .spot = spot};
}

void ChainReader::Read(std::size_t qualifier, const Spot& /*spot*/, QosText& text) {
    constexpr std::uint64_t kMostIds = ~std::uint64_t{0};
    StepDraft& draft = drafts_.back();
    switch (static_cast<Qualifier>(qualifier)) {
        case Qualifier::kId:
            draft.id = TakeNumber("id of a step", 1, kMostIds);
            return;
        case Qualifier::kEngine: {
            const Word word = text.TakeWord();
            draft.engine_spot = text.SpotOf(word);
            draft.engine = ReadEngine(word);
            text.ExpectEnd("a step has one engine, and others by steps with 'fallback-to'");
            return;
        }
        case Qualifier::kUse:
            return;
        case Qualifier::kConfig:
            draft.config_spot = text.SpotOf(text.rest());
            draft.config = std::string(text.rest().text);
            return;
        case Qualifier::kTopology:
            draft.topology = TakeNumber("id of a topology", 0, kMostIds);
            return;
        case Qualifier::kFallback:
            draft.fallback = TakeNumber("id of a step", 0, kMostIds);
            return;
        case Qualifier::kPathBit:
            draft.path_bit = TakeNumber("path-bit", 0, kMostPathBits);
            return;
    }
}

LoadedChain ChainReader::Read() {
    ReadParagraphs(kForm, text_, *this);
    return ResolveChain(drafts_, subnet_, text_);
}

/// Nodes that only the steps of the whole fabric route may have been forgotten.
void ChainReader::CheckNodes(const LoadedChain& chain, const std::vector<StepMembers>& members) {
    const auto is_of_part = [](const LoadedChain::Step& step) { return step.topology != 0; };
    if (std::none_of(chain.steps.begin(), chain.steps.end(), is_of_part)) return;
    const std::vector<std::string> rest = OnlyInWhole(members);
    if (rest.empty()) return;
    const auto whole = std::find_if_not(chain.steps.begin(), chain.steps.end(), is_of_part);
    text_.ReportAt(Severity::kWarning, {.place = whole->place, .source = whole->source},
                   Code::kMissingEntry,
                   fmt::format("{} nodes of the fabric are in no step of a topology, the first is "
                               "{}: this unicast-step, which is for the whole fabric, routes them",
                               rest.size(), rest.front()));
}

/// Each step should have something to route.
void ChainReader::CheckSteps(const LoadedChain& chain, const net::Netlist& fabric) {
    const auto members = MembersOf(chain, *subnet_.port_group_policy, *subnet_.topologies, fabric);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!members[i].switches.empty() && !members[i].hosts.empty()) continue;
        const LoadedChain::Step& step = chain.steps[i];
        text_.ReportAt(
            Severity::kWarning, {.place = step.place, .source = step.source}, Code::kEmptySection,
            fmt::format("this unicast-step routes nothing: its topology {} has no {} of "
                        "the fabric",
                        step.topology, members[i].switches.empty() ? "switch" : "host or router"));
    }
    CheckNodes(chain, members);
}

}  // namespace

LoadedChain ParseRchPolicyFile(std::string_view text, Diagnostics& diagnostics,
                               const SubnetFacts& subnet) {
    static const LoadedPortGroups kNoGroups;
    static const LoadedTopologies kNoTopologies;
    SubnetFacts facts = subnet;
    if (facts.port_group_policy == nullptr) facts.port_group_policy = &kNoGroups;
    if (facts.topologies == nullptr) facts.topologies = &kNoTopologies;
    ChainReader reader(text, diagnostics, facts);
    LoadedChain chain = reader.Read();
    const bool is_good = diagnostics.CountOf(Severity::kError) == 0;
    if (is_good && subnet.fabric != nullptr && subnet.is_chain_sound) {
        reader.CheckSteps(chain, *subnet.fabric);
    }
    return chain;
}

}  // namespace ember::emberc
