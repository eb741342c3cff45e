// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of the subnet.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/fabric/managers.h"
#include "core/wire/sm_info_record.h"

namespace ember {

/// SMInfoRecord: this SM and those that took part in the last election. The SM_Key is told
/// as 0 to every requester.
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
                             std::span<std::uint8_t> record) override;

private:
    const AdministrationView& view_;
    const Managers& managers_;
};

}  // namespace ember
