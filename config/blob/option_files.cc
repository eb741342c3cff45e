// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of option files. They are signed, and still nothing in them is believed.
#include "config/blob/option_files.h"

#include <array>
#include <bit>

#include "config/schema/settings_generated.h"
#include "core/administration/sa_file.h"
#include "core/base/arena.h"
#include "core/base/bit_set.h"

namespace ember {
namespace {

constexpr std::uint32_t kMaxTableLids = 0xC000;  // Unicast LIDs, 0 included.
constexpr std::uint32_t kMaxPorts = 254;

static_assert(Arena::kGrain == 64, "OptionRoomBytesFor() counts with it");
// A table takes no more of a room than 3/2 of what it takes of a blob.
static_assert(sizeof(GuidNumber) <= sizeof(schema::GuidNumber));
static_assert(sizeof(HopWeight) <= sizeof(schema::HopWeight));
static_assert(sizeof(SwitchPort) <= sizeof(schema::SwitchPort));
static_assert(sizeof(PortOrder) <= sizeof(schema::PortOrder));
static_assert(sizeof(FileTable) <= sizeof(schema::FileTable));
static_assert(2 * sizeof(FileMatrix) <= 3 * sizeof(schema::FileMatrix));
static_assert(sizeof(LidOwner) <= sizeof(schema::LidOwner));
static_assert(sizeof(NodeName) <= sizeof(schema::NodeName));
static_assert(sizeof(PrefixRoute) <= sizeof(schema::PrefixRoute));

template <typename Element>
using Vector = flatbuffers::Vector<Element>;
template <typename Struct>
using Structs = flatbuffers::Vector<const Struct*>;

template <typename Element>
std::size_t SizeOf(const Vector<Element>* from) {
    return from == nullptr ? 0 : from->size();
}

/// FlatBuffers' verifier holds elements to lie inside, not to lie where the machine can read them.
template <typename Element>
bool IsAligned(const Vector<Element>* from) {
    if (from == nullptr || from->size() == 0) return true;  // An empty one is aligned to 4 only.
    return std::bit_cast<std::uintptr_t>(from->Data()) % alignof(std::uint64_t) == 0;
}

bool AreAligned(const schema::OptionFiles& from) {
    return IsAligned(from.roots()) && IsAligned(from.ids()) && IsAligned(from.compute_nodes()) &&
           IsAligned(from.io_nodes()) && IsAligned(from.routing_order()) &&
           IsAligned(from.hop_weights()) && IsAligned(from.ignored()) && IsAligned(from.search()) &&
           IsAligned(from.lfts()) && IsAligned(from.lft_owners()) && IsAligned(from.matrix()) &&
           IsAligned(from.matrix_owners()) && IsAligned(from.prefix_routes()) &&
           IsAligned(from.node_names()) && IsAligned(from.edge_ports());
}

/// Each larger than the one before, so none is 0 and none there twice.
bool Ascends(const Vector<std::uint64_t>* guids) {
    if (SizeOf(guids) > kMostListedGuids) return false;
    std::uint64_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(guids); ++i) {
        if (guids->Get(i) <= before) return false;
        before = guids->Get(i);
    }
    return true;
}

/// A GUID may be there twice: the second one says nothing.
bool IsAList(const Vector<std::uint64_t>* guids) {
    if (SizeOf(guids) > kMostListedGuids) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(guids); ++i) {
        if (guids->Get(i) == 0) return false;
    }
    return true;
}

template <typename Struct>
bool AscendsByGuid(const Structs<Struct>* rows) {
    std::uint64_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        if (rows->Get(i)->guid() <= before) return false;
        before = rows->Get(i)->guid();
    }
    return true;
}

/// By GUID, then by port; every port is one with a cable.
template <typename Struct>
bool AscendsByGuidAndPort(const Structs<Struct>* rows) {
    std::uint64_t guid = 0;
    std::uint32_t port = kMaxPorts;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        const Struct& row = *rows->Get(i);
        if (row.port() < 1 || row.port() > kMaxPorts) return false;
        const bool follows = row.guid() > guid || (row.guid() == guid && row.port() > port);
        if (!follows) return false;
        guid = row.guid();
        port = row.port();
    }
    return true;
}

bool AscendsByLid(const Structs<schema::LidOwner>* owners) {
    std::uint32_t before = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(owners); ++i) {
        const schema::LidOwner& owner = *owners->Get(i);
        if (owner.lid() <= before || owner.lid() >= kMaxTableLids) return false;
        if (owner.port_guid() == 0) return false;
        before = owner.lid();
    }
    return true;
}

bool HopsFit(const Structs<schema::HopWeight>* weights) {
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(weights); ++i) {
        if (weights->Get(i)->hops() == 0) return false;
    }
    return AscendsByGuidAndPort(weights);
}

/// `count` ports from `first` on, none twice and each with a cable.
bool IsAnOrderOfPorts(const Vector<std::uint8_t>& ports, std::uint32_t first, std::uint32_t count) {
    std::array<std::uint64_t, BitSet::WordsFor(256)> words{};
    const BitSet seen(words);
    for (std::uint32_t i = first; i < first + count; ++i) {
        const std::uint8_t port = ports.Get(i);
        if (port < 1 || port > kMaxPorts || seen.Has(port)) return false;
        seen.Add(port);
    }
    return true;
}

bool SearchFits(const schema::OptionFiles& from) {
    const std::size_t size = SizeOf(from.search_ports());
    std::uint32_t first = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.search()); ++i) {
        const std::uint32_t count = from.search()->Get(i)->count();
        if (count < 1 || count > kMaxPorts || count > size - first) return false;
        if (!IsAnOrderOfPorts(*from.search_ports(), first, count)) return false;
        first += count;
    }
    return first == size && AscendsByGuid(from.search());
}

bool LftsFit(const schema::OptionFiles& from) {
    const std::size_t size = SizeOf(from.lft_ports());
    std::size_t first = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.lfts()); ++i) {
        const std::uint32_t count = from.lfts()->Get(i)->count();
        if (count > kMaxTableLids || count > size - first) return false;
        first += count;
    }
    return first == size && AscendsByGuid(from.lfts()) && AscendsByLid(from.lft_owners());
}

bool MatrixFits(const schema::OptionFiles& from) {
    const std::size_t size = SizeOf(from.matrix_hops());
    std::size_t first = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.matrix()); ++i) {
        const schema::FileMatrix& row = *from.matrix()->Get(i);
        if (row.port_count() < 1 || row.port_count() > kMaxPorts) return false;
        if (row.lids() > kMaxTableLids) return false;
        const std::size_t octets = row.lids() * (std::size_t{row.port_count()} + 1);
        if (octets > size - first) return false;
        first += octets;
    }
    return first == size && AscendsByGuid(from.matrix()) && AscendsByLid(from.matrix_owners());
}

bool RoutesFit(const Structs<schema::PrefixRoute>* routes) {
    return SizeOf(routes) <= kMostPrefixRoutes;  // Each question may look at all.
}

bool RegistrationsFit(const Vector<std::uint8_t>* octets) {
    return octets == nullptr || IsSaFile(std::as_bytes(std::span(octets->Data(), octets->size())));
}

/// As many octets as the names count, none of them one that a terminal obeys.
bool NamesFit(const schema::OptionFiles& from) {
    if (SizeOf(from.node_names()) > kMostListedGuids) return false;
    std::size_t octets = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.node_names()); ++i) {
        const std::size_t length = from.node_names()->Get(i)->octets();
        if (length < 1 || length > kMostNameOctets) return false;
        octets += length;
    }
    if (octets != SizeOf(from.name_octets())) return false;
    for (flatbuffers::uoffset_t i = 0; i < octets; ++i) {
        if (!IsNameOctet(from.name_octets()->Get(i))) return false;
    }
    return AscendsByGuid(from.node_names());
}

std::string_view FirstOutOfRange(const schema::OptionFiles& from) {
    if (!Ascends(from.roots())) return "root_guid_file";
    if (!AscendsByGuid(from.ids())) return "ids_guid_file";
    if (!Ascends(from.compute_nodes())) return "cn_guid_file";
    if (!Ascends(from.io_nodes())) return "io_guid_file";
    if (!IsAList(from.routing_order())) return "guid_routing_order_file";
    if (!HopsFit(from.hop_weights())) return "hop_weights_file";
    if (!AscendsByGuidAndPort(from.ignored())) return "port_prof_ignore_file";
    if (!SearchFits(from)) return "port_search_ordering_file";
    if (!LftsFit(from)) return "lfts_file";
    if (!MatrixFits(from)) return "lid_matrix_dump_file";
    if (!RoutesFit(from.prefix_routes())) return "prefix_routes_file";
    if (!NamesFit(from)) return "node_name_map_name";
    if (!AscendsByGuidAndPort(from.edge_ports())) return "edge_ports";
    return RegistrationsFit(from.registrations()) ? std::string_view{} : "sa_db_file";
}

std::size_t RoomBytes(const schema::OptionFiles& from) {
    return Arena::BytesFor<Guid>(SizeOf(from.roots())) +
           Arena::BytesFor<GuidNumber>(SizeOf(from.ids())) +
           Arena::BytesFor<Guid>(SizeOf(from.compute_nodes())) +
           Arena::BytesFor<Guid>(SizeOf(from.io_nodes())) +
           Arena::BytesFor<Guid>(SizeOf(from.routing_order())) +
           Arena::BytesFor<HopWeight>(SizeOf(from.hop_weights())) +
           Arena::BytesFor<SwitchPort>(SizeOf(from.ignored())) +
           Arena::BytesFor<SwitchPort>(SizeOf(from.edge_ports())) +
           Arena::BytesFor<PortOrder>(SizeOf(from.search())) +
           Arena::BytesFor<PortNumber>(SizeOf(from.search_ports())) +
           Arena::BytesFor<FileTable>(SizeOf(from.lfts())) +
           Arena::BytesFor<std::uint8_t>(SizeOf(from.lft_ports())) +
           Arena::BytesFor<LidOwner>(SizeOf(from.lft_owners())) +
           Arena::BytesFor<FileMatrix>(SizeOf(from.matrix())) +
           Arena::BytesFor<std::uint8_t>(SizeOf(from.matrix_hops())) +
           Arena::BytesFor<LidOwner>(SizeOf(from.matrix_owners())) +
           Arena::BytesFor<PrefixRoute>(SizeOf(from.prefix_routes())) +
           Arena::BytesFor<std::byte>(SizeOf(from.registrations())) +
           Arena::BytesFor<NodeName>(SizeOf(from.node_names())) +
           Arena::BytesFor<std::uint8_t>(SizeOf(from.name_octets()));
}

/// A view of fresh elements, each made from the one at its place.
template <Plain To, typename Element, typename Make>
std::span<const To> Copy(const Vector<Element>* from, Arena& arena, const Make& make) {
    const std::span<To> to = arena.Take<To>(SizeOf(from));
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = make(from->Get(static_cast<flatbuffers::uoffset_t>(i)));
    }
    return to;
}

std::span<const Guid> CopyGuids(const Vector<std::uint64_t>* from, Arena& arena) {
    return Copy<Guid>(from, arena, [](std::uint64_t guid) { return Guid{guid}; });
}

std::span<const std::uint8_t> CopyOctets(const Vector<std::uint8_t>* from, Arena& arena) {
    return Copy<std::uint8_t>(from, arena, [](std::uint8_t octet) { return octet; });
}

std::span<const LidOwner> CopyOwners(const Structs<schema::LidOwner>* from, Arena& arena) {
    return Copy<LidOwner>(from, arena, [](const schema::LidOwner* owner) {
        return LidOwner{.lid = Lid{owner->lid()}, .port_guid = Guid{owner->port_guid()}};
    });
}

void CopyLists(const schema::OptionFiles& from, Arena& arena, OptionTables& to) {
    to.roots = CopyGuids(from.roots(), arena);
    to.ids = Copy<GuidNumber>(from.ids(), arena, [](const schema::GuidNumber* row) {
        return GuidNumber{.guid = Guid{row->guid()}, .number = row->number()};
    });
    to.compute_nodes = CopyGuids(from.compute_nodes(), arena);
    to.io_nodes = CopyGuids(from.io_nodes(), arena);
    to.routing_order = CopyGuids(from.routing_order(), arena);
    to.hop_weights = Copy<HopWeight>(from.hop_weights(), arena, [](const schema::HopWeight* row) {
        return HopWeight{
            .guid = Guid{row->guid()}, .port = PortNumber{row->port()}, .hops = row->hops()};
    });
    const auto port_of = [](const schema::SwitchPort* row) {
        return SwitchPort{.guid = Guid{row->guid()}, .port = PortNumber{row->port()}};
    };
    to.ignored = Copy<SwitchPort>(from.ignored(), arena, port_of);
    to.edge_ports = Copy<SwitchPort>(from.edge_ports(), arena, port_of);
    to.prefix_routes =
        Copy<PrefixRoute>(from.prefix_routes(), arena, [](const schema::PrefixRoute* row) {
            return PrefixRoute{.prefix = row->prefix(), .router = Guid{row->router()}};
        });
}

/// Tables whose rows own the next so many elements of another vector.
void CopyRanges(const schema::OptionFiles& from, Arena& arena, OptionTables& to) {
    std::uint32_t first = 0;
    const auto take = [&first](std::uint32_t count) {
        const std::uint32_t begin = first;
        first += count;
        return begin;
    };
    to.search = Copy<PortOrder>(from.search(), arena, [&take](const schema::PortOrder* row) {
        return PortOrder{
            .guid = Guid{row->guid()}, .first = take(row->count()), .count = row->count()};
    });
    to.search_ports = Copy<PortNumber>(from.search_ports(), arena,
                                       [](std::uint8_t port) { return PortNumber{port}; });
    first = 0;
    to.lfts = Copy<FileTable>(from.lfts(), arena, [&take](const schema::FileTable* row) {
        return FileTable{
            .guid = Guid{row->guid()}, .first = take(row->count()), .count = row->count()};
    });
    to.lft_ports = CopyOctets(from.lft_ports(), arena);
    to.lft_owners = CopyOwners(from.lft_owners(), arena);
    first = 0;
    to.matrix = Copy<FileMatrix>(from.matrix(), arena, [&take](const schema::FileMatrix* row) {
        return FileMatrix{.guid = Guid{row->guid()},
                          .first = take(row->lids() * (row->port_count() + 1U)),
                          .lids = row->lids(),
                          .port_count = row->port_count()};
    });
    to.matrix_hops = CopyOctets(from.matrix_hops(), arena);
    to.matrix_owners = CopyOwners(from.matrix_owners(), arena);
    first = 0;
    to.node_names = Copy<NodeName>(from.node_names(), arena, [&take](const schema::NodeName* row) {
        return NodeName{
            .guid = Guid{row->guid()}, .first = take(row->octets()), .octets = row->octets()};
    });
    to.name_octets = CopyOctets(from.name_octets(), arena);
    to.registrations = Copy<std::byte>(from.registrations(), arena,
                                       [](std::uint8_t octet) { return std::byte{octet}; });
}

}  // namespace

OptionFilesReport CheckOptionFiles(const schema::OptionFiles* from) {
    if (from == nullptr) return {.well_formed = true, .out_of_range = {}, .room_bytes = 0};
    if (!AreAligned(*from)) return {};
    return {.well_formed = true,
            .out_of_range = FirstOutOfRange(*from),
            .room_bytes = RoomBytes(*from)};
}

OptionTables CopyOptionFiles(const schema::OptionFiles* from, OptionRoom room) {
    OptionTables to;
    if (from == nullptr) return to;
    EMBER_ASSERT(std::bit_cast<std::uintptr_t>(room.octets.data()) % Arena::kGrain == 0);
    Arena arena(room.octets);
    CopyLists(*from, arena, to);
    CopyRanges(*from, arena, to);
    to.has_roots = from->roots() != nullptr;
    to.has_compute_nodes = from->compute_nodes() != nullptr;
    to.has_io_nodes = from->io_nodes() != nullptr;
    to.has_lfts = from->lfts() != nullptr;
    to.has_matrix = from->matrix() != nullptr;
    return to;
}

}  // namespace ember
