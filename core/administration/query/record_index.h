// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sources of records by attribute.
#pragma once

#include <array>
#include <cstddef>

#include "core/administration/query/record_source.h"
#include "core/base/assert.h"

namespace ember {

/// Finds the source of an attribute by its number.
class RecordIndex {
public:
    RecordIndex() = default;
    RecordIndex(const RecordIndex&) = delete;
    RecordIndex& operator=(const RecordIndex&) = delete;

    /// `source` outlives the index. Asserts that its attribute has none yet.
    void Add(RecordSource& source) {
        const auto id = static_cast<std::size_t>(source.traits().attribute);
        EMBER_ASSERT(id < by_attribute_.size() && by_attribute_[id] == nullptr);
        by_attribute_[id] = &source;
    }

    /// The source of `attribute`; nullptr when it is not served.
    [[nodiscard]] RecordSource* Find(SaAttribute attribute) const {
        const auto id = static_cast<std::size_t>(attribute);
        return id < by_attribute_.size() ? by_attribute_[id] : nullptr;
    }

private:
    std::array<RecordSource*, 256> by_attribute_{};  ///< All ids are below.
};

}  // namespace ember
