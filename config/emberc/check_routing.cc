// SPDX-License-Identifier: Apache-2.0
// EmberSM: options of routing that do nothing beside each other, or for the engines listed.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "config/blob/engine_words.h"
#include "config/emberc/keys.h"
#include "config/emberc/opensm_conf.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

/// A set of engines: a bit for each EngineKind.
using Kinds = std::uint32_t;

constexpr Kinds SetOf(std::initializer_list<EngineKind> kinds) {
    Kinds set = 0;
    for (const EngineKind kind : kinds) {
        set |= 1U << Raw(kind);
    }
    return set;
}

constexpr Kinds kFtreeOnly = SetOf({EngineKind::kFtree});
constexpr Kinds kFileOnly = SetOf({EngineKind::kFile});
constexpr Kinds kUpDnOnly = SetOf({EngineKind::kUpDn});
constexpr Kinds kWithRoots = SetOf({EngineKind::kUpDn, EngineKind::kFtree});
constexpr Kinds kConnectable = SetOf({EngineKind::kUpDn, EngineKind::kDnUp, EngineKind::kFtree});
/// Those that count the routes on each port: `file` too, where a file is missing.
constexpr Kinds kCounting = SetOf({EngineKind::kMinHop, EngineKind::kUpDn, EngineKind::kDnUp,
                                   EngineKind::kDor, EngineKind::kFile});

/// Those that look for shortest ways; updn does so where no roots are given.
constexpr Kinds kWeighing = SetOf({EngineKind::kMinHop, EngineKind::kUpDn, EngineKind::kDor});

constexpr std::uint64_t kBalanced = 2;  // Order::balanced of the schema.

/// Which engines look at an option.
struct Audience {
    std::string_view key;
    Kinds engines = 0;
};
constexpr std::array kAudiences = {
    Audience{"connect_roots", kConnectable},
    Audience{"hop_weights_file", kWeighing},
    Audience{"port_search_ordering_file", kCounting},
    Audience{"port_prof_ignore_file", kCounting},
    Audience{"port_profile_switch_nodes", kCounting},
    Audience{"lid_matrix_dump_file", kFileOnly},
    Audience{"lfts_file", kFileOnly},
    Audience{"root_guid_file", kWithRoots},
    Audience{"cn_guid_file", kFtreeOnly},
    Audience{"io_guid_file", kFtreeOnly},
    Audience{"max_reverse_hops", kFtreeOnly},
    Audience{"ids_guid_file", kUpDnOnly},
    Audience{"guid_routing_order_file", kCounting},
    Audience{"guid_routing_order_no_scatter", kCounting},
    Audience{"port_shifting", kCounting},
    Audience{"scatter_ports", kCounting},
    Audience{"quasi_ftree_indexing", kFtreeOnly},
};

std::string WordsOf(Kinds engines) {
    std::vector<std::string_view> words;
    for (const EngineWord& word : EngineWords()) {
        const bool is_one = word.use == EngineWordUse::kEngine && (engines >> Raw(word.kind) & 1U);
        if (is_one) words.push_back(word.word);
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

class Routing {
public:
    Routing(const Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics), engines_(Listed()) {}

    void CheckAudiences();
    void CheckFtree();
    void CheckFile();
    void CheckSpread();
    void CheckBalance();
    void CheckOrder();

private:
    [[nodiscard]] std::size_t IndexOf(std::string_view name) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return *key;
    }
    [[nodiscard]] const Setting& At(std::string_view name) const {
        return settings_[IndexOf(name)];
    }
    [[nodiscard]] std::uint64_t Number(std::string_view name) const {
        return At(name).value.number;
    }
    [[nodiscard]] bool IsNamed(std::string_view name) const {
        return At(name).value.set && !At(name).value.text.empty();
    }
    [[nodiscard]] bool IsChanged(std::string_view name) const {
        return At(name).written && At(name).value != DefaultConf()[IndexOf(name)].value;
    }
    [[nodiscard]] bool IsHeard(std::string_view key) const;
    [[nodiscard]] Kinds Listed() const;
    void Report(Severity severity, std::string_view name, Code code, std::string text);

    const Conf& settings_;
    Diagnostics& diagnostics_;
    Kinds engines_;
};

/// An empty list is minhop.
Kinds Routing::Listed() const {
    Kinds engines = 0;
    for (const std::uint16_t number : At("routing_engine").value.list) {
        const EngineWord& word = EngineWords()[number];
        if (word.use == EngineWordUse::kEngine) engines |= SetOf({word.kind});
    }
    return engines == 0 ? SetOf({EngineKind::kMinHop}) : engines;
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
    const auto* const audience = std::find_if(kAudiences.begin(), kAudiences.end(),
                                              [&](const Audience& it) { return it.key == key; });
    return audience == kAudiences.end() || (engines_ & audience->engines) != 0;
}

void Routing::CheckAudiences() {
    for (const Audience& audience : kAudiences) {
        if (!IsChanged(audience.key) || (engines_ & audience.engines) != 0) continue;
        Report(Severity::kNote, audience.key, Code::kEngineNotListed,
               fmt::format("'{}' is for {}; routing_engine has {}", audience.key,
                           WordsOf(audience.engines), WordsOf(engines_)));
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

/// What OpenSM's way to choose among equal exits asks for.
void Routing::CheckOrder() {
    if (Number("order") != kBalanced) return;
    constexpr std::array kOpensmOnly = {
        std::string_view{"port_prof_ignore_file"},
        std::string_view{"port_profile_switch_nodes"},
        std::string_view{"guid_routing_order_file"},
        std::string_view{"guid_routing_order_no_scatter"},
        std::string_view{"port_shifting"},
        std::string_view{"scatter_ports"},
        std::string_view{"cn_guid_file"},
        std::string_view{"io_guid_file"},
        std::string_view{"max_reverse_hops"},
        std::string_view{"quasi_ftree_indexing"},
        std::string_view{"port_search_ordering_file"},
    };
    for (const std::string_view key : kOpensmOnly) {
        const bool orders_dimensions =
            key == "port_search_ordering_file" && (engines_ & SetOf({EngineKind::kDor})) != 0;
        if (!IsChanged(key) || !IsHeard(key) || orders_dimensions) continue;
        Report(Severity::kWarning, key, Code::kNoEffect,
               fmt::format("'{}' acts under `order opensm`; under `order balanced`, where EmberSM "
                           "spreads routes by what flows through each cable, it has no effect",
                           key));
    }
}

}  // namespace

void CheckRouting(const Conf& settings, Diagnostics& diagnostics) {
    Routing routing(settings, diagnostics);
    routing.CheckAudiences();
    routing.CheckFtree();
    routing.CheckFile();
    routing.CheckSpread();
    routing.CheckBalance();
    routing.CheckOrder();
}

}  // namespace ember::emberc
