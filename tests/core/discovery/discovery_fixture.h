// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Discovery before hardware that the test holds in its hand.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/discovery/discovery.h"
#include "core/manager/storage.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"
#include "tests/support/no_store.h"

namespace ember {

inline constexpr Limits kSweptBoard{.max_nodes = 32,
                                    .max_switches = 16,
                                    .max_ports = 256,
                                    .max_switch_ports = 16,
                                    .max_lid = 255,
                                    .max_smps = 16,
                                    .max_other_sms = 2,
                                    .journal_notes = 64,
                                    .scratch_bytes = 1U << 18U};

inline constexpr std::uint32_t kOwn = 0, kNear = 1, kLeft = 2, kRight = 3, kHost = 4, kOther = 5;
inline constexpr std::size_t kNodes = 6, kSwitches = 3, kLinks = 6;

/// The manager's host on a triangle of switches of 4 ports, and a host on each of the others.
inline net::Netlist Triangle() {
    net::Netlist netlist;
    netlist.Add(NodeType::kChannelAdapter, 1, "own", "own");
    for (const char* const name : {"near", "left", "right"})
        netlist.Add(NodeType::kSwitch, 4, name, name);
    netlist.Add(NodeType::kChannelAdapter, 1, "host", "host");
    netlist.Add(NodeType::kChannelAdapter, 1, "other", "other");
    netlist.Connect(kOwn, 1, kNear, 1);
    netlist.Connect(kNear, 2, kLeft, 1);
    netlist.Connect(kNear, 3, kRight, 1);
    netlist.Connect(kLeft, 2, kRight, 2);
    netlist.Connect(kLeft, 3, kHost, 1);
    netlist.Connect(kRight, 3, kOther, 1);
    netlist.AssignGuids();
    return netlist;
}

/// A Discovery before hardware that answers at once, as the fabric `world()` has it.
class DiscoveryTest : public ::testing::Test {
protected:
    DiscoveryTest() {
        settings_.transaction_retries = 3;
        settings_.transaction_timeout = 20;
        exchange_.Configure(settings_);
        ForEachPort(world(), [](PortIndex, Port& port) {
            if (port.peer != kNoPortIndex) port.info.Set(PortInfo::kPortState, PortState::kActive);
        });
    }

    /// The hardware.
    [[nodiscard]] Fabric& world() { return built_.fabric(); }
    [[nodiscard]] Guid GuidOf(std::uint32_t node) { return world().node(built_.node(node)).guid; }
    void TakeCableOut(std::uint32_t node, unsigned number) {
        const PortIndex at = world().PortOf(built_.node(node), static_cast<PortNumber>(number));
        for (const PortIndex end : {at, world().port(at).peer})
            world().port(end).info.Set(PortInfo::kPortState, PortState::kDown);
        world().Disconnect(at);
    }
    void PutCableIn(std::uint32_t one, unsigned number, std::uint32_t other, unsigned far) {
        const PortIndex at = world().PortOf(built_.node(one), static_cast<PortNumber>(number));
        const PortIndex peer = world().PortOf(built_.node(other), static_cast<PortNumber>(far));
        world().Connect(at, peer);
        for (const PortIndex end : {at, peer})
            world().port(end).info.Set(PortInfo::kPortState, PortState::kInitialize);
    }
    /// The answer of the node that `at` belongs to.
    [[nodiscard]] SmpData Read(const MadHeader& header, PortIndex at) {
        const NodeIndex index = world().port(at).node;
        const Node& node = world().node(index);
        const bool is_switch = node.type == NodeType::kSwitch;
        if (header.attribute_id == AttributeId::kNodeDescription) return node.description;
        if (header.attribute_id == AttributeId::kSwitchInfo)
            return std::bit_cast<SmpData>(world().switch_row(node.switch_index).info);
        if (header.attribute_id == AttributeId::kPortInfo) {
            const auto number = static_cast<PortNumber>(header.attribute_modifier & 0xFFU);
            return std::bit_cast<SmpData>(
                world().port(is_switch ? world().PortOf(index, number) : at).info);
        }
        const NodeIndex claimed =
            claims.contains(node.guid) ? world().FindNode(claims[node.guid]) : index;
        const PortIndex named =
            is_switch || claimed != index ? world().node(claimed).first_port : at;
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, node.type);
        info.Set(NodeInfo::kNumPorts, node.port_count);
        info.Set(NodeInfo::kNodeGuid, world().node(claimed).guid);
        info.Set(NodeInfo::kPortGuid, world().port(named).guid);
        info.Set(NodeInfo::kLocalPortNum, world().port(at).number);
        return std::bit_cast<SmpData>(info);
    }
    void Serve(const Envelope& envelope) {
        const auto asked = std::bit_cast<DirectedSmp>(envelope.mad);
        PortIndex at = world().own_port();
        for (std::size_t hop = 1; hop <= asked.header.hop_count; ++hop) {
            const NodeIndex here = world().port(at).node;
            at = world().port(world().PortOf(here, PortNumber{asked.initial_path[hop]})).peer;
            if (at == kNoPortIndex) return;
        }
        const Guid guid = world().node(world().port(at).node).guid;
        if (is_silent(guid, asked.header.attribute_id)) return;
        ++answers_of[{guid, asked.header.attribute_id}];
        Envelope response = ResponseTo(envelope);
        auto smp = std::bit_cast<DirectedSmp>(response.mad);
        smp.data = Read(asked.header, at);
        response.mad = std::bit_cast<Mad>(smp);
        Answer answer;
        if (exchange_.Take(response, now_us_, answer) == Status::kOk)
            discovery_.Hear(answer, now_us_);
    }
    /// All answers are received, and what they ask for is asked and answered, until no datagram is
    /// sent any more: only silent nodes are waited for.
    void ServeAll() {
        while (!port_.sent.empty()) {
            const Envelope envelope = port_.sent.front();
            port_.sent.pop_front();
            now_us_ += 10;
            Serve(envelope);
            discovery_.Step(now_us_);
        }
    }
    /// Runs the sweep that has begun to its end.
    const Discovery::Outcome& RunToEnd() {
        for (int turns = 0; turns < 10000 && !discovery_.done(); ++turns) {
            ServeAll();
            Answer answer;
            while (exchange_.Expire(now_us_, answer))
                discovery_.Hear(answer, now_us_);
            discovery_.Step(now_us_);
            if (port_.sent.empty()) now_us_ += 1000;
        }
        EXPECT_TRUE(discovery_.done());
        discovery_.Finish(now_us_, events_);
        return discovery_.outcome();
    }
    const Discovery::Outcome& Sweep() {
        discovery_.Begin(now_us_);
        return RunToEnd();
    }
    [[nodiscard]] std::uint64_t Asked(AttributeId attribute) const {
        return exchange_.statistics().GetsOf(attribute);
    }
    [[nodiscard]] bool Knows(std::uint32_t node) {
        return fabric_.FindNode(GuidOf(node)) != kNoNode;
    }
    /// The row of a port as the sweeps found it.
    [[nodiscard]] const Port& Found(std::uint32_t node, unsigned number) {
        const NodeIndex at = fabric_.FindNode(GuidOf(node));
        EXPECT_NE(at, kNoNode);
        return fabric_.port(fabric_.PortOf(at, static_cast<PortNumber>(number)));
    }
    /// "guid:port" of the other end of a link, as the sweeps found it; empty: none.
    [[nodiscard]] std::string PeerOf(std::uint32_t node, unsigned number) {
        const Port& port = Found(node, number);
        if (port.peer == kNoPortIndex) return {};
        const Port& far = fabric_.port(port.peer);
        return NameOf(fabric_.node(far.node).guid, Raw(far.number));
    }
    [[nodiscard]] static std::string NameOf(Guid guid, unsigned number) {
        return std::to_string(Raw(guid)) + ":" + std::to_string(number);
    }

    /// A node of the first GUID says that it is the one of the second.
    std::map<Guid, Guid> claims;
    /// How many questions for an attribute a node has answered.
    std::map<std::pair<Guid, AttributeId>, int> answers_of;
    /// True: the node of this GUID does not answer questions for this attribute.
    std::function<bool(Guid, AttributeId)> is_silent = [](Guid, AttributeId) { return false; };

    testing::BuiltFabric built_{Triangle()};
    std::unique_ptr<Storage<kSweptBoard>> storage_ = std::make_unique<Storage<kSweptBoard>>();
    SubnetManager::Memory memory_ = storage_->memory();
    Settings settings_;
    FakePort port_;
    FakeEntropy entropy_;
    NoStore store_;
    Fabric fabric_{memory_.fabric, kSweptBoard};
    Exchange exchange_{memory_.exchange, port_, entropy_};
    Log log_{memory_.log};
    FlappingLinks flapping_{memory_.flapping, fabric_, log_, settings_};
    testing::ArenaStorage scratch_{kSweptBoard.scratch_bytes};
    KnownMKeys keys_{{fabric_, log_, store_}, settings_};
    SubnetEvents events_{memory_.multicast.events};
    Discovery discovery_{
        {fabric_, exchange_, log_, flapping_, scratch_.arena(), keys_}, kSweptBoard, settings_};
    std::uint64_t now_us_ = 1'000'000;
};

}  // namespace ember
