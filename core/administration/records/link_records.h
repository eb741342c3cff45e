// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links of the subnet.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/link_record.h"

namespace ember {

/// LinkRecord: each link twice, once from each end. A question by either LID looks at the ports of
/// that node only. The requester must share a partition with both ends, and they with each other.
class LinkRecords final : public ReadOnlySource {
public:
    explicit LinkRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kLinkRecord, .record_octets = sizeof(LinkRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] bool Make(const Query& query, PortIndex from, LinkRecord& record) const;

    const AdministrationView& view_;
};

}  // namespace ember
