// SPDX-License-Identifier: Apache-2.0
// EmberSM: topologies and the routing chain of a blob: their rows, and what they must be.
#include "config/blob/chain_rows.h"

#include <cstddef>
#include <cstdint>

#include "config/blob/engine_words.h"
#include "core/base/assert.h"
#include "core/settings/port_group_rows.h"
#include "core/settings/qos_tables.h"

namespace ember::option_files {
namespace {

using flatbuffers::uoffset_t;

/// Whether this release has the engine, and a chain may have it.
[[nodiscard]] bool HasEngineFor(schema::RoutingEngine number) {
    const auto words = EngineWords();
    const auto at = static_cast<std::size_t>(number);
    return at < words.size() && words[at].use == EngineWordUse::kEngine &&
           ChainUseOf(words[at].kind) != ChainUse::kNone;
}

[[nodiscard]] bool IsGroup(const schema::OptionFiles& from, std::uint16_t group) {
    if (group < kGroupOfTypes) return group < SizeOf(from.port_groups());
    const unsigned types = group - unsigned{kGroupOfTypes};
    return types != 0 && (types & ~unsigned{qos_node_type::kAll}) == 0;
}

/// Whether a row says what it may, the other rows apart.
[[nodiscard]] bool IsStep(const schema::OptionFiles& from, const schema::ChainStep& row) {
    return (row.own() & ~step_option::kAll) == 0 &&
           (row.values() & ~(step_option::kSwitches & row.own())) == 0 &&
           (row.own_files() & ~step_file::kAll) == 0 &&
           row.topology() <= SizeOf(from.topologies()) && row.path_bit() <= kMostPathBits &&
           HasEngineFor(row.engine());
}

[[nodiscard]] bool IsForAll(const schema::ChainStep& row) {
    return row.topology() == 0 && row.path_bit() == 0;
}

/// Whether the row is no fallback, or one to a row that is none.
[[nodiscard]] bool IsFallback(const schema::OptionFiles& from, const schema::ChainStep& row) {
    const std::size_t of = row.fallback_of();
    if (of == 0) return true;
    const auto* const rows = from.chain_steps();
    return of <= SizeOf(rows) && rows->Get(static_cast<uoffset_t>(of - 1))->fallback_of() == 0;
}

/// Whether there is a row that is no fallback, and the first of these and its fallbacks are for the
/// whole subnet. Fallbacks are sound.
[[nodiscard]] bool HasFirst(const schema::OptionFiles& from) {
    const auto* const rows = from.chain_steps();
    uoffset_t first = 0;
    while (first < SizeOf(rows) && rows->Get(first)->fallback_of() != 0) {
        ++first;
    }
    if (first == SizeOf(rows) || !IsForAll(*rows->Get(first))) return false;
    for (uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const schema::ChainStep& row = *rows->Get(i);
        if (row.fallback_of() == first + 1 && !IsForAll(row)) return false;
    }
    return true;
}

}  // namespace

ChainStep CoreRow(const schema::ChainStep& row) {
    EMBER_ASSERT(HasEngineFor(row.engine()));
    return {.id = row.id(),
            .line = row.line(),
            .scatter_ports = row.scatter_ports(),
            .max_reverse_hops = row.max_reverse_hops(),
            .own = row.own(),
            .values = row.values(),
            .own_files = row.own_files(),
            .tables = row.files(),
            .topology = row.topology(),
            .fallback_of = row.fallback_of(),
            .path_bit = row.path_bit(),
            .engine = EngineWords()[static_cast<std::size_t>(row.engine())].kind};
}

schema::ChainStep WireRow(const ChainStep& row) {
    std::size_t number = 0;
    const auto words = EngineWords();
    while (number < words.size() &&
           !(words[number].use == EngineWordUse::kEngine && words[number].kind == row.engine)) {
        ++number;
    }
    EMBER_ASSERT(number < words.size());
    return {row.id,
            row.line,
            row.scatter_ports,
            row.max_reverse_hops,
            row.own,
            row.values,
            row.own_files,
            row.tables,
            row.topology,
            row.fallback_of,
            row.path_bit,
            static_cast<schema::RoutingEngine>(number)};
}

bool AreTopologies(const schema::OptionFiles& from) {
    const auto* const rows = from.topologies();
    if (SizeOf(rows) > kMostTopologies) return false;
    std::uint64_t before = 0;
    for (uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const schema::PortTopology& row = *rows->Get(i);
        if (row.id() <= before) return false;
        if (!IsGroup(from, row.switches()) || !IsGroup(from, row.end_ports())) return false;
        before = row.id();
    }
    return true;
}

bool IsChain(const schema::OptionFiles& from) {
    const auto* const rows = from.chain_steps();
    if (SizeOf(rows) > kMostChainSteps) return false;
    std::uint64_t before = 0;
    for (uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const schema::ChainStep& row = *rows->Get(i);
        if (row.id() <= before || !IsStep(from, row) || !IsFallback(from, row)) return false;
        before = row.id();
    }
    return SizeOf(rows) == 0 || HasFirst(from);
}

}  // namespace ember::option_files
