// SPDX-License-Identifier: Apache-2.0
// EmberSM: the paths of packets that meet old forwarding entries and new ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/graph/packet_sls.h"
#include "core/graph/proved_routes.h"
#include "core/programming/transition.h"
#include "core/programming/trial_graph.h"

namespace ember {

/// Follows the packets to one LID, lane by lane, along all paths that they may take while entries
/// change in the two rounds of LftProgramming, and adds what they wait for to a graph.
///
/// Only packets of end ports that come by a changed entry are followed: what others wait for the
/// new routing has too.
class MixedPaths {
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    static constexpr std::size_t kLayers = 2;
    /// By SL: the lanes on which packets leave a switch, a bit each.
    using Load = std::array<std::uint16_t, kServiceLevels>;
    /// A switch, on a layer.
    struct Stand {
        std::array<Load, 2> loads{};  ///< By move.
        bool is_met = false;
        bool is_queued = false;
    };

public:
    /// Octets that Begin() takes from its arena.
    [[nodiscard]] static std::size_t Bytes(std::size_t switches) {
        return Arena::BytesFor<std::uint16_t>(switches) +
               Arena::BytesFor<Stand>(switches * kLayers) +
               2 * Arena::BytesFor<std::uint32_t>(switches * kLayers) +
               Arena::BytesFor<std::uint32_t>(switches) +
               2 * Arena::BytesFor<SwitchIndex>(switches);
    }

    struct Task {
        ProvedRoutes proved;  ///< The lanes are kept.
        const Transition* transition = nullptr;
        BitSet differing;  ///< Blocks: number of the block * marks_per_block + row of the switch.
        std::size_t marks_per_block = 0;
        BitSet hot;  ///< LIDs with an entry that leads away.
    };

    constexpr MixedPaths() = default;
    MixedPaths(const MixedPaths&) = delete;
    MixedPaths& operator=(const MixedPaths&) = delete;

    /// The views in `task` stand still as long as LIDs are followed.
    void Begin(const Task& task, Arena& scratch);
    /// Adds what packets to a LID wait for. Returns about how many entries it has looked at.
    std::size_t Follow(std::size_t lid, TrialGraph& graph);

private:
    /// Entries that may stand beside each other.
    enum class Mix : std::uint8_t {
        /// In the first round: old entries, and new ones behind which all are new. A packet that
        /// has passed a new one is on layer 1.
        kOldThenNew,
        /// In the second round, and for LIDs that are not hot in both: all new entries, and old
        /// ones that do not lead away.
        kAny,
    };
    /// An entry that a packet may meet, and the layer on which it goes on.
    struct Move {
        std::uint8_t port = Transition::kDrop;  ///< kDrop: none.
        std::uint8_t layer = 0;
    };
    using Moves = std::array<Move, 2>;

    void FindChanged();
    void FollowAs(Mix mix, TrialGraph& graph);
    void BeginAtChanged();
    void BeginAlong(SwitchIndex at, PortNumber port);
    void BeginUpstream();
    void BeginAtSendersOf(SwitchIndex at);
    void Send(SwitchIndex at, PortNumber in, unsigned sls);
    void PassOn(SwitchIndex at, const Move& move, const Load& load, TrialGraph& graph);
    void Put(SwitchIndex at, std::size_t layer, std::size_t move, std::uint8_t sl, unsigned lanes);
    [[nodiscard]] Moves MovesOf(SwitchIndex at, std::size_t layer) const;
    [[nodiscard]] unsigned LanesAt(const LaneTurn& turn, std::uint8_t sl) const;
    [[nodiscard]] bool LeadsToSwitch(SwitchIndex at, std::uint8_t port) const;
    [[nodiscard]] bool MayLeadBy(SwitchIndex at, PortNumber port) const;
    [[nodiscard]] bool IsUsed(SwitchIndex at);
    void StartSearch();
    void Find(SwitchIndex at);
    void FindBehind(SwitchIndex at);
    [[nodiscard]] const Topology& topology() const { return *task_.proved.topology; }
    [[nodiscard]] bool has_one_lane() const { return task_.proved.lanes->is_one_lane(); }

    Task task_;
    PacketSls sls_;
    std::span<std::uint16_t> senders_;  ///< By switch: end ports, the manager's included.
    std::span<Stand> stands_;           ///< By switch and layer.
    std::span<std::uint32_t> queue_;    ///< Of stands: a ring.
    std::span<std::uint32_t> met_;      ///< Stands that have a load.
    std::span<std::uint32_t> seen_;     ///< By switch: the last search that met it.
    std::span<SwitchIndex> changed_;    ///< Switches with a changed entry for the LID.
    std::span<SwitchIndex> found_;      ///< By a search.
    std::size_t changed_count_ = 0;
    std::size_t found_count_ = 0;
    std::size_t head_ = 0;
    std::size_t queued_ = 0;
    std::size_t met_count_ = 0;
    std::uint32_t searches_ = 0;
    std::size_t steps_ = 0;
    // The LID that is followed.
    std::size_t lid_ = 0;
    SwitchIndex home_ = kNoSwitch;
    Mix mix_ = Mix::kAny;
};

}  // namespace ember
