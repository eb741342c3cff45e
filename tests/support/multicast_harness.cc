// SPDX-License-Identifier: Apache-2.0
// EmberSM: a MulticastUpkeep over switches whose multicast tables the test holds in its hand.

#include "tests/support/multicast_harness.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <gtest/gtest.h>
#include <iterator>
#include <utility>

#include "core/graph/hops.h"
#include "core/graph/topology.h"

namespace ember::testing {
namespace {

constexpr std::uint16_t kRefusal = 0x001C;  // IBA vol. 1, 13.4.7: a field has a bad value.
constexpr std::uint16_t kMlidCap = 64;

}  // namespace

MulticastHarness::MulticastHarness(const net::Netlist& netlist)
    : netlist_(netlist),
      built_(netlist),
      hardware_(built_.fabric().switch_count()),
      scratch_(Topology::ScratchBytes(limits()) + HopMeter::ScratchBytes(limits()) +
               Trees::ScratchBytes(limits()) + 2 * Arena::kGrain),
      hop_octets_(HopBytes(limits())),
      group_rows_(limits().max_groups),
      member_rows_(limits().max_members),
      mlid_rows_(limits().max_mlids),
      group_slots_(RowIndex<GroupIndex>::SlotsFor(limits().max_groups)),
      member_slots_(RowIndex<MemberIndex>::SlotsFor(limits().max_members)),
      changed_(BitSet::WordsFor(limits().max_mlids)),
      careful_(changed_.size()),
      found_(changed_.size()),
      planned_(changed_.size()),
      wanted_(MftTables::BlocksFor(limits())),
      programmed_(wanted_.size()),
      known_(MftTables::WordsFor(limits())),
      differs_(known_.size()),
      runs_(limits().max_switches),
      owners_(MftTables::PositionsFor(limits()), kNoSwitch),
      spots_(limits().max_switches),
      order_(limits().max_switches),
      targets_(limits().max_switches),
      queue_(limits().max_switches),
      branches_(limits().max_switches),
      ports_(limits().max_switches),
      checked_(limits().max_switches),
      draft_(MftTables::PositionsFor(limits())),
      tops_(limits().max_switches),
      events_(limits().max_events),
      transactions_(16),
      due_(16),
      notes_(256) {
    settings.order = Order::kOpensm;
    settings.transaction_timeout = 10;
    settings.transaction_retries = 2;
    settings.max_wire_smps = 4;
    exchange.Configure(settings);
    FindEntries();
    ForEachPort(fabric(), [](PortIndex, Port& row) {
        row.info.Set(PortInfo::kLid, row.lid);
        if (row.peer != kNoPortIndex) row.info.Set(PortInfo::kPortState, PortState::kActive);
    });
    for (std::size_t i = 0; i < hardware_.size(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        hardware_[i].info.Set(SwitchInfo::kMulticastFdbCap, kMlidCap);
        fabric().switch_row(at).info = hardware_[i].info;
        Port& own = fabric().port(fabric().ManagementPortOf(at));
        own.info.Set(PortInfo::kCapabilityMask, capability_mask::kIsMulticastFdbTopSupported);
    }
    upkeep = std::make_unique<MulticastUpkeep>(
        Memory(), limits(),
        MulticastUpkeep::Parts{fabric(), exchange, log, work_clock, scratch_.arena(), partitions},
        settings);
}

MulticastUpkeep::Memory MulticastHarness::Memory() {
    return {
        .groups = {group_rows_, member_rows_, mlid_rows_, group_slots_, member_slots_, changed_},
        .tables = {wanted_, programmed_, known_, differs_, runs_, owners_},
        .trees = {spots_, order_, targets_, queue_, branches_, ports_, checked_, draft_},
        .programming = {.careful_words = careful_, .found_words = found_, .tops = tops_},
        .planned_words = planned_,
        .events = events_};
}

/// Directed routes from the own port, by breadth.
void MulticastHarness::FindEntries() {
    std::vector<bool> met(fabric().node_bound());
    std::deque<NodeIndex> queue = {fabric().port(fabric().own_port()).node};
    met[Raw(queue.front())] = true;
    for (; !queue.empty(); queue.pop_front()) {
        for (const Port& row : fabric().PortsOf(queue.front())) {
            if (row.peer == kNoPortIndex) continue;
            const NodeIndex next = fabric().port(row.peer).node;
            if (met[Raw(next)]) continue;
            met[Raw(next)] = true;
            fabric().node(next).entry = fabric().IndexOf(row);
            queue.push_back(next);
        }
    }
}

void MulticastHarness::MeasureHops() {
    const Arena::Frame frame(scratch_.arena());
    Topology topology;
    topology.Build(fabric(), settings.order, scratch_.arena());
    const Matrix<SwitchIndex, std::uint8_t> hops(hop_octets_, HopShape(fabric().switch_bound()));
    HopMeter meter;
    meter.Begin(topology, hops, scratch_.arena());
    while (meter.Advance() != Progress::kDone) {
    }
    hops_ = hops;
}

void MulticastHarness::LetTablesBeUsed() {
    for (std::size_t i = 0; i < hardware_.size(); ++i) {
        hardware_[i].info.Set(SwitchInfo::kLinearFdbTop, Lid{100});
        fabric().switch_row(static_cast<SwitchIndex>(i)).info = hardware_[i].info;
    }
}

void MulticastHarness::Resume() {
    MeasureHops();
    upkeep->Resume(hops_, now_us);
}

void MulticastHarness::Bring(bool holds) {
    upkeep->Observe(true);
    if (holds) upkeep->HoldTables();
    upkeep->BeginFirstSweep(now_us);
    LetTablesBeUsed();  // By now its unicast tables are written.
    Resume();
}

void MulticastHarness::BringAndSettle(bool holds) {
    Bring(holds);
    Work();
}

void MulticastHarness::Work() {
    for (bool has_more = true; has_more;) {
        has_more = upkeep->Step(now_us) || !port.sent.empty();
        Serve();
    }
}

void MulticastHarness::Serve(std::size_t most) {
    for (; most > 0 && !port.sent.empty(); --most) {
        const Envelope envelope = port.sent.front();
        port.sent.pop_front();
        Answer(envelope);
    }
}

void MulticastHarness::AdvanceTo(std::uint64_t time_us) {
    Work();
    for (int i = 0;; ++i) {
        const std::uint64_t next_us = std::min(upkeep->NextDeadlineUs(), exchange.NextDeadlineUs());
        if (next_us > time_us) break;
        if (i == 100'000) {
            ADD_FAILURE() << "a deadline is left as it is";
            break;
        }
        now_us = std::max(now_us, next_us);
        ember::Answer answer{};
        while (exchange.Expire(now_us, answer)) {
            upkeep->Hear(answer, now_us);
        }
        Work();
    }
    now_us = time_us;
    Work();
}

bool MulticastHarness::Settle() {
    Work();
    for (int i = 0; i < 1000 && !upkeep->status().is_settled; ++i) {
        const std::uint64_t next_us = std::min(upkeep->NextDeadlineUs(), exchange.NextDeadlineUs());
        if (next_us == kNever) break;
        AdvanceTo(std::max(now_us, next_us));
    }
    return upkeep->status().is_settled;
}

void MulticastHarness::Join(const Gid& mgid, std::uint32_t node, std::uint16_t p_key) {
    if (groups().Find(mgid) == kNoGroup) {
        ASSERT_TRUE(groups().Create(mgid, GroupValues{.p_key = p_key}, {}).ok());
    }
    const Member who{.port_guid = GuidOf(node), .join_state = join_state::kFull};
    ASSERT_TRUE(groups().Join(groups().Find(mgid), who, now_us).ok());
}

void MulticastHarness::Leave(const Gid& mgid, std::uint32_t node) {
    const MemberIndex at = groups().FindMember(groups().Find(mgid), GuidOf(node));
    ASSERT_NE(at, kNoMember);
    static_cast<void>(groups().Leave(at, join_state::kAll, now_us));
}

std::uint16_t MulticastHarness::Mask(SwitchIndex at, MlidIndex mlid) {
    return hardware(at).blocks[Raw(mlid) / 32U].mask(Raw(mlid) % 32U);
}

void MulticastHarness::SetMask(SwitchIndex at, MlidIndex mlid, std::uint16_t mask) {
    hardware(at).blocks[Raw(mlid) / 32U].SetMask(Raw(mlid) % 32U, mask);
}

/// Follows the packet over the cables of the netlist. A loop ends when it has gone on for long.
std::multiset<std::uint32_t> MulticastHarness::Hearers(std::uint32_t node, MlidIndex mlid) {
    std::multiset<std::uint32_t> heard;
    const net::NetPort& first = netlist_.nodes[node].ports[1];
    std::deque<std::pair<std::uint32_t, std::uint32_t>> todo{{first.peer, first.peer_port}};
    for (std::size_t steps = 0; !todo.empty(); todo.pop_front()) {
        if (++steps > 4 * netlist_.nodes.size()) {
            ADD_FAILURE() << "a packet runs in a loop";
            break;
        }
        const auto [at, entry] = todo.front();
        for (std::uint32_t out = 1; out < netlist_.nodes[at].ports.size(); ++out) {
            const bool is_open = (Mask(SwitchAt(at), mlid) >> out & 1U) != 0;
            const net::NetPort& cable = netlist_.nodes[at].ports[out];
            if (!is_open || out == entry || cable.peer == net::kNoPeer) continue;
            if (netlist_.nodes[cable.peer].is_switch()) {
                todo.emplace_back(cable.peer, cable.peer_port);
            } else {
                heard.insert(cable.peer);
            }
        }
    }
    return heard;
}

bool MulticastHarness::IsForwardedNowhere(MlidIndex mlid) {
    bool is_nowhere = true;
    for (std::size_t i = 0; i < hardware_.size(); ++i) {
        is_nowhere = is_nowhere && Mask(static_cast<SwitchIndex>(i), mlid) == 0;
    }
    return is_nowhere;
}

std::vector<MulticastHarness::Question> MulticastHarness::Asked(Method method,
                                                                AttributeId attribute) const {
    std::vector<Question> found;
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(found), [&](const Question& one) {
        return one.method == method && one.attribute == attribute;
    });
    return found;
}

LogRecord MulticastHarness::LastNote(Note note) const {
    LogRecord found;
    LogRecord record;
    std::uint64_t cursor = 0;
    std::uint64_t missed = 0;
    while (log.Read(cursor, record, missed) == Status::kOk) {
        if (record.note == note) found = record;
    }
    EXPECT_EQ(found.note, note) << "the note was not written";
    return found;
}

MulticastHarness::Question MulticastHarness::Read(const Envelope& envelope) const {
    const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
    const Fabric& fabric = built_.fabric();
    PortIndex arrival = fabric.own_port();
    for (std::size_t hop = 1; hop <= smp.header.hop_count; ++hop) {
        const auto out = static_cast<PortNumber>(smp.initial_path[hop]);
        arrival = fabric.port(fabric.PortOf(fabric.port(arrival).node, out)).peer;
    }
    return {.method = smp.header.method,
            .attribute = smp.header.attribute_id,
            .modifier = smp.header.attribute_modifier,
            .at = fabric.node(fabric.port(arrival).node).switch_index,
            .data = smp.data,
            .at_us = now_us};
}

void MulticastHarness::Answer(const Envelope& envelope) {
    const Question question = Read(envelope);
    seen.push_back(question);
    ASSERT_NE(question.at, kNoSwitch);
    const Fate what = fate(question);
    if (what == Fate::kLost) return;
    const bool is_taken = what == Fate::kTaken;
    Envelope response = ResponseTo(envelope, is_taken ? std::uint16_t{0} : kRefusal);
    auto smp = std::bit_cast<DirectedSmp>(response.mad);
    smp.data = is_taken ? Take(question) : question.data;
    response.mad = std::bit_cast<Mad>(smp);
    ember::Answer answer;
    if (exchange.Take(response, now_us, answer) == Status::kOk) upkeep->Hear(answer, now_us);
}

/// Does what the hardware does, and answers.
SmpData MulticastHarness::Take(const Question& question) {
    const bool is_set = question.method == Method::kSet;
    Hardware& here = hardware(question.at);
    if (question.attribute == AttributeId::kSwitchInfo) {
        if (is_set) here.info = std::bit_cast<SwitchInfo>(question.data);
        return std::bit_cast<SmpData>(here.info);
    }
    EXPECT_EQ(question.attribute, AttributeId::kMulticastForwardingTable);
    MulticastForwardingTable& block = here.blocks[question.modifier];
    if (is_set) block = std::bit_cast<MulticastForwardingTable>(question.data);
    return std::bit_cast<SmpData>(block);
}

}  // namespace ember::testing
