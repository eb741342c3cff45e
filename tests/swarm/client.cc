// SPDX-License-Identifier: Apache-2.0
// EmberSM: a host's program in a story.
#include "tests/swarm/client.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/wire/inform_info.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/notice.h"
#include "core/wire/service_record.h"
#include "tests/swarm/story.h"

namespace ember::swarm {
namespace {

constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::uint64_t kAskAgainUs = 250 * kMs;
constexpr std::uint64_t kPauseUs = 100 * kMs;
/// Before it asks for what was refused.
constexpr std::uint64_t kRetryUs = 10 * kSecond;

constexpr std::uint64_t Bit(unsigned component) {
    return std::uint64_t{1} << component;
}

McMemberRecord MemberOf(std::uint32_t id, Guid port) {
    McMemberRecord record;
    record.SetMgid(MgidOf(id));
    record.Set(McMemberRecord::kPortGidPrefix, kPrefix);
    record.Set(McMemberRecord::kPortGidGuid, port);
    record.Set(McMemberRecord::kPKey, std::uint16_t{0xFFFF});
    record.Set(McMemberRecord::kJoinState, std::uint8_t{1});
    return record;
}
constexpr std::uint64_t kToLeave = Bit(McMemberRecord::kHasMgid) |
                                   Bit(McMemberRecord::kHasPortGid) |
                                   Bit(McMemberRecord::kHasJoinState);
constexpr std::uint64_t kToCreate = kToLeave | Bit(McMemberRecord::kHasQKey) |
                                    Bit(McMemberRecord::kHasTClass) |
                                    Bit(McMemberRecord::kHasPKey) | Bit(McMemberRecord::kHasSl) |
                                    Bit(McMemberRecord::kHasFlowLabel);

ServiceRecord ServiceOf(std::uint32_t id, Guid port) {
    ServiceRecord record;
    record.Set(ServiceRecord::kServiceId, std::uint64_t{0x1000} + id);
    record.SetGid({kPrefix, Raw(port)});
    record.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
    record.Set(ServiceRecord::kServiceLease, ServiceRecord::kForever);
    return record;
}
constexpr std::uint64_t kServiceName = Bit(ServiceRecord::kHasServiceId) |
                                       Bit(ServiceRecord::kHasServiceGid) |
                                       Bit(ServiceRecord::kHasServicePKey);
constexpr std::uint64_t kService = kServiceName | Bit(ServiceRecord::kHasServiceLease);

InformInfo SubscriptionOf(std::uint32_t id, bool subscribe) {
    InformInfo info;
    info.Set(InformInfo::kLidRangeBegin, InformInfo::kAnyLid);
    info.Set(InformInfo::kIsGeneric, std::uint8_t{1});
    info.Set(InformInfo::kSubscribe, static_cast<std::uint8_t>(subscribe ? 1 : 0));
    info.Set(InformInfo::kType, InformInfo::kAnyType);
    info.Set(InformInfo::kTrapNumber, static_cast<std::uint16_t>(64 + id % 4));
    info.Set(InformInfo::kQpn, std::uint32_t{1});
    info.Set(InformInfo::kProducerType, InformInfo::kAnyProducer);
    return info;
}

/// The group has the values of the question as it was sent.
bool IsAsAskedFor(const SaMad& question, const McMemberRecord& member) {
    if (question.component_mask != kToCreate) return true;
    std::array<std::uint8_t, sizeof(McMemberRecord)> octets{};
    std::copy_n(question.data.begin(), octets.size(), octets.begin());
    const auto asked = std::bit_cast<McMemberRecord>(octets);
    const auto alike = [&](const auto& field) { return asked.Get(field) == member.Get(field); };
    return alike(McMemberRecord::kQKey) && alike(McMemberRecord::kTClass) &&
           alike(McMemberRecord::kSl) && alike(McMemberRecord::kFlowLabel);
}

/// The answer names what was asked for. A question that the wire has changed is answered too.
bool Names(const SaMad& answer, const SaMad& question, Wish::Kind kind) {
    // Of a service what its name consists of: its ID, GID and P_Key.
    const std::size_t size = kind == Wish::Kind::kService ? 26 : sizeof(InformInfo);
    return std::equal(question.data.begin(), question.data.begin() + size, answer.data.begin());
}

}  // namespace

Gid MgidOf(std::uint32_t id) {
    return id == 0 ? Gid{0xFF12401BFFFF0000, 0xFFFFFFFF} : Gid{0xFF15A01C00000000, id};
}

Client::Client(testing::SimWorld& world, std::uint32_t node)
    : world_(world),
      port_(world.sim().AttachClient(node, 1)),
      node_(node),
      row_(world.sim().RowOf(node, 1)),
      serial_(std::uint64_t{node} << 20U) {}

Guid Client::guid() const {
    return world_.world().port(row_).guid;
}
Lid Client::lid() const {
    return world_.world().port(row_).info.Get(PortInfo::kLid);
}
Lid Client::master_lid() const {
    return world_.world().port(row_).info.Get(PortInfo::kMasterSmLid);
}

Wish* Client::Find(Wish::Kind kind, std::uint32_t id) {
    const auto at = std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& wish) {
        return wish.kind == kind && wish.id == id;
    });
    return at == wishes_.end() ? nullptr : &*at;
}

void Client::Want(Wish::Kind kind, std::uint32_t id) {
    Wish* wish = Find(kind, id);
    if (wish == nullptr) wish = &wishes_.emplace_back(Wish{kind, id});
    if (wish->state != Wish::State::kHeld) wish->state = Wish::State::kWanted;
    wish->is_odd = false;
    if (kind == Wish::Kind::kMember) NoteAskedFor(id);
}

void Client::Drop(Wish::Kind kind, std::uint32_t id) {
    Wish* const wish = Find(kind, id);
    if (wish == nullptr) return;
    wish->state = Wish::State::kLeaving;
    wish->is_odd = false;
}

void Client::WantNothing() {
    wishes_.clear();
    is_asking_ = false;
}

void Client::LoseWhatIsHeldSince(std::uint64_t since_us) {
    for (Wish& wish : wishes_) {
        const bool is_late = wish.state == Wish::State::kHeld && wish.held_us >= since_us;
        if (is_late) wish.state = Wish::State::kWanted;
    }
}

bool Client::is_served() const {
    return !is_to_register_ && std::all_of(wishes_.begin(), wishes_.end(), [](const Wish& wish) {
        return wish.state == Wish::State::kHeld || wish.state == Wish::State::kRefused;
    });
}

void Client::LookAtPort() {
    const PortInfo& info = world_.world().port(row_).info;
    const bool was_active = is_active_;
    is_active_ = info.Get(PortInfo::kPortState) == PortState::kActive;
    const Lid lid = info.Get(PortInfo::kLid);
    const bool is_new = (is_active_ && !was_active) || lid != last_lid_;
    last_lid_ = lid;
    if (!is_new && !is_to_register_) return;
    is_to_register_ = false;
    is_asking_ = false;  // Its answer would be from before.
    for (Wish& wish : wishes_) {
        if (wish.state == Wish::State::kHeld) wish.state = Wish::State::kWanted;
    }
}

/// As IPoIB does: what was refused for lack of room may fit later. A port that is refused a group
/// for its values may be the member for which the wire has changed them: it leaves first.
void Client::AskRefusedAgain(std::uint64_t now_us) {
    if (now_us < retry_us_) return;
    retry_us_ = now_us + kRetryUs;
    for (Wish& wish : wishes_) {
        if (wish.state != Wish::State::kRefused) continue;
        wish.is_odd = wish.kind == Wish::Kind::kMember &&
                      wish.status == static_cast<std::uint16_t>(SaStatus::kRequestInvalid);
        wish.state = wish.is_odd ? Wish::State::kLeaving : Wish::State::kWanted;
    }
}

void Client::Step(std::uint64_t now_us) {
    LookAtPort();
    Hear(now_us);
    if (!is_active_ || master_lid() == kNoLid) return;
    AskRefusedAgain(now_us);
    if (is_asking_ && now_us >= ask_again_us_) {
        ask_again_us_ = now_us + kAskAgainUs;
        SendRaw(ToMad(asked_), master_lid(), 1);
    }
    if (!is_asking_ && now_us >= pause_until_us_) AskNext(now_us);
}

std::uint64_t Client::NextDueUs() const {
    if (!is_active_ || master_lid() == kNoLid) return ~std::uint64_t{0};
    if (is_asking_) return ask_again_us_;
    if (!is_served()) return pause_until_us_;
    const bool is_refused = std::any_of(wishes_.begin(), wishes_.end(), [](const Wish& wish) {
        return wish.state == Wish::State::kRefused;
    });
    return is_refused ? retry_us_ : ~std::uint64_t{0};
}

void Client::AskNext(std::uint64_t now_us) {
    for (const Wish& wish : wishes_) {
        if (wish.state != Wish::State::kWanted && wish.state != Wish::State::kLeaving) continue;
        asked_ = QuestionOf(wish);
        asked_kind_ = wish.kind;
        asked_id_ = wish.id;
        asked_to_leave_ = wish.state == Wish::State::kLeaving;
        is_asking_ = true;
        ask_again_us_ = now_us + kAskAgainUs;
        SendRaw(ToMad(asked_), master_lid(), 1);
        return;
    }
}

SaMad Client::QuestionOf(const Wish& wish) {
    const bool leaves = wish.state == Wish::State::kLeaving;
    const Method method = leaves ? Method::kDelete : Method::kSet;
    switch (wish.kind) {
        case Wish::Kind::kMember: {
            const std::uint64_t mask = leaves || wish.id == 0 ? kToLeave : kToCreate;
            return Question(method, SaAttribute::kMcMemberRecord, mask,
                            MemberOf(wish.id, guid()).octets());
        }
        case Wish::Kind::kService:
            return Question(method, SaAttribute::kServiceRecord, leaves ? kServiceName : kService,
                            ServiceOf(wish.id, guid()).octets());
        case Wish::Kind::kSubscription:
            return Question(Method::kSet, SaAttribute::kInformInfo, 0,
                            SubscriptionOf(wish.id, !leaves).octets());
    }
    return {};
}

SaMad Client::Question(Method method, SaAttribute attribute, std::uint64_t mask,
                       std::span<const std::uint8_t> record) {
    SaMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    mad.header.class_version = kSubnAdmClassVersion;
    mad.header.method = method;
    mad.header.transaction_id = TransactionId{++serial_};
    mad.header.attribute_id = static_cast<AttributeId>(attribute);
    mad.component_mask = mask;
    std::copy(record.begin(), record.end(), mad.data.begin());
    return mad;
}

void Client::Inquire(const Wish& wish, Guid owner, std::uint64_t key) {
    SaMad mad{};
    switch (wish.kind) {
        case Wish::Kind::kMember:
            mad = Question(Method::kGet, SaAttribute::kMcMemberRecord,
                           Bit(McMemberRecord::kHasMgid) | Bit(McMemberRecord::kHasPortGid),
                           MemberOf(wish.id, owner).octets());
            break;
        case Wish::Kind::kService:
            mad = Question(Method::kGet, SaAttribute::kServiceRecord,
                           Bit(ServiceRecord::kHasServiceId) | Bit(ServiceRecord::kHasServiceGid),
                           ServiceOf(wish.id, owner).octets());
            break;
        case Wish::Kind::kSubscription: {
            InformInfoRecord record;
            record.Set(InformInfoRecord::kSubscriberGidHigh, kPrefix);
            record.Set(InformInfoRecord::kSubscriberGidLow, Raw(owner));
            mad = Question(Method::kGet, SaAttribute::kInformInfoRecord, 1, record.octets());
            break;
        }
    }
    mad.sm_key = key;
    inquiry_ = serial_;
    verdict_.reset();
    SendRaw(ToMad(mad), master_lid(), 1);
}

void Client::SendRaw(const Mad& mad, Lid to, std::uint8_t queue_pair) {
    Envelope envelope;
    envelope.peer = to;
    envelope.queue_pair = queue_pair;
    envelope.remote_queue_pair = queue_pair;
    envelope.mad = mad;
    static_cast<void>(port_.Send(envelope));
}

void Client::Hear(std::uint64_t now_us) {
    Envelope envelope;
    while (port_.Receive(envelope) == Status::kOk) {
        if (envelope.queue_pair != 1) continue;
        const SaMad mad = ToSaMad(envelope.mad);
        if (mad.header.method == Method::kReport) {
            SaMad reply = mad;
            reply.header.method = Method::kReportResp;
            SendRaw(ToMad(reply), envelope.peer, 1);
            continue;
        }
        HearAnswer(mad, now_us);
    }
}

/// The client has joined a group that it did not ask for.
void Client::LeaveAgain(const Gid& mgid) {
    for (std::uint32_t id = 0; id < kGroupIds; ++id) {
        if (MgidOf(id) != mgid) continue;
        NoteAskedFor(id);
        Wish* wish = Find(Wish::Kind::kMember, id);
        const bool is_wanted = wish != nullptr && wish->state != Wish::State::kLeaving;
        if (wish == nullptr) wish = &wishes_.emplace_back(Wish{Wish::Kind::kMember, id});
        wish->state = Wish::State::kLeaving;
        wish->is_odd = wish->is_odd || is_wanted;
    }
}

void Client::HearAnswer(const SaMad& mad, std::uint64_t now_us) {
    const std::uint64_t id = Raw(TransactionId{mad.header.transaction_id});
    const std::uint16_t status = mad.header.status;
    if (id == inquiry_ && inquiry_ != 0) verdict_ = status;
    if (!is_asking_ || id != Raw(TransactionId{asked_.header.transaction_id})) return;
    is_asking_ = false;
    // A question doubled on the way may come later than the next one.
    pause_until_us_ = now_us + (asked_to_leave_ ? kPauseUs : 0);
    if (status == static_cast<std::uint16_t>(SaStatus::kBusy)) {
        pause_until_us_ = now_us + kPauseUs;
        return;
    }
    const auto at = std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& wish) {
        return wish.kind == asked_kind_ && wish.id == asked_id_;
    });
    if (at == wishes_.end()) return;
    at->status = status;
    if (asked_to_leave_) {
        // A leave of what is not there is refused: gone is gone.
        if (at->state != Wish::State::kLeaving) return;
        if (std::exchange(at->is_odd, false)) {
            at->state = Wish::State::kWanted;
        } else {
            wishes_.erase(at);
        }
        return;
    }
    if (at->state != Wish::State::kWanted) return;
    // An answer that names another record is ignored: the client asks again.
    if (status == 0 && at->kind != Wish::Kind::kMember && !Names(mad, asked_, at->kind)) return;
    if (status == 0 && at->kind == Wish::Kind::kMember) {
        std::array<std::uint8_t, sizeof(McMemberRecord)> octets{};
        std::copy_n(mad.data.begin(), octets.size(), octets.begin());
        const auto member = std::bit_cast<McMemberRecord>(octets);
        // The wire may have changed the question, and another group was joined: ask again.
        if (member.mgid() != MgidOf(at->id)) return LeaveAgain(member.mgid());
        // Or it has made a group that others, who ask as they should, are refused.
        if (!IsAsAskedFor(asked_, member)) {
            at->is_odd = true;
            at->state = Wish::State::kLeaving;
            return;
        }
        at->mlid = member.Get(McMemberRecord::kMlid);
    }
    at->state = status == 0 ? Wish::State::kHeld : Wish::State::kRefused;
    at->held_us = now_us;
}

}  // namespace ember::swarm
