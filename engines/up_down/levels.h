// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far a switch is from the roots or from the leaf switches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/up_down/top_switches.h"

namespace ember {

/// From where an engine counts.
enum class UpDownRule : std::uint8_t {
    kFromRoots,   ///< updn: a step up lowers the level.
    kFromLeaves,  ///< dnup: a step up raises it.
};

/// The level of a switch that no origin reaches.
inline constexpr std::uint16_t kNoLevel = 0xFFFF;

/// Finds the switches of level 0 (the origins), and how many links every other one is away from
/// them.
///
/// kFromLeaves: level 0 are the leaf switches, all switches with an end port. kFromRoots: level 0
/// are the switches of root_guid_file. Without such a file they are the switches that see nearly
/// all end ports at one and the same distance, as the top of a fat tree does: of the numbers of end
/// ports at 0, 1, 2, ... links exactly one is more than nine tenths of all, and exactly one (the
/// same) more than a twentieth. This rule is OpenSM's, and all switches of a tree of 20 pods pass
/// it. Under Order::kBalanced only those of them count that are farthest from the leaf switches,
/// and in a tree all others that are as far, which perhaps lost a link to some; where none passes,
/// Recount() is called.
///
/// Under Order::kBalanced a stray cable to a root brings a switch no nearer to the roots, as
/// engines of auto have it (SwitchOrder): where links are flat, the nearest root is one of those
/// that are an even number of links away, or an odd one, whichever more roots are.
class Levels {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               TopSwitchesScratchBytes(limits);
    }

    constexpr Levels() = default;
    Levels(const Levels&) = delete;
    Levels& operator=(const Levels&) = delete;

    void Begin(const RoutingTask& task, UpDownRule rule);
    /// Does the next slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();
    /// Counts anew for a broken tree or a fabric that is no tree, in one slice. Only for kFromRoots
    /// under Order::kBalanced without root_guid_file. Where no link joins switches that are equally
    /// far from the leaf switches (core/graph/leaf_switches.h), a switch is the higher the farther
    /// it is. Else switches that were found to be roots stay the roots. Where none was, those at
    /// the top are (engines/up_down/top_switches.h). Where all are leaf switches it is the one with
    /// most links to other switches, the first of equals by GUID.
    void Recount();

    struct Roots {
        std::uint32_t count = 0;
        Guid first = kNoGuid;  ///< By GUID.
    };
    /// For kFromRoots: switches of level 0 that root_guid_file does not name.
    [[nodiscard]] const Roots& assumed_roots() const { return assumed_roots_; }
    /// Under Order::kBalanced: both ends of the odd links, where they are few and each switch there
    /// has others; else nothing.
    [[nodiscard]] std::span<const SwitchExit> odd_links() const {
        return {odd_links_.begin(), odd_links_.size()};
    }
    /// The link is no step from a level to the next.
    [[nodiscard]] bool IsOdd(SwitchIndex one, SwitchIndex other) const {
        const int step = level_[one] - level_[other];
        return step != 1 && step != -1;
    }
    /// root_guid_file says which switches are level 0; under Order::kBalanced only if one of them
    /// is there.
    [[nodiscard]] bool has_named_roots() const { return has_named_roots_; }
    /// Switches of level 0. 0: no level is known.
    [[nodiscard]] std::size_t origin_count() const { return origin_count_; }
    [[nodiscard]] std::uint16_t level(SwitchIndex at) const { return level_[at]; }
    /// The highest level of all.
    [[nodiscard]] std::uint16_t top() const { return top_; }
    /// Every switch has a level.
    [[nodiscard]] bool reach_all() const { return reach_all_; }
    /// A link joins two switches of one level, or a switch to itself.
    [[nodiscard]] bool has_flat_link() const { return has_flat_link_; }
    /// All switches by ascending level, those without one last.
    [[nodiscard]] std::span<const SwitchIndex> by_level() const { return by_level_; }

private:
    enum class Phase : std::uint8_t { kDistances, kOrigins, kSpread, kDone };
    static constexpr std::size_t kSwitchesPerSlice = 128;  // Whose distances are counted.
    static constexpr std::size_t kMostDistances = 64;
    /// Of links between switches, one of so many may be odd.
    static constexpr std::size_t kOddShare = 8;
    static constexpr std::size_t kMostOddLinks = 32;

    void MeasureDistances();
    void FindOrigins();
    void TakeNamedRoots();
    [[nodiscard]] bool FindRoots();
    [[nodiscard]] bool LooksForFarthest() const;
    [[nodiscard]] bool LooksLikeRoot(SwitchIndex at) const;
    void TakeLeaves();
    void AddOrigin(SwitchIndex at);
    void KeepFarthest();
    void Reach();
    void Spread();
    void AppendUnreached();
    void TurnOver();
    void TakeTops();
    [[nodiscard]] SwitchIndex ChooseRoot() const;
    void ReachFrom(std::span<const SwitchIndex> origins);
    [[nodiscard]] bool HasFlatLink(std::size_t count) const;
    [[nodiscard]] std::size_t CountOddPorts() const;
    void LevelByParity();
    void SortByLevel();
    void End();
    void FindOddLinks();
    [[nodiscard]] bool AddOddLinks(SwitchIndex at);

    RoutingTask task_;
    UpDownRule rule_ = UpDownRule::kFromRoots;
    Phase phase_ = Phase::kDone;
    Table<SwitchIndex, std::uint16_t> level_;
    std::span<SwitchIndex> by_level_;  ///< Origins, then the queue of the search.
    std::span<SwitchIndex> leaves_;    ///< The leaf switches, where the farthest are looked for.
    std::size_t reached_ = 0;          ///< So many in by_level_.
    std::size_t next_ = 0;             ///< Switch whose distances are counted next.
    std::size_t origin_count_ = 0;
    Roots assumed_roots_;
    StaticVector<SwitchExit, 2 * kMostOddLinks> odd_links_;
    std::uint64_t end_ports_ = 0;
    std::uint16_t top_ = 0;
    bool has_named_roots_ = false;
    bool is_tree_ = false;  ///< Every link joins switches that are not equally far from leaves_.
    bool reach_all_ = false;
    bool has_flat_link_ = false;
};

/// Fills `ids`, by switch: the switch's GUID, or what ids_guid_file says instead.
void NumberSwitches(const RoutingTask& task, std::span<std::uint64_t> ids);

}  // namespace ember
