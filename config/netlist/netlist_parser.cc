// SPDX-License-Identifier: Apache-2.0
// EmberSM: reading a netlist in the format of ibnetdiscover and ibsim.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "config/netlist/cursor.h"
#include "config/netlist/link_word.h"
#include "config/netlist/netlist.h"
#include "config/netlist/tame.h"

namespace ember::net {
namespace {

constexpr std::size_t kMaxErrors = 20;
/// More than a subnet has unicast LIDs. Without a bound a long file could take all memory.
constexpr std::size_t kMaxNodes = 65534;

/// Which peer a port line named. Names are resolved when all nodes have been read.
struct Claim {
    std::uint32_t node;
    std::uint32_t port;
    std::uint32_t peer_port;
    std::uint32_t line;
    std::string peer;
};

class Parser {
public:
    Parser(std::string_view file, NetErrors& errors) : file_(file), errors_(errors) {}

    Netlist Parse(std::string_view text) {
        std::uint32_t line = 0;
        while (!text.empty() && !is_full_) {
            const std::size_t end = text.find('\n');
            std::string_view now = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (now.ends_with('\r')) now.remove_suffix(1);
            line_ = ++line;
            ParseLine(now);
        }
        if (!is_full_) {  // Else it is not known whom the cables name.
            if (errors_.empty() && net_.nodes.empty()) Error("the netlist has no node");
            ResolveClaims();
            CheckBothDirections();
        }
        if (unlisted_ > 0) {
            errors_.push_back(std::string(file_) + ": error: " + std::to_string(unlisted_) +
                              (unlisted_ == 1 ? " more error" : " more errors") + " like these");
            Tame(errors_.back());
        }
        if (!errors_.empty()) return {};
        net_.AssignGuids();
        return std::move(net_);
    }

private:
    void Error(const std::string& sentence) { ErrorAt(line_, sentence); }
    void ErrorAt(std::uint32_t line, const std::string& sentence) {
        if (errors_.size() >= kMaxErrors) {
            ++unlisted_;
            return;
        }
        std::string error = file_ + ":" + std::to_string(line) + ": error: " + sentence;
        Tame(error);
        errors_.push_back(std::move(error));
    }

    void ParseLine(std::string_view text) {
        Cursor cursor(text);
        if (cursor.AtEnd()) {
            open_ = false;
            return;
        }
        if (cursor.Eat('#')) {
            ParseComment(cursor);
            return;
        }
        if (cursor.Eat('[')) {
            ParsePort(cursor);
            return;
        }
        if (is_foreign_ || IsForeign(text)) return;
        const std::string_view word = cursor.Word();
        if (cursor.Eat('=')) {
            ParseProperty(word, cursor);
        } else if (word == "Switch" || word == "Ca" || word == "Hca" || word == "Rt" ||
                   word == "Router") {
            ParseNode(word, cursor);
        } else if (!IsHeading(text)) {
            Error("expected Switch, Ca, Hca, Rt, a port line or a comment, not \"" +
                  std::string(text.substr(0, 40)) + "\"");
        }
    }

    /// True for a first line of another tool's output, which is told, once.
    bool IsForeign(std::string_view text) {
        if (!net_.nodes.empty() || next_.guid != kNoGuid) return false;
        const std::string_view tool = ForeignTool(text);
        if (tool.empty()) return false;
        is_foreign_ = true;
        Error("this is not a listing of nodes and cables but " + std::string(tool) +
              ": give what ibnetdiscover prints without options");
        return true;
    }

    /// `# Initiated from node 0002c903000010 port 0002c903000011`.
    void ParseComment(Cursor& cursor) {
        constexpr std::string_view kFrom = "Initiated from node ";
        cursor.SkipBlanks();
        const std::string_view text = cursor.rest();
        if (!text.starts_with(kFrom)) return;
        const std::size_t at = text.find(" port ");
        if (at == std::string_view::npos) return;
        Cursor port(text.substr(at + 6));
        net_.made_from = static_cast<Guid>(port.Number(16).value_or(0));
    }

    void ParseProperty(std::string_view name, Cursor& cursor) {
        const std::optional<std::uint64_t> value = cursor.Number(16);
        if (!value) {
            Error(std::string(name) + " needs a hexadecimal number");
            return;
        }
        if (name == "vendid") {
            next_.vendor_id = static_cast<std::uint32_t>(*value & 0xFFFFFF);
        } else if (name == "devid") {
            next_.device_id = static_cast<std::uint16_t>(*value);
        } else if (name == "sysimgguid") {
            next_.system_image_guid = Guid{*value};
        } else if (name == "switchguid" || name == "caguid" || name == "rtguid") {
            next_.guid = Guid{*value};
        } else {
            Error("unknown property \"" + std::string(name) + "\"");
        }
    }

    void ParseNode(std::string_view kind, Cursor& cursor) {
        open_ = true;
        const std::optional<std::uint64_t> ports = cursor.Number(10);
        if (!ports || *ports < 1 || *ports > 254) {
            Error("a node has 1 to 254 ports");
            return;
        }
        const std::optional<std::string_view> id = cursor.Quoted();
        if (!id || id->empty()) {
            Error("expected the node's name in quotes");
            return;
        }
        if (net_.nodes.size() == kMaxNodes) {
            Error("a netlist has at most " + std::to_string(kMaxNodes) + " nodes");
            is_full_ = true;
            return;
        }
        const auto index = static_cast<std::uint32_t>(net_.nodes.size());
        if (const auto [old, is_new] = by_id_.emplace(*id, index); !is_new) {
            Error("\"" + std::string(*id) + "\" is defined a second time; first in line " +
                  std::to_string(net_.nodes[old->second].line));
            return;
        }
        NetNode node = std::move(next_);
        next_ = {};
        node.type = kind == "Switch"                   ? NodeType::kSwitch
                    : kind == "Rt" || kind == "Router" ? NodeType::kRouter
                                                       : NodeType::kChannelAdapter;
        node.id = *id;
        node.description = *id;
        node.line = line_;
        node.ports.resize(static_cast<std::size_t>(*ports) + 1);
        if (cursor.Eat('#')) {
            if (const auto text = cursor.Quoted()) node.description = *text;
            node.enhanced_port0 = cursor.rest().find("enhanced port 0") != std::string_view::npos;
            if (kind == "Switch") ParseLid(node.ports[0], cursor.rest());
        } else if (!cursor.AtEnd()) {
            Error("unexpected text after the node's name");
        }
        net_.nodes.push_back(std::move(node));
    }

    /// `[port](guid) "peer" [peer port](guid) w=… # remark`, without its first bracket.
    void ParsePort(Cursor& cursor) {
        if (!open_ || net_.nodes.empty()) {
            Error("a port line without a node above it");
            return;
        }
        NetNode& node = net_.nodes.back();
        const std::optional<std::uint64_t> number = cursor.Number(10);
        if (!number || !cursor.Eat(']')) {
            Error("expected [port number]");
            return;
        }
        SkipOutside(cursor);
        if (*number < 1 || *number > node.port_count()) {
            Error("port " + std::to_string(*number) + " is out of range: \"" + node.id + "\" has " +
                  std::to_string(node.port_count()) + " ports");
            return;
        }
        NetPort& port = node.ports[static_cast<std::size_t>(*number)];
        if (port.line != 0) {
            Error("port " + std::to_string(*number) + " of \"" + node.id +
                  "\" is cabled a second time; first in line " + std::to_string(port.line));
            return;
        }
        port.line = line_;
        port.guid = Guid{Bracketed(cursor)};
        const std::optional<std::string_view> peer = cursor.Quoted();
        if (!peer) {
            Error("expected the peer's name in quotes");
            return;
        }
        const bool bracket = cursor.Eat('[');
        const std::optional<std::uint64_t> peer_port = cursor.Number(10);
        if (!bracket || !peer_port || !cursor.Eat(']')) {
            Error("expected the peer's [port number]");
            return;
        }
        SkipOutside(cursor);
        Bracketed(cursor);  // The peer's own lines tell its GUID too.
        claims_.push_back({static_cast<std::uint32_t>(net_.nodes.size() - 1),
                           static_cast<std::uint32_t>(*number),
                           static_cast<std::uint32_t>(std::min<std::uint64_t>(*peer_port, 255)),
                           line_, std::string(*peer)});
        ParsePortOptions(port, cursor);
    }

    /// `[ext 3]`, the number that is printed on a chassis beside the port, which -g adds.
    static void SkipOutside(Cursor& cursor) {
        cursor.SkipBlanks();
        if (!cursor.rest().starts_with("[ext ")) return;
        while (!cursor.AtEnd() && !cursor.Eat(']')) {
            cursor.Skip();
        }
    }

    /// The hexadecimal number in round brackets that may stand here; 0 when there is none.
    std::uint64_t Bracketed(Cursor& cursor) {
        if (!cursor.Eat('(')) return 0;
        const std::optional<std::uint64_t> value = cursor.Number(16);
        if (!value || !cursor.Eat(')')) Error("expected a GUID in brackets");
        return value.value_or(0);
    }

    void ParsePortOptions(NetPort& port, Cursor& cursor) {
        while (!cursor.AtEnd() && !cursor.Eat('#')) {
            const std::string_view option = cursor.Word();
            const bool equals = cursor.Eat('=');
            const std::optional<std::uint64_t> value = cursor.Number(10);
            if (option == "w" && equals && value) {
                if (!SetWidth(*value, port)) Error("a link is 1, 2, 4, 8 or 12 lanes wide");
            } else if (option == "s" && equals && value && *value >= 1 && *value <= 7) {
                port.speed = static_cast<std::uint8_t>(*value);
            } else {
                Error("unexpected text after the peer's port");
                return;
            }
        }
        // The LID in a switch's line is the peer's.
        if (!net_.nodes.back().is_switch()) ParseLid(port, cursor.rest());
        ParseRemark(port, cursor.rest());
    }

    /// `... lid 4 lmc 0 ...`: the first LID before any name is of the port itself, if an LMC
    /// follows. A LID that no end port can have is none.
    static void ParseLid(NetPort& port, std::string_view remark) {
        remark = remark.substr(0, remark.find('"'));
        const std::size_t at = remark.find("lid ");
        if (at == std::string_view::npos) return;
        Cursor cursor(remark.substr(at + 4));
        const std::optional<std::uint64_t> lid = cursor.Number(10);
        const bool has_lmc = cursor.Word() == "lmc";
        const std::optional<std::uint64_t> lmc = cursor.Number(10);
        if (!lid || !has_lmc || !lmc || *lid > Raw(kTopUnicastLid) || *lmc > 7) return;
        port.lid = static_cast<Lid>(*lid);
        port.lmc = static_cast<std::uint8_t>(*lmc);
    }

    /// ibnetdiscover's remark ends with width and speed, as in `"peer" lid 4 4xEDR`; with -f it
    /// goes on with the numbers of these.
    void ParseRemark(NetPort& port, std::string_view remark) {
        Cursor cursor(remark.substr(remark.find_last_of('"') + 1));
        while (!cursor.AtEnd()) {
            const LinkWord link = ReadLinkWord(cursor.Text(), port);
            for (const std::string& sentence : link.errors) {
                Error(sentence);
            }
            if (link.is_one) return;
        }
    }

    void ResolveClaims() {
        for (const Claim& claim : claims_) {
            const auto found = by_id_.find(claim.peer);
            if (found == by_id_.end()) {
                ErrorAt(claim.line, "there is no node \"" + claim.peer + "\"");
                continue;
            }
            const NetNode& peer = net_.nodes[found->second];
            if (claim.peer_port < 1 || claim.peer_port > peer.port_count()) {
                ErrorAt(claim.line, "port " + std::to_string(claim.peer_port) +
                                        " is out of range: \"" + peer.id + "\" has " +
                                        std::to_string(peer.port_count()) + " ports");
                continue;
            }
            NetPort& port = net_.nodes[claim.node].ports[claim.port];
            port.peer = found->second;
            port.peer_port = static_cast<std::uint8_t>(claim.peer_port);
        }
    }

    void CheckBothDirections() {
        if (!errors_.empty()) return;  // A mistake would be told twice.
        for (const Claim& claim : claims_) {
            const NetPort& port = net_.nodes[claim.node].ports[claim.port];
            const NetNode& peer = net_.nodes[port.peer];
            const NetPort& back = peer.ports[port.peer_port];
            if (back.peer == claim.node && back.peer_port == claim.port) continue;
            std::string sentence = Place(claim.node, claim.port);
            sentence += " is cabled to ";
            sentence += Place(port.peer, port.peer_port);
            sentence += ", which is ";
            if (back.peer == kNoPeer) {
                sentence += "not cabled";
            } else {
                sentence += "cabled to ";
                sentence += Place(back.peer, back.peer_port);
                sentence += " (line ";
                sentence += std::to_string(back.line);
                sentence += ')';
            }
            ErrorAt(claim.line, sentence);
        }
    }

    [[nodiscard]] std::string Place(std::uint32_t node, std::uint32_t port) const {
        std::string place = "\"";
        place += net_.nodes[node].id;
        place += "\"[";
        place += std::to_string(port);
        place += ']';
        return place;
    }

    std::string file_;
    NetErrors& errors_;
    std::size_t unlisted_ = 0;  ///< Errors beyond kMaxErrors.
    Netlist net_;
    NetNode next_;  ///< Properties that stand above the node they belong to.
    bool open_ = false;
    bool is_full_ = false;     ///< Nothing more is read.
    bool is_foreign_ = false;  ///< The text is another tool's output.
    std::uint32_t line_ = 0;
    std::unordered_map<std::string, std::uint32_t> by_id_;
    std::vector<Claim> claims_;
};

}  // namespace

Netlist ParseNetlist(std::string_view text, std::string_view file, NetErrors& errors) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return Parser(file, errors).Parse(text);
}

}  // namespace ember::net
