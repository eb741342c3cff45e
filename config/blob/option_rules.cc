// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the vectors of a blob's tables must be.
#include "config/blob/option_rules.h"

#include <algorithm>
#include <array>

#include "core/administration/registrations/sa_file.h"
#include "core/base/bit_set.h"
#include "core/base/utf8.h"

namespace ember::option_files {

bool Ascends(const WireVector<std::uint64_t>* guids) {
    if (SizeOf(guids) > kMostListedGuids) return false;
    std::uint64_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(guids); ++i) {
        if (guids->Get(i) <= before) return false;
        before = guids->Get(i);
    }
    return true;
}

bool IsAList(const WireVector<std::uint64_t>* guids) {
    if (SizeOf(guids) > kMostListedGuids) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(guids); ++i) {
        if (guids->Get(i) == 0) return false;
    }
    return true;
}

bool AscendsByLid(const WireStructs<schema::LidOwner>* owners) {
    std::uint32_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(owners); ++i) {
        const schema::LidOwner& owner = *owners->Get(i);
        if (owner.lid() <= before || owner.lid() >= kMaxTableLids) return false;
        if (owner.port_guid() == 0) return false;
        before = owner.lid();
    }
    return true;
}

bool LidsFit(const WireStructs<schema::PortLids>* rows) {
    if (SizeOf(rows) > kMostListedGuids) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const schema::PortLids& row = *rows->Get(i);
        if (row.least() == 0 || row.most() >= kMaxTableLids) return false;
        if (row.most() < row.least()) return false;
        if (row.most() - row.least() >= static_cast<int>(kMostFiledLids)) return false;
    }
    return true;
}

bool HopsFit(const WireStructs<schema::HopWeight>* weights) {
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(weights); ++i) {
        if (weights->Get(i)->hops() == 0) return false;
    }
    return true;
}

bool IsJournal(const WireVector<std::uint8_t>* octets) {
    return octets == nullptr || IsSaFile(std::as_bytes(std::span(octets->Data(), octets->size())));
}

bool IsAnOrderOfPorts(std::span<const std::uint8_t> ports) {
    std::array<std::uint64_t, BitSet::WordsFor(256)> words{};
    const BitSet seen(words);
    for (const std::uint8_t port : ports) {
        if (port < 1 || port > kMaxTablePorts || seen.Has(port)) return false;
        seen.Add(port);
    }
    return true;
}

bool IsAName(std::span<const std::uint8_t> octets) {
    return std::all_of(octets.begin(), octets.end(), IsNameOctet);
}

bool IsANodeName(std::span<const std::uint8_t> octets) {
    return NameOctets(octets) == octets.size();
}

}  // namespace ember::option_files
