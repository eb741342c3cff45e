// SPDX-License-Identifier: Apache-2.0
// EmberSM: M_Keys over a bring-up: safe in the store, and changed port by port.

#include "core/m_keys/m_key_upkeep.h"

#include <bit>

#include "core/base/assert.h"
#include "core/wire/port_info.h"

namespace ember {
namespace {

/// Rows looked at in one Step(), so that a step stays short on a large subnet.
inline constexpr std::size_t kRowsAtOnce = 4096;
/// Interval at which a store that writes in the background is asked for the result.
inline constexpr std::uint64_t kSaveAgainUs = 100 * kMillisecondUs;

/// The PortInfo of a Set that leaves all as it is, width and speeds included: 0 is "no change".
[[nodiscard]] PortInfo Unchanged(PortInfo info) {
    info.Set(PortInfo::kPortState, PortState::kNoChange);
    info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kNoChange);
    info.Set(PortInfo::kLinkWidthEnabled, std::uint8_t{0});
    info.Set(PortInfo::kLinkSpeedEnabled, std::uint8_t{0});
    info.Set(PortInfo::kLinkSpeedExtEnabled, std::uint8_t{0});
    info.Set(PortInfo::kClientReregister, std::uint8_t{0});
    return info;
}

}  // namespace

void MKeyUpkeep::Begin() {
    EMBER_ASSERT(asker_.in_flight() == 0);
    row_ = 0;
    at_end_ = false;
    // A port is changed by the key that it has, which is not looked up then.
    if (settings_.m_key == 0 || !settings_.m_key_lookup) row_ = parts_.fabric.port_bound();
    unchecked_ = kNoPortIndex;
    changed_ = 0;
    failed_ = 0;
}

void MKeyUpkeep::Abandon() {
    asker_.Abandon();
    unchecked_ = kNoPortIndex;
    at_end_ = true;
}

void MKeyUpkeep::Step(std::uint64_t now_us) {
    if (at_end_) return;
    if (!parts_.keys.is_safe()) {
        Save(now_us);
        if (!parts_.keys.is_safe()) return;
    }
    if (unchecked_ != kNoPortIndex && asker_.has_room()) {
        const PortIndex at = unchecked_;
        unchecked_ = kNoPortIndex;
        Check(at, now_us);
    }
    for (std::size_t i = 0; i < kRowsAtOnce; ++i) {
        if (row_ >= parts_.fabric.port_bound()) {
            if (asker_.in_flight() == 0 && unchecked_ == kNoPortIndex) End(now_us);
            return;
        }
        if (!asker_.has_room()) return;
        Change(static_cast<PortIndex>(row_++), now_us);
    }
}

std::uint64_t MKeyUpkeep::WantedOf(const Port& port) const {
    return MKeyFrom(RuleOf(settings_), port.guid);
}

/// Gives a port its key if it has another one. A key that is to be 0 goes the way of all values:
/// a port without a key takes every Set.
void MKeyUpkeep::Change(PortIndex at, std::uint64_t now_us) {
    const Port& port = parts_.fabric.port(at);
    if (port.node == kNoNode || !port.has_info || !IsEndPort(parts_.fabric, port)) return;
    const std::uint64_t wanted = WantedOf(port);
    const std::uint64_t has = port.info.Get(PortInfo::kMKey);
    if (wanted == 0 || has == 0 || has == wanted) return;
    Ask ask{};
    if (!asker_.FindPath(at, ask)) return;
    EMBER_ASSERT(parts_.keys.is_safe());  // A key that is lost locks its port.
    PortInfo set = Unchanged(port.info);
    set.Set(PortInfo::kMKey, wanted);
    set.Set(PortInfo::kMKeyProtectBits, settings_.m_key_protection_level);
    set.Set(PortInfo::kMKeyLeasePeriod, settings_.m_key_lease_period);
    ask.method = Method::kSet;
    ask.attribute = AttributeId::kPortInfo;
    ask.modifier = Raw(port.number);
    ask.data = set.octets();
    asker_.Post(ask, Kind::kSet, Raw(at), now_us);
}

/// Asks a port that has not answered a Set by the key that it has if it was carried out.
void MKeyUpkeep::Check(PortIndex at, std::uint64_t now_us) {
    const Port& port = parts_.fabric.port(at);
    Ask ask{};
    if (!asker_.FindPath(at, ask)) {
        ++failed_;
        return;
    }
    ask.m_key = WantedOf(port);
    ask.method = Method::kGet;
    ask.attribute = AttributeId::kPortInfo;
    ask.modifier = Raw(port.number);
    parts_.exchange.Hasten(ask);
    asker_.Post(ask, Kind::kCheck, Raw(at), now_us);
}

void MKeyUpkeep::Hear(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.client == kMKeyClient);
    if (!asker_.Take()) return;
    const auto at = static_cast<PortIndex>(answer.cookie.subject);
    if (answer.status == Status::kOk) {
        Take(at, std::bit_cast<PortInfo>(answer.data), now_us);
        return;
    }
    const bool is_set = static_cast<Kind>(answer.cookie.kind) == Kind::kSet;
    if (!is_set || answer.status != Status::kTimeout) {
        ++failed_;
        return;
    }
    if (asker_.has_room()) {
        Check(at, now_us);
    } else if (unchecked_ == kNoPortIndex) {
        unchecked_ = at;
    } else {
        ++failed_;  // The next sweep tries both keys.
    }
}

/// The port has told its values. Of a key that it hides nothing is known.
void MKeyUpkeep::Take(PortIndex at, const PortInfo& info, std::uint64_t now_us) {
    Port& port = parts_.fabric.port(at);
    const std::uint64_t had = port.info.Get(PortInfo::kMKey);
    const std::uint64_t has = info.Get(PortInfo::kMKey);
    EMBER_ASSERT(IsEndPort(parts_.fabric, port));
    port.touched = true;
    if (has != WantedOf(port)) {
        ++failed_;
        return;
    }
    ++changed_;
    // A Set without the modifier for extended speeds tells none.
    port.info.Set(PortInfo::kMKey, has);
    port.info.Set(PortInfo::kMKeyProtectBits, info.Get(PortInfo::kMKeyProtectBits));
    port.info.Set(PortInfo::kMKeyLeasePeriod, info.Get(PortInfo::kMKeyLeasePeriod));
    if (!parts_.keys.IsOurs(port.guid, had)) {
        parts_.log.WriteSparingly<Note::kMKeyTakenOver>(now_us, Raw(port.guid));
    }
}

void MKeyUpkeep::End(std::uint64_t now_us) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    EMBER_ASSERT(unchecked_ == kNoPortIndex);
    at_end_ = true;
    if ((changed_ | failed_) == 0) return;
    parts_.log.Write<Note::kMKeysChanged>(now_us, changed_, failed_);
}

void MKeyUpkeep::Save(std::uint64_t now_us) {
    save_again_us_ = kNever;
    const Status saved = parts_.keys.Save(parts_.scratch);
    if (saved == Status::kBusy) save_again_us_ = now_us + kSaveAgainUs;
    if (saved == Status::kOk || saved == Status::kBusy) return;
    // Ports are guarded all the same: to leave them open would be worse.
    parts_.keys.GiveUpSaving();
    parts_.log.Write<Note::kStoreFailed>(now_us, Raw(StoreSlot::kMKeys), Raw(saved));
}

}  // namespace ember
