// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinearForwardingTable: the output port for each of 64 LIDs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/attribute.h"

namespace ember {

/// LinearForwardingTable: the output port for each of 64 LIDs; kNoPort drops the packet. IBA vol.
/// 1, 14.2.5.10. The AttributeModifier is the block: block b holds the LIDs 64b to 64b + 63. (Row()
/// is explained in guid_info.h.)
class LinearForwardingTable : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 64;

    [[nodiscard]] static constexpr Field<PortNumber> Row(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(8U * index), 8}};
    }

    [[nodiscard]] constexpr PortNumber port(std::size_t index) const { return Get(Row(index)); }
    constexpr void SetPort(std::size_t index, PortNumber port) { Set(Row(index), port); }
};
static_assert(WireStruct<LinearForwardingTable>);
static_assert(sizeof(LinearForwardingTable) == 64);

}  // namespace ember
