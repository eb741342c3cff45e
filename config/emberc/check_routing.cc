// SPDX-License-Identifier: Apache-2.0
// EmberSM: options of routing that do nothing beside each other, or for the engines listed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "config/blob/engine_words.h"
#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/engine_readers.h"
#include "config/emberc/keys.h"
#include "config/keys/routing_keys.h"
#include "core/base/assert.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"

namespace ember::emberc {
namespace {

constexpr Kinds kFtreeOnly = SetOf({EngineKind::kFtree});
constexpr Kinds kFileOnly = SetOf({EngineKind::kFile});
constexpr Kinds kTorusOnly = SetOf({EngineKind::kTorus2Qos});

/// The value of the key `order`; its numbers are those of Order (config/blob/fields.cc).
constexpr std::uint64_t kBalanced = Raw(Order::kBalanced);

/// The help of routing_engine names the engines of this release, and no others.
constexpr bool HelpNamesTheEngines() {
    const auto* const row =
        std::find_if(rows::kRoutingKeys.begin(), rows::kRoutingKeys.end(),
                     [](const Key& key) { return key.name == "routing_engine"; });
    if (row == rows::kRoutingKeys.end()) return false;
    const std::string_view list = row->meaning.substr(row->meaning.find("This release has "));
    return std::all_of(kNamedEngines.begin(), kNamedEngines.end(), [list](const NamedEngine& it) {
        return (list.find(it.word) != std::string_view::npos) == HasEngine(it.kind);
    });
}
static_assert(HelpNamesTheEngines(), "config/keys says of routing_engine which engines there are");

class Routing {
public:
    Routing(const Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics), engines_(Listed()) {}

    [[nodiscard]] bool HasChain() const { return IsNamed("rch_policy_file"); }
    [[nodiscard]] bool IsHeard(std::string_view key) const;
    [[nodiscard]] Kinds engines() const { return engines_; }
    void CheckChain();
    void CheckChainLanes();
    void CheckAudiences();
    void CheckFtree();
    void CheckFile();
    void CheckTorus();
    void CheckLaneEngines();
    void CheckAuto();
    void CheckSpread();
    void CheckBalance();
    void CheckOrder();

private:
    void CheckIgnored();
    [[nodiscard]] std::size_t IndexOf(std::string_view name) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return *key;
    }
    [[nodiscard]] const Setting& At(std::string_view name) const {
        return settings_[IndexOf(name)];
    }
    /// As OffersLanes() of the core.
    [[nodiscard]] bool HasLanes() const {
        return Number("routing_lanes") != 0 && (Number("qos") != 0 || Number("order") == kBalanced);
    }
    /// Asserts !HasLanes().
    [[nodiscard]] std::string_view WhyOneLane() const {
        EMBER_ASSERT(!HasLanes());
        return Number("routing_lanes") == 0 ? "routing_lanes is FALSE"
                                            : "qos is FALSE, under `order opensm`";
    }
    [[nodiscard]] std::uint64_t Number(std::string_view name) const {
        return At(name).value.number;
    }
    [[nodiscard]] bool IsNamed(std::string_view name) const {
        return At(name).value.set && !At(name).value.text.empty();
    }
    [[nodiscard]] bool IsChanged(std::string_view name) const {
        return At(name).written && !IsDefault(IndexOf(name), At(name).value);
    }
    [[nodiscard]] Kinds Listed() const;
    void Report(Severity severity, std::string_view name, Code code, std::string text);

    const Conf& settings_;
    Diagnostics& diagnostics_;
    Kinds engines_;
};

/// With a chain, whose steps name engines, any that a step may have.
Kinds Routing::Listed() const {
    if (HasChain()) {
        Kinds engines = 0;
        for (const NamedEngine& engine : kNamedEngines) {
            if (IsForChains(engine.kind, Number("chain_lanes") != 0))
                engines |= SetOf({engine.kind});
        }
        return engines;
    }
    EngineList listed;
    for (const std::uint16_t number : At("routing_engine").value.list) {
        const EngineWord& word = EngineWords()[number];
        if (word.use == EngineWordUse::kEngine) static_cast<void>(listed.TryPush(word.kind));
    }
    Kinds engines = 0;
    for (const EngineKind kind : EnginesToTry(listed, static_cast<Order>(Number("order")))) {
        engines |= SetOf({kind});
    }
    return engines;
}

void Routing::Report(Severity severity, std::string_view name, Code code, std::string text) {
    const Setting& setting = At(name);
    diagnostics_.Add({.severity = severity,
                      .place = setting.place,
                      .code = code,
                      .text = std::move(text),
                      .source = setting.source});
}

/// An engine of the list looks at the option.
bool Routing::IsHeard(std::string_view key) const {
    const Kinds audience = ReadersOf(key, static_cast<Order>(Number("order")));
    return audience == 0 || (engines_ & audience) != 0;
}

/// routing_engine may say `chain`, which is what rch_policy_file says by itself.
void Routing::CheckChain() {
    const auto& list = At("routing_engine").value.list;
    const auto is_chain = [](std::uint16_t number) {
        return EngineWords()[number].use == EngineWordUse::kChain;
    };
    const bool says_chain = std::any_of(list.begin(), list.end(), is_chain);
    if (says_chain && !HasChain()) {
        Report(Severity::kError, "routing_engine", Code::kConflict,
               "`chain` is for the steps of rch_policy_file, and no such file is named");
    } else if (HasChain() && std::any_of(list.begin(), list.end(), [](std::uint16_t number) {
                   return EngineWords()[number].use == EngineWordUse::kEngine;
               })) {
        Report(Severity::kWarning, "routing_engine", Code::kNoEffect,
               "its engines are not asked: the steps of rch_policy_file name theirs");
    }
}

/// Lanes of steps are SLs of paths, and SL to VL maps as `qos` writes them.
void Routing::CheckChainLanes() {
    if (Number("chain_lanes") == 0) return;
    if (!HasChain()) {
        Report(Severity::kWarning, "chain_lanes", Code::kNoEffect,
               "it is for the steps of rch_policy_file, and no such file is named");
    } else if (!HasLanes()) {
        Report(
            Severity::kError, "chain_lanes", Code::kConflict,
            fmt::format("steps have lanes of their own by SL to VL maps, and none is written: {}",
                        WhyOneLane()));
    }
}

void Routing::CheckAudiences() {
    for (const std::string_view key : OptionsOfEngines()) {
        if (!IsChanged(key) || IsHeard(key)) continue;
        Report(Severity::kNote, key, Code::kEngineNotListed,
               fmt::format("'{}' is for {}; routing_engine has {}", key,
                           WordsOf(ReadersOf(key, static_cast<Order>(Number("order")))),
                           WordsOf(engines_)));
    }
}

void Routing::CheckFtree() {
    if ((engines_ & kFtreeOnly) == 0) return;
    if (Number("lmc") > 0 && Number("order") != kBalanced) {
        const bool alone = engines_ == kFtreeOnly;
        Report(alone ? Severity::kError : Severity::kWarning, "routing_engine",
               alone ? Code::kConflict : Code::kNoEffect,
               fmt::format("ftree gives a port one LID, lmc {} asks for {}: {}", Number("lmc"),
                           1U << Number("lmc"),
                           alone ? "no engine of the list can route"
                                 : "the other engines of the list route instead"));
    }
    constexpr std::uint64_t kManyReverseHops = 4;
    if (Number("order") != kBalanced && Number("max_reverse_hops") >= kManyReverseHops) {
        Report(Severity::kWarning, "max_reverse_hops", Code::kMuchWork,
               fmt::format("the work grows as a power: each of {} reverse hops multiplies the ways "
                           "to an I/O node by the cables of a switch, and ftree gives up where "
                           "there are too many",
                           Number("max_reverse_hops")));
    }
    if (Number("order") != kBalanced && Number("max_reverse_hops") > 0 &&
        !IsNamed("io_guid_file")) {
        Report(Severity::kWarning, "max_reverse_hops", Code::kNoEffect,
               "reverse hops are for the nodes in io_guid_file, and no such file is named");
    }
}

void Routing::CheckFile() {
    if ((engines_ & kFileOnly) == 0) return;
    const bool has_matrix = IsNamed("lid_matrix_dump_file");
    if (IsNamed("lfts_file")) {
        if (!has_matrix) return;
        return Report(Severity::kWarning, "lid_matrix_dump_file", Code::kNoEffect,
                      "lfts_file is named too, and its forwarding tables need no hop matrix");
    }
    if (has_matrix) return;
    const bool alone = engines_ == kFileOnly;
    Report(alone ? Severity::kError : Severity::kWarning, "routing_engine",
           alone ? Code::kConflict : Code::kNoEffect,
           fmt::format("engine `file` has neither lfts_file nor lid_matrix_dump_file to read: {}",
                       alone ? "no engine of the list can route"
                             : "the other engines of the list route instead"));
}

/// OpenSM's torus-2QoS gives up where `qos` is off, as nothing would write its SL to VL maps.
void Routing::CheckTorus() {
    if ((engines_ & kTorusOnly) == 0 || HasLanes()) return;
    Report(Severity::kError, "routing_engine", Code::kConflict,
           fmt::format("torus-2QoS is free of credit loops by its SL to VL maps, and none is "
                       "written: {}",
                       WhyOneLane()));
}

void Routing::CheckSpread() {
    if (Number("order") == kBalanced) return;  // CheckOrder() says that none of them acts.
    const bool scatters = Number("scatter_ports") != 0;
    if (scatters && Number("port_shifting") != 0) {
        Report(Severity::kWarning, "port_shifting", Code::kNoEffect,
               "scatter_ports draws the port of each destination's first LID, so there "
               "port_shifting has no effect");
    }
    if (IsChanged("guid_routing_order_no_scatter") &&
        (!scatters || !IsNamed("guid_routing_order_file"))) {
        Report(Severity::kWarning, "guid_routing_order_no_scatter", Code::kNoEffect,
               "it holds scatter_ports off the ports in guid_routing_order_file, and there are "
               "not both");
    }
}

void Routing::CheckBalance() {
    if (IsChanged("offsweep_balancing_window") && Number("offsweep_balancing_enabled") == 0) {
        Report(Severity::kWarning, "offsweep_balancing_window", Code::kNoEffect,
               "offsweep_balancing_enabled is FALSE");
    }
    if (Number("order") == kBalanced) return;
    if (Number("offsweep_balancing_enabled") != 0) {
        Report(Severity::kWarning, "offsweep_balancing_enabled", Code::kNoEffect,
               "only under `order balanced` are routes mended, and so there to be balanced again");
    }
}

/// Without SL to VL maps there is one lane, and these are refused where their routes need more.
void Routing::CheckLaneEngines() {
    const Kinds needy = engines_ & SetOf({EngineKind::kDfsssp, EngineKind::kLash});
    if (needy == 0 || HasLanes()) return;
    Report(
        Severity::kWarning, "routing_engine", Code::kConflict,
        fmt::format("{}, so no SL to VL map is written: {} is refused on a fabric where it needs "
                    "more than one lane",
                    WhyOneLane(), WordsOf(needy)));
}

/// Notes on engine auto for operators of OpenSM, which has no such engine. Where no engine is
/// listed the journal and `emberc plan` say what a fabric lacks, if it does.
void Routing::CheckAuto() {
    const bool is_listed = !At("routing_engine").value.list.empty();
    if (!is_listed || (engines_ & SetOf({EngineKind::kAuto})) == 0) return;
    if (Number("order") != kBalanced) {
        Report(Severity::kNote, "routing_engine", Code::kNoEffect,
               "OpenSM has no engine auto: its routes are EmberSM's own, balanced, whatever the "
               "order");
    }
    if (!HasLanes()) {
        Report(Severity::kNote, "routing_engine", Code::kNoEffect,
               fmt::format("{}, so auto has one lane: that is enough for trees, meshes and "
                           "hypercubes, and elsewhere paths are longer",
                           WhyOneLane()));
    }
}

/// The needs of OpenSM's choice among equal exits.
void Routing::CheckOrder() {
    if (Number("order") != kBalanced) return;
    for (const RestingOption& option : kResting) {
        const std::string_view key = option.key;
        const bool orders_dimensions =
            key == "port_search_ordering_file" && (engines_ & SetOf({EngineKind::kDor})) != 0;
        if (!IsChanged(key) || !IsHeard(key) || orders_dimensions) continue;
        Report(Severity::kWarning, key, Code::kNoEffect,
               fmt::format("'{}' acts under `order opensm`; under `order balanced`, where EmberSM "
                           "spreads routes by what flows through each cable, it has no effect: {}",
                           key, option.why));
    }
    CheckIgnored();
}

/// See HostTurns.
void Routing::CheckIgnored() {
    if (IsNamed("port_prof_ignore_file") && IsHeard("port_prof_ignore_file")) {
        Report(Severity::kNote, "port_prof_ignore_file", Code::kNoEffect,
               "under `order balanced` a host on a port of this file is left out of what is "
               "balanced; a port to another switch is balanced all the same");
    }
}

}  // namespace

bool IsHeardByEngines(const Conf& settings, std::string_view key) {
    Diagnostics unused("");
    return Routing(settings, unused).IsHeard(key);
}

bool AsksEngine(const Conf& settings, EngineKind kind) {
    Diagnostics unused("");
    return (Routing(settings, unused).engines() & SetOf({kind})) != 0;
}

bool AsksOnly(const Conf& settings, EngineKind kind) {
    Diagnostics unused("");
    const Routing routing(settings, unused);
    return !routing.HasChain() && routing.engines() == SetOf({kind});
}

void CheckRouting(const Conf& settings, Diagnostics& diagnostics) {
    Routing routing(settings, diagnostics);
    routing.CheckChain();
    routing.CheckChainLanes();
    routing.CheckAudiences();
    if (!routing.HasChain()) {
        routing.CheckFtree();
        routing.CheckFile();
        routing.CheckTorus();
        routing.CheckLaneEngines();
        routing.CheckAuto();
    }
    routing.CheckSpread();
    routing.CheckBalance();
    routing.CheckOrder();
}

}  // namespace ember::emberc
