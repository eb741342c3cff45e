// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a master tells its standbys of the subnet, beside registrations.

#include "core/replication/replicated_state.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

/// The octets before salt and place where a mask is made: no message begins so.
constexpr std::array<std::uint8_t, 8> kMaskOf = {'M', '_', 'K', 'e', 'y', ' ', 'o', 'f'};

template <WireStruct Body>
[[nodiscard]] Body Read(std::span<const std::byte> octets) {
    EMBER_ASSERT(octets.size() == sizeof(Body));
    Body body;
    std::memcpy(&body, octets.data(), sizeof(body));
    return body;
}

}  // namespace

// As master.

std::size_t ReplicatedState::bound() const {
    return kMostMKeyRules + parts_.flapping.rows().size() + parts_.lids.map().entries().size();
}

void ReplicatedState::Show(std::size_t row, SaStateSink& sink) {
    EMBER_ASSERT(row < bound());
    if (row == 0) sent_version_ = parts_.m_keys.version();
    if (row < kMostMKeyRules) return ShowRule(row, sink);
    row -= kMostMKeyRules;
    const std::span<const FlappingLink> links = parts_.flapping.rows();
    if (row < links.size()) return parts_.flapping.Show(links[row], sink);
    row -= links.size();
    const KeptLids& kept = parts_.lids.map().entries()[row];
    EmitEntry(&sink, SaEntryKind::kLids, LidMap::EntryOf(kept));
    if (kept.exit.lid != kNoLid) EmitEntry(&sink, SaEntryKind::kLidExit, LidMap::ExitEntryOf(kept));
}

/// Half of a code: as good as drawn for whom does not know the key.
Result<std::uint64_t> ReplicatedState::MaskOf(const MKeyRuleEntry& entry) const {
    if (parts_.codes == nullptr) return Status::kAbsent;
    std::array<std::uint8_t, kMaskOf.size() + sizeof(std::uint64_t) + 1> of{};
    std::memcpy(of.data(), kMaskOf.data(), kMaskOf.size());
    std::memcpy(of.data() + kMaskOf.size(), &entry.salt, sizeof(entry.salt));
    of.back() = entry.place;
    const Result<MacCode> code = parts_.codes->Of(std::as_bytes(std::span(of)));
    if (!code.ok()) return code.status();
    Be<std::uint64_t> mask;
    std::memcpy(&mask, code.value().data(), sizeof(mask));
    return std::uint64_t{mask};
}

void ReplicatedState::ShowRule(std::size_t place, SaStateSink& sink) const {
    const MKeyRules& rules = parts_.m_keys.rules();
    if (place >= rules.size()) return;
    MKeyRuleEntry entry;
    entry.place = static_cast<std::uint8_t>(place);
    entry.per_port = rules[place].per_port ? 1 : 0;
    entry.salt = parts_.entropy.Draw();
    const Result<std::uint64_t> mask = MaskOf(entry);
    if (!mask.ok()) return;
    entry.masked_secret = rules[place].secret ^ mask.value();
    EmitEntry(&sink, SaEntryKind::kMKeyRule, entry);
}

void ReplicatedState::Watch(SaStateSink* sink) {
    sink_ = sink;
    parts_.lids.map().Watch(sink);
    parts_.flapping.Watch(sink);
}

void ReplicatedState::Step() {
    if (sink_ == nullptr || sent_version_ == parts_.m_keys.version()) return;
    sent_version_ = parts_.m_keys.version();
    for (std::size_t place = 0; place < kMostMKeyRules; ++place) {
        ShowRule(place, *sink_);
    }
}

// As standby.

void ReplicatedState::BeginCopy() {
    marks_.clear();
    copy_has_lids_ = false;
    heard_.clear();
    parts_.flapping.BeginCopy();
}

Status ReplicatedState::Obey(SaEntryKind kind, std::span<const std::byte> body,
                             std::uint64_t clock_us, std::uint64_t now_us) {
    EMBER_ASSERT(IsOfSubnet(kind));
    switch (kind) {
        case SaEntryKind::kLids:
            return ObeyLids(Read<LidsEntry>(body));
        case SaEntryKind::kLidsGone: {
            const Guid guid = Read<LidsEntry>(body).guid;
            parts_.lids.map().Forget(guid);
            break;
        }
        case SaEntryKind::kLidExit: {
            const auto entry = Read<LidExitEntry>(body);
            return parts_.lids.map().NoteExit(
                entry.guid, {entry.exit_lid, PortNumber{entry.exit_port}, entry.arrivals});
        }
        case SaEntryKind::kMKeyRule:
            return ObeyRule(Read<MKeyRuleEntry>(body));
        case SaEntryKind::kQuarantine:
            return ObeyQuarantine(Read<QuarantineEntry>(body), clock_us, now_us);
        case SaEntryKind::kQuarantineGone:
            parts_.flapping.Forget(Read<QuarantineEntry>(body));
            break;
        case SaEntryKind::kComplete:
        case SaEntryKind::kGroup:
        case SaEntryKind::kGroupGone:
        case SaEntryKind::kMember:
        case SaEntryKind::kMemberGone:
        case SaEntryKind::kAlias:
        case SaEntryKind::kAliasGone:
        case SaEntryKind::kService:
        case SaEntryKind::kServiceGone:
        case SaEntryKind::kSubscription:
        case SaEntryKind::kSubscriptionGone:
            break;  // Of clients.
    }
    return Status::kOk;
}

/// The master knows better: who else had such a LID here has it no longer.
Status ReplicatedState::ObeyLids(const LidsEntry& entry) {
    EMBER_TRY(parts_.lids.map().Seize(entry.guid, entry.least, entry.most));
    marks_.Add(Raw(Lid{entry.least}));
    copy_has_lids_ = true;
    return Status::kOk;
}

Status ReplicatedState::ObeyRule(const MKeyRuleEntry& entry) {
    const Result<std::uint64_t> mask = MaskOf(entry);
    const std::uint64_t secret = mask.ok() ? entry.masked_secret ^ mask.value() : 0;
    if (entry.place >= kMostMKeyRules || entry.per_port > 1 || secret == 0) {
        return Status::kMalformed;
    }
    if (entry.place == 0) heard_.clear();
    if (heard_.full()) return Status::kMalformed;
    const Status added = heard_.TryPush({.secret = secret, .per_port = entry.per_port != 0});
    EMBER_ASSERT(added == Status::kOk);
    parts_.m_keys.Learn(heard_);
    return Status::kOk;
}

/// A master that has no row for a link that flaps leaves it in use, and so do we.
Status ReplicatedState::ObeyQuarantine(const QuarantineEntry& entry, std::uint64_t clock_us,
                                       std::uint64_t now_us) {
    const bool is_sound = Guid{entry.guid} != kNoGuid && Guid{entry.other_guid} != kNoGuid;
    if (!is_sound) return Status::kMalformed;
    const std::uint64_t ends_us = entry.until_us;
    const std::uint64_t left_us = ends_us - std::min(ends_us, clock_us);
    const std::uint64_t most_us = parts_.flapping.LongestUs();
    const Status taken = parts_.flapping.Obey(entry, now_us + std::min(left_us, most_us));
    return taken == Status::kFull ? Status::kRefused : taken;
}

void ReplicatedState::EndCopy() {
    parts_.flapping.EndCopy();
    if (!copy_has_lids_) return;
    LidMap& map = parts_.lids.map();
    for (std::size_t i = map.entries().size(); i > 0; --i) {  // Forget() fills the hole from there.
        const KeptLids& kept = map.entries()[i - 1];
        if (!marks_.Has(Raw(kept.least))) map.Forget(kept.guid);
    }
    parts_.lids.NoteReplica(true);
}

void ReplicatedState::Forget() {
    parts_.lids.NoteReplica(false);
    heard_.clear();
}

}  // namespace ember
