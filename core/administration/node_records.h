// SPDX-License-Identifier: Apache-2.0
// EmberSM: what nodes there are.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/record_source.h"
#include "core/wire/node_record.h"

namespace ember {

/// NodeRecord: one for each port that has a LID. A question by LID, PortGUID or NodeGUID looks at
/// one node only. The description is compared up to its first zero.
class NodeRecords final : public RecordSource {
public:
    explicit NodeRecords(const AdministrationView& view) : view_(view) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kNodeRecord, .record_octets = sizeof(NodeRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        return Tell(query, cursor, budget, record);
    }
    [[nodiscard]] SaStatus Change(const Query& /*query*/,
                                  std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }

private:
    [[nodiscard]] Found Tell(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) const;
    [[nodiscard]] NodeRecord Make(PortIndex at) const;

    const AdministrationView& view_;
};

}  // namespace ember
