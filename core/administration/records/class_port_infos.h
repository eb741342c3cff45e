// SPDX-License-Identifier: Apache-2.0
// EmberSM: the capabilities of this subnet administrator.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/class_port_info.h"

namespace ember {

/// ClassPortInfo of subnet administration: one record, the same for every requester, which claims
/// what the composition (records.h) says that it serves, and no more.
class ClassPortInfos final : public ReadOnlySource {
public:
    explicit ClassPortInfos(const AdministrationView& view) : view_(view) {}

    /// Bits of CapabilityMask and CapabilityMask2; see core/wire/class_port_info.h.
    void Claim(std::uint16_t mask, std::uint32_t mask2) {
        mask_ |= mask;
        mask2_ |= mask2;
    }

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kClassPortInfo,
                .record_octets = sizeof(ClassPortInfo),
                .get_table = false};
    }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    const AdministrationView& view_;
    std::uint16_t mask_ = 0;
    std::uint32_t mask2_ = 0;
};

}  // namespace ember
