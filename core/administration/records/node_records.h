// SPDX-License-Identifier: Apache-2.0
// EmberSM: the nodes of the subnet.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/wire/node_record.h"

namespace ember {

/// NodeRecord: one for each port that has a LID. A question by LID, PortGUID or NodeGUID looks at
/// one node only. The description is compared up to its first zero.
class NodeRecords final : public ReadOnlySource {
public:
    explicit NodeRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kNodeRecord, .record_octets = sizeof(NodeRecord)};
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] NodeRecord Make(PortIndex at) const;

    const AdministrationView& view_;
};

}  // namespace ember
