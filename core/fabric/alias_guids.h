// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUIDs that ports were given besides their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/row_index.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/fabric/sa_state.h"
#include "core/fabric/shares.h"

namespace ember {

enum class AliasIndex : std::uint16_t {};
inline constexpr AliasIndex kNoAlias{0xFFFF};

/// Alias GUIDs: what a port answers to besides its PortGUID. Found by the alias, and by the port
/// and the place in its GUID table. The place of an alias is 1..255: place 0 is burnt in. Aliases
/// are kept by PortGUID, whether or not that port is to be seen.
class AliasGuids {
public:
    struct Row {
        Guid alias = kNoGuid;        ///< kNoGuid: the row is free.
        Guid port = kNoGuid;         ///< PortGUID.
        AliasIndex next = kNoAlias;  ///< Among the free rows.
        std::uint8_t place = 0;
        Payer payer = kNoPayer;  ///< Who asked for it.
    };
    static_assert(sizeof(Row) == 24);
    struct Memory {
        std::span<Row> rows;                ///< Limits::max_alias_guids.
        std::span<AliasIndex> alias_slots;  ///< RowIndex<AliasIndex>::SlotsFor(max_alias_guids).
        std::span<AliasIndex> place_slots;  ///< Likewise.
    };

    explicit AliasGuids(const Memory& memory);
    AliasGuids(const AliasGuids&) = delete;
    AliasGuids& operator=(const AliasGuids&) = delete;

    /// Who hears of every change but Clear(); nullptr: nobody.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// Indexes are drawn with this one; see RowIndex. To be called while nothing is in.
    void SetSecret(std::uint64_t secret) {
        by_alias_.SetSecret(secret);
        by_place_.SetSecret(secret);
    }
    /// Forgets everything.
    void Clear();

    /// The PortGUID of the port that has this alias; kNoGuid: nobody has.
    [[nodiscard]] Guid PortOf(Guid alias) const;
    /// What is in that place of a port's table; kNoGuid: nothing.
    [[nodiscard]] Guid At(Guid port, std::uint8_t place) const;

    /// Puts an alias, which nobody has, in a place, and takes out what was there. `payer` is who
    /// asks; kNoPayer: the port. kFull: no row.
    Status Put(Guid port, std::uint8_t place, Guid alias, Payer payer = kNoPayer);
    /// Rows are not short, or `payer` has less than its share of them (shares.h).
    [[nodiscard]] bool MayPut(Payer payer) const;
    void Remove(Guid port, std::uint8_t place);

    /// Takes out the aliases of the ports of which `is_gone(Guid)`. A pass over all.
    template <typename IsGone>
    void Drop(IsGone is_gone) {
        for (std::size_t i = 0; i < bound_; ++i) {
            const Row row = rows_[static_cast<AliasIndex>(i)];
            if (row.alias != kNoGuid && is_gone(row.port)) Remove(row.port, row.place);
        }
    }
    [[nodiscard]] std::size_t count() const { return by_alias_.size(); }
    /// One above the highest row ever used: the bound of loops over the rows.
    [[nodiscard]] std::size_t bound() const { return bound_; }
    [[nodiscard]] const Row& row(AliasIndex at) const { return rows_[at]; }

private:
    [[nodiscard]] std::uint64_t HashOf(Guid alias) const;
    [[nodiscard]] std::uint64_t HashOf(Guid port, std::uint8_t place) const;
    [[nodiscard]] AliasIndex FindAt(Guid port, std::uint8_t place) const;

    Table<AliasIndex, Row> rows_;
    RowIndex<AliasIndex> by_alias_;
    RowIndex<AliasIndex> by_place_;
    SaStateSink* sink_ = nullptr;
    AliasIndex free_ = kNoAlias;  ///< Rows given back.
    std::size_t bound_ = 0;       ///< One above the highest row ever used.
    PayerCounts paid_;            ///< Rows, by who pays.
};

}  // namespace ember
