// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof of a mended routing, from the proof of what it was before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"

namespace ember {

/// Proves of a mended routing what Verifier would, where only some links and entries changed since
/// it was proved last; or says that it cannot. The proof looks only at what changed, so it costs
/// thousandths of Verifier's time, and it finds no fault: what it does not prove, Verifier judges.
///
/// Given: the tables of before were proved on the subnet of before, one island, without a cycle of
/// channel dependencies among end ports. Switches and LIDs are the same, no port leads to another
/// switch than before (links went, or came where none was), and every entry that differs is in the
/// log. `graph` holds every dependency of before, and perhaps more. Shown:
///  1. No entry leads into a link that is gone, and the subnet still is one island.
///  2. From every entry in the log packets arrive, or are dropped where that is allowed. A packet
///     that meets no such entry arrives as before; one that does goes on as is shown from there.
///  3. If all paths were shortest: so is each first step whose length might have changed.
///  4. Every dependency that end ports' packets make now and did not before begins or ends at an
///     entry in the log or lies on a path from one. With these, the graph has no cycle.
/// docs/decisions/0008-incremental-verification.md has the whole argument.
class MendProof {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return CycleSearch::ScratchBytes(limits) +
               Arena::BytesFor<DestinationIndex>(LidStride(limits)) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches + std::size_t{1}) +
               Arena::BytesFor<DestinationIndex>(limits.max_lid) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(kMostRoots);
    }

    struct Task {
        const Topology* topology = nullptr;
        Matrix<SwitchIndex, const std::uint8_t> hops;  ///< Of the topology; every link counts 1.
        Matrix<SwitchIndex, const std::uint8_t> lfts;
        std::span<const LinkChange> changes;
        const SwitchPairs* suspects = nullptr;  ///< See HopPatch.
        const ChangeLog* log = nullptr;         ///< Whole.
        DependencyGraph* graph = nullptr;       ///< Gets what is new, also when nothing is proved.
        bool shortest = false;                  ///< All paths were; they must still be.
        bool may_drop = false;                  ///< On the path to a mere switch's own LID.
        /// Only (1) is asked for; graphs of several lanes will do.
        bool is_of_links = false;
    };

    constexpr MendProof() = default;
    MendProof(const MendProof&) = delete;
    MendProof& operator=(const MendProof&) = delete;

    /// All that `task` shows stands still until Advance() says kDone.
    void Begin(const Task& task, Arena& scratch);
    [[nodiscard]] Progress Advance();
    /// After kDone: the routing may be judged as the one before was.
    [[nodiscard]] bool proved() const { return proved_; }

private:
    enum class Phase : std::uint8_t { kLinks, kSteps, kEntries, kCycle, kDone };
    static constexpr std::size_t kStepsPerSlice = 16'384;  // Looks at entries, far apart in memory.
    static constexpr std::size_t kMostSteps = 4'000'000;   // More than that Verifier does sooner.
    static constexpr std::size_t kMostRoots = 4096;

    void FindOwners();
    void FindSenders();
    [[nodiscard]] bool IsOneIsland() const;
    void JudgeLinks();
    [[nodiscard]] bool LeadsInto(const LinkChange& change) const;
    void JudgeSteps();
    [[nodiscard]] bool StepsAreShort(SwitchIndex from, SwitchIndex to);
    [[nodiscard]] bool IsShort(SwitchIndex from, const Destination& destination, Lid lid) const;
    void JudgeEntries();
    [[nodiscard]] bool JudgeEntry(const ChangeLog::Entry& entry);
    [[nodiscard]] bool Arrives(SwitchIndex from, const Destination& destination, Lid lid);
    [[nodiscard]] bool MayDrop(SwitchIndex from, const Destination& destination, Lid lid) {
        return task_.may_drop && (!IsEndPort(destination) || !IsUsed(from, lid));
    }
    [[nodiscard]] bool IsEndPort(const Destination& destination) const {
        return !destination.is_switch() || task_.topology->switch_row(destination.at).is_home;
    }
    void AddDependencies(SwitchIndex at, const Destination& destination, Lid lid);
    [[nodiscard]] bool IsUsed(SwitchIndex at, Lid lid);
    void Add(SwitchIndex from, std::uint8_t port, std::uint8_t onward);
    void SearchCycle();
    [[nodiscard]] std::uint8_t ExitOf(SwitchIndex at, Lid lid) const {
        return task_.lfts[at][Raw(lid)];
    }
    [[nodiscard]] SwitchIndex Behind(SwitchIndex at, std::uint8_t port) const {
        const auto exits = task_.topology->exits(at);
        return port < exits.size() ? exits[port].peer : kNoSwitch;
    }
    void End(bool proved) {
        proved_ = proved;
        phase_ = Phase::kDone;
    }

    Task task_;
    CycleSearch search_;
    std::span<DestinationIndex> owner_;    ///< By LID.
    std::span<std::uint32_t> first_;       ///< By switch: of by_home_; and the end.
    std::span<DestinationIndex> by_home_;  ///< Destinations at switches, by switch.
    std::span<std::uint16_t> senders_;     ///< By switch: end ports, the manager's included.
    std::span<SwitchIndex> queue_;
    std::span<std::uint32_t> seen_;   ///< By switch: the last search that met it.
    std::span<std::uint32_t> roots_;  ///< Channels from which a dependency is new.
    std::uint32_t searches_ = 0;
    std::size_t root_count_ = 0;
    std::size_t steps_ = 0;  ///< Taken so far.
    std::size_t next_ = 0;   ///< Switch, or entry of the log.
    Phase phase_ = Phase::kDone;
    bool proved_ = false;
};

}  // namespace ember
