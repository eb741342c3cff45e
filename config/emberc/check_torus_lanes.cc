// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of virtual lanes beside torus-2QoS, which has lanes of its own.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "config/emberc/checks.h"
#include "config/emberc/keys.h"
#include "core/base/assert.h"
#include "core/fabric/lane_tables.h"

namespace ember::emberc {
namespace {

/// VLs of a level of service on links between switches; the second level has those behind.
constexpr std::size_t kLevelVls = 4;
constexpr std::size_t kTorusVls = 2 * kLevelVls;
/// VLs of links to end ports: one a level.
constexpr std::size_t kEndVls = 2;

using Weights = std::array<std::uint32_t, kTorusVls>;

/// Ports of one kind, by the prefix of their keys.
struct PortKeys {
    std::string_view prefix;
    bool is_between_switches = false;
};
constexpr std::array kPortKeys = {PortKeys{"qos_swe_", true}, PortKeys{"qos_ca_"},
                                  PortKeys{"qos_sw0_"}, PortKeys{"qos_rtr_"}};
constexpr std::string_view kGeneral = "qos_";

bool IsLevel(const Weights& weights, std::size_t first) {
    for (std::size_t vl = first + 1; vl < first + kLevelVls; ++vl) {
        if (weights.at(vl) != weights.at(first)) return false;
    }
    return true;
}

class TorusLanes {
public:
    TorusLanes(const Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics) {}

    void CheckMaps();
    void CheckShares(const PortKeys& keys, std::string_view table);

private:
    [[nodiscard]] const Setting& At(std::string_view prefix, std::string_view name) const {
        const auto key = FindKey(fmt::format("{}{}", prefix, name));
        EMBER_ASSERT(key.has_value());
        return settings_[*key];
    }
    [[nodiscard]] static bool Says(const Setting& setting) {
        return setting.written && setting.value.set && !setting.value.list.empty();
    }
    /// The sum of the entries of each VL, as the key says them, or without it as OpenSM has them.
    [[nodiscard]] static Weights WeightsOf(const Setting* setting, std::string_view table);
    void Warn(const Setting& at, Code code, std::string text) {
        diagnostics_.Add({.severity = Severity::kWarning,
                          .place = at.place,
                          .code = code,
                          .text = std::move(text),
                          .source = at.source});
    }

    const Conf& settings_;
    Diagnostics& diagnostics_;
    /// The table whose entries for all kinds of end ports have been told of.
    std::string_view told_of_ends_;
};

void TorusLanes::CheckMaps() {
    for (const std::string_view prefix : {kGeneral, kPortKeys[0].prefix, kPortKeys[1].prefix,
                                          kPortKeys[2].prefix, kPortKeys[3].prefix}) {
        const Setting& map = At(prefix, "sl2vl");
        if (!Says(map)) continue;
        Warn(map, Code::kNoEffect,
             fmt::format("torus-2QoS is free of credit loops by SL to VL maps of its own: "
                         "{}sl2vl counts for no port while it routes",
                         prefix));
    }
}

Weights TorusLanes::WeightsOf(const Setting* setting, std::string_view table) {
    Weights weights{};
    if (setting == nullptr) {
        const auto block = table == "vlarb_high" ? VlArbitrationBlock::kLowerHighPriority
                                                 : VlArbitrationBlock::kLowerLowPriority;
        const VlArbitrationTable entries =
            WantedArbitration(Settings{}, LanePorts::kSwitchExternal, block,
                              VlArbitrationTable::kEntries, VlCap::kVl0To14);
        for (std::size_t i = 0; i < VlArbitrationTable::kEntries; ++i) {
            if (entries.vl(i) < kTorusVls) weights.at(entries.vl(i)) += entries.weight(i);
        }
        return weights;
    }
    for (const std::uint16_t entry : setting->value.list) {
        const std::size_t vl = entry >> 8U;
        if (vl < kTorusVls) weights.at(vl) += entry & 0xFFU;
    }
    return weights;
}

/// Lanes 0 to 3 carry one level of service, by dateline and turn, and so do lanes 4 to 7: where
/// they share unequally, equal packets do. Links to end ports have lanes 0 and 1 alone.
void TorusLanes::CheckShares(const PortKeys& keys, std::string_view table) {
    const Setting& own = At(keys.prefix, table);
    const Setting& general = At(kGeneral, table);
    const Setting* const said = Says(own) ? &own : Says(general) ? &general : nullptr;
    const Weights weights = WeightsOf(said, table);
    const bool is_fine = keys.is_between_switches
                             ? IsLevel(weights, 0) && IsLevel(weights, kLevelVls)
                             : std::accumulate(weights.begin() + kEndVls, weights.end(), 0U) == 0;
    if (is_fine) return;
    const bool is_of_all_ends = !keys.is_between_switches && said != &own;
    if (is_of_all_ends && told_of_ends_ == table) return;
    if (is_of_all_ends) told_of_ends_ = table;
    const std::string what =
        said == nullptr ? fmt::format("the default {}", table)
                        : fmt::format("{}{}", said == &own ? keys.prefix : kGeneral, table);
    const Setting& place = said != nullptr ? *said : At("", "routing_engine");
    Warn(place, Code::kUnfairLanes,
         keys.is_between_switches
             ? fmt::format("{} shares links between switches unequally: torus-2QoS spreads one "
                           "level of service over VLs 0 to 3 and the other over VLs 4 to 7, which "
                           "should have one weight each",
                           what)
             : fmt::format("{} gives weight to VLs 2 to 7 on links of end ports, where torus-2QoS "
                           "uses VL 0 and VL 1 alone",
                           what));
}

}  // namespace

void CheckTorusLanes(const Conf& settings, Diagnostics& diagnostics) {
    TorusLanes lanes(settings, diagnostics);
    lanes.CheckMaps();
    for (const PortKeys& keys : kPortKeys) {
        for (const std::string_view table : {"vlarb_high", "vlarb_low"}) {
            lanes.CheckShares(keys, table);
        }
    }
}

}  // namespace ember::emberc
