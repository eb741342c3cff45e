// SPDX-License-Identifier: Apache-2.0
// EmberSM: fat trees, every route through a common ancestor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/guid_order.h"
#include "core/routing/engine.h"
#include "engines/fat_tree/flat_rings.h"
#include "engines/fat_tree/plan.h"
#include "engines/fat_tree/walk.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"

namespace ember {

/// Routes trees: up, then down, so that shift permutations of the compute nodes meet no congestion.
/// Free of credit loops, unless reverse hops or connected roots are asked for.
///
/// Under Order::kOpensm this is the result of OpenSM 3.3.23's ftree, octet for octet, and it
/// refuses the same fabrics. Destinations are routed one after the other: the compute nodes leaf by
/// leaf, with the leaves filled up with dummies, then all other hosts, then the switches. Routers,
/// to which OpenSM makes no routes, come last, so that all other routes are OpenSM's. Columns are
/// collected and written to the tables many at a time, as a table is a row.
///
/// Under Order::kBalanced a tree may have lost links and switches, be uneven, and have an LMC.
/// Paths go up and down by the distance from the leaf switches, and the balanced builder spreads
/// them. The distance is counted from the roots if root_guid_file names some, or if links join
/// switches equally far from the leaf switches to a ring. Reverse hops mean nothing then.
class FatTree final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max({OwnBytes(limits), UpDn::ScratchBytes(limits), DnUp::ScratchBytes(limits)});
    }
    /// The least that a run needs; a fabric that needs more is refused (EngineFault::kNoScratch).
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return std::max(
            {OwnBytes(limits), UpDn::LeastScratchBytes(limits), DnUp::LeastScratchBytes(limits)});
    }
    /// The least that mending needs.
    [[nodiscard]] static constexpr std::size_t MendBytes(const Limits& limits) {
        return std::max(
            {FlatRings::ScratchBytes(limits), UpDn::MendBytes(limits), DnUp::MendBytes(limits)});
    }
    /// Of OwnBytes(), what sorts columns; the columns are collected in RoutingTask::hop_room.
    [[nodiscard]] static constexpr std::size_t CollectorBytes(const Limits& limits) {
        const std::size_t columns = std::min(kMostColumns, limits.max_lid + std::size_t{1});
        return Arena::BytesFor<Lid>(columns) + Arena::BytesFor<Slot>(columns) +
               Arena::BytesFor<std::uint64_t>(columns) + SortScratchBytes<Slot>(columns);
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kFtree;
    static constexpr std::array<std::string_view, 6> kOptions = {
        "connect_roots", "root_guid_file",   "cn_guid_file",
        "io_guid_file",  "max_reverse_hops", "quasi_ftree_indexing",
    };
    static constexpr auto kBalancedOptions = UpDn::kBalancedOptions;

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& options) const override;
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override;
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    [[nodiscard]] EngineComplaint complaint() const override;
    [[nodiscard]] EngineChoice choice() const override;

private:
    enum class Phase : std::uint8_t { kPlan, kWalk, kSort, kFlush, kConnect, kDone };
    enum class Slot : std::uint16_t {};  ///< A collected column.

    static constexpr std::size_t kMostColumns = 8192;
    static constexpr std::size_t kStepsPerSlice = 2048;
    static constexpr std::size_t kOctetsPerSlice = 256U << 10U;  // Written to the tables.
    static constexpr std::size_t kPairsPerSlice = 128U << 10U;   // Of switches, to be connected.

    /// How many columns are collected at once: those that the room holds, less one for dummies.
    [[nodiscard]] static constexpr std::size_t ColumnsFor(std::size_t room_bytes,
                                                          std::size_t column_bytes,
                                                          std::size_t lids) {
        return std::min({room_bytes / column_bytes - 1, kMostColumns, lids});
    }

    [[nodiscard]] static constexpr std::size_t OwnBytes(const Limits& limits) {
        return std::max(FatTreePlan::ScratchBytes(limits) + TreeWalk::ScratchBytes(limits) +
                            CollectorBytes(limits),
                        FlatRings::ScratchBytes(limits));
    }

    Status Start(const RoutingTask& task);
    Status StartBalanced(const RoutingTask& task);
    Result<Progress> Choose();
    Result<Progress> DoSlice();
    void StartWalking();
    Status Walk();
    [[nodiscard]] bool StartNext();
    [[nodiscard]] bool StartSlot();
    [[nodiscard]] bool StartOtherHost();
    [[nodiscard]] bool StartSwitch();
    [[nodiscard]] bool StartRouter();
    void StartRoute(const TreeWalk::Target& target, Lid lid);
    void SortColumns();
    void Flush();
    void FlushRows(std::size_t first);
    void ConnectRoots();

    [[nodiscard]] std::span<std::uint8_t> column(std::size_t slot) const {
        return buffer_.subspan(slot * column_bytes_, column_bytes_);
    }

    UpDn from_roots_;
    DnUp from_leaves_;
    RoutingEngine* balanced_ = nullptr;  ///< The one of these that is at work, if one is.
    FlatRings rings_;                    ///< Decides which, when no roots are named.
    bool is_choosing_ = false;
    std::size_t mark_ = 0;  ///< Where the arena stood before that.
    RoutingTask task_;
    FatTreePlan plan_;
    TreeWalk walk_;
    std::span<std::uint8_t> buffer_;  ///< The columns.
    std::span<Lid> lids_;             ///< By slot.
    std::span<Slot> sorted_;          ///< Slots by ascending LID.
    std::size_t column_bytes_ = 0;
    EngineComplaint stuck_;  ///< Of a walk that was given up.
    std::size_t collected_ = 0;
    std::size_t next_leaf_ = 0;
    std::size_t next_port_ = 1;  ///< Of that leaf.
    std::size_t slots_ = 0;      ///< Of that leaf, routed.
    std::size_t next_host_ = 0;
    std::size_t next_switch_ = 0;
    std::size_t next_router_ = 0;  ///< Among all destinations, by GUID.
    std::size_t next_row_ = 0;     ///< Of those that are written, or connected.
    bool is_walking_ = false;
    bool is_last_ = false;  ///< All destinations are routed.
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
