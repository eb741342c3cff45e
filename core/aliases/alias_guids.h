// SPDX-License-Identifier: Apache-2.0
// EmberSM: the alias GUIDs of ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/aliases/router_aliases.h"
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

/// The alias GUIDs of ports, found by the alias, and by the port and the place in its GUID table.
/// The place of an alias is 1..255: place 0 is the PortGUID of the hardware. Aliases are kept by
/// PortGUID, whether or not the fabric has that port now.
///
/// Beside the rows, which clients ask for, a port may have the alias that routers need
/// (RouterAliases), unless a row says otherwise of its place or of that GUID.
class AliasGuids {
public:
    struct Row {
        Guid alias = kNoGuid;        ///< kNoGuid: the row is free.
        Guid port = kNoGuid;         ///< PortGUID.
        AliasIndex next = kNoAlias;  ///< Among the free rows.
        std::uint8_t place = 0;
        Requester requester = kNoRequester;  ///< The port that asked for it.
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

    /// Tells `sink` of every change but Clear(); nullptr: no sink.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// Ports have the aliases of `routers` too, which outlives it.
    void Add(const RouterAliases* routers) { routers_ = routers; }
    /// The secret of the indexes; see RowIndex. Asserts that the table is empty.
    void SetSecret(std::uint64_t secret) {
        by_alias_.SetSecret(secret);
        by_place_.SetSecret(secret);
    }
    /// Removes all aliases.
    void Clear();

    /// The PortGUID of the port that has this alias; kNoGuid: no port has it.
    [[nodiscard]] Guid PortOf(Guid alias) const;
    /// The alias at a place of a port's GUID table; kNoGuid: the place is empty.
    [[nodiscard]] Guid At(Guid port, std::uint8_t place) const;
    /// The row of that place; kNoAlias: it is empty.
    [[nodiscard]] AliasIndex FindAt(Guid port, std::uint8_t place) const;
    /// The alias of a port that routers need; kNoGuid: it has none.
    [[nodiscard]] Guid RouterAliasOf(Guid port) const;
    /// Some port may have an alias.
    [[nodiscard]] bool any() const {
        return count() != 0 || (routers_ != nullptr && routers_->are_made());
    }
    /// See RouterAliases::IsReserved().
    [[nodiscard]] bool IsReserved(Guid guid) const {
        return routers_ != nullptr && routers_->IsReserved(guid);
    }

    /// Puts an alias, which no port has, at a place and removes the one that was there. `requester`
    /// asks for it; kNoRequester: the port itself. kFull: no row is free.
    Status Put(Guid port, std::uint8_t place, Guid alias, Requester requester = kNoRequester);
    /// True when rows are not short, or `requester` has less than its share of them (shares.h).
    [[nodiscard]] bool MayPut(Requester requester) const;
    /// Empties a place of a port's GUID table.
    void Remove(Guid port, std::uint8_t place);

    /// Removes the aliases of all ports for which `is_gone(Guid)` is true. A pass over all rows.
    template <typename IsGone>
    void Drop(IsGone is_gone) {
        for (std::size_t i = 0; i < bound_; ++i) {
            const Row row = rows_[static_cast<AliasIndex>(i)];
            if (row.alias != kNoGuid && is_gone(row.port)) Remove(row.port, row.place);
        }
    }
    [[nodiscard]] std::size_t count() const { return by_alias_.size(); }
    /// The bound of loops over the rows: the highest row ever used, plus 1.
    [[nodiscard]] std::size_t bound() const { return bound_; }
    [[nodiscard]] const Row& row(AliasIndex at) const { return rows_[at]; }

private:
    [[nodiscard]] std::uint64_t HashOf(Guid alias) const;
    [[nodiscard]] std::uint64_t HashOf(Guid port, std::uint8_t place) const;

    Table<AliasIndex, Row> rows_;
    RowIndex<AliasIndex> by_alias_;
    RowIndex<AliasIndex> by_place_;
    SaStateSink* sink_ = nullptr;
    const RouterAliases* routers_ = nullptr;
    AliasIndex free_ = kNoAlias;  ///< Rows given back.
    std::size_t bound_ = 0;       ///< The highest row ever used, plus 1.
    RequesterCounts counts_;      ///< Rows by requester.
};

}  // namespace ember
