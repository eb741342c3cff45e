// SPDX-License-Identifier: Apache-2.0
// EmberSM: a MulticastUpkeep over switches whose multicast tables the test holds in its hand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/multicast/multicast_upkeep.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"

namespace ember::testing {

/// A clock that goes on by `step_us` each time it is read.
class SteppingClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us_ += step_us; }
    std::uint64_t step_us = 0;

private:
    mutable std::uint64_t now_us_ = 0;
};

/// The subnet of a netlist, the switches in it, and a MulticastUpkeep that writes their tables.
///
/// A switch answers at once, in the order of the questions, unless `fate` has it otherwise. Time
/// stands still until the test moves it.
class MulticastHarness {
public:
    /// The fate of a datagram.
    enum class Fate : std::uint8_t { kTaken, kRefused, kLost };
    struct Question {
        Method method{};
        AttributeId attribute{};
        std::uint32_t modifier = 0;
        SwitchIndex at = kNoSwitch;
        SmpData data{};
        std::uint64_t at_us = 0;
    };
    struct Hardware {
        std::map<std::uint32_t, MulticastForwardingTable> blocks;  ///< By AttributeModifier.
        SwitchInfo info{};
    };

    explicit MulticastHarness(const net::Netlist& netlist);
    MulticastHarness(const MulticastHarness&) = delete;
    MulticastHarness& operator=(const MulticastHarness&) = delete;

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] Groups& groups() { return upkeep->groups(); }
    [[nodiscard]] const Limits& limits() const { return built_.limits(); }
    [[nodiscard]] std::size_t switches() const { return hardware_.size(); }
    [[nodiscard]] Hardware& hardware(SwitchIndex at) { return hardware_[Raw(at)]; }
    /// The switch of a node of the netlist.
    [[nodiscard]] SwitchIndex SwitchAt(std::uint32_t node) const {
        return built_.switch_index(node);
    }
    [[nodiscard]] NodeIndex NodeAt(std::uint32_t node) const { return built_.node(node); }
    /// The PortGUID of a host.
    [[nodiscard]] Guid GuidOf(std::uint32_t node) {
        return fabric().PortsOf(built_.node(node))[0].guid;
    }

    // Calls of SubnetManager.

    /// Every table is as another subnet manager left it: not empty, and not known.
    void LetTablesBeUsed();
    /// The end of a sweep: hops are measured, and Resume() is called.
    void Resume();
    /// The first sweep, without registrations of a time before; `holds`: HoldTables().
    void Bring(bool holds = false);
    /// Bring(), and everything that is due at once.
    void BringAndSettle(bool holds = false);
    /// Does what needs no later time: steps, and answers.
    void Work();
    /// Answers the first `most` datagrams that wait.
    void Serve(std::size_t most = ~std::size_t{0});
    /// Work() at every deadline up to and at this time.
    void AdvanceTo(std::uint64_t time_us);
    void Advance(std::uint64_t span_us) { AdvanceTo(now_us + span_us); }
    /// AdvanceTo() deadlines, until no round is under way and every change is in the tables.
    [[nodiscard]] bool Settle();

    // Requests of clients.

    void Join(const Gid& mgid, std::uint32_t node, std::uint16_t p_key = kDefaultPKey);
    void Leave(const Gid& mgid, std::uint32_t node);
    [[nodiscard]] MlidIndex MlidOf(const Gid& mgid) {
        return groups().group(groups().Find(mgid)).mlid;
    }

    // Tables of switches, and what they were asked.

    /// The mask of a MLID for ports 0 to 15 of a switch.
    [[nodiscard]] std::uint16_t Mask(SwitchIndex at, MlidIndex mlid);
    void SetMask(SwitchIndex at, MlidIndex mlid, std::uint16_t mask);
    /// Hosts that get a packet of this MLID that `node`, a host, sends: as often as they do.
    [[nodiscard]] std::multiset<std::uint32_t> Hearers(std::uint32_t node, MlidIndex mlid);
    /// True when no switch forwards the MLID.
    [[nodiscard]] bool IsForwardedNowhere(MlidIndex mlid);
    /// Datagrams that arrived with this method and attribute, in order.
    [[nodiscard]] std::vector<Question> Asked(Method method, AttributeId attribute) const;
    [[nodiscard]] std::size_t Sets() const {
        return Asked(Method::kSet, AttributeId::kMulticastForwardingTable).size();
    }
    [[nodiscard]] std::size_t Gets() const {
        return Asked(Method::kGet, AttributeId::kMulticastForwardingTable).size();
    }
    /// Values of the last note of a kind; the test fails without one.
    [[nodiscard]] LogRecord LastNote(Note note) const;

    std::function<Fate(const Question&)> fate = [](const Question&) { return Fate::kTaken; };
    std::vector<Question> seen;
    Settings settings;
    std::uint64_t now_us = 1'000'000;
    SteppingClock work_clock;
    FakePort port;

private:
    void FindEntries();
    void MeasureHops();
    void Answer(const Envelope& envelope);
    [[nodiscard]] Question Read(const Envelope& envelope) const;
    [[nodiscard]] SmpData Take(const Question& question);
    [[nodiscard]] MulticastUpkeep::Memory Memory();

    net::Netlist netlist_;
    net::BuiltFabric built_;
    std::vector<Hardware> hardware_;
    net::ArenaStorage scratch_;
    std::vector<std::uint8_t> hop_octets_;
    Trees::Hops hops_;

    std::vector<Group> group_rows_;
    std::vector<Member> member_rows_;
    std::vector<Groups::MlidRow> mlid_rows_;
    std::vector<GroupIndex> group_slots_;
    std::vector<MemberIndex> member_slots_;
    std::vector<std::uint64_t> changed_, careful_, found_, planned_;
    std::vector<MftTables::Block> wanted_, programmed_;
    std::vector<std::uint64_t> known_, differs_;
    std::vector<MftTables::Run> runs_;
    std::vector<SwitchIndex> owners_;
    std::vector<Trees::Spot> spots_;
    std::vector<SwitchIndex> order_, targets_, queue_;
    std::vector<Trees::Branch> branches_;
    std::vector<std::uint8_t> ports_;
    std::vector<TreeCheck::Spot> checked_;
    std::vector<std::uint16_t> draft_;
    std::vector<Lid> tops_;
    std::vector<SubnetEvent> events_;
    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    std::vector<LogRecord> notes_;
    FakeEntropy entropy_;

public:
    Exchange exchange{Exchange::Memory{transactions_, due_}, port, entropy_};
    Log log{notes_};
    Partitions partitions{built_.fabric(), settings.manager_tables};
    std::unique_ptr<MulticastUpkeep> upkeep;
};

}  // namespace ember::testing
