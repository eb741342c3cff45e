// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the vectors of a blob's tables must be. The blob is signed; still nothing in it is
// believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/schema/settings_generated.h"
#include "core/settings/settings.h"

namespace ember::option_files {

// A vector of a blob; null where it is absent, which counts as empty.
template <typename Element>
using WireVector = flatbuffers::Vector<Element>;
template <typename Struct>
using WireStructs = flatbuffers::Vector<const Struct*>;

inline constexpr std::uint32_t kMaxTableLids = 0xC000;  ///< Unicast LIDs, 0 included.
inline constexpr std::uint32_t kMaxTablePorts = 254;

template <typename Element>
[[nodiscard]] std::size_t SizeOf(const WireVector<Element>* from) {
    return from == nullptr ? 0 : from->size();
}

/// Each GUID is larger than the one before: none is 0 and none is there twice. Not more than a
/// subnet has.
[[nodiscard]] bool Ascends(const WireVector<std::uint64_t>* guids);

/// No GUID is 0. A GUID may be there twice: the second says nothing. Not more than a subnet has.
[[nodiscard]] bool IsAList(const WireVector<std::uint64_t>* guids);

/// LIDs are unicast ones and ascend, and each has an owner.
[[nodiscard]] bool AscendsByLid(const WireStructs<schema::LidOwner>* owners);

/// Ranges of 1 to kMostFiledLids unicast LIDs. Not more than a subnet has.
[[nodiscard]] bool LidsFit(const WireStructs<schema::PortLids>* rows);

/// No weight is 0.
[[nodiscard]] bool HopsFit(const WireStructs<schema::HopWeight>* weights);

/// Whether `octets`, null for none, are a journal of registrations from begin to end.
[[nodiscard]] bool IsJournal(const WireVector<std::uint8_t>* octets);

// Checks of the octets that a row owns in a vector of all rows.
/// Ports, none twice and each with a cable.
[[nodiscard]] bool IsAnOrderOfPorts(std::span<const std::uint8_t> ports);
/// None of them is one that a terminal obeys, or ends a name.
[[nodiscard]] bool IsAName(std::span<const std::uint8_t> octets);
/// The same of the name of a node, which may have letters beyond ASCII.
[[nodiscard]] bool IsANodeName(std::span<const std::uint8_t> octets);
[[nodiscard]] constexpr bool IsAnything(std::span<const std::uint8_t> /*octets*/) {
    return true;
}

/// Rows ascend by GUID; none is 0 and none is there twice.
template <typename Struct>
[[nodiscard]] bool AscendsByGuid(const WireStructs<Struct>* rows) {
    std::uint64_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        if (rows->Get(i)->guid() <= before) return false;
        before = rows->Get(i)->guid();
    }
    return true;
}

/// Rows ascend by GUID, then by port; every port is one with a cable.
template <typename Struct>
[[nodiscard]] bool AscendsByGuidAndPort(const WireStructs<Struct>* rows) {
    std::uint64_t guid = 0;
    std::uint32_t port = kMaxTablePorts;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const Struct& row = *rows->Get(i);
        if (row.port() < 1 || row.port() > kMaxTablePorts) return false;
        const bool follows = row.guid() > guid || (row.guid() == guid && row.port() > port);
        if (!follows) return false;
        guid = row.guid();
        port = row.port();
    }
    return true;
}

}  // namespace ember::option_files
