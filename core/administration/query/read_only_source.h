// SPDX-License-Identifier: Apache-2.0
// EmberSM: records that every requester may ask for and no requester may change.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/record_source.h"

namespace ember {

/// A source that allows every question, but neither Set nor Delete.
class ReadOnlySource : public RecordSource {
public:
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] SaStatus Change(const Query& /*query*/, std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }

protected:
    ~ReadOnlySource() = default;
};

}  // namespace ember
