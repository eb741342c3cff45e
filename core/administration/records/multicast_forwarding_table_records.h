// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast tables of the switches, as subnet administration tells them.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/fabric/mft_tables.h"
#include "core/wire/multicast_forwarding_table_record.h"

namespace ember {

/// MulticastForwardingTableRecord: of every switch the blocks up to the last one in which it has an
/// entry, at all positions that its ports need. IBA vol. 1, 15.2.5.8.
class MulticastForwardingTableRecords final : public ReadOnlySource {
public:
    MulticastForwardingTableRecords(const AdministrationView& view, const MftTables& tables)
        : view_(view), tables_(tables) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kMulticastForwardingTableRecord,
                .record_octets = sizeof(MulticastForwardingTableRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] std::size_t BlocksOf(SwitchIndex at) const;

    const AdministrationView& view_;
    const MftTables& tables_;
};

}  // namespace ember
