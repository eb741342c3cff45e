// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of virtual lanes beside torus-2QoS, which has lanes of its own.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "config/emberc/checks.h"
#include "config/emberc/keys.h"
#include "core/base/assert.h"
#include "core/lanes/lane_shares.h"

namespace ember::emberc {
namespace {

/// Ports of one kind, by the prefix of their keys.
struct PortKeys {
    std::string_view prefix;
    LanePorts kind{};
    [[nodiscard]] bool is_between_switches() const { return kind == LanePorts::kSwitchExternal; }
};
constexpr PortKeys kGeneral{"qos_", LanePorts::kAny};
constexpr std::array kPortKeys = {
    PortKeys{"qos_swe_", LanePorts::kSwitchExternal}, PortKeys{"qos_ca_", LanePorts::kCa},
    PortKeys{"qos_sw0_", LanePorts::kSwitch0}, PortKeys{"qos_rtr_", LanePorts::kRouter}};

/// By ShareTable.
constexpr std::array<std::string_view, 2> kTableNames = {"vlarb_high", "vlarb_low"};

class TorusLanes {
public:
    TorusLanes(const Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics) {
        TakeShares(kGeneral);
        for (const PortKeys& keys : kPortKeys) {
            TakeShares(keys);
        }
    }

    void CheckMaps();
    void CheckShares(const PortKeys& keys, ShareTable table);

private:
    [[nodiscard]] const Setting& At(std::string_view prefix, std::string_view name) const {
        const auto key = FindKey(fmt::format("{}{}", prefix, name));
        EMBER_ASSERT(key.has_value());
        return settings_[*key];
    }
    [[nodiscard]] static bool Says(const Setting& setting) {
        return setting.written && setting.value.set && !setting.value.list.empty();
    }
    void TakeShares(const PortKeys& keys);
    void Warn(const Setting& at, Code code, std::string text) {
        diagnostics_.Add({.severity = Severity::kWarning,
                          .place = at.place,
                          .code = code,
                          .text = std::move(text),
                          .source = at.source});
    }

    const Conf& settings_;
    Diagnostics& diagnostics_;
    Settings shares_;  ///< The keys of VL arbitration, and nothing else.
    /// By ShareTable: its entries for all kinds of end ports have been told of.
    std::array<bool, kTableNames.size()> reported_ends_{};
};

void TorusLanes::TakeShares(const PortKeys& keys) {
    shares_.qos = true;  // Without it these keys count for nothing.
    LaneSettings& lanes = shares_.lanes.at(Raw(keys.kind));
    for (const ShareTable table : {ShareTable::kHigh, ShareTable::kLow}) {
        const Setting& setting = At(keys.prefix, kTableNames.at(Raw(table)));
        if (!Says(setting)) continue;
        for (const std::uint16_t entry : setting.value.list) {
            const VlWeight weight{static_cast<std::uint8_t>(entry >> 8U),
                                  static_cast<std::uint8_t>(entry & 0xFFU)};
            static_cast<void>(
                (table == ShareTable::kHigh ? lanes.high : lanes.low).TryPush(weight));
        }
    }
}

void TorusLanes::CheckMaps() {
    for (const std::string_view prefix : {kGeneral.prefix, kPortKeys[0].prefix, kPortKeys[1].prefix,
                                          kPortKeys[2].prefix, kPortKeys[3].prefix}) {
        const Setting& map = At(prefix, "sl2vl");
        if (!Says(map)) continue;
        Warn(map, Code::kNoEffect,
             fmt::format("torus-2QoS is free of credit loops by SL to VL maps of its own: "
                         "{}sl2vl counts for no port while it routes",
                         prefix));
    }
}

/// Lanes 0 to 3 carry one level of service, by dateline and turn, and so do lanes 4 to 7: where
/// they share unequally, equal packets do. Links to end ports have lanes 0 and 1 alone.
void TorusLanes::CheckShares(const PortKeys& keys, ShareTable table) {
    const bool is_fine = keys.is_between_switches()
                             ? SharesLevelsEqually(shares_, table, 2 * kLevelVls)
                             : ServesEndLanesAlone(shares_, keys.kind, table);
    if (is_fine) return;
    const std::string_view name = kTableNames.at(Raw(table));
    const ShareSource source = SourceOf(shares_, keys.kind, table);
    if (!keys.is_between_switches() && source != ShareSource::kOwnKey) {
        if (std::exchange(reported_ends_.at(Raw(table)), true)) return;
    }
    const std::string_view prefix = source == ShareSource::kOwnKey ? keys.prefix : kGeneral.prefix;
    const bool is_default = source == ShareSource::kDefault;
    const std::string what =
        is_default ? fmt::format("the default {}", name) : fmt::format("{}{}", prefix, name);
    Warn(is_default ? At("", "routing_engine") : At(prefix, name), Code::kUnfairLanes,
         keys.is_between_switches()
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
        for (const ShareTable table : {ShareTable::kHigh, ShareTable::kLow}) {
            lanes.CheckShares(keys, table);
        }
    }
}

}  // namespace ember::emberc
