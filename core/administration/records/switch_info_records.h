// SPDX-License-Identifier: Apache-2.0
// EmberSM: the SwitchInfo of switches.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/switch_info_record.h"

namespace ember {

/// SwitchInfoRecord: every switch, as last read or acknowledged.
class SwitchInfoRecords final : public ReadOnlySource {
public:
    explicit SwitchInfoRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kSwitchInfoRecord,
                .record_octets = sizeof(SwitchInfoRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    const AdministrationView& view_;
};

}  // namespace ember
