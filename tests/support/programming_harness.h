// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Programming over switches whose tables the test holds in its hand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/programming/programming.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"

namespace ember {

/// Plans what the test says; every other port is right as it is.
class FakePlanner final : public PortPlanner {
public:
    [[nodiscard]] PortPlan Plan(PortIndex at, bool all_reregister) const override {
        const auto found = plans.find(at);
        PortPlan plan = found == plans.end() ? PortPlan{} : found->second;
        if (all_reregister && can_register_again.contains(at)) plan.reregister = true;
        return plan;
    }
    std::map<PortIndex, PortPlan> plans;
    std::set<PortIndex> can_register_again;
};

/// The subnet of a netlist with LIDs given, the hardware in it, and a Programming that writes it.
///
/// The hardware answers at once, in the order of the questions, unless `fate` has it otherwise.
/// After every Set that it takes, all LIDs are walked from all switches: see loop().
class ProgrammingHarness {
public:
    /// The fate of a datagram.
    enum class Fate : std::uint8_t {
        kTaken,
        kRefused,  ///< Answered with a status; nothing changed.
        kRequestLost,
        kAnswerLost,  ///< Taken all the same.
    };
    /// A question, as the hardware sees it.
    struct Question {
        Method method{};
        AttributeId attribute{};
        std::uint32_t modifier = 0;
        PortIndex port = kNoPortIndex;  ///< PortInfo: the port meant. Else where it arrives.
        SwitchIndex at = kNoSwitch;     ///< kNoSwitch: a host.
        SmpData data{};
    };
    struct Hardware {
        std::vector<std::uint8_t> lft;
        SwitchInfo info{};
    };
    using Way = std::function<std::uint8_t(SwitchIndex at, Lid lid)>;

    explicit ProgrammingHarness(const net::Netlist& netlist, std::uint8_t lmc = 0);

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] Hardware& hardware(std::uint32_t at) { return hardware_[at]; }
    [[nodiscard]] PortInfo& port_info(PortIndex at) { return ports_[Raw(at)]; }
    [[nodiscard]] std::size_t switches() const { return hardware_.size(); }
    [[nodiscard]] Lid top() { return fabric().top_lid(); }
    [[nodiscard]] std::uint8_t& planned(std::uint32_t at, std::uint32_t lid) {
        return planned_[at * stride_ + lid];
    }

    /// Ports of a switch that lie on a shortest way to `lid`, lowest first.
    [[nodiscard]] std::vector<std::uint8_t> ShortestPorts(SwitchIndex at, Lid lid) const;
    /// Plans shortest ways for every LID; `pick` chooses among the ports that do.
    using Pick = std::function<std::size_t(std::size_t count)>;
    void PlanShortest(const Pick& pick);
    /// Plans, for every LID that is not at home there, the same way round a ring of switches.
    void PlanRound(bool up);
    /// Writes what is planned into the hardware, tops included.
    void BurnIn();

    /// Does what a sweep does: the fabric's rows say what the hardware has.
    void Discover();
    /// A stage to its end.
    void Run(Programming::Stage stage);
    void RunBlocks();
    /// A whole round, as a sweep asks for it.
    const ProgrammingOutcome& Round(bool first_master_sweep = false);

    /// True when every switch has what is planned, up to a right top.
    [[nodiscard]] bool IsAsPlanned();
    /// The first loop that a packet could have run in, in words; empty: none.
    [[nodiscard]] const std::string& loop() const { return loop_; }
    /// Sets of an attribute that arrived, in order.
    [[nodiscard]] std::vector<Question> SetsOf(AttributeId attribute) const;

    std::function<Fate(const Question&)> fate = [](const Question&) { return Fate::kTaken; };
    /// May change what a Set(PortInfo) leaves behind.
    std::function<void(PortIndex, PortInfo&)> keep = [](PortIndex, PortInfo&) {};
    std::vector<Question> seen;  ///< Everything that arrived, in order.
    FakePlanner planner;
    Settings settings;
    std::uint64_t now_us = 1000;

private:
    void FindEntries();
    void RunToEnd();
    void ServeAll();
    [[nodiscard]] Question Read(const Envelope& envelope) const;
    void Serve(const Envelope& envelope);
    [[nodiscard]] SmpData Take(const Question& question);
    void LookForLoops(std::uint32_t lid);
    [[nodiscard]] bool RunsInALoop(SwitchIndex at, std::uint32_t lid) const;
    [[nodiscard]] SwitchIndex Behind(SwitchIndex at, std::uint8_t port) const;
    [[nodiscard]] SwitchIndex HomeOf(Lid lid) const;
    [[nodiscard]] std::vector<std::uint32_t> DistancesTo(SwitchIndex home) const;

    net::BuiltFabric built_;
    std::size_t stride_;
    std::vector<std::uint8_t> planned_;
    std::vector<Hardware> hardware_;
    std::vector<PortInfo> ports_;
    std::string loop_;

    std::vector<std::uint8_t> programmed_;
    std::vector<std::uint64_t> known_, pending_, detour_, blind_, unconfirmed_, hot_, frozen_,
        yield_;
    std::vector<SwitchIndex> homes_;
    std::vector<Programming::KnownTable> tables_;
    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    std::vector<LogRecord> notes_;
    FakePort port_;
    FakeEntropy entropy_;

public:
    Exchange exchange{Exchange::Memory{transactions_, due_}, port_, entropy_};
    Log log{notes_};
    Programming programming;
};

}  // namespace ember
