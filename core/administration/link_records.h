// SPDX-License-Identifier: Apache-2.0
// EmberSM: which cables there are.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/read_only_source.h"
#include "core/wire/link_record.h"

namespace ember {

/// LinkRecord: each cable twice, once from each end. A question by either LID looks at the ports of
/// that node only. Who asks must share a partition with both ends, and they with each other.
class LinkRecords final : public ReadOnlySource {
public:
    explicit LinkRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kLinkRecord, .record_octets = sizeof(LinkRecord)};
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
    [[nodiscard]] bool Make(const Query& query, PortIndex from, LinkRecord& record) const;

    const AdministrationView& view_;
};

}  // namespace ember
