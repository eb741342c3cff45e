// SPDX-License-Identifier: Apache-2.0
// EmberSM: who manages the subnet.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/read_only_source.h"
#include "core/fabric/managers.h"
#include "core/wire/sm_info_record.h"

namespace ember {

/// SMInfoRecord: this SM and those that took part in the last election. The SM_Key is 0 for
/// everybody.
class SmInfoRecords final : public ReadOnlySource {
public:
    explicit SmInfoRecords(const AdministrationView& view, const Managers& managers)
        : view_(view), managers_(managers) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kSmInfoRecord, .record_octets = sizeof(SmInfoRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        return Tell(query, cursor, budget, record);
    }

private:
    [[nodiscard]] Found Tell(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) const;

    const AdministrationView& view_;
    const Managers& managers_;
};

}  // namespace ember
