// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric of subnet management agents in this process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/netlist/netlist.h"
#include "config/netlist/random.h"
#include "core/base/ring.h"
#include "core/platform.h"
#include "core/wire/notice.h"
#include "core/wire/p_key_table.h"
#include "platform/sim/faults.h"
#include "platform/sim/liar.h"
#include "platform/sim/p_keys.h"
#include "platform/sim/packet.h"
#include "platform/sim/sma.h"
#include "platform/sim/ways.h"
#include "platform/sim/world.h"

namespace ember::sim {

/// Virtual time. The simulator turns it; it stands still while anybody computes.
class SimClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_ns_ / 1000; }
    [[nodiscard]] std::uint64_t now_ns() const { return now_ns_; }
    void Set(std::uint64_t now_ns) {
        EMBER_ASSERT(now_ns >= now_ns_);
        now_ns_ = now_ns;
    }

private:
    std::uint64_t now_ns_ = 0;
};

/// Datagrams really sent, and what became of them. Requests are counted where they arrive.
struct Counters {
    std::array<std::uint64_t, 64> gets{};  ///< By AttributeId.
    std::array<std::uint64_t, 64> sets{};
    std::uint64_t requests = 0;  ///< All that arrived at agents and subnet managers.
    std::uint64_t answers = 0;   ///< Arrived at subnet managers.
    std::uint64_t traps = 0;     ///< Sent by nodes, repetitions included.
    std::uint64_t lost = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t undeliverable = 0;     ///< No path, a link down, a node without power or silent.
    std::uint64_t looped = 0;            ///< LID routed, and never arrived in 64 hops.
    std::uint64_t unanswered = 0;        ///< Arrived, and the agent said nothing (M_Key, method).
    std::uint64_t overrun = 0;           ///< A queue was full.
    std::uint64_t p_key_violations = 0;  ///< Dropped for a P_Key, by CheckPKeys().
    std::uint64_t reregistrations = 0;   ///< Set(PortInfo) with ClientReregister.

    [[nodiscard]] std::uint64_t Gets(AttributeId id) const {
        return gets[static_cast<std::size_t>(id) & 63U];
    }
    [[nodiscard]] std::uint64_t Sets(AttributeId id) const {
        return sets[static_cast<std::size_t>(id) & 63U];
    }
};

class FabricSim;

/// Where a subnet manager or another program is plugged in: a CA's port or a switch's port 0.
class Attachment final : public MadPort {
public:
    Attachment(FabricSim& sim, std::uint32_t row, std::size_t inbox, bool is_manager);

    Status Send(const Envelope& envelope) override;
    Status Receive(Envelope& envelope) override;

    [[nodiscard]] bool empty() const { return inbox_.empty(); }
    [[nodiscard]] std::uint32_t row() const { return row_; }
    /// Loses what has not been received: the subnet manager behind it was restarted.
    void ForgetInbox() { inbox_.clear(); }
    /// From now on every packet has this P_Key, whatever the port's table holds, as a channel
    /// adapter may whose firmware was tampered with; kNoPKey ends it. Matters with CheckPKeys().
    void ForgePKey(std::uint16_t p_key) { forged_p_key_ = p_key; }

private:
    friend class FabricSim;
    FabricSim& sim_;
    std::uint32_t row_;
    bool is_manager_;
    std::uint16_t forged_p_key_ = kNoPKey;
    std::vector<Envelope> storage_;
    Ring<Envelope> inbox_;
};

/// A fabric of agents in this process: deterministic, in virtual time, a pure function of its
/// netlist, faults and of what is sent into it.
///
/// A datagram's way is walked when it is sent, which tells how long it travels, and it takes effect
/// where it arrives when it arrives: in the order (time, sequence). If a link or a route on its way
/// has changed meanwhile, it is walked again at that moment and is lost unless it leads to the same
/// place. So a request and its answer are two events, however many hops they go.
///
/// The heap is used while the simulator is built and while Attach() is called; afterwards never.
class FabricSim {
public:
    struct Options {
        Hardware hardware{};
        Timing timing{};
        Faults faults{};
        Capacity capacity{};
    };

    explicit FabricSim(const net::Netlist& netlist) : FabricSim(netlist, Options{}) {}
    FabricSim(const net::Netlist& netlist, const Options& options);
    FabricSim(const FabricSim&) = delete;
    FabricSim& operator=(const FabricSim&) = delete;

    /// Plugs a subnet manager in at port `number` of a CA or router, or at port 0 of a switch, and
    /// sets IsSM there. An attachment point takes one. The reference stays good.
    Attachment& Attach(std::uint32_t node, std::uint32_t number) {
        return Plug(node, number, true);
    }
    /// The same for a program that asks a subnet manager: IsSM is not set, and of queue pair 0
    /// nothing but answers comes to it.
    Attachment& AttachClient(std::uint32_t node, std::uint32_t number) {
        return Plug(node, number, false);
    }
    /// The first port with a cable of the first CA; of the first node when there is no CA.
    Attachment& AttachAnywhere();

    /// At the end port with this PortGUID; nullptr when there is none. kNoGuid: anywhere.
    Attachment* AttachAt(Guid port_guid);
    /// The PortGUIDs that AttachAt() takes, in the order of the netlist.
    [[nodiscard]] std::vector<Guid> EndPorts() const;

    [[nodiscard]] SimClock& clock() { return clock_; }
    [[nodiscard]] World& world() { return world_; }
    [[nodiscard]] const World& world() const { return world_; }
    [[nodiscard]] Faults& faults() { return faults_; }  ///< May be changed while it runs.
    [[nodiscard]] const Counters& counters() const { return counters_; }
    void ClearCounters() { counters_ = {}; }
    /// A digest of everything that has happened: equal when two runs told the same story.
    [[nodiscard]] std::uint64_t trace() const { return trace_; }

    /// Lets events happen, in order, until one has put something into an inbox or virtual time has
    /// reached `limit_us`. True when something waits in an inbox.
    bool AdvanceToNextEvent(std::uint64_t limit_us);
    /// True when nothing is under way; training links, traps and planned faults count.
    [[nodiscard]] bool idle() const { return events_.empty(); }
    /// Ports of `node`: port p is row first + p; see World.
    [[nodiscard]] std::uint32_t RowOf(std::uint32_t node, std::uint32_t number) const {
        return world_.node(node).first_row + number;
    }

    // Faults by hand: now, or at a time to come.
    enum class Action : std::uint8_t { kCut, kJoin, kPowerOff, kPowerOn };
    /// `row` of a port for cables, the node's number for power.
    void Do(Action action, std::uint32_t at);
    void DoAt(std::uint64_t time_us, Action action, std::uint32_t at);
    /// Off for `down_us`, then on again with factory settings.
    void Reboot(std::uint32_t node, std::uint64_t down_us);
    /// Plugs what is cabled to `row` into `other` and the other way round.
    void SwapLinks(std::uint32_t row, std::uint32_t other);
    /// From now on the node answers `mads` more requests and then none.
    void Silence(std::uint32_t node, std::uint64_t mads) { answers_left_[node] = mads; }
    void EndSilence(std::uint32_t node) { answers_left_[node] = kForEver; }
    /// From now on `liar` has its say in what agents do and answer; nullptr: all are honest. The
    /// liar must outlive its office.
    void SetLiar(Liar* liar) { liar_ = liar; }
    /// From now on datagrams to queue pair 1 have P_Keys: that of the sender's table at the index
    /// by which it sends. Switch ports that enforce partitions, and the receiver, compare it with
    /// their tables, and the receiver is told its own index. Else an index arrives as it was sent.
    void CheckPKeys() { checks_p_keys_ = true; }
    /// Every `mean_us` on the average a random cable between switches goes down for `down_us`.
    /// 0 ends it.
    void FlapRandomly(std::uint64_t mean_us, std::uint64_t down_us);
    /// The node gets another NodeDescription and says so with trap 144.
    void Rename(std::uint32_t node, std::string_view description);
    /// The CapabilityMask of a node's port changes, and the node says so with trap 144.
    void ChangeCapabilities(std::uint32_t row, std::uint32_t mask);

private:
    friend class Attachment;
    static constexpr std::uint64_t kForEver = ~std::uint64_t{0};

    enum class EventKind : std::uint8_t {
        kAtNode,   ///< Packet `at` arrives at an agent or subnet manager.
        kTrained,  ///< The link at row `at` is trained.
        kTrap,     ///< Node `at` sends its pending trap (again).
        kPlanned,  ///< planned_[at] happens.
        kFlap,     ///< Another random flap begins.
        kFlapEnd,  ///< The cable at row `at` is plugged in again.
    };
    struct Event {
        std::uint64_t time_ns;
        std::uint64_t sequence;
        EventKind kind;
        std::uint32_t at;
    };
    struct Planned {
        Action action;
        std::uint32_t at;
    };
    struct PendingTrap {
        bool waiting = false;
        bool timer_runs = false;
        TrapNumber number{};
        bool is_renamed = false;  ///< Of a trap 144: NodeDescription has changed.
        std::uint32_t tries = 0;
        std::uint32_t serial = 0;
        MKeyNotice bad_m_key{};  ///< The details of a trap 256.
    };

    [[nodiscard]] bool IsEndPort(std::uint32_t row) const;
    Attachment& Plug(std::uint32_t node, std::uint32_t number, bool is_manager);

    // events.cc: what happens, in order.
    void Push(std::uint64_t time_ns, EventKind kind, std::uint32_t at);
    void Happen(const Event& event);
    void EndWay(std::uint32_t number);
    void Arrive(Packet& packet);
    void AskAgent(Packet& packet);
    bool LetAgentAct(const Mad& asked, Packet& packet);
    void AskBeyond(Packet& packet);
    void HandAnswerBack(Packet& packet, std::uint64_t ready_ns);
    void Deliver(Attachment& inbox, const Packet& packet);
    void StartFlap();
    void TakeEffects();
    void Count(const Mad& mad);
    void Trace(std::uint64_t what, std::uint64_t detail);

    void Launch(Packet& packet, std::uint64_t start_ns);
    void PutUnderWay(const Packet& packet, std::uint64_t start_ns);
    [[nodiscard]] bool StillStands(const Packet& packet);
    void Corrupt(Mad& mad);

    // traps.cc
    void SendTrap(std::uint32_t at);
    void RaiseTrap(std::uint32_t node, TrapNumber number);
    void RaiseBadMKey(const Packet& packet);
    [[nodiscard]] Notice NoticeOf(const PendingTrap& trap, const PortInfo& info) const;
    [[nodiscard]] bool RepressTrap(std::uint32_t row, const Mad& mad);

    World world_;
    Ways ways_{world_};
    SimPKeys p_keys_{world_};
    Sma sma_;
    SimClock clock_;
    Timing timing_;
    Faults faults_;
    Capacity capacity_;
    net::Random random_;
    Counters counters_;
    std::uint64_t trace_ = 0xCBF29CE484222325ULL;
    std::uint64_t sequence_ = 0;
    std::vector<Event> events_;  ///< A heap, the next one in front.
    std::vector<Packet> packets_;
    std::vector<std::uint32_t> free_packets_;
    std::vector<Planned> planned_;
    std::vector<std::uint32_t> free_planned_;
    std::vector<std::unique_ptr<Attachment>> attachments_;
    std::vector<Attachment*> attached_;        ///< By row.
    std::vector<std::uint64_t> agent_free_;    ///< By node: when its agent has time again.
    std::vector<std::uint64_t> last_request_;  ///< By node: when the last one under way arrives.
    std::vector<std::uint64_t> answers_left_;
    Liar* liar_ = nullptr;
    std::vector<PendingTrap> traps_;
    std::vector<std::uint32_t> trunks_;  ///< Rows of cables between switches, one end each.
    std::uint64_t flap_mean_us_ = 0;
    std::uint64_t flap_down_us_ = 0;
    bool delivered_ = false;
    bool checks_p_keys_ = false;
};

}  // namespace ember::sim
