// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUID tables of ports, and which of them have to be written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/aliases/alias_guids.h"
#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/fabric.h"
#include "core/port_tables/port_tables.h"
#include "core/wire/guid_info.h"

namespace ember {

/// Names the blocks of GUIDInfo in which aliases were put or removed, until their port has taken
/// them. A block whose Set failed stays for the next round, unless another one needs its row.
///
/// Under rtr_aguid_enable a walk over all LIDs names block 0 of each end port as well, a few at a
/// time, until the port has been read and is known to have the alias that routers need, or not to
/// have it (RouterAliases). A bit for each LID says so.
class GuidTables final : public PortTablePlanner {
public:
    struct Row {
        Guid port = kNoGuid;  ///< PortGUID; kNoGuid: the row is free.
        std::uint8_t block = 0;
        bool has_failed = false;
        bool is_of_walk = false;  ///< The port may have it already: it is read first.
        [[nodiscard]] bool Is(Guid guid, std::uint8_t number) const {
            return port == guid && block == number;
        }
    };
    /// Rows of one port that wait for its answer: it leaves room for others.
    static constexpr std::size_t kRowsOfOne = 8;

    struct Memory {
        std::span<Row> rows;               ///< Limits::max_guid_tables.
        std::span<std::uint64_t> settled;  ///< WordsFor(limits), by LID.
    };
    [[nodiscard]] static constexpr std::size_t WordsFor(const Limits& limits) {
        return limits.max_lid / 64U + std::size_t{1};
    }
    /// The ports that the present walk has met.
    struct Walked {
        std::uint32_t settled = 0;  ///< Ports that have taken the alias, or had it.
        std::uint32_t without = 0;  ///< Ports that cannot have one.
    };

    /// All outlive it.
    GuidTables(const Memory& memory, const Fabric& fabric, const AliasGuids& aliases)
        : rows_(memory.rows), settled_(memory.settled), fabric_(fabric), aliases_(aliases) {
        Clear();
        EMBER_ASSERT(settled_.size() >= WordsFor(fabric.limits()));
        std::fill(settled_.begin(), settled_.end(), 0);
    }
    GuidTables(const GuidTables&) = delete;
    GuidTables& operator=(const GuidTables&) = delete;

    /// The GUIDs of a block of the end port `at`, as far as its GUIDCap goes.
    [[nodiscard]] GuidInfo TableOf(PortIndex at, std::uint8_t block) const;

    /// There is room for an Update() of this block.
    [[nodiscard]] bool HasRoomFor(Guid port, std::uint8_t block) const;
    /// A block has changed: its port has to be told. Asserts HasRoomFor().
    void Update(Guid port, std::uint8_t block);
    /// Forgets all blocks, or those of ports that the fabric has no more.
    void Clear();
    void DropDeparted();

    /// A sweep has ended: ports that are not known to be as `mode` (rtr_aguid_enable) says are
    /// looked after. Another mode than before: all of them.
    void BeginWalk(std::uint8_t mode);
    /// Names the next ports of the walk while rows are free; looks at a bounded number of LIDs.
    /// True: it has just come to its end, and its last port has answered.
    [[nodiscard]] bool Walk();
    /// Walk() has work that no answer brings about.
    [[nodiscard]] bool walks() const { return next_lid_ < end_lid_ && has_walk_row_; }
    [[nodiscard]] const Walked& walked() const { return walked_; }
    /// Forgets what is known of ports for which `is_kept(PortIndex)` is false. A pass over all
    /// LIDs.
    template <typename IsKept>
    void Observe(IsKept is_kept) {
        for (std::uint32_t lid = 0; lid < settled_.size() * 64; ++lid) {
            if (!IsSettled(lid)) continue;
            const PortIndex at = fabric_.PortByLid(static_cast<Lid>(lid));
            if (at == kNoPortIndex || !is_kept(at)) settled_[lid / 64] &= ~(1ULL << lid % 64);
        }
    }
    /// Changes with every block that is named.
    [[nodiscard]] std::uint32_t revision() const { return revision_; }

    [[nodiscard]] TableIndex Next(std::uint32_t& cursor) const override;
    [[nodiscard]] bool Find(TableIndex at, PortTable& table, SmpData& wanted) const override;
    void Settle(TableIndex at, Status status) override;

private:
    /// LIDs that one Walk() looks at: some 10 us.
    static constexpr std::uint32_t kLidsAtOnce = 1024;

    [[nodiscard]] bool IsSettled(std::uint32_t lid) const {
        EMBER_ASSERT(lid / 64 < settled_.size());
        return (settled_[lid / 64] >> lid % 64 & 1U) != 0;
    }
    [[nodiscard]] Row* RowForWalk();
    [[nodiscard]] bool LookAt(const Port& port);
    void Mark(Guid port);

    std::span<Row> rows_;
    std::span<std::uint64_t> settled_;  ///< Bit n: the port with LID n is as the mode says.
    const Fabric& fabric_;
    const AliasGuids& aliases_;
    std::uint32_t revision_ = 0;
    std::uint32_t next_lid_ = 0;  ///< Of the walk; end_lid_: it has ended.
    std::uint32_t end_lid_ = 0;
    bool has_walk_row_ = false;  ///< As Walk() or Settle() left it.
    bool is_reported_ = true;    ///< Walk() has said that it has come to its end.
    std::uint8_t mode_ = kLeaveRouterAliases;
    Walked walked_;
};

}  // namespace ember
