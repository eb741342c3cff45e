// SPDX-License-Identifier: Apache-2.0
// EmberSM: the GUID tables of ports, and which of them have to be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/fabric/alias_guids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/port_tables.h"
#include "core/wire/guid_info.h"

namespace ember {

/// Names the blocks of GUIDInfo in which aliases were put or removed, until their port has taken
/// them. A block whose Set failed stays for the next round, unless another one needs its row.
class GuidTables final : public PortTablePlanner {
public:
    struct Row {
        Guid port = kNoGuid;  ///< PortGUID; kNoGuid: the row is free.
        std::uint8_t block = 0;
        bool has_failed = false;
        [[nodiscard]] bool Is(Guid guid, std::uint8_t number) const {
            return port == guid && block == number;
        }
    };
    /// Rows of one port that wait for its answer: it leaves room for others.
    static constexpr std::size_t kRowsOfOne = 8;

    /// `rows`: Limits::max_guid_tables. All outlive it.
    GuidTables(std::span<Row> rows, const Fabric& fabric, const AliasGuids& aliases)
        : rows_(rows), fabric_(fabric), aliases_(aliases) {
        Clear();
    }
    GuidTables(const GuidTables&) = delete;
    GuidTables& operator=(const GuidTables&) = delete;

    /// The GUIDs of a block of the end port `at`, as far as its GUIDCap goes.
    [[nodiscard]] GuidInfo TableOf(PortIndex at, std::uint8_t block) const;

    /// There is room for a Tell() of this block.
    [[nodiscard]] bool MayTell(Guid port, std::uint8_t block) const;
    /// A block has changed: its port has to be told. Asserts MayTell().
    void Tell(Guid port, std::uint8_t block);
    /// Forgets all blocks, or those of ports that the fabric has no more.
    void Clear();
    void DropDeparted();
    /// Changes with every Tell().
    [[nodiscard]] std::uint32_t revision() const { return revision_; }

    [[nodiscard]] TableIndex Next(std::uint32_t& cursor) const override;
    [[nodiscard]] bool Find(TableIndex at, PortTable& table, SmpData& wanted) const override;
    void Settle(TableIndex at, Status status) override;

private:
    std::span<Row> rows_;
    const Fabric& fabric_;
    const AliasGuids& aliases_;
    std::uint32_t revision_ = 0;
};

}  // namespace ember
