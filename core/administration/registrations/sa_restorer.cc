// SPDX-License-Identifier: Apache-2.0
// EmberSM: restores what clients had registered before a restart.
#include "core/administration/registrations/sa_restorer.h"

#include <algorithm>
#include <cstring>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/fabric/partitions.h"

namespace ember {
namespace {

template <WireStruct Body>
[[nodiscard]] Body BodyOf(const SaEntry& entry) {
    EMBER_ASSERT(entry.body.size() == sizeof(Body));
    Body body;
    std::memcpy(&body, entry.body.data(), sizeof(body));
    return body;
}

}  // namespace

void SaRestorer::Begin(const SaFile& file) {
    outcome_ = SaRestored{};
    file_ = file;
    if (parts_.log != nullptr) return BeginReading(false);
    is_file_ = false;
    GiveUpSource();
}

void SaRestorer::BeginReading(bool of_file) {
    EMBER_ASSERT(of_file || parts_.log != nullptr);
    is_file_ = of_file;
    at_ = 0;
    generation_ = 0;
    sequence_ = 0;
    is_complete_ = false;
    clock_us_ = 0;
    age_us_ = 0;
    state_ = State::kMeasuring;
}

/// On to the next one, if there is one.
void SaRestorer::GiveUpSource() {
    if (!is_file_ && !file_.octets.empty()) return BeginReading(true);
    state_ = State::kJudging;
}

bool SaRestorer::Step(std::uint64_t now_us) {
    switch (state_) {
        case State::kDone:
            return false;
        case State::kMeasuring:
            Measure();
            break;
        case State::kObeying:
            ObeySome(now_us);
            break;
        case State::kJudging:
            Judge(now_us);
            break;
    }
    return state_ != State::kDone;
}

/// Reads on from at_; how many octets there are.
std::size_t SaRestorer::Fill() {
    EMBER_ASSERT(is_file_ || parts_.log != nullptr);
    if (is_file_) {
        const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(at_, file_.octets.size()));
        const std::size_t count = std::min(file_.octets.size() - at, buffer_.size());
        std::memcpy(buffer_.data(), file_.octets.data() + at, count);
        return count;
    }
    const Result<std::size_t> read = parts_.log->Read(at_, buffer_);
    if (read.ok()) return read.value();
    outcome_.journal = read.status();
    return 0;
}

/// Frames of one buffer, and where the next buffer begins.
void SaRestorer::Measure() {
    EMBER_ASSERT(state_ == State::kMeasuring);
    StatusOfSource() = Status::kOk;
    std::span<const std::byte> octets = buffer_.first(Fill());
    if (StatusOfSource() != Status::kOk) {
        EndMeasuring();
        return;
    }
    const std::uint64_t began = at_;
    for (;;) {  // Ends: each turn takes a frame off, or leaves.
        const Result<SaFrame> frame = ReadFrame(octets);
        const bool is_first = at_ == 0;
        if (frame.ok() && is_first) generation_ = frame.value().head.generation;
        const bool fits = frame.ok() && frame.value().head.generation == generation_ &&
                          frame.value().head.sequence == sequence_;
        if (!fits) break;
        ++sequence_;
        clock_us_ = frame.value().head.clock_us;
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const Result<SaEntry> entry = TakeEntry(rest);
            is_complete_ = is_complete_ || entry.value().kind == SaEntryKind::kComplete;
        }
        at_ += frame.value().bytes();
        octets = octets.subspan(frame.value().bytes());
    }
    // A frame that is cut by the end of the buffer is read again.
    if (at_ != began) return;
    outcome_.beyond = octets.size();
    EndMeasuring();
}

void SaRestorer::EndMeasuring() {
    EMBER_ASSERT(state_ == State::kMeasuring);
    if (!is_file_) outcome_.generation = generation_;
    Status& status = StatusOfSource();
    if (status == Status::kOk && !is_complete_) {
        status = at_ == 0 && outcome_.beyond == 0 ? Status::kAbsent : Status::kMalformed;
    }
    if (status != Status::kOk) return GiveUpSource();
    outcome_.source = is_file_ ? SaRestoreSource::kFile : SaRestoreSource::kJournal;
    outcome_.bytes = at_;
    is_complete_ = false;
    age_us_ = AgeUs();
    at_ = 0;
    unread_ = {};
    entries_ = {};
    state_ = State::kObeying;
}

std::uint64_t SaRestorer::AgeUs() const {
    if (!is_file_) return parts_.log->AgeSeconds() * kSecondUs;
    const std::uint64_t now_us = file_.unix_s * kSecondUs;
    return now_us - std::min(now_us, clock_us_);
}

/// The next frame of the buffer becomes the one at hand. It is judged again: reading the log twice
/// need not give the same octets.
bool SaRestorer::OpenFrame() {
    EMBER_ASSERT(entries_.empty());
    const Result<SaFrame> frame = ReadFrame(unread_);
    if (!frame.ok()) return false;
    entries_ = frame.value().entries;
    at_ += frame.value().bytes();
    unread_ = unread_.subspan(frame.value().bytes());
    return true;
}

void SaRestorer::ObeySome(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kObeying);
    for (int left = kEntriesAtOnce; left > 0; --left) {
        if (!entries_.empty()) {
            Obey(TakeEntry(entries_).value(), now_us);
            continue;
        }
        if (at_ >= outcome_.bytes) {
            state_ = State::kJudging;
            return;
        }
        if (OpenFrame()) continue;
        unread_ = buffer_.first(Fill());  // What was cut by the end of the buffer is read again.
        if (OpenFrame()) continue;
        StatusOfSource() = Status::kDevice;
        state_ = State::kJudging;
        return;
    }
}

/// Registrations of ports that are gone are dropped.
void SaRestorer::Judge(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kJudging);
    const auto is_gone = [this](Guid guid) { return parts_.fabric.FindPort(guid) == kNoPortIndex; };
    const SaTables& tables = parts_.tables;
    outcome_.gone +=
        tables.groups.Drop([&](const Member& member) { return is_gone(member.owner); }, now_us);
    const std::size_t aliases = tables.aliases.count();
    tables.aliases.Drop(is_gone);
    outcome_.gone += aliases - tables.aliases.count();
    outcome_.expired +=
        tables.services.Drop([&](const Services::Row& row) { return row.ends_us <= now_us; });
    outcome_.gone +=
        tables.services.Drop([&](const Services::Row& row) { return is_gone(row.owner); });
    outcome_.gone +=
        tables.subscriptions.Drop([&](const Subscription& row) { return is_gone(row.subscriber); });
    outcome_.groups = tables.groups.group_count();
    outcome_.members = tables.groups.member_count();
    outcome_.aliases = tables.aliases.count();
    outcome_.services = tables.services.count();
    outcome_.subscriptions = tables.subscriptions.count();
    state_ = State::kDone;
}

void SaRestorer::Obey(const SaEntry& entry, std::uint64_t now_us) {
    bool is_usable = true;
    switch (entry.kind) {
        case SaEntryKind::kComplete:
            is_complete_ = true;
            break;
        case SaEntryKind::kGroup:
            is_usable = ObeyGroup(BodyOf<GroupEntry>(entry));
            break;
        case SaEntryKind::kGroupGone: {
            const GroupIndex at = parts_.tables.groups.Find(BodyOf<MgidEntry>(entry).mgid.gid());
            if (at != kNoGroup) parts_.tables.groups.ForgetGroup(at);
            break;
        }
        case SaEntryKind::kMember:
            is_usable = ObeyMember(BodyOf<MemberEntry>(entry));
            break;
        case SaEntryKind::kMemberGone:
            ForgetMember(BodyOf<MemberEntry>(entry));
            break;
        case SaEntryKind::kAlias:
            is_usable = ObeyAlias(BodyOf<AliasEntry>(entry));
            break;
        case SaEntryKind::kAliasGone: {
            const auto gone = BodyOf<AliasEntry>(entry);
            parts_.tables.aliases.Remove(gone.port, gone.place);
            break;
        }
        case SaEntryKind::kService:
            is_usable = ObeyService(BodyOf<ServiceEntry>(entry), now_us);
            break;
        case SaEntryKind::kServiceGone:
            ForgetService(BodyOf<ServiceNameEntry>(entry));
            break;
        case SaEntryKind::kSubscription:
            is_usable = ObeySubscription(BodyOf<SubscriptionEntry>(entry));
            break;
        case SaEntryKind::kSubscriptionGone:
            ForgetSubscription(BodyOf<SubscriptionEntry>(entry));
            break;
    }
    if (!is_usable) ++outcome_.unusable;
}

bool SaRestorer::ObeyGroup(const GroupEntry& entry) {
    const Gid mgid = entry.mgid.gid();
    const Mtu mtu = entry.mtu;
    const bool is_sound = IsMulticast(mgid) && mtu >= Mtu::k256 && mtu <= Mtu::k4096 &&
                          IsRate(entry.rate) && NamesPartition(entry.p_key) &&
                          entry.packet_life_time < 64 && entry.sl < 16 && entry.scope < 16 &&
                          std::uint32_t{entry.flow_label} < 1U << 20U;
    if (!is_sound) return false;
    Group like;
    like.mgid = mgid;
    like.mlid = MlidOf(entry.mlid);
    like.values = {.q_key = entry.q_key,
                   .p_key = entry.p_key,
                   .mtu = mtu,
                   .rate = entry.rate,
                   .packet_life_time = entry.packet_life_time,
                   .sl = entry.sl,
                   .t_class = entry.t_class,
                   .hop_limit = entry.hop_limit,
                   .scope = entry.scope,
                   .flow_label = entry.flow_label};
    const Result<bool> restored = parts_.tables.groups.Restore(like);
    if (restored.ok() && !restored.value()) ++outcome_.moved;
    return restored.ok();
}

bool SaRestorer::ObeyMember(const MemberEntry& entry) {
    Groups& groups = parts_.tables.groups;
    const GroupIndex group = groups.Find(entry.mgid.gid());
    const bool is_sound = Guid{entry.port_guid} != kNoGuid && Guid{entry.owner} != kNoGuid &&
                          entry.join_state != 0 && entry.join_state <= join_state::kAll;
    if (!is_sound) return false;
    // It joined while its group was still to be copied: it is copied after that.
    if (group == kNoGroup) return !is_complete_;
    Member who;
    who.port_guid = entry.port_guid;
    who.owner = entry.owner;
    who.group = group;
    who.join_state = entry.join_state;
    who.is_proxied = entry.is_proxied != 0;
    return groups.RestoreMember(group, who) == Status::kOk;
}

void SaRestorer::ForgetMember(const MemberEntry& entry) {
    Groups& groups = parts_.tables.groups;
    const GroupIndex group = groups.Find(entry.mgid.gid());
    if (group == kNoGroup) return;
    const MemberIndex at = groups.FindMember(group, entry.port_guid);
    if (at != kNoMember) groups.ForgetMember(at);
}

bool SaRestorer::ObeyAlias(const AliasEntry& entry) {
    AliasGuids& aliases = parts_.tables.aliases;
    const Guid alias = entry.alias;
    const Guid port = entry.port;
    if (alias == kNoGuid || port == kNoGuid || entry.place == 0) return false;
    if (aliases.At(port, entry.place) == alias) return true;
    const bool is_taken =
        aliases.PortOf(alias) != kNoGuid || parts_.fabric.FindPort(alias) != kNoPortIndex;
    if (is_taken) return false;
    return aliases.Put(port, entry.place, alias) == Status::kOk;
}

/// One whose lease has ended counts until the end, lest its renewal find nothing.
bool SaRestorer::ObeyService(const ServiceEntry& entry, std::uint64_t now_us) {
    if (Guid{entry.owner} == kNoGuid) return false;
    std::uint64_t ends_us = entry.ends_us;
    if (ends_us != kNever) {
        const std::uint64_t over_us = clock_us_ + age_us_;
        const std::uint64_t left_us = ends_us - std::min(ends_us, over_us);
        if (left_us > std::uint64_t{ServiceRecord::kForever} * kSecondUs) return false;
        ends_us = now_us + left_us;
    }
    return parts_.tables.services.Restore(entry.record, entry.owner, ends_us) == Status::kOk;
}

void SaRestorer::ForgetService(const ServiceNameEntry& entry) {
    ServiceRecord named;
    named.Set(ServiceRecord::kServiceId, std::uint64_t{entry.service_id});
    named.SetGid(entry.gid.gid());
    named.Set(ServiceRecord::kServicePKey, std::uint16_t{entry.p_key});
    const ServiceIndex at = parts_.tables.services.Find(named);
    if (at != kNoService) parts_.tables.services.Remove(at);
}

bool SaRestorer::ObeySubscription(const SubscriptionEntry& entry) {
    const Subscription wanted = SubscriptionOf(entry);
    const bool is_sound =
        wanted.subscriber != kNoGuid && wanted.path_bits < 128 && wanted.service_level < 16;
    if (!is_sound) return false;
    if (parts_.tables.subscriptions.Find(wanted) != kNoSubscription) return true;
    return parts_.tables.subscriptions.Restore(wanted) == Status::kOk;
}

void SaRestorer::ForgetSubscription(const SubscriptionEntry& entry) {
    const SubscriptionIndex at = parts_.tables.subscriptions.Find(SubscriptionOf(entry));
    if (at != kNoSubscription) parts_.tables.subscriptions.Remove(at);
}

}  // namespace ember
