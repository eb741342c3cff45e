// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a name fits a regular expression.
#include "core/port_groups/name_patterns.h"

#include <cstdint>
#include <span>

#include "core/base/assert.h"

namespace ember {

bool FitsPattern(const ManagerTables& tables, std::size_t pattern, std::string_view name) {
    EMBER_ASSERT(pattern < tables.name_patterns.size());
    const NamePattern& row = tables.name_patterns[pattern];
    const std::span cells = tables.name_pattern_cells.subspan(row.first, CellsOf(row));
    const std::span classes =
        tables.name_pattern_classes.subspan(pattern * kPatternCharacters, kPatternCharacters);
    const std::size_t width = row.classes + std::size_t{1};
    std::size_t state = 0;
    for (const char c : name) {
        const std::size_t character = static_cast<std::uint8_t>(c) - std::size_t{0x20};
        EMBER_ASSERT(character < kPatternCharacters);
        const std::uint16_t next = cells[state * width + classes[character]];
        if (next < kPatternStates) return next == kPatternFits;
        state = next - std::size_t{kPatternStates};
    }
    return cells[state * width + row.classes] == kPatternFits;
}

}  // namespace ember
