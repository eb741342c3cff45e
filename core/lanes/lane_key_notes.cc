// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about keys of virtual lanes that a routing overrides, or that serve it badly.

#include "core/lanes/lane_key_notes.h"

#include <algorithm>
#include <array>

#include "core/log/words.h"

namespace ember {
namespace {

/// Keys of a kind of ports, in the order of kLaneKeyWords.
enum class LaneKey : std::uint8_t { kMap, kHigh, kLow };
constexpr std::size_t kKeysEach = 3;
static_assert(kLaneKeyWords.size() == kKeysEach * kLanePortKinds);

constexpr std::array kEndKinds = {LanePorts::kCa, LanePorts::kSwitch0, LanePorts::kRouter};

constexpr unsigned BitOf(LanePorts kind, LaneKey key) {
    return 1U << (kKeysEach * Raw(kind) + Raw(key));
}

/// The key that says what ports of the kind have in a table; without one the general key, which
/// would change it.
unsigned BitOf(const Settings& settings, LanePorts kind, ShareTable table) {
    const bool is_own = SourceOf(settings, kind, table) == ShareSource::kOwnKey;
    return BitOf(is_own ? kind : LanePorts::kAny,
                 table == ShareTable::kHigh ? LaneKey::kHigh : LaneKey::kLow);
}

/// Maps that are said, by kind of port, where the routing has one for each SL. Where it has maps
/// for some SLs only, those of the others are the operator's.
unsigned IgnoredMaps(const RoutingLanes& lanes, const Settings& settings) {
    unsigned ignored = 0;
    if (lanes.is_one_lane() || lanes.sls != 0xFFFF) return ignored;
    for (std::size_t i = 0; i < kLanePortKinds; ++i) {
        const bool is_said = !settings.lanes[i].sl_to_vl.empty();
        if (is_said) ignored |= BitOf(static_cast<LanePorts>(i), LaneKey::kMap);
    }
    return ignored;
}

/// Levels of service that the operator has: of qos_policy_file, or service levels of partitions.
bool HasLevels(const Settings& settings) {
    const auto is_other = [](const auto& row) { return row.sl != 0; };
    const auto& partitions = settings.manager_tables.partitions;
    const auto& levels = settings.manager_tables.qos_levels;
    return settings.qos && (std::any_of(levels.begin(), levels.end(), is_other) ||
                            std::any_of(partitions.begin(), partitions.end(), is_other));
}

/// The routing gives paths the service levels that keep them apart, and has none for levels.
std::uint8_t LanesInPlaceOfLevels(const RoutingLanes& lanes, const Settings& settings) {
    const bool decides = !lanes.is_one_lane() && lanes.level_bit == 0 && !lanes.levels.in_force();
    return decides && HasLevels(settings) ? lanes.count : std::uint8_t{0};
}

}  // namespace

LaneKeyNotes::Findings LaneKeyNotes::Find(const RoutingLanes& lanes, const Settings& settings) {
    if (!settings.qos) return {};  // No key counts.
    unsigned unfair = 0;
    unsigned misplaced = 0;
    const bool has_levels = !lanes.is_one_lane() && lanes.level_bit != 0;
    for (const ShareTable table : {ShareTable::kHigh, ShareTable::kLow}) {
        if (!has_levels) break;
        if (!SharesLevelsEqually(settings, table, lanes.count))
            unfair |= BitOf(settings, LanePorts::kSwitchExternal, table);
        for (const LanePorts kind : kEndKinds) {
            if (!ServesEndLanesAlone(settings, kind, table))
                misplaced |= BitOf(settings, kind, table);
        }
    }
    return {.levels = lanes.levels,
            .ignored = static_cast<Keys>(IgnoredMaps(lanes, settings)),
            .unfair = static_cast<Keys>(unfair),
            .misplaced = static_cast<Keys>(misplaced),
            .lanes = LanesInPlaceOfLevels(lanes, settings)};
}

template <Note kNote, typename... Values>
void LaneKeyNotes::LogEach(Keys keys, std::uint64_t now_us, Values... values) {
    for (std::size_t key = 0; key < kLaneKeyWords.size(); ++key) {
        if ((keys >> key & 1U) != 0) log_.Write<kNote>(now_us, key, values...);
    }
}

void LaneKeyNotes::LogLaneLevels(const RoutingLanes& lanes, std::uint64_t engine,
                                 std::uint64_t now_us) {
    const LaneLevels& levels = lanes.levels;
    if (levels.in_force()) {
        log_.Write<Note::kLevelsInForce>(now_us, levels.count, lanes.count, engine, levels.stride);
    } else if (levels.lack == LaneLevels::Lack::kVls) {
        log_.Write<Note::kLevelsLackVls>(now_us, lanes.count, engine, levels.needs);
    } else if (levels.lack == LaneLevels::Lack::kSls) {
        log_.Write<Note::kLevelsLackSls>(now_us, lanes.count, engine, levels.needs);
    } else if (logged_.lanes != 0) {
        log_.Write<Note::kLevelsOutOfForce>(now_us, engine, lanes.count);
    }
}

void LaneKeyNotes::LogNews(const RoutingLanes& lanes, const Settings& settings,
                           std::uint64_t engine, std::uint64_t now_us) {
    const Findings found = Find(lanes, settings);
    if (found == logged_) return;
    logged_ = found;
    LogLaneLevels(lanes, engine, now_us);
    LogEach<Note::kLaneMapsIgnored>(found.ignored, now_us, engine);
    LogEach<Note::kLanesUnfair>(found.unfair, now_us, engine,
                                std::min<std::size_t>(lanes.count, kLevelVls));
    LogEach<Note::kLanesOfNoLink>(found.misplaced, now_us, engine);
}

}  // namespace ember
