// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: a subnet with managers, clients, liars and bad luck, in the words of which
// the script speaks.
//
// Goal:   whatever happens to a subnet, no manager stops, spins or forgets what it has lent; and
// when
//         all are honest again, every cable is in and one sweep was asked for, the subnet is sound
//         and clients are served.
// Method: one or two whole managers on a small simulated fabric, with clients on its other hosts. A
//         line of the script is a verb and whom it is about, by number among the GUIDs, LIDs,
//         groups and cables that there are: so that mutations stay meaningful. tests/swarm is the
//         same with dice; here the coverage leads.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/wire/guid_info_record.h"
#include "core/wire/path_record.h"
#include "core/wire/service_record.h"
#include "core/wire/sm_info.h"
#include "tests/fuzz/world_stage.h"

namespace ember::testing {
namespace {

const bool kIsStrict = (GTEST_FLAG_SET(throw_on_failure, true), true);

constexpr int kMaxActs = 60;

class Play : private Stage {
public:
    using Stage::Stage;

    void Run() {
        for (int acts = 0; acts < kMaxActs && !script_.ended(); ++acts) {
            Act();
            Check();
        }
        MakeAllHonest();
        Judge();
    }

private:
    void Act() {
        const std::uint8_t verb = script_.Next() % 21;
        switch (verb) {
            case 0:
            case 1:
                return JoinOrLeave();
            case 2:
                return Serve();
            case 3:
                return NameAlias();
            case 4:
                return Subscribe();
            case 5:
                return AskForPaths();
            case 6:
                return world_.sim().Do(sim::FabricSim::Action::kCut, AnyRow());
            case 7:
                return world_.sim().Do(sim::FabricSim::Action::kJoin, AnyRow());
            case 8:
                return SwitchPower();
            case 9:
                return Lie();
            case 10:
                return Restart();
            case 11:
                return Reconfigure();
            case 12:
                return AskForSweep();
            case 13:
                return Worsen();
            case 14:
                return Complain();
            case 15:
                return SaySmInfo();
            case 16:
                return SwapLinks();
            case 17:
                return Forge();
            default:
                return Wait();
        }
    }

    /// Half of the questions are waited for.
    void Ask(SaClient& client, const SaMad& question) {
        if (script_.Next() % 2 == 0) {
            client.Send(question);
        } else {
            static_cast<void>(client.AskOnce(question));
        }
    }
    void JoinOrLeave() {
        SaClient& client = AnyClient();
        const Guid who = script_.Next() % 4 == 0 ? AnyGuid() : client.guid();
        McMemberRecord record = FullMember(who);
        record.SetMgid({0xFF15A01C00000000, script_.Next() % 8U});
        const std::uint8_t how = script_.Next();
        record.Set(McMemberRecord::kJoinState, static_cast<std::uint8_t>(how % 8));
        const bool leaves = how >= 160;
        Ask(client,
            client.Question(leaves ? Method::kDelete : Method::kSet, SaAttribute::kMcMemberRecord,
                            leaves ? kToLeave : kToJoin, record));
    }
    void Serve() {
        SaClient& client = AnyClient();
        ServiceRecord record;
        record.Set(ServiceRecord::kServiceId, std::uint64_t{script_.Next()} % 8);
        record.Set(ServiceRecord::kServiceGidHigh, kPrefix);
        record.Set(ServiceRecord::kServiceGidLow, Raw(AnyGuid()));
        record.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
        record.Set(ServiceRecord::kServiceLease, std::uint32_t{script_.Next()});
        constexpr std::array kMethods = {Method::kSet, Method::kDelete, Method::kGet,
                                         Method::kGetTable};
        const Method method = kMethods[script_.Next() % kMethods.size()];
        Ask(client, client.Question(method, SaAttribute::kServiceRecord, 0x17, record));
    }
    void NameAlias() {
        SaClient& client = AnyClient();
        GuidInfoRecord record;
        record.Set(GuidInfoRecord::kLid, AnyLid());
        const unsigned place = script_.Next() % 8U;
        const std::uint64_t alias = script_.Next() % 16U;
        record.Set(Field<std::uint64_t>{static_cast<std::uint16_t>(64 + 64 * place), 64}, alias);
        const std::uint64_t mask = 3U | std::uint64_t{1} << (GuidInfoRecord::kFirstGuid + place);
        const Method method = script_.Next() % 2 == 0 ? Method::kSet : Method::kDelete;
        Ask(client, client.Question(method, SaAttribute::kGuidInfoRecord, mask, record));
    }
    void Subscribe() {
        SaClient& client = AnyClient();
        constexpr std::array kTraps = {TrapNumber::kInService, TrapNumber::kOutOfService,
                                       TrapNumber::kMulticastCreated, TrapNumber::kLinkStateChange};
        InformInfo info = Subscription(kTraps[script_.Next() % kTraps.size()]);
        info.Set(InformInfo::kSubscribe, static_cast<std::uint8_t>(script_.Next() % 2));
        client.acknowledges = script_.Next() % 4 != 0;
        Ask(client, client.Question(Method::kSet, SaAttribute::kInformInfo, 0, info));
    }
    void AskForPaths() {
        SaClient& client = AnyClient();
        PathRecord record;
        record.Set(PathRecord::kSgidPrefix, kPrefix);
        record.Set(PathRecord::kSgidGuid, client.guid());
        record.Set(PathRecord::kDgidPrefix, kPrefix);
        record.Set(PathRecord::kDgidGuid, AnyGuid());
        record.Set(PathRecord::kDlid, AnyLid());
        record.Set(PathRecord::kNumbPath, std::uint8_t{1});
        constexpr std::array kMasks = {0x0CU, 0x08U, 0x10U, 0x1CU};
        const std::uint64_t mask = kMasks[script_.Next() % kMasks.size()];
        const Method method = script_.Next() % 2 == 0 ? Method::kGet : Method::kGetTable;
        Ask(client, client.Question(method, SaAttribute::kPathRecord, mask, record));
    }

    void SwitchPower() {
        const std::uint32_t at = AnyNode();
        if (at == hosts_[0]) return;  // Where the first manager lives.
        const std::uint8_t how = script_.Next() % 3;
        if (how == 0) world_.sim().Do(sim::FabricSim::Action::kPowerOff, at);
        if (how == 1) world_.sim().Do(sim::FabricSim::Action::kPowerOn, at);
        if (how == 2) world_.sim().Reboot(at, 1 + script_.Next() * kMs);
    }
    void Lie() {
        const std::uint32_t at = AnyNode();
        const std::uint8_t how = script_.Next();
        if (how >= 200) return world_.sim().Silence(at, how % 16);
        forger_.lies().Tell(at, static_cast<ember::testing::Lie>(
                                    how % static_cast<unsigned>(ember::testing::Lie::kCount)));
        world_.sim().SetLiar(&forger_);
    }
    /// A node lies about an octet of what it is asked, plausibly or not.
    void Forge() {
        constexpr std::array kAttributes = {
            AttributeId::kNodeInfo, AttributeId::kSwitchInfo,
            AttributeId::kPortInfo, AttributeId::kLinearForwardingTable,
            AttributeId::kGuidInfo, AttributeId::kPKeyTable};
        Forger::Lie lie;
        lie.node = AnyNode();
        lie.attribute = kAttributes[script_.Next() % kAttributes.size()];
        lie.at = script_.Next() % kSmpDataOctets;
        lie.octet = script_.Next();
        forger_.Add(lie);
        world_.sim().SetLiar(&forger_);
    }
    void Restart() {
        const std::size_t seat = AnySeat();
        const std::uint8_t how = script_.Next() % 8;
        if (how == 1) world_.store(seat).Damage(StoreSlot::kGuidToLid);
        if (how == 2) world_.store(seat).Forget(StoreSlot::kGuidToLid);
        std::vector<std::byte>& journal = world_.state_log(seat).octets();
        if (how == 3 && !journal.empty()) journal.resize(journal.size() * script_.Next() / 256);
        if (how == 4 && !journal.empty()) {
            journal[script_.Next32() % journal.size()] ^= std::byte{script_.Next()};
        }
        if (how == 5) world_.store(seat).SetBusy(script_.Next());
        if (how == 6) return world_.Kill(seat);
        world_.Reconfigure(settings_[seat], seat);
        world_.Restart(seat);
    }
    void Reconfigure() {
        const std::size_t seat = AnySeat();
        const std::uint8_t priority = settings_[seat].sm_priority;
        settings_[seat] = SettingsOf(script_.Next());
        settings_[seat].sm_priority = priority;
        if (!world_.alive(seat)) return;
        world_.sm(seat).Configure(settings_[seat]);
        world_.Wake(seat);
    }
    void AskForSweep() {
        const std::size_t seat = AnySeat();
        if (!world_.alive(seat)) return;
        world_.sm(seat).RequestSweep(script_.Next() % 2 == 0 ? SweepCue::kHeavyRequest
                                                             : SweepCue::kLightRequest);
        world_.Wake(seat);
    }
    void Worsen() {
        sim::Faults& faults = world_.sim().faults();
        faults.loss = script_.Next() % 30U * sim::kPercent;
        faults.duplication = script_.Next() % 30U * sim::kPercent;
        faults.corruption = script_.Next() % 10U * sim::kPercent;
        faults.jitter_ns = script_.Next() * 10'000U;
    }
    /// A host says by a trap what it likes.
    void Complain() {
        constexpr std::array kTraps = {TrapNumber::kLinkStateChange,
                                       TrapNumber::kLocalLinkIntegrity, TrapNumber::kLocalChanges,
                                       TrapNumber::kBadMKey};
        PortErrorNotice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kTrapNumber, kTraps[script_.Next() % kTraps.size()]);
        notice.Set(Notice::kIssuerLid, AnyLid());
        notice.Set(PortErrorNotice::kLidAddr, AnyLid());
        notice.Set(PortErrorNotice::kPortNo, PortNumber{script_.Next()});
        Whisper({.method = Method::kTrap,
                 .attribute = AttributeId::kNotice,
                 .data = std::bit_cast<SmpData>(notice)});
    }
    void SaySmInfo() {
        SmInfo info;
        info.Set(SmInfo::kGuid, AnyGuid());
        info.Set(SmInfo::kPriority, static_cast<std::uint8_t>(script_.Next() % 16));
        info.Set(SmInfo::kSmState, static_cast<SmState>(script_.Next() % 4));
        const Method method = script_.Next() % 2 == 0 ? Method::kSet : Method::kGet;
        Whisper({.method = method,
                 .attribute = AttributeId::kSmInfo,
                 .modifier = script_.Next() % 6U,
                 .data = std::bit_cast<SmpData>(info)});
    }
    void Whisper(const SmpRequest& request) {
        Envelope envelope;
        const std::size_t seat = script_.Next() % settings_.size();
        const std::uint32_t row = world_.sim().RowOf(hosts_[seat], 1);
        envelope.peer = world_.world().port(row).info.Get(PortInfo::kLid);
        envelope.mad = MakeLidRouted(request);
        clients_[script_.Next() % clients_.size()]->SendRaw(envelope);
    }
    void SwapLinks() {
        const std::uint32_t one = AnyRow();
        const std::uint32_t other = AnyRow();
        const std::uint32_t peer = world_.world().Wired(one);
        const bool are_cabled =
            peer != sim::kNoRow && world_.world().Wired(other) != sim::kNoRow && peer != other;
        if (are_cabled && one != other) Swap(one, other);
    }
    void Wait() {
        const std::uint8_t how = script_.Next();
        const std::uint64_t time_us = how < 128 ? how * kMs : (how - 127U) * 50 * kMs;
        Listen(time_us);
    }
};

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::testing::Script script({data, size});
    const auto play = std::make_unique<ember::testing::Play>(script);
    play->Run();
    return 0;
}
