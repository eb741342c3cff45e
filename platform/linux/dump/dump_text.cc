// SPDX-License-Identifier: Apache-2.0
// EmberSM: the texts of OpenSM's dump files, a piece at a time.

#include "platform/linux/dump/dump_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace ember {

std::string_view LongKindWord(NodeType type) {
    if (type == NodeType::kSwitch) return "Switch";
    return type == NodeType::kRouter ? "Router" : "Channel Adapter";
}

void AddName(FixedText& text, const Node& node) {
    for (const std::uint8_t octet : node.description) {
        if (octet == 0) break;
        text.Add(octet >= 0x20 && octet < 0x7F ? static_cast<char>(octet) : ' ');
    }
}

namespace {

constexpr std::size_t kLidsPerPiece = 64;
constexpr std::size_t kHopRowsPerPiece = 16;  // A row has up to 255 columns.
constexpr std::uint8_t kDropped = 255;

/// Hexadecimal with large letters, as subnet.lst and fdbs have it.
void AddBigHex(FixedText& text, std::uint64_t number, unsigned digits) {
    for (unsigned i = digits; i > 0; --i) {
        text.Add("0123456789ABCDEF"[number >> (4 * (i - 1)) & 0xFU]);
    }
}

std::string_view WidthWord(std::uint8_t width) {
    constexpr std::string_view kWords[] = {"1x", "4x", "8x", "12x", "2x"};  // By bit.
    for (unsigned bit = 0; bit < std::size(kWords); ++bit) {
        if (width == 1U << bit) return kWords[bit];
    }
    return "??";
}

std::string_view SpeedWord(const PortInfo& info) {
    switch (info.Get(PortInfo::kLinkSpeedExtActive)) {
        case link_speed_ext::kFdr:
            return "14";
        case link_speed_ext::kEdr:
            return "25";
        case link_speed_ext::kHdr:
            return "50";
        case link_speed_ext::kNone:
            break;
        default:
            return "??";  // OpenSM 3.3.23 has no word for NDR.
    }
    switch (info.Get(PortInfo::kLinkSpeedActive)) {
        case link_speed::kSdr:
            return "2.5";
        case link_speed::kDdr:
            return "5";
        case link_speed::kQdr:
            return "10";
        default:
            return "??";
    }
}

std::string_view StateWord(PortState state) {
    constexpr std::string_view kWords[] = {"???", "DWN", "INI", "ARM", "ACT"};
    return Raw(state) < std::size(kWords) ? kWords[Raw(state)] : kWords[0];
}

std::string_view KindWord(NodeType type) {
    if (type == NodeType::kSwitch) return "SW";
    return type == NodeType::kRouter ? "RT" : "CA";
}

/// The end port that speaks for a port: a switch's port 0, or the port itself.
const Port& EndPortFor(const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    return node.type == NodeType::kSwitch ? fabric.port(node.first_port) : port;
}

/// Either end of a line in opensm-subnet.lst. OpenSM writes the vendor with six digits on the left
/// and eight on the right.
void AddEnd(const Fabric& fabric, const Port& port, unsigned vendor_digits, FixedText& text) {
    const Node& node = fabric.node(port.node);
    const Port& speaker = EndPortFor(fabric, port);
    text.Add("{ ").Add(KindWord(node.type));
    if (fabric.IndexOf(speaker) == fabric.own_port()) text.Add("-SM");
    text.Add(" Ports:");
    AddBigHex(text, node.port_count, 2);
    text.Add(" SystemGUID:").AddHex(Raw(node.system_image_guid), 16);
    text.Add(" NodeGUID:").AddHex(Raw(node.guid), 16);
    text.Add(" PortGUID:").AddHex(Raw(speaker.guid), 16);
    text.Add(" VenID:");
    AddBigHex(text, node.vendor_id, vendor_digits);
    text.Add(" DevID:");
    AddBigHex(text, node.device_id, 4);
    text.Add(" Rev:");
    AddBigHex(text, node.revision, 8);
    text.Add(" {");
    AddName(text, node);
    text.Add("} LID:");
    AddBigHex(text, Raw(speaker.lid), 4);
    text.Add(" PN:");
    AddBigHex(text, Raw(port.number), 2);
    text.Add(" } ");
}

void AddTail(const Port& port, FixedText& text) {
    text.Add("PHY=").Add(WidthWord(port.info.Get(PortInfo::kLinkWidthActive)));
    text.Add(" LOG=").Add(StateWord(port.info.Get(PortInfo::kPortState)));
    text.Add(" SPD=").Add(SpeedWord(port.info)).Add('\n');
}

/// The LIDs of the next piece: from the cursor's column, at most `most` of them.
struct LidRun {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};
LidRun NextLids(const DumpView& view, const DumpCursor& cursor, std::size_t most) {
    const std::uint32_t top = Raw(view.fabric.top_lid());
    const auto first = static_cast<std::uint32_t>(cursor.column + 1);
    return {first, std::min<std::uint32_t>(top + 1, first + static_cast<std::uint32_t>(most))};
}

const Node& NodeOf(const DumpView& view, SwitchIndex at) {
    return view.fabric.node(view.fabric.switch_row(at).node);
}

/// Moves on behind `run`, to the next switch when it was the last one.
void MoveBehind(const DumpView& view, LidRun run, DumpCursor& cursor) {
    cursor.column = run.end - 1;
    if (run.end <= Raw(view.fabric.top_lid())) return;
    cursor.column = 0;
    ++cursor.row;
}

/// The hops of the row at the cursor are known; else a slice of work brings that nearer.
bool IsReady(const DumpView& view, const DumpCursor& cursor) {
    if (view.hops.Has(cursor.row)) return true;
    view.hops.WorkOn(cursor.row);
    return false;
}

void AddRoute(const DumpView& view, SwitchIndex at, Lid lid, FixedText& text) {
    text.Add("0x");
    AddBigHex(text, Raw(lid), 4);
    text.Add(" : ");
    const std::uint8_t exit = ExitOf(view, at, lid);
    const PortIndex owner = view.fabric.PortByLid(lid);
    if (exit == kDropped || owner == kNoPortIndex) {
        text.Add("UNREACHABLE\n");
        return;
    }
    const Port& to = view.fabric.port(owner);
    const unsigned best = HopsTo(view, at, to);
    const unsigned hops = HopsTo(view, at, to, exit);
    text.AddNumber(unsigned{exit}, 3).Add("  : ").AddNumber(hops, 2).Add("   : ");
    if (hops == best) {
        text.Add("yes\n");
        return;
    }
    unsigned better = 0;  // The first port that leads there by the shortest way.
    const unsigned ports = NodeOf(view, at).port_count;
    for (unsigned port = 1; port <= ports && better == 0; ++port) {
        if (HopsTo(view, at, to, static_cast<std::uint8_t>(port)) == best) better = port;
    }
    text.Add("No ").AddNumber(best).Add(" hop path possible via port ").AddNumber(better);
    text.Add("!\n");
}

}  // namespace

bool AddKeptLid(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.lids.entries().size()) return false;
    const KeptLids& kept = view.lids.entries()[cursor.row++];
    text.Add("0x").AddHex(Raw(kept.guid), 16);
    text.Add(" 0x").AddHex(Raw(kept.least), 4);
    text.Add(" 0x").AddHex(Raw(kept.most), 4).Add("\n\n");
    return true;
}

bool AddLinkEnd(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.nodes.size()) return false;
    const std::span<Port> ports = view.fabric.PortsOf(view.nodes[cursor.row]);
    const Port& port = ports[cursor.column];
    if (port.peer != kNoPortIndex && ShowsLink(view, port)) {
        AddEnd(view.fabric, port, 6, text);
        AddEnd(view.fabric, view.fabric.port(port.peer), 8, text);
        AddTail(port, text);
    }
    if (++cursor.column >= ports.size()) cursor = {cursor.row + 1, 0};
    return true;
}

bool AddForwarding(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.switches.size()) return false;
    const SwitchIndex at = view.switches[cursor.row];
    const unsigned top = Raw(view.fabric.top_lid());
    if (cursor.column == 0) {
        text.Add("Unicast lids [0-").AddNumber(top).Add("] of switch Lid ");
        text.AddNumber(unsigned{Raw(view.fabric.port(view.fabric.ManagementPortOf(at)).lid)});
        text.Add(" guid 0x").AddHex(Raw(NodeOf(view, at).guid), 16).Add(" ('");
        AddName(text, NodeOf(view, at));
        text.Add("'):\n");
    }
    const LidRun run = NextLids(view, cursor, kLidsPerPiece);
    for (std::uint32_t lid = run.first; lid < run.end; ++lid) {
        const std::uint8_t exit = ExitOf(view, at, static_cast<Lid>(lid));
        const PortIndex owner = view.fabric.PortByLid(static_cast<Lid>(lid));
        if (exit == kDropped || owner == kNoPortIndex) continue;
        const Port& port = view.fabric.port(owner);
        if (!HasOwner(view, port)) continue;
        const Node& node = view.fabric.node(port.node);
        text.Add("0x").AddHex(lid, 4).Add(' ').AddNumber(unsigned{exit}, 3).Add(" # ");
        text.Add(LongKindWord(node.type)).Add(" portguid 0x").AddHex(Raw(port.guid), 16);
        text.Add(": '");
        AddName(text, node);
        text.Add("'\n");
    }
    // OpenSM counts every LID up to the top, whether or not it has a line.
    if (run.end > top) text.AddNumber(top).Add(" lids dumped\n");
    MoveBehind(view, run, cursor);
    return true;
}

bool AddRoutes(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.switches.size()) return false;
    if (!IsReady(view, cursor)) return true;
    const SwitchIndex at = view.switches[cursor.row];
    if (cursor.column == 0) {
        text.Add("dump_ucast_routes: Switch 0x").AddHex(Raw(NodeOf(view, at).guid), 16);
        text.Add("\nLID    : Port : Hops : Optimal\n");
    }
    const LidRun run = NextLids(view, cursor, kLidsPerPiece);
    for (std::uint32_t lid = run.first; lid < run.end; ++lid) {
        const PortIndex owner = view.fabric.PortByLid(static_cast<Lid>(lid));
        const bool is_shown = view.step == nullptr ||
                              (owner != kNoPortIndex && HasOwner(view, view.fabric.port(owner)));
        if (is_shown) AddRoute(view, at, static_cast<Lid>(lid), text);
    }
    MoveBehind(view, run, cursor);
    return true;
}

bool AddMulticastRoutes(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.switches.size()) return false;
    const SwitchIndex at = view.switches[cursor.row];
    const MftTables::Run& run = view.mfts.run(at);
    const std::size_t mlids = view.mfts.block_num_count() * MftTables::kEntries;
    const auto add = [&text](unsigned number, int digits) -> FixedText& {
        text.Add("0x");  // OpenSM writes capitals here, and only here.
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            text.Add("0123456789ABCDEF"[number >> shift & 0xFU]);
        }
        return text;
    };
    // A column is a MLID, and 0 that nothing was told of this switch yet: one without entries is
    // not told of at all.
    for (std::size_t i = cursor.column == 0 ? 0 : cursor.column - 1; i < mlids; ++i) {
        const auto mlid = static_cast<MlidIndex>(i);
        bool is_first = true;
        for (unsigned port = 0; port < run.count * MftTables::kPorts; ++port) {
            const std::size_t position = run.first + port / MftTables::kPorts;
            const std::size_t block = view.mfts.BlockAt(i / MftTables::kEntries, position);
            const unsigned mask = view.mfts.ProgrammedMask(mlid, position);
            if (!view.mfts.IsKnown(block) || (mask >> (port % MftTables::kPorts) & 1U) == 0)
                continue;
            if (is_first && cursor.column == 0) {
                text.Add("\nSwitch 0x").AddHex(Raw(NodeOf(view, at).guid), 16);
                text.Add("\nLID    : Out Port(s)\n");
            }
            if (is_first) add(Raw(LidOf(mlid)), 4).Add(" :");
            is_first = false;
            text.Add(' ');
            add(port, 3).Add(' ');
            cursor.column = i + 2;
        }
        if (is_first) continue;
        text.Add('\n');
        return true;  // A line is long enough for a piece.
    }
    cursor = {cursor.row + 1, 0};
    return true;
}

bool AddHopRow(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.switches.size()) return false;
    if (!IsReady(view, cursor)) return true;
    const SwitchIndex at = view.switches[cursor.row];
    const Node& here = NodeOf(view, at);
    if (cursor.column == 0) {
        text.Add("Switch: guid 0x").AddHex(Raw(here.guid), 16).Add('\n');
    }
    // The rows of OpenSM are in the order of LIDs; a piece looks at a few of them.
    const LidRun run = NextLids(view, cursor, kHopRowsPerPiece);
    for (std::uint32_t lid = run.first; lid < run.end; ++lid) {
        const PortIndex owner = view.fabric.PortByLid(static_cast<Lid>(lid));
        if (owner == kNoPortIndex) continue;
        const Port& to = view.fabric.port(owner);
        const bool is_switch = view.fabric.node(to.node).type == NodeType::kSwitch;
        if (!is_switch || Raw(to.lid) != lid || HopsTo(view, at, to) == kDropped) continue;
        if (!HasOwner(view, to)) continue;
        text.Add("0x").AddHex(lid, 4).Add(':');
        text.Add(' ').AddHex(HopsTo(view, at, to), 2);
        for (unsigned port = 1; port <= here.port_count; ++port) {
            text.Add(' ').AddHex(HopsTo(view, at, to, static_cast<std::uint8_t>(port)), 2);
        }
        text.Add(" # portguid 0x").AddHex(Raw(to.guid), 16).Add('\n');
    }
    MoveBehind(view, run, cursor);
    return true;
}

bool AddNodeOrder(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row == 0) {  // Nothing is known before it is computed.
        if (view.node_order.Advance() == Progress::kDone) cursor.row = 1;
        return true;
    }
    const std::size_t leaf = cursor.row - 1;
    if (leaf >= view.node_order.leaf_count()) return false;
    view.node_order.ForEachSlot(leaf, [&](Lid lid) {
        const PortIndex owner = lid == kNoLid ? kNoPortIndex : view.fabric.PortByLid(lid);
        if (owner == kNoPortIndex) {
            text.Add("0xFFFF\tDUMMY\n");
            return;
        }
        text.Add("0x").AddHex(Raw(lid), 4).Add('\t');
        AddName(text, view.fabric.node(view.fabric.port(owner).node));
        text.Add('\n');
    });
    ++cursor.row;
    return true;
}

}  // namespace ember
