// SPDX-License-Identifier: Apache-2.0
// EmberSM: a small fabric, questions to a source of records, and devices that answer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/administration/query/record_source.h"
#include "core/exchange/exchange.h"
#include "core/wire/smp.h"
#include "tests/support/fabric_builder.h"

namespace ember::testing {

/// Hosts 0 to 2 with one port on switch 3, host 4 with two ports on switches 3 and 5, host 6 on
/// switch 5; two cables between the switches.
[[nodiscard]] inline net::Netlist TwoSwitches() {
    net::Netlist netlist;
    for (const char* name : {"a", "b", "c"}) {
        netlist.Add(NodeType::kChannelAdapter, 1, name, name);
    }
    netlist.Add(NodeType::kSwitch, 8, "s", "s");
    netlist.Add(NodeType::kChannelAdapter, 2, "d", "d");
    netlist.Add(NodeType::kSwitch, 6, "t", "t");
    netlist.Add(NodeType::kChannelAdapter, 1, "e", "e");
    for (std::uint32_t i = 0; i < 3; ++i) {
        netlist.Connect(i, 1, 3, i + 1);
    }
    netlist.Connect(4, 1, 3, 4);
    netlist.Connect(4, 2, 5, 1);
    netlist.Connect(6, 1, 5, 2);
    netlist.Connect(3, 7, 5, 5);
    netlist.Connect(3, 8, 5, 6);
    netlist.AssignGuids();
    return netlist;
}

using Octets = std::vector<std::uint8_t>;

/// The answer to a question.
struct Told {
    SaStatus status = SaStatus::kOk;
    std::vector<Octets> records;
    std::uint64_t looked_at = 0;  ///< Rows, as the budget counts them.
};

/// A fabric that was brought up, with values in it that no device has by default.
class RecordNet {
public:
    explicit RecordNet(std::uint8_t lmc = 0, std::uint64_t seed = 1)
        : built_(TwoSwitches(), WithLmc(lmc)) {
        std::mt19937_64 chance(seed);
        const auto any = [&chance] { return static_cast<std::uint8_t>(chance()); };
        ForEachNode(fabric(), [&](NodeIndex, Node& node) {
            node.partition_cap = 64;
            node.base_version = 1;
            node.class_version = 1;
            node.device_id = static_cast<std::uint16_t>(chance());
            node.revision = static_cast<std::uint32_t>(chance());
            node.vendor_id = static_cast<std::uint32_t>(chance()) & 0xFFFFFFU;
        });
        ForEachPort(fabric(), [&](PortIndex, Port& port) {
            std::generate(port.info.octets().begin(), port.info.octets().end(), any);
            port.has_info = true;
        });
        ForEachSwitch(fabric(), [&](SwitchIndex, Switch& row) {
            std::generate(row.info.octets().begin(), row.info.octets().end(), any);
            row.info.Set(SwitchInfo::kLinearFdbTop, Lid{70});
            row.info.Set(SwitchInfo::kPartitionEnforcementCap, std::uint16_t{40});
        });
        std::generate(lfts_.begin(), lfts_.end(), any);
        FindRoutes();
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] const BuiltFabric& built() const { return built_; }
    [[nodiscard]] AdministrationView& view() { return view_; }
    [[nodiscard]] Settings& settings() { return settings_; }
    [[nodiscard]] std::span<std::uint8_t> lft(std::uint32_t node) {
        return std::span(lfts_).subspan(Raw(built_.switch_index(node)) * kStride, kStride);
    }
    /// Port `number` of node `node` of the netlist (0 of switches).
    [[nodiscard]] PortIndex at(std::uint32_t node, unsigned number) {
        return fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    [[nodiscard]] Port& port(std::uint32_t node, unsigned number) {
        return fabric().port(at(node, number));
    }

    /// A question as the dispatcher makes it.
    [[nodiscard]] Query Question(std::uint64_t mask, std::span<const std::uint8_t> record) {
        octets_.fill(0);
        std::copy(record.begin(), record.end(), octets_.begin());
        Query query;
        query.method = Method::kGetTable;
        query.component_mask = mask;
        query.is_trusted = trusted;
        query.modifier = modifier;
        query.requester = at(0, 1);
        query.record = octets_;
        return query;
    }

    /// Asks all the way, in slices of `budget`; `serve` runs whenever the source waits.
    [[nodiscard]] Told Ask(RecordSource& source, std::uint64_t mask,
                           std::span<const std::uint8_t> record, std::uint32_t budget = 1000,
                           const std::function<void()>& serve = {}) {
        const Query query = Question(mask, record);
        Told told;
        told.status = source.Check(query);
        if (told.status != SaStatus::kOk) return told;
        Cursor cursor;
        for (int i = 0; i < 100'000; ++i) {
            Octets one(source.traits().record_octets, 0xEE);
            std::uint32_t left = budget;
            const Found found = source.Next(query, cursor, left, one);
            told.looked_at += budget - left;
            if (found == Found::kEnd) return told;
            if (found == Found::kRecord) told.records.push_back(one);
            if (found == Found::kLater && left != 0) {
                EXPECT_TRUE(serve) << "waits for nobody";
                if (!serve) return told;
                serve();
            }
        }
        ADD_FAILURE() << "it never ends";
        return told;
    }
    [[nodiscard]] Told AskAll(RecordSource& source) { return Ask(source, 0, {}); }

    bool trusted = false;
    std::uint32_t modifier = 0;

private:
    static constexpr std::size_t kStride = 192;  ///< Of LFTs: more than the LIDs need.

    [[nodiscard]] static BuiltFabric::Options WithLmc(std::uint8_t lmc) {
        BuiltFabric::Options options;
        options.lmc = lmc;
        return options;
    }

    /// As discovery does: from which port each node was met first.
    void FindRoutes() {
        std::vector<NodeIndex> queue{fabric().port(fabric().own_port()).node};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const bool leads_on = i == 0 || fabric().node(queue[i]).type == NodeType::kSwitch;
            if (!leads_on) continue;
            for (const Port& port : fabric().PortsOf(queue[i])) {
                if (port.peer == kNoPortIndex) continue;
                const NodeIndex peer = fabric().port(port.peer).node;
                if (std::find(queue.begin(), queue.end(), peer) != queue.end()) continue;
                fabric().node(peer).entry = fabric().IndexOf(port);
                queue.push_back(peer);
            }
        }
    }

    BuiltFabric built_;
    Settings settings_;
    std::vector<std::uint8_t> lfts_ = std::vector<std::uint8_t>(2 * kStride);
    std::array<std::uint8_t, kSaDataOctets> octets_{};
    Partitions partitions_{built_.fabric()};
    AdministrationView view_{
        built_.fabric(), settings_, partitions_, {lfts_, {.rows = 2, .stride = kStride}}, 0};
};

/// Each component that is compared finds the records that agree in it, and only those: asked alone,
/// for every record that is told, as it is and with each of its bits flipped.
inline void FindsByEachComponent(RecordNet& net, RecordSource& source,
                                 std::span<const Extent> components,
                                 const std::set<unsigned>& unheeded = {}) {
    const std::vector<Octets> all = net.AskAll(source).records;
    ASSERT_GE(all.size(), 2U);
    const auto bit = [](const Octets& octets, std::size_t at) {
        return (octets[at / 8] >> (7 - at % 8) & 1) != 0;
    };
    const auto agree = [&](const Octets& one, const Octets& other, Extent extent) {
        for (std::size_t i = extent.bit; i < std::size_t{extent.bit} + extent.width; ++i) {
            if (bit(one, i) != bit(other, i)) return false;
        }
        return true;
    };
    for (unsigned number = 0; number < components.size(); ++number) {
        if (unheeded.contains(number)) continue;
        const Extent extent = components[number];
        for (const Octets& wanted : all) {
            for (std::size_t i = 0; i <= extent.width; ++i) {
                Octets asked = wanted;
                if (i < extent.width) {
                    const std::size_t at = extent.bit + i;
                    asked[at / 8] = static_cast<std::uint8_t>(asked[at / 8] ^ 0x80U >> at % 8);
                }
                std::vector<Octets> expected;
                for (const Octets& one : all) {
                    if (agree(one, asked, extent)) expected.push_back(one);
                }
                const Told told = net.Ask(source, std::uint64_t{1} << number, asked);
                ASSERT_EQ(told.records, expected) << "component " << number << ", flipped " << i;
                if (extent.width == 0) break;
            }
        }
    }
}

/// A port on which every device of a RecordNet answers at once, or is silent.
class Devices final : public MadPort {
public:
    /// Answers a request as the SMA of `port`: fills the data, returns a MAD status.
    using Sma = std::function<std::uint16_t(PortIndex port, const DirectedSmp& request, SmpData&)>;

    Devices(RecordNet& net, Sma sma) : net_(net), sma_(std::move(sma)) {}

    Status Send(const Envelope& envelope) override {
        sent.push_back(std::bit_cast<DirectedSmp>(envelope.mad));
        return Status::kOk;
    }
    Status Receive(Envelope&) override { return Status::kBusy; }

    /// Answers all that was sent since the last time, in that order.
    void AnswerAll(Exchange& exchange, std::uint64_t now_us,
                   const std::function<void(const Answer&)>& hear) {
        for (; answered_ < sent.size(); ++answered_) {
            const DirectedSmp request = sent[answered_];
            SmpData data = request.data;
            const PortIndex asked = Follow(request);
            if (asked == silent) continue;
            const std::uint16_t status = sma_(asked, request, data);
            Envelope envelope;
            envelope.mad = ReplyTo(std::bit_cast<Mad>(request), status, data);
            Answer answer{};
            if (exchange.Take(envelope, now_us, answer) == Status::kOk) hear(answer);
        }
    }

    std::vector<DirectedSmp> sent;
    PortIndex silent = kNoPortIndex;  ///< Says nothing.

private:
    /// The port that a directed route arrives at; of a switch, port 0.
    [[nodiscard]] PortIndex Follow(const DirectedSmp& smp) {
        Fabric& fabric = net_.fabric();
        PortIndex here = fabric.own_port();
        for (unsigned hop = 1; hop <= smp.header.hop_count; ++hop) {
            const NodeIndex node = fabric.port(here).node;
            const PortIndex exit =
                fabric.PortOf(node, static_cast<PortNumber>(smp.initial_path[hop]));
            here = fabric.port(exit).peer;
        }
        const Node& node = fabric.node(fabric.port(here).node);
        return node.type == NodeType::kSwitch ? node.first_port : here;
    }

    RecordNet& net_;
    Sma sma_;
    std::size_t answered_ = 0;
};

class FixedEntropy final : public Entropy {
public:
    std::uint64_t Draw() override { return 4; }
};

}  // namespace ember::testing
