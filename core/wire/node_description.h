// SPDX-License-Identifier: Apache-2.0
// EmberSM: NodeDescription: the name of a node.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/wire/attribute.h"

namespace ember {

/// NodeDescription: 64 octets of UTF-8. IBA vol. 1, 14.2.5.2. A shorter text is followed by zeros.
/// A text of 64 octets has no zero at its end, so no function here looks for one beyond it.
///
/// The fields of the table notation are numbers, and a field of 512 bits is none: the text is read
/// and written as a whole.
class NodeDescription : public Attribute<64> {
public:
    using Text = std::array<char, 64>;

    /// All 64 octets; behind length() as the node sent them.
    [[nodiscard]] constexpr Text text() const { return std::bit_cast<Text>(octets()); }

    /// Octets before the first zero, 0..64.
    [[nodiscard]] constexpr std::size_t length() const {
        std::size_t length = 0;
        while (length < octets().size() && octets()[length] != 0) {
            ++length;
        }
        return length;
    }

    /// Takes the first 64 octets of `text` and fills up with zeros.
    constexpr void SetText(std::string_view text) {
        for (std::size_t i = 0; i < octets().size(); ++i) {
            octets()[i] = i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
        }
    }
};
static_assert(WireStruct<NodeDescription>);
static_assert(sizeof(NodeDescription) == 64);

}  // namespace ember
