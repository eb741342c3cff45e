// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: what hosts ask the subnet administrator, and how they take its answers.
//
// Goal:   whatever hosts say to queue pair 1, the subnet administrator neither crashes nor reads
//         what it must not nor spins, keeps no more than its limits allow, and answers an honest
//         host afterwards.
// Method: a whole subnet manager on a small simulated fabric that is up. The input is a list of
//         letters: questions of every attribute and method, raw datagrams, segments of questions,
//         and ACK, STOP or ABORT to answers that are under way, from every LID, with virtual time
//         between them. What the administrator sends is caught at its port.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "board/sim_small/profile.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "core/wire/rmpp.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "tests/support/fuzz_script.h"

namespace ember {
namespace {

using testing::Demand;
using testing::Script;

constexpr Limits kFuzzLimits = [] {
    Limits limits = kSimSmall;
    limits.max_nodes = 12;
    limits.max_switches = 6;
    limits.max_switch_ports = 8;
    limits.max_ports = 80;
    limits.max_lid = 191;
    limits.max_smps = 8;
    limits.journal_notes = 64;
    limits.scratch_bytes = 256U << 10U;
    limits.max_sa_requests = 8;
    limits.max_sa_transfers = 2;
    limits.max_sa_sources = 4;
    limits.max_groups = 4;
    limits.max_members = 8;
    limits.max_mlids = 32;
    limits.max_events = 8;
    return limits;
}();

net::Netlist Net() {
    net::Netlist net;
    std::array<std::uint32_t, 4> hosts{};
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::string name = "H-" + std::to_string(i);
        hosts[i] = net.Add(NodeType::kChannelAdapter, 1, name, name);
    }
    const std::uint32_t one = net.Add(NodeType::kSwitch, 8, "S-0", "S-0");
    const std::uint32_t other = net.Add(NodeType::kSwitch, 8, "S-1", "S-1");
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        net.ConnectAny(hosts[i], i % 2 == 0 ? one : other);
    }
    net.ConnectAny(one, other);
    net.ConnectAny(one, other);
    net.AssignGuids();
    return net;
}

/// Stands before the fabric: hands in letters to queue pair 1, and catches what leaves by it.
class LetterBox final : public MadPort {
public:
    explicit LetterBox(MadPort& fabric) : fabric_(fabric) {}

    Status Send(const Envelope& envelope) override {
        if (envelope.queue_pair == 0) return fabric_.Send(envelope);
        if (refusals > 0) {
            --refusals;
            return Status::kBusy;
        }
        ++answers;
        last = envelope;
        return Status::kOk;
    }
    Status Receive(Envelope& envelope) override {
        if (letters.empty()) return fabric_.Receive(envelope);
        envelope = letters.front();
        letters.pop_front();
        return Status::kOk;
    }

    std::deque<Envelope> letters;
    std::optional<Envelope> last;  ///< The last datagram sent.
    std::uint64_t answers = 0;
    unsigned refusals = 0;

private:
    MadPort& fabric_;
};

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

constexpr std::array kMethods = {Method::kGet,    Method::kSet,          Method::kGetTable,
                                 Method::kDelete, Method::kGetMulti,     Method::kReport,
                                 Method::kTrap,   Method::kGetTraceTable};
constexpr std::array kAttributes = {
    SaAttribute::kClassPortInfo,
    SaAttribute::kNotice,
    SaAttribute::kInformInfo,
    SaAttribute::kNodeRecord,
    SaAttribute::kPortInfoRecord,
    SaAttribute::kSlToVlMappingTableRecord,
    SaAttribute::kSwitchInfoRecord,
    SaAttribute::kLinearForwardingTableRecord,
    SaAttribute::kRandomForwardingTableRecord,
    SaAttribute::kMulticastForwardingTableRecord,
    SaAttribute::kSmInfoRecord,
    SaAttribute::kLinkRecord,
    SaAttribute::kGuidInfoRecord,
    SaAttribute::kServiceRecord,
    SaAttribute::kPKeyTableRecord,
    SaAttribute::kPathRecord,
    SaAttribute::kVlArbitrationTableRecord,
    SaAttribute::kMcMemberRecord,
    SaAttribute::kTraceRecord,
    SaAttribute::kMultiPathRecord,
    SaAttribute::kInformInfoRecord,
    static_cast<SaAttribute>(0x7777),
};

Envelope Letter(Lid from, const SaMad& mad) {
    Envelope envelope;
    envelope.peer = from;
    envelope.queue_pair = 1;
    envelope.remote_queue_pair = 1;
    envelope.mad = ToMad(mad);
    return envelope;
}

SaMad Head(Method method, SaAttribute attribute, std::uint64_t id) {
    SaMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    mad.header.class_version = kSubnAdmClassVersion;
    mad.header.method = method;
    mad.header.transaction_id = TransactionId{id};
    mad.header.attribute_id = AttributeId{static_cast<std::uint16_t>(attribute)};
    return mad;
}

/// As MakeRmppData() makes it, which makes sound ones only; a host may say segment 0, and a last
/// segment of more octets than there are.
RmppHeader DataHead(std::uint8_t segment, bool is_last, std::uint8_t octets) {
    RmppHeader header = MakeRmppData(std::max<std::uint32_t>(segment, 1), is_last, 0);
    header.segment = segment;
    if (is_last) header.length = octets + kSaClassHeaderOctets;
    return header;
}

/// STOP or ABORT, with any status: also with "normal".
RmppHeader EndHead(std::uint8_t status) {
    const bool is_stop = status == static_cast<std::uint8_t>(RmppStatus::kResourcesExhausted);
    RmppHeader header =
        MakeRmppEnd(is_stop ? RmppStatus::kResourcesExhausted : RmppStatus::kTooManyRetries);
    header.status = status;
    return header;
}

/// A question: method, attribute, mask, key, modifier and record as the script says.
Envelope Question(Script& script, bool by_rmpp) {
    const std::uint8_t from = script.Next();
    const Method method = kMethods[script.Next() % kMethods.size()];
    const SaAttribute attribute = kAttributes[script.Next() % kAttributes.size()];
    SaMad mad = Head(method, attribute, script.Next());
    mad.component_mask = std::uint64_t{script.Next32()} << (script.Next() % 33U);
    const std::uint8_t flags = script.Next();
    if ((flags & 1U) != 0) mad.sm_key = std::uint64_t{flags >> 1U & 3U};
    if ((flags & 8U) != 0) mad.header.attribute_modifier = script.Next32();
    if (by_rmpp) {
        const std::uint8_t segment = script.Next();
        mad.rmpp = DataHead(segment, (flags & 16U) != 0, script.Next());
        if ((flags & 32U) != 0) mad.rmpp.length = script.Next32();
    }
    const std::size_t octets = std::min<std::size_t>(script.Next(), mad.data.size());
    script.Fill(std::span(mad.data).first(octets));
    return Letter(static_cast<Lid>(from % 8U), mad);
}

/// The receiver's reaction to the last answer: the truth, or something beside it.
std::optional<Envelope> Reaction(Script& script, const std::optional<Envelope>& last) {
    const std::uint8_t kind = script.Next();
    const std::uint8_t off = script.Next();
    if (!last) return std::nullopt;
    const SaMad heard = ToSaMad(last->mad);
    SaMad mad = heard;
    mad.header.method =
        static_cast<Method>(static_cast<std::uint8_t>(heard.header.method) & std::uint8_t{0x7F});
    const std::uint32_t segment = heard.rmpp.segment;
    mad.rmpp = MakeRmppAck(segment + (kind % 4U == 3 ? off : 0U), segment + off);
    if (kind % 8U == 5) mad.rmpp.segment = script.Next32();
    if (kind % 8U == 6) mad.rmpp.length = script.Next32();
    if (kind % 16U == 7) mad.rmpp = EndHead(off);
    if (kind % 16U == 15) mad.rmpp.type = off;
    return Letter(last->peer, mad);
}

Envelope Rubbish(Script& script) {
    std::array<std::uint8_t, kMadOctets> octets{};
    const Lid from{script.Next()};
    script.Fill(std::span(octets).first(script.Next()));
    SaMad mad{};
    std::memcpy(&mad, octets.data(), sizeof mad);
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    return Letter(from, mad);
}

constexpr std::uint64_t kSecond = 1'000'000;

class House {
public:
    House()
        : fabric_(SmallNet(), MakeOptions()),
          port_(fabric_.Attach(0, 1)),
          storage_(std::make_unique<Storage<kFuzzLimits>>()),
          manager_(storage_->memory(), kFuzzLimits,
                   {port_, fabric_.clock(), fabric_.clock(), store_, entropy_}, Settings{},
                   engines_.All()) {}

    /// Steps the subnet manager for that much of virtual time.
    void Run(std::uint64_t for_us) {
        const std::uint64_t limit_us = fabric_.clock().NowUs() + for_us;
        for (int step = 0; step < 50'000; ++step) {
            const std::uint64_t next_us = manager_.Step();
            const std::uint64_t now_us = fabric_.clock().NowUs();
            Check();
            if (now_us >= limit_us) return;
            if (next_us <= now_us) continue;
            fabric_.AdvanceToNextEvent(std::min(next_us, limit_us));
        }
        Demand(false, "the subnet manager lets time pass");
    }

    void Follow(Script& script) {
        for (int letters = 0; letters < 200 && !script.ended(); ++letters) {
            const std::uint8_t what = script.Next();
            if (what % 8U < 3) port_.letters.push_back(Question(script, false));
            if (what % 8U == 3) port_.letters.push_back(Question(script, true));
            if (what % 8U == 4) port_.letters.push_back(Rubbish(script));
            if (what % 8U == 5 || what % 8U == 6) {
                const auto reaction = Reaction(script, port_.last);
                if (reaction) port_.letters.push_back(*reaction);
            }
            if (what % 8U == 7) port_.refusals = what >> 5U;
            if ((what & 8U) != 0) Run(1 + 10'000 * static_cast<std::uint64_t>(what >> 4U));
        }
    }

    /// An honest host asks for what every SA must know.
    void AskHonestly() {
        port_.refusals = 0;
        port_.letters.clear();
        Run(60 * kSecond);
        if (!manager_.administration().serves()) return;
        const Lid own = manager_.fabric().port(manager_.fabric().own_port()).lid;
        port_.last.reset();
        port_.letters.push_back(
            Letter(own, Head(Method::kGet, SaAttribute::kClassPortInfo, 0x4242)));
        Run(kSecond);
        Demand(port_.last.has_value() && port_.last->mad.header.status == 0,
               "an honest host is answered");
        Demand(manager_.administration().transfers() == 0, "no transfer outlives its receiver");
    }

private:
    static const net::Netlist& SmallNet() {
        static const net::Netlist net = Net();
        return net;
    }
    static sim::FabricSim::Options MakeOptions() {
        sim::FabricSim::Options options;
        options.hardware.linear_fdb_cap = 256;
        options.hardware.multicast_fdb_cap = 32;
        options.capacity = {.packets = 256, .inbox = 256, .scheduled_faults = 16};
        return options;
    }
    void Check() const {
        const Administration& sa = manager_.administration();
        Demand(sa.transfers() <= kFuzzLimits.max_sa_transfers, "transfers are bounded");
        Demand(sa.waiting() <= kFuzzLimits.max_sa_requests, "questions are bounded");
    }

    sim::FabricSim fabric_;
    LetterBox port_;
    NoStore store_;
    FixedEntropy entropy_;
    Engines engines_;
    std::unique_ptr<Storage<kFuzzLimits>> storage_;
    SubnetManager manager_;
};

void Fuzz(std::span<const std::uint8_t> input) {
    House house;
    house.Run(2 * kSecond);
    Script script(input);
    house.Follow(script);
    house.AskHonestly();
}

}  // namespace
}  // namespace ember

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::Fuzz({data, size});
    return 0;
}
