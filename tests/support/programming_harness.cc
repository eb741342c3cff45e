// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Programming over switches whose tables the test holds in its hand.

#include "tests/support/programming_harness.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

namespace ember {
namespace {

constexpr std::uint8_t kDrop = 255;
constexpr std::uint32_t kFar = ~std::uint32_t{0};
constexpr std::uint16_t kRefusal = 0x001C;  // IBA vol. 1, 13.4.7: a field has a bad value.

net::BuiltFabric::Options With(std::uint8_t lmc) {
    net::BuiltFabric::Options options;
    options.lmc = lmc;
    return options;
}

}  // namespace

ProgrammingHarness::ProgrammingHarness(const net::Netlist& netlist, std::uint8_t lmc)
    : built_(netlist, With(lmc)),
      stride_(LidStride(built_.limits())),
      planned_(built_.limits().max_switches * stride_, kDrop),
      hardware_(built_.fabric().switch_count()),
      ports_(built_.limits().max_ports),
      programmed_(built_.limits().max_switches * stride_),
      known_(KnownLfts::Words(built_.limits())),
      differing_(known_.size()),
      detour_(known_.size()),
      blind_(known_.size()),
      unconfirmed_(known_.size()),
      hot_(LftDifferences::LidWords(built_.limits())),
      frozen_(hot_.size()),
      yield_(hot_.size()),
      homes_(stride_),
      rows_(built_.limits().max_switches),
      transactions_(16),
      due_(16),
      notes_(64),
      programming({.known = {.entries = programmed_,
                             .known_words = known_,
                             .unconfirmed_words = unconfirmed_,
                             .rows = rows_},
                   .blocks = {.differences = {.differing_words = differing_,
                                              .detour_words = detour_,
                                              .blind_words = blind_,
                                              .hot_words = hot_,
                                              .yield_words = yield_,
                                              .homes = homes_},
                              .frozen_words = frozen_}},
                  built_.limits(), {built_.fabric(), exchange, log, planner}, settings) {
    settings.transaction_retries = 2;
    settings.transaction_timeout = 10;
    exchange.Configure(settings);
    FindEntries();
    for (Hardware& one : hardware_) {
        one.lft.assign(stride_, kDrop);
        one.info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{0xC000});
        one.info.Set(SwitchInfo::kLifeTimeValue, settings.packet_life_time);
    }
    ForEachPort(fabric(), [&](PortIndex at, const Port& port) {
        PortInfo& info = ports_[Raw(at)];
        info.Set(PortInfo::kLid, port.lid);
        const bool is_up = port.peer != kNoPortIndex || port.number == kManagementPort;
        info.Set(PortInfo::kPortState, is_up ? PortState::kActive : PortState::kDown);
    });
}

/// Directed routes from the own port, by breadth.
void ProgrammingHarness::FindEntries() {
    std::vector<bool> met(fabric().node_bound());
    std::deque<NodeIndex> queue = {fabric().port(fabric().own_port()).node};
    met[Raw(queue.front())] = true;
    for (; !queue.empty(); queue.pop_front()) {
        for (const Port& port : fabric().PortsOf(queue.front())) {
            if (port.peer == kNoPortIndex) continue;
            const NodeIndex next = fabric().port(port.peer).node;
            if (met[Raw(next)]) continue;
            met[Raw(next)] = true;
            fabric().node(next).entry = fabric().IndexOf(port);
            queue.push_back(next);
        }
    }
}

SwitchIndex ProgrammingHarness::HomeOf(Lid lid) const {
    const Fabric& fabric = built_.fabric();
    const PortIndex owner = fabric.PortByLid(lid);
    if (owner == kNoPortIndex) return kNoSwitch;
    const Node& node = fabric.node(fabric.port(owner).node);
    if (node.type == NodeType::kSwitch) return node.switch_index;
    return fabric.node(fabric.port(fabric.port(owner).peer).node).switch_index;
}

SwitchIndex ProgrammingHarness::Behind(SwitchIndex at, std::uint8_t port) const {
    const Fabric& fabric = built_.fabric();
    const PortIndex row = fabric.PortOf(fabric.switch_row(at).node, static_cast<PortNumber>(port));
    if (port == 0 || row == kNoPortIndex || fabric.port(row).peer == kNoPortIndex) {
        return kNoSwitch;
    }
    return fabric.node(fabric.port(fabric.port(row).peer).node).switch_index;
}

std::vector<std::uint32_t> ProgrammingHarness::DistancesTo(SwitchIndex home) const {
    std::vector<std::uint32_t> distances(hardware_.size(), kFar);
    std::deque<SwitchIndex> queue = {home};
    distances[Raw(home)] = 0;
    for (; !queue.empty(); queue.pop_front()) {
        for (std::uint8_t port = 1; port < kDrop; ++port) {
            const SwitchIndex next = Behind(queue.front(), port);
            if (next == kNoSwitch || distances[Raw(next)] != kFar) continue;
            distances[Raw(next)] = distances[Raw(queue.front())] + 1;
            queue.push_back(next);
        }
    }
    return distances;
}

std::vector<std::uint8_t> ProgrammingHarness::ShortestPorts(SwitchIndex at, Lid lid) const {
    const Fabric& fabric = built_.fabric();
    const SwitchIndex home = HomeOf(lid);
    if (home == kNoSwitch) return {kDrop};
    if (home == at) {
        const PortIndex owner = fabric.PortByLid(lid);
        const bool is_own = fabric.node(fabric.port(owner).node).switch_index == at;
        return {is_own ? std::uint8_t{0} : Raw(fabric.port(fabric.port(owner).peer).number)};
    }
    const std::vector<std::uint32_t> distances = DistancesTo(home);
    std::vector<std::uint8_t> ports;
    for (std::uint8_t port = 1; port < kDrop; ++port) {
        const SwitchIndex next = Behind(at, port);
        if (next != kNoSwitch && distances[Raw(next)] < distances[Raw(at)]) ports.push_back(port);
    }
    return ports.empty() ? std::vector<std::uint8_t>{kDrop} : ports;
}

void ProgrammingHarness::PlanShortest(const Pick& pick) {
    std::fill(planned_.begin(), planned_.end(), kDrop);
    for (std::uint32_t lid = 1; lid <= Raw(top()); ++lid) {
        for (std::uint32_t at = 0; at < hardware_.size(); ++at) {
            const auto ports = ShortestPorts(static_cast<SwitchIndex>(at), static_cast<Lid>(lid));
            planned(at, lid) = ports[pick(ports.size())];
        }
    }
}

void ProgrammingHarness::PlanRound(bool up) {
    PlanShortest([](std::size_t) { return std::size_t{0}; });
    const auto count = static_cast<std::uint32_t>(hardware_.size());
    for (std::uint32_t lid = 1; lid <= Raw(top()); ++lid) {
        for (std::uint32_t at = 0; at < count; ++at) {
            const SwitchIndex home = HomeOf(static_cast<Lid>(lid));
            if (home == kNoSwitch || home == static_cast<SwitchIndex>(at)) continue;
            const auto next = static_cast<SwitchIndex>((at + (up ? 1 : count - 1)) % count);
            for (std::uint8_t port = kDrop - 1; port > 0; --port) {
                if (Behind(static_cast<SwitchIndex>(at), port) == next) planned(at, lid) = port;
            }
        }
    }
}

void ProgrammingHarness::BurnIn() {
    for (std::uint32_t at = 0; at < hardware_.size(); ++at) {
        for (std::uint32_t lid = 0; lid < stride_; ++lid) {
            hardware_[at].lft[lid] = planned(at, lid);
        }
        hardware_[at].info.Set(SwitchInfo::kLinearFdbTop, top());
    }
}

void ProgrammingHarness::Discover() {
    for (std::uint32_t at = 0; at < hardware_.size(); ++at) {
        fabric().switch_row(static_cast<SwitchIndex>(at)).info = hardware_[at].info;
    }
    ForEachPort(fabric(), [&](PortIndex at, Port& port) { port.info = ports_[Raw(at)]; });
}

const ProgrammingOutcome& ProgrammingHarness::Round(bool first_master_sweep) {
    Discover();
    programming.BeginRound(first_master_sweep);
    Run(Programming::Stage::kPorts);
    Run(Programming::Stage::kReading);
    Run(Programming::Stage::kSwitches);
    RunBlocks();
    Run(Programming::Stage::kActivation);
    return programming.outcome();
}

void ProgrammingHarness::Run(Programming::Stage stage) {
    programming.Begin(stage);
    RunToEnd();
}

void ProgrammingHarness::RunBlocks() {
    programming.BeginBlocks({.lfts = {planned_, LftShape(built_.limits())}, .hops = {}});
    RunToEnd();
}

void ProgrammingHarness::RunToEnd() {
    for (int turns = 0; turns < 100000; ++turns) {
        programming.Step(now_us);
        ServeAll();
        if (programming.done()) return;
        if (programming.hungry() && exchange.has_room()) continue;
        // A question that still waits was lost, or its answer.
        now_us = std::max(now_us + 1, std::min(exchange.NextDeadlineUs(), now_us + 1000000));
        Answer answer;
        while (exchange.Expire(now_us, answer)) {
            programming.Hear(answer, now_us);
        }
    }
    loop_ = "the stage never ended";
}

void ProgrammingHarness::ServeAll() {
    while (!port_.sent.empty()) {
        const Envelope envelope = port_.sent.front();
        port_.sent.pop_front();
        Serve(envelope);
    }
}

ProgrammingHarness::Question ProgrammingHarness::Read(const Envelope& envelope) const {
    const Fabric& fabric = built_.fabric();
    const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
    PortIndex arrival = fabric.own_port();
    for (std::size_t hop = 1; hop <= smp.header.hop_count; ++hop) {
        const auto out = static_cast<PortNumber>(smp.initial_path[hop]);
        arrival = fabric.port(fabric.PortOf(fabric.port(arrival).node, out)).peer;
    }
    const Node& node = fabric.node(fabric.port(arrival).node);
    Question question{.method = smp.header.method,
                      .attribute = smp.header.attribute_id,
                      .modifier = smp.header.attribute_modifier,
                      .port = arrival,
                      .at = node.switch_index,
                      .data = smp.data};
    if (question.attribute == AttributeId::kPortInfo && node.type == NodeType::kSwitch) {
        const auto number = static_cast<PortNumber>(question.modifier & 0xFFU);
        question.port = fabric.PortOf(fabric.port(arrival).node, number);
    }
    return question;
}

void ProgrammingHarness::Serve(const Envelope& envelope) {
    const Question question = Read(envelope);
    seen.push_back(question);
    const Fate what = fate(question);
    if (what == Fate::kRequestLost) return;
    Envelope response = ResponseTo(envelope, what == Fate::kRefused ? kRefusal : std::uint16_t{0});
    auto smp = std::bit_cast<DirectedSmp>(response.mad);
    smp.data = what == Fate::kRefused ? question.data : Take(question);
    response.mad = std::bit_cast<Mad>(smp);
    Answer answer;
    if (what == Fate::kAnswerLost) return;
    if (exchange.Take(response, now_us, answer) == Status::kOk) {
        programming.Hear(answer, now_us);
    }
}

/// Does what the hardware does, and answers.
SmpData ProgrammingHarness::Take(const Question& question) {
    const bool is_set = question.method == Method::kSet;
    if (question.attribute == AttributeId::kPortInfo) {
        PortInfo& info = ports_[Raw(question.port)];
        if (is_set) {
            info = std::bit_cast<PortInfo>(question.data);
            keep(question.port, info);
        }
        return std::bit_cast<SmpData>(info);
    }
    Hardware& here = hardware_[Raw(question.at)];
    if (question.attribute == AttributeId::kSwitchInfo) {
        const bool had_changed = here.info.Get(SwitchInfo::kPortStateChange) != 0;
        if (is_set) {
            const auto before = Raw(here.info.Get(SwitchInfo::kLinearFdbTop));
            here.info = std::bit_cast<SwitchInfo>(question.data);
            const bool clears = here.info.Get(SwitchInfo::kPortStateChange) != 0;
            here.info.Set(SwitchInfo::kPortStateChange,
                          static_cast<std::uint8_t>(had_changed && !clears ? 1 : 0));
            const auto now = Raw(here.info.Get(SwitchInfo::kLinearFdbTop));
            for (std::uint32_t lid = before; lid <= now; ++lid) {
                LookForLoops(lid);
            }
        }
        return std::bit_cast<SmpData>(here.info);
    }
    SmpData data = question.data;
    std::uint8_t* const block = here.lft.data() + std::size_t{question.modifier} * 64;
    std::memcpy(is_set ? block : data.data(), is_set ? data.data() : block, 64);
    for (std::uint32_t i = 0; is_set && i < 64; ++i) {
        LookForLoops(question.modifier * 64 + i);
    }
    return data;
}

void ProgrammingHarness::LookForLoops(std::uint32_t lid) {
    for (std::uint32_t at = 0; loop_.empty() && at < hardware_.size(); ++at) {
        if (!RunsInALoop(static_cast<SwitchIndex>(at), lid)) continue;
        loop_ = "LID " + std::to_string(lid) + " from switch " + std::to_string(at) + " after " +
                std::to_string(seen.size()) + " datagrams";
    }
}

bool ProgrammingHarness::RunsInALoop(SwitchIndex at, std::uint32_t lid) const {
    for (std::size_t steps = 0; steps <= hardware_.size(); ++steps) {
        const Hardware& here = hardware_[Raw(at)];
        if (lid > Raw(here.info.Get(SwitchInfo::kLinearFdbTop))) return false;
        at = Behind(at, here.lft[lid]);
        if (at == kNoSwitch) return false;
    }
    return true;
}

bool ProgrammingHarness::IsAsPlanned() {
    for (std::uint32_t at = 0; at < hardware_.size(); ++at) {
        if (hardware_[at].info.Get(SwitchInfo::kLinearFdbTop) != top()) return false;
        for (std::uint32_t lid = 1; lid <= Raw(top()); ++lid) {
            if (hardware_[at].lft[lid] != planned(at, lid)) return false;
        }
    }
    return true;
}

std::vector<ProgrammingHarness::Question> ProgrammingHarness::SetsOf(AttributeId attribute) const {
    std::vector<Question> sets;
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(sets), [&](const Question& one) {
        return one.method == Method::kSet && one.attribute == attribute;
    });
    return sets;
}

}  // namespace ember
