// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: the whole receive path, while a small simulated fabric is brought up.
//
// Goal:   whatever comes in through the management port, the subnet manager neither crashes nor
//         reads what it must not nor spins; and when the noise ends it brings the subnet up.
// Method: the real core on a simulated fabric of three switches and four hosts. Somebody sits
//         between the two and does what the input says: passes, loses, repeats, holds back and
//         changes datagrams, forges answers to the very questions that are open, and injects
//         requests, traps and rubbish. Virtual time; the input alone decides what happens.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "board/sim_small/profile.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "core/wire/notice.h"
#include "core/wire/smp.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "tests/support/fuzz_script.h"

namespace ember {
namespace {

using testing::Demand;
using testing::Script;

/// Room for a little more than the fabric has, so that lies can overfill it too.
constexpr Limits kFuzzLimits = [] {
    Limits limits = kSimSmall;
    limits.max_nodes = 12;
    limits.max_switches = 6;
    limits.max_switch_ports = 8;
    limits.max_ports = 80;
    limits.max_lid = 191;
    limits.max_smps = 8;
    limits.max_other_sms = 2;
    limits.journal_notes = 64;
    limits.scratch_bytes = 256U << 10U;
    return limits;
}();

net::Netlist Net() {
    net::Netlist net;
    std::array<std::uint32_t, 4> hosts{};
    std::array<std::uint32_t, 3> switches{};
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::string name = "H-" + std::to_string(i);
        hosts[i] = net.Add(NodeType::kChannelAdapter, 2, name, name);
    }
    for (std::size_t i = 0; i < switches.size(); ++i) {
        const std::string name = "S-" + std::to_string(i);
        switches[i] = net.Add(NodeType::kSwitch, 8, name, name);
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        net.ConnectAny(hosts[i], switches[i % 3]);
    }
    net.ConnectAny(switches[0], switches[1]);
    net.ConnectAny(switches[0], switches[1]);
    net.ConnectAny(switches[1], switches[2]);
    net.ConnectAny(switches[2], switches[0]);
    net.AssignGuids();
    return net;
}

using MadOctets = std::array<std::uint8_t, kMadOctets>;

/// Sits between the subnet manager and the fabric and follows the script.
class MeddlingPort final : public MadPort {
public:
    MeddlingPort(MadPort& fabric, Script& script) : fabric_(fabric), script_(script) {}

    Status Send(const Envelope& envelope) override {
        if (busy_ > 0) {
            --busy_;
            return Status::kBusy;
        }
        const Status status = fabric_.Send(envelope);
        if (status == Status::kOk && !IsResponse(envelope.mad.header.method)) asked_ = envelope;
        return status;
    }

    Status Receive(Envelope& envelope) override {
        while (!behaves_ && ready_.empty() && passing_ == 0 && !script_.ended()) {
            Act();
            if (starved_) break;
        }
        starved_ = false;
        if (!ready_.empty()) {
            envelope = ready_.front();
            ready_.pop_front();
            return Status::kOk;
        }
        const Status status = fabric_.Receive(envelope);
        if (status == Status::kOk && passing_ > 0) --passing_;
        return status;
    }

    /// The end of all mischief, whatever the script has left.
    void Behave() {
        behaves_ = true;
        ready_.clear();
        busy_ = 0;
    }

private:
    /// Does a line of the script. Lines about the next datagram wait until there is one.
    void Act() {
        if (!waiting_) line_ = script_.Next();
        waiting_ = false;
        const unsigned count = 1U + (line_ >> 3U);
        switch (line_ & 7U) {
            case 0:
                passing_ = count;
                return;
            case 4:
                InjectRubbish();
                return;
            case 5:
                ForgeAnswer(count);
                return;
            case 6:
                InjectRequest(count);
                return;
            case 7:
                busy_ = count;
                return;
            default:
                ChangeNext(count);
        }
    }

    /// Loses, repeats or changes the next datagram from the fabric.
    void ChangeNext(unsigned count) {
        Envelope envelope;
        if (fabric_.Receive(envelope) != Status::kOk) {
            waiting_ = starved_ = true;
            return;
        }
        if ((line_ & 7U) == 1) {
            if (count % 2 == 0) return;  // Lost.
            ready_.push_back(envelope);
        }
        if ((line_ & 7U) == 3) {
            auto smp = std::bit_cast<LidSmp>(envelope.mad);
            const std::size_t first = script_.Next() % kSmpDataOctets;
            script_.Fill(std::span(smp.data).subspan(first).first(
                std::min<std::size_t>(count, kSmpDataOctets - first)));
            envelope.mad = std::bit_cast<Mad>(smp);
        }
        if ((line_ & 7U) == 2) {
            auto octets = std::bit_cast<MadOctets>(envelope.mad);
            for (unsigned i = 0; i < count; ++i) {
                const std::size_t at = script_.Next();
                octets[at] = static_cast<std::uint8_t>(octets[at] ^ script_.Next());
            }
            envelope.mad = std::bit_cast<Mad>(octets);
        }
        ready_.push_back(envelope);
    }

    void InjectRubbish() {
        Envelope envelope;
        envelope.queue_pair = (line_ & 8U) != 0 ? 1 : 0;
        MadOctets octets{};
        script_.Fill(std::span(octets).first(std::size_t{script_.Next()} + 1));
        envelope.mad = std::bit_cast<Mad>(octets);
        if ((line_ & 16U) != 0) {
            envelope.mad.header.transaction_id = asked_.mad.header.transaction_id;
        }
        ready_.push_back(envelope);
    }

    /// An answer to the last question, with data of our own, before the true one comes.
    void ForgeAnswer(unsigned count) {
        if (IsResponse(asked_.mad.header.method) || asked_.mad.header.base_version == 0) return;
        Envelope envelope = asked_;
        SmpData data = DataOf(asked_.mad);
        const std::size_t first = script_.Next() % kSmpDataOctets;
        script_.Fill(std::span(data).subspan(first).first(
            std::min<std::size_t>(count, kSmpDataOctets - first)));
        envelope.mad = ReplyTo(asked_.mad, 0, data);
        envelope.mad.header.hop_pointer = 0;
        ready_.push_back(envelope);
    }

    /// A trap, or what another subnet manager might ask.
    void InjectRequest(unsigned count) {
        const std::uint8_t kind = script_.Next();
        const bool trap = (kind & 1U) != 0;
        SmpData data{};
        script_.Fill(std::span(data).first(std::min<std::size_t>(count, kSmpDataOctets)));
        Envelope envelope;
        envelope.peer = Lid{script_.Next()};
        const Method asks = (kind & 2U) != 0 ? Method::kSet : Method::kGet;
        envelope.mad =
            MakeLidRouted({.method = trap ? Method::kTrap : asks,
                           .attribute = trap ? AttributeId::kNotice : AttributeId::kSmInfo,
                           .modifier = std::uint32_t{kind} >> 2U,
                           .id = TransactionId{kind},
                           .data = data});
        ready_.push_back(envelope);
    }

    MadPort& fabric_;
    Script& script_;
    std::deque<Envelope> ready_;
    Envelope asked_{};
    std::uint8_t line_ = 0;
    unsigned passing_ = 0;
    unsigned busy_ = 0;
    bool waiting_ = false;
    bool starved_ = false;
    bool behaves_ = false;
};

/// Remembers nothing: every run of the target begins with the same fabric and the same LIDs.
class NoStore final : public Store {
public:
    Status Save(StoreSlot, std::span<const std::byte>) override { return Status::kOk; }
    Result<std::size_t> Load(StoreSlot, std::span<std::byte>) override { return Status::kAbsent; }
};

class FixedEntropy final : public Entropy {
public:
    std::uint64_t Draw() override { return 0x9E3779B97F4A7C15U * ++drawn_; }

private:
    std::uint64_t drawn_ = 0;
};

constexpr std::uint64_t kSecond = 1'000'000;
constexpr int kMaxSteps = 200'000;  // Far more than 60 virtual seconds take on this fabric.

/// Lets virtual time run until `limit_us`, or until the subnet manager rests when asked to.
void Run(SubnetManager& manager, sim::FabricSim& fabric, std::uint64_t limit_us, bool until_rest) {
    for (int step = 0; step < kMaxSteps; ++step) {
        const std::uint64_t next_us = manager.Step();
        const std::uint64_t now_us = fabric.clock().NowUs();
        if (now_us >= limit_us) return;
        if (until_rest && manager.stage() == Stage::kResting) return;
        if (next_us <= now_us) continue;
        fabric.AdvanceToNextEvent(std::min(next_us, limit_us));
    }
    Demand(false, "the subnet manager lets time pass");
}

void Fuzz(std::span<const std::uint8_t> input) {
    static const net::Netlist net = Net();
    sim::FabricSim::Options options;
    options.hardware.linear_fdb_cap = 256;
    options.hardware.multicast_fdb_cap = 32;
    options.capacity = {.packets = 256, .inbox = 256, .scheduled_faults = 16};
    sim::FabricSim fabric(net, options);

    Settings settings;
    settings.sweep_interval = 2;
    Script script(input);
    MeddlingPort port(fabric.Attach(0, 1), script);
    NoStore store;
    FixedEntropy entropy;
    Engines engines;
    // Fresh for every input, as after the start of a process.
    const auto storage = std::make_unique<Storage<kFuzzLimits>>();
    SubnetManager manager(storage->memory(), kFuzzLimits,
                          {port, fabric.clock(), fabric.clock(), store, entropy}, settings,
                          engines.All());

    Run(manager, fabric, 10 * kSecond, false);
    port.Behave();

    // The noise is over: one sweep to see the damage, one to mend it, one that must end well. A
    // forged SMInfo may have sent this manager to sleep, as it must; then it need not
    // bring up a subnet.
    for (int sweep = 0; sweep < 3 && !manager.is_up(); ++sweep) {
        manager.RequestSweep(SweepCue::kHeavyRequest);
        Run(manager, fabric, fabric.clock().NowUs() + kSecond, false);
        Run(manager, fabric, fabric.clock().NowUs() + 20 * kSecond, true);
    }
    if (manager.role().is_master()) Demand(manager.is_up(), "the subnet comes up after the noise");
}

}  // namespace
}  // namespace ember

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::Fuzz({data, size});
    return 0;
}
