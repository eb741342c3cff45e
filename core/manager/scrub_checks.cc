// SPDX-License-Identifier: Apache-2.0
// EmberSM: comparison of what the scrub has read with what is known.

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/fabric/m_key.h"
#include "core/fabric/node_news.h"
#include "core/fabric/port_news.h"
#include "core/fabric/port_plan.h"
#include "core/fabric/untrusted_switches.h"
#include "core/manager/scrub.h"

namespace ember {
namespace {

/// True when an end port that was asked with the M_Key `asked` has another one than is known. A
/// port shows its M_Key to a manager that has it, and to all at protection level 0: 0 in answer to
/// the right key is none, or another one.
[[nodiscard]] bool HasOtherMKey(const PortInfo& known, const PortInfo& reported,
                                std::uint64_t asked) {
    const std::uint64_t key = known.Get(PortInfo::kMKey);
    if (reported.Get(PortInfo::kMKey) == key) return false;
    return asked == key || !HidesMKey(reported);
}

/// True when a port went up or down without a Set of ours. From ARMED to ACTIVE its peer takes it.
[[nodiscard]] bool HasMoved(PortState was, PortState is) {
    const auto height = [](PortState state) {
        return state == PortState::kInitialize || state == PortState::kArmed ||
                       state == PortState::kActive
                   ? static_cast<int>(state)
                   : 0;
    };
    const bool was_taken_up = was == PortState::kArmed && is == PortState::kActive;
    return height(was) != height(is) && !was_taken_up;
}

}  // namespace

void Scrub::CheckNode(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kNode);
    EMBER_ASSERT(answer.status == Status::kOk);
    const auto info = std::bit_cast<NodeInfo>(answer.data);
    const Node& node = fabric_.node(fabric_.switch_row(at_).node);
    // A PortGUID that another port has is not its own: discovery has told so.
    const Guid port_guid = info.Get(NodeInfo::kPortGuid);
    const bool is_named = port_guid == fabric_.port(node.first_port).guid ||
                          fabric_.FindPort(port_guid) != kNoPortIndex;
    const bool alike = info.Get(NodeInfo::kNodeGuid) == node.guid &&
                       info.Get(NodeInfo::kNodeType) == node.type &&
                       info.Get(NodeInfo::kNumPorts) == node.port_count && is_named;
    if (!alike) {
        static_cast<void>(NoteOther(node.first_port, answer, Wish::kSweep, now_us));
        return;
    }
    CheckDevice(node.first_port, answer, now_us);
}

/// Compares what a node that is known says of its device. A sweep of the switch does not ask for
/// NodeInfo, so what was read is taken over.
void Scrub::CheckDevice(PortIndex at, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.attribute == AttributeId::kNodeInfo);
    EMBER_ASSERT(at != kNoPortIndex);
    const auto info = std::bit_cast<NodeInfo>(answer.data);
    Node& node = fabric_.node(fabric_.port(at).node);
    if (DescribesAlike(node, info)) return;
    if (NoteOther(at, answer, Wish::kRound, now_us)) TakeNodeInfo(node, info);
}

void Scrub::CheckSwitch(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kSwitch);
    EMBER_ASSERT(answer.status == Status::kOk);
    const auto info = std::bit_cast<SwitchInfo>(answer.data);
    const SwitchInfo& known = fabric_.switch_row(at_).info;
    const auto same = [&](const auto& field) { return info.Get(field) == known.Get(field); };
    const bool alike = CanTheSame(known, info) && same(SwitchInfo::kLinearFdbTop) &&
                       same(SwitchInfo::kMulticastFdbTop) && same(SwitchInfo::kLifeTimeValue);
    if (!alike) NoteOther(fabric_.ManagementPortOf(at_), answer, Wish::kRound, now_us);
}

/// Sets the unkept fields of a link's ports again whose NeighborMTU or OperationalVLs differ,
/// though the link goes down for it: packets over such a link may be lost. Either end may be the
/// wrong one. A link's are set once in ScrubPatience::kMostUs, and those of a few links.
void Scrub::RetryUnkept(PortIndex at, const PortInfo& info, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    Port& port = fabric_.port(at);
    if (now_us >= forgets_us_) retried_.clear();
    if (port.peer == kNoPortIndex) return;
    Port& peer = fabric_.port(port.peer);
    if ((port.unkept | peer.unkept) == 0) return;
    const auto alike = [&](const auto& field) { return info.Get(field) == peer.info.Get(field); };
    if (alike(PortInfo::kNeighborMtu) && alike(PortInfo::kOperationalVls)) return;
    const LinkEnd end = EndOf(fabric_, std::min(at, port.peer));
    if (std::find(retried_.begin(), retried_.end(), end) != retried_.end()) return;
    if (retried_.empty()) forgets_us_ = now_us + ScrubPatience::kMostUs;
    if (retried_.TryPush(end) != Status::kOk) return;
    port.unkept = 0;
    peer.unkept = 0;
    fabric_.Touch(at);
    fabric_.Touch(port.peer);
    WishFor(Wish::kRound, visited_);
}

void Scrub::CheckPort(PortIndex at, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPorts || phase_ == Phase::kEndPort);
    EMBER_ASSERT(answer.status == Status::kOk);
    EMBER_ASSERT(at != kNoPortIndex);
    const auto info = std::bit_cast<PortInfo>(answer.data);
    const Port& port = fabric_.port(at);
    if (!port.has_info) {  // Its PortInfo was never read.
        static_cast<void>(NoteOther(at, answer, Wish::kSweep, now_us));
        return;
    }
    RetryUnkept(at, info, now_us);
    const bool is_managed = port.peer != kNoPortIndex || port.number == kManagementPort;
    // An M_Key is compared apart.
    const std::uint32_t left_out = port.unkept | ManagedBit(PortInfo::kMKey);
    const std::uint32_t differing = is_managed ? DifferingFields(port.info, info) & ~left_out : 0U;
    const bool has_other_key = is_managed && IsEndPort(fabric_, port) &&
                               HasOtherMKey(port.info, info, MKeyOf(fabric_, settings_, at));
    // The state of port 0 does not count: only an enhanced port 0 has one.
    const bool moved =
        port.number != kManagementPort &&
        HasMoved(port.info.Get(PortInfo::kPortState), info.Get(PortInfo::kPortState));
    const bool can_other = is_managed && !CanTheSame(port.info, info);
    if (differing == 0 && !moved && !can_other && !has_other_key) return;
    // Where the M_Key is hidden from us, a heavy sweep tries the keys that the port may have.
    const bool is_hidden = has_other_key && HidesMKey(info);
    if (!NoteOther(at, answer, is_hidden ? Wish::kSweep : Wish::kRound, now_us)) return;
    // A sweep that asks the switch reads its ports, but not those of hosts behind them.
    if (fabric_.node(port.node).type == NodeType::kSwitch) return;
    NotePortNews(fabric_, at, info);
    fabric_.port(at).info = info;
}

void Scrub::CheckBeyond(PortIndex at, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kBeyond || phase_ == Phase::kOwnNeighbor);
    EMBER_ASSERT(answer.status == Status::kOk);
    EMBER_ASSERT(at != kNoPortIndex);
    const auto info = std::bit_cast<NodeInfo>(answer.data);
    const LinkEnd known = EndOf(fabric_, at);
    const Port& port = fabric_.port(at);
    // A port of a switch has no GUID of its own.
    const bool is_named = !IsEndPort(fabric_, port) || info.Get(NodeInfo::kPortGuid) == port.guid;
    const Node& node = fabric_.node(port.node);
    const bool is_of_kind = info.Get(NodeInfo::kNodeType) == node.type &&
                            info.Get(NodeInfo::kNumPorts) == node.port_count;
    const bool alike = info.Get(NodeInfo::kNodeGuid) == known.guid && is_named && is_of_kind &&
                       info.Get(NodeInfo::kLocalPortNum) == known.port;
    // A round does not ask known nodes, and our own host may have been moved: a heavy sweep.
    if (!alike) {
        static_cast<void>(NoteOther(at, answer, Wish::kSweep, now_us));
        return;
    }
    CheckDevice(at, answer, now_us);
}

void Scrub::CheckLft(std::uint32_t block, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status == Status::kOk);
    EMBER_ASSERT(phase_ == Phase::kLft);
    const std::size_t first = std::size_t{block} * 64;
    const SwitchInfo& info = fabric_.switch_row(at_).info;
    const std::size_t bound = std::size_t{Raw(info.Get(SwitchInfo::kLinearFdbTop))} + 1;
    const std::size_t live = bound <= first ? 0 : std::min<std::size_t>(bound - first, 64);
    EMBER_ASSERT(first + live <= programming_.ProgrammedRow(at_).size());
    const std::uint8_t* const known = programming_.ProgrammedRow(at_).data() + first;
    if (std::memcmp(known, answer.data.data(), live) == 0) return;
    ++status_.differences;
    programming_.Correct(at_, block, answer.data);
    log_.Write<Note::kScrubLft>(now_us, GuidOf(at_), block);
    // The next round writes all corrected blocks, so one round is owed at most.
    owed_to_ = visited_;
}

void Scrub::CheckMft(std::size_t block, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kMft);
    EMBER_ASSERT(answer.status == Status::kOk);
    const auto table = std::bit_cast<MulticastForwardingTable>(answer.data);
    MftTables::Block content{};
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = table.mask(i);
    }
    const MftTables& tables = multicast_.tables();
    if (!tables.IsKnown(block) || content == tables.programmed(block)) return;
    ++status_.differences;
    log_.Write<Note::kScrubMft>(now_us, GuidOf(at_), tables.BlockNumOf(block),
                                tables.OwnPositionOf(block));
    multicast_.Correct(block, content, now_us);
}

/// Notes a difference that only a sweep of the switch can explain. True when a sweep follows.
bool Scrub::NoteOther(PortIndex at, const Answer& answer, Wish wish, std::uint64_t now_us) {
    EMBER_ASSERT(wish != Wish::kNothing);
    EMBER_ASSERT(at != kNoPortIndex);
    EMBER_ASSERT(wish == Wish::kSweep || visited_ != kNoGuid);
    ++status_.differences;
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    log_.WriteSparingly<Note::kScrubOther>(now_us, node.guid, port.number, Raw(answer.attribute));
    // A true difference that is not followed up now is found again in the next visit.
    const bool is_switch = node.type == NodeType::kSwitch && !IsUntrustedSwitch(fabric_, node);
    if (!patience_.Grants(node.guid, is_switch, now_us)) return false;
    WishFor(wish, visited_);
    return true;
}

}  // namespace ember
