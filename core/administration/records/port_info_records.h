// SPDX-License-Identifier: Apache-2.0
// EmberSM: the PortInfo of ports.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/port_info_record.h"

namespace ember {

/// PortInfoRecord: every port that was heard of, external ports of switches included, as last read
/// or acknowledged. The M_Key is told to trusted requesters only, to others as 0; it is compared as
/// told. A port at an extended speed shows QDR in the fields of the old speeds too, unless the
/// question's Options say that it knows the new ones; asked Options come back as they were asked.
/// With bit 31 of the AttributeModifier the CapabilityMask asked for names bits that must be set.
class PortInfoRecords final : public ReadOnlySource {
public:
    explicit PortInfoRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kPortInfoRecord, .record_octets = sizeof(PortInfoRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] PortInfoRecord Make(const Query& query, PortIndex at) const;

    const AdministrationView& view_;
};

}  // namespace ember
