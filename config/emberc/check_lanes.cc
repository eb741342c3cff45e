// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of virtual lanes against each other. OpenSM writes down what they say, whatever
// becomes of the packets.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/keys.h"
#include "core/base/assert.h"
#include "core/lanes/lane_tables.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

constexpr std::array<std::string_view, kLanePortKinds> kPrefixes = {"qos_", "qos_ca_", "qos_sw0_",
                                                                    "qos_swe_", "qos_rtr_"};
constexpr std::array<std::string_view, kLanePortKinds> kPorts = {
    "any port", "host ports", "switch port 0", "external switch ports", "router ports"};
constexpr std::array<std::string_view, 5> kNames = {"max_vls", "high_limit", "vlarb_high",
                                                    "vlarb_low", "sl2vl"};
constexpr std::size_t kBlockEntries = VlArbitrationTable::kEntries;

std::size_t KeyOf(std::size_t kind, std::string_view name) {
    const auto key = FindKey(fmt::format("{}{}", kPrefixes[kind], name));
    EMBER_ASSERT(key.has_value());
    return *key;
}

VlWeights WeightsOf(const Value& value) {
    VlWeights weights;
    for (const std::uint16_t entry : value.list) {
        const Status pushed = weights.TryPush(
            {static_cast<std::uint8_t>(entry >> 8U), static_cast<std::uint8_t>(entry & 0xFFU)});
        EMBER_ASSERT(pushed == Status::kOk);
    }
    return weights;
}

class Lanes {
public:
    Lanes(const Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics) {
        for (std::size_t kind = 0; kind < kLanePortKinds; ++kind) {
            core_.lanes[kind] = LanesOf(kind);
        }
        core_.qos = true;  // Else the keys would count for nothing.
        const auto key = FindKey("max_op_vls");
        EMBER_ASSERT(key.has_value());
        vls_ = static_cast<VlCap>(settings[*key].value.number);
    }

    [[nodiscard]] bool AreOn() const { return IsTrue("qos"); }
    [[nodiscard]] bool AreOfChain() const { return IsTrue("chain_lanes"); }
    void ReportUnused();
    void CheckMap(std::size_t kind);
    void CheckShares(std::size_t kind);

private:
    [[nodiscard]] LaneSettings LanesOf(std::size_t kind) const {
        LaneSettings lanes;
        lanes.high = WeightsOf(At(kind, "vlarb_high").value);
        lanes.low = WeightsOf(At(kind, "vlarb_low").value);
        for (const std::uint16_t vl : At(kind, "sl2vl").value.list) {
            const Status pushed = lanes.sl_to_vl.TryPush(static_cast<std::uint8_t>(vl));
            EMBER_ASSERT(pushed == Status::kOk);
        }
        return lanes;
    }
    [[nodiscard]] bool IsTrue(std::string_view name) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return settings_[*key].value.number != 0;
    }
    void ReportUnusedKey(std::size_t key);
    [[nodiscard]] const Setting& At(std::size_t kind, std::string_view name) const {
        return settings_[KeyOf(kind, name)];
    }
    /// The line that says it of a kind of ports: that of the kind, else the one for all; null where
    /// no line does, or an earlier kind has told what the one for all does.
    [[nodiscard]] const Setting* LineFor(std::size_t kind, std::string_view name) const {
        if (At(kind, name).written && At(kind, name).value.set) return &At(kind, name);
        const bool is_first_kind = kind == Raw(LanePorts::kCa);
        const Setting& general = At(0, name);
        return is_first_kind && general.written && general.value.set ? &general : nullptr;
    }
    [[nodiscard]] std::uint64_t MostVls(std::size_t kind) const {
        const std::uint64_t own = At(kind, "max_vls").value.number;
        return own != 0 ? own : At(0, "max_vls").value.number;
    }
    [[nodiscard]] std::uint32_t WeightOf(std::size_t kind, std::uint8_t vl) const;
    void Warn(const Setting& at, Code code, std::string text) {
        diagnostics_.Add({.severity = Severity::kWarning,
                          .place = at.place,
                          .code = code,
                          .text = std::move(text),
                          .source = at.source});
    }

    const Conf& settings_;
    Diagnostics& diagnostics_;
    Settings core_;
    VlCap vls_{};
};

void Lanes::ReportUnused() {
    ReportUnusedKey(*FindKey("qos_policy_file"));
    ReportUnusedKey(*FindKey("enhanced_qos_policy_file"));
    for (std::size_t kind = 0; kind < kLanePortKinds; ++kind) {
        for (const std::string_view name : kNames) {
            ReportUnusedKey(KeyOf(kind, name));
        }
    }
}

void Lanes::ReportUnusedKey(std::size_t key) {
    const Setting& at = settings_[key];
    if (!at.written || IsDefault(key, at.value)) return;
    if (Keys()[key].use != Use::kActedOn) return;  // Which is told elsewhere.
    Warn(at, Code::kNoEffect, fmt::format("qos is FALSE, so {} changes nothing", Keys()[key].name));
}

namespace {

/// "SL 3", or "SL 0, 2 to 7": service levels, ascending by bit.
std::string LevelsOf(std::uint32_t levels) {
    std::string text;
    for (unsigned sl = 0; sl < kSlToVlEntries; ++sl) {
        if ((levels >> sl & 1U) == 0) continue;
        const unsigned first = sl;
        while (sl + 1 < kSlToVlEntries && (levels >> (sl + 1) & 1U) != 0) {
            ++sl;
        }
        text += fmt::format("{}{}", text.empty() ? "SL " : ", ", first);
        if (sl != first) text += fmt::format(" to {}", sl);
    }
    return text;
}

}  // namespace

/// Of the packets of each service level: are they dropped, and do they get the VL that the line
/// says?
void Lanes::CheckMap(std::size_t kind) {
    const Setting* const line = LineFor(kind, "sl2vl");
    if (line == nullptr) return;
    const auto ports = static_cast<LanePorts>(kind);
    const SlToVlMappingTable map = WantedSlToVl(core_, ports, vls_);
    const SlToVlMappingTable whole = WantedSlToVl(core_, ports, VlCap::kVl0To14);
    std::uint32_t dropped = 0;
    std::uint32_t folded = 0;
    std::uint32_t beyond = 0;
    for (std::size_t sl = 0; sl < kSlToVlEntries; ++sl) {
        const std::uint8_t vl = whole.vl(sl);
        const bool is_dropped = vl == SlToVlMappingTable::kDrop;
        const bool is_folded = !is_dropped && map.vl(sl) != vl;
        const bool is_beyond =
            !is_dropped && !is_folded && MostVls(kind) != 0 && vl >= MostVls(kind);
        dropped |= (is_dropped ? 1U : 0U) << sl;
        folded |= (is_folded ? 1U : 0U) << sl;
        beyond |= (is_beyond ? 1U : 0U) << sl;
    }
    if (dropped != 0) {
        Warn(*line, Code::kDroppedLevel,
             fmt::format("{} drop packets of {} (VL 15)", kPorts[kind], LevelsOf(dropped)));
    }
    if (folded != 0) {
        Warn(*line, Code::kFoldedLane,
             fmt::format(
                 "packets of {} get other VLs than the line says: max_op_vls {} leaves VL 0 to {}",
                 LevelsOf(folded), Raw(vls_), DataVls(vls_) - 1));
    }
    if (beyond != 0) {
        Warn(*line, Code::kFoldedLane,
             fmt::format("packets of {} have VLs above those that max_vls {} leaves",
                         LevelsOf(beyond), MostVls(kind)));
    }
}

std::uint32_t Lanes::WeightOf(std::size_t kind, std::uint8_t vl) const {
    std::uint32_t weight = 0;
    for (const auto block :
         {VlArbitrationBlock::kLowerLowPriority, VlArbitrationBlock::kUpperLowPriority,
          VlArbitrationBlock::kLowerHighPriority, VlArbitrationBlock::kUpperHighPriority}) {
        const VlArbitrationTable table =
            WantedArbitration(core_, static_cast<LanePorts>(kind), block, kBlockEntries, vls_);
        for (std::size_t i = 0; i < kBlockEntries; ++i) {
            if (table.vl(i) == vl) weight += table.weight(i);
        }
    }
    return weight;
}

/// A VL without weight in both tables is never served: its packets wait for ever.
void Lanes::CheckShares(std::size_t kind) {
    const Setting* line = nullptr;
    for (const std::string_view name : {"sl2vl", "vlarb_low", "vlarb_high"}) {
        if (line == nullptr) line = LineFor(kind, name);
    }
    if (line == nullptr || vls_ == VlCap::kVl0) return;
    const SlToVlMappingTable map = WantedSlToVl(core_, static_cast<LanePorts>(kind), vls_);
    std::uint32_t starved = 0;
    for (std::size_t sl = 0; sl < kSlToVlEntries; ++sl) {
        const std::uint8_t vl = map.vl(sl);
        const bool is_served = vl == SlToVlMappingTable::kDrop || WeightOf(kind, vl) != 0;
        starved |= (is_served ? 0U : 1U) << sl;
    }
    if (starved == 0) return;
    Warn(*line, Code::kStarvedLane,
         fmt::format(
             "packets of {} get VLs without weight in either table of {}: they would wait for "
             "ever",
             LevelsOf(starved), kPorts[kind]));
}

}  // namespace

void CheckLanes(const Conf& settings, Diagnostics& diagnostics) {
    Lanes lanes(settings, diagnostics);
    if (!lanes.AreOn()) {
        lanes.ReportUnused();
        return;
    }
    // Lanes of a chain are the chain's own, whichever engine a step has.
    const bool is_torus = AsksEngine(settings, EngineKind::kTorus2Qos) && !lanes.AreOfChain();
    if (is_torus) CheckTorusLanes(settings, diagnostics);
    if (AsksOnly(settings, EngineKind::kTorus2Qos)) return;  // These maps are never written.
    for (std::size_t kind = Raw(LanePorts::kCa); kind < kLanePortKinds; ++kind) {
        lanes.CheckMap(kind);
        lanes.CheckShares(kind);
    }
}

}  // namespace ember::emberc
