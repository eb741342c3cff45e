// SPDX-License-Identifier: Apache-2.0
// EmberSM: the texts of OpenSM's dump files, a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/log/fixed_text.h"
#include "platform/linux/dump/dump_view.h"

namespace ember {

/// The longest piece that any of these writes.
inline constexpr std::size_t kMaxDumpPiece = std::size_t{24} * 1024;

/// Appends the piece that stands at the cursor and moves it on; or does a slice of the work that
/// the piece needs, and appends nothing. False: there was none left.
using DumpPiece = bool (*)(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// "Switch", "Router" or "Channel Adapter".
[[nodiscard]] std::string_view LongKindWord(NodeType type);
/// The NodeDescription, of which a character that is not printable ASCII is a blank.
void AddName(FixedText& text, const Node& node);

/// guid2lid: which LIDs each port GUID keeps. A blank line ends an entry.
bool AddKeptLid(const DumpView& view, DumpCursor& cursor, FixedText& text);
/// opensm-subnet.lst: one line a cable end, as ibdmchk and ibdiagnet read it.
bool AddLinkEnd(const DumpView& view, DumpCursor& cursor, FixedText& text);
/// opensm-lfts.dump: forwarding tables with the owners of the LIDs.
bool AddForwarding(const DumpView& view, DumpCursor& cursor, FixedText& text);
/// opensm.fdbs: forwarding tables with the hops that are left.
bool AddRoutes(const DumpView& view, DumpCursor& cursor, FixedText& text);
/// opensm-lid-matrix.dump: hops to each switch, by the port left through, as the engine counts
/// them.
bool AddHopRow(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// opensm.mcfdbs: multicast forwarding tables, as the switches have acknowledged them; ibdmchk
/// wants the file, and OpenSM without groups leaves it empty too.
bool AddMulticastRoutes(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// opensm-ftree-ca-order.dump: the compute nodes of a fat tree in the order of ftree's routes, a
/// DUMMY where a leaf has fewer than the fullest one. Only where NodeOrder::Exists().
bool AddNodeOrder(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// opensm-sl2vl.dump: the lanes of the service levels at each end port and each port of a switch
/// that has a cable, as the ports have acknowledged them.
bool AddLaneMaps(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// opensm-sa.dump: alias GUIDs, groups with their members, subscriptions and services. Members come
/// in the order of our table, and a group names one of them where OpenSM names its creator.
bool AddRegistrations(const DumpView& view, DumpCursor& cursor, FixedText& text);

/// A file of the dump.
struct DumpFile {
    std::string_view name;
    DumpPiece add;
    /// Where the file exists.
    enum class Only : std::uint8_t { kAlways, kWithNodeOrder, kWithLanes } only = Only::kAlways;
    bool of_registrations = false;  ///< Clients change what it tells between two sweeps.
    bool holds_keys = false;        ///< Of services: with a key its holder may change the service.
};
inline constexpr DumpFile kDumpFiles[] = {
    {"guid2lid", AddKeptLid},
    {"opensm-subnet.lst", AddLinkEnd},
    {"opensm-lfts.dump", AddForwarding},
    {"opensm.fdbs", AddRoutes},
    {"opensm.mcfdbs", AddMulticastRoutes},
    {"opensm-lid-matrix.dump", AddHopRow},
    {"opensm-ftree-ca-order.dump", AddNodeOrder, DumpFile::Only::kWithNodeOrder},
    {"opensm-sl2vl.dump", AddLaneMaps, DumpFile::Only::kWithLanes},
    {"opensm-sa.dump", AddRegistrations, DumpFile::Only::kAlways, true, true},
};

/// A file that each step of a chain has: its number and its engine stand between the two.
struct StepFile {
    std::string_view front;
    std::string_view back;
    DumpPiece add;
};
inline constexpr StepFile kStepFiles[] = {
    {"opensm-subnet.", ".lst", AddLinkEnd},
    {"opensm-lfts.", ".dump", AddForwarding},
    {"opensm.fdbs.", "", AddRoutes},
    {"opensm-lid-matrix.", ".dump", AddHopRow},
};

}  // namespace ember
