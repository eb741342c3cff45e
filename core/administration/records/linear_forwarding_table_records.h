// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LFTs of the switches.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/linear_forwarding_table_record.h"

namespace ember {

/// LinearForwardingTableRecord: what the switches are known to have, block by block up to their
/// LinearFDBTop. A question for one block looks at no other.
class LinearForwardingTableRecords final : public ReadOnlySource {
public:
    explicit LinearForwardingTableRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kLinearForwardingTableRecord,
                .record_octets = sizeof(LinearForwardingTableRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    const AdministrationView& view_;
};

}  // namespace ember
