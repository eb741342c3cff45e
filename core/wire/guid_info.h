// SPDX-License-Identifier: Apache-2.0
// EmberSM: GUIDInfo: the GUIDs of a port.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/attribute.h"

namespace ember {

/// GUIDInfo: eight GUIDs of a port. IBA vol. 1, 14.2.5.5. The AttributeModifier is the block: block
/// b holds the GUIDs 8b to 8b + 7. PortInfo:GUIDCap says how many GUIDs exist. GUID 0 is the
/// PortGUID of the hardware and cannot be changed.
///
/// A table of equal entries, like this one, has a row function in place of named rows: names that
/// differ only in a number would say no more than the index, and a name cannot be computed.
class GuidInfo : public Attribute<64> {
public:
    static constexpr std::size_t kEntries = 8;

    [[nodiscard]] static constexpr Field<Guid> Row(std::size_t index) {
        EMBER_ASSERT(index < kEntries);
        return {{static_cast<std::uint16_t>(64U * index), 64}};
    }

    [[nodiscard]] constexpr Guid guid(std::size_t index) const { return Get(Row(index)); }
    constexpr void SetGuid(std::size_t index, Guid guid) { Set(Row(index), guid); }
};
static_assert(WireStruct<GuidInfo>);
static_assert(sizeof(GuidInfo) == 64);

}  // namespace ember
