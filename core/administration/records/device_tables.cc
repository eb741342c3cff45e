// SPDX-License-Identifier: Apache-2.0
// EmberSM: tables that only a device knows, read when a client asks for them.
#include "core/administration/records/device_tables.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/fabric/fabric.h"
#include "core/fabric/m_key.h"

namespace ember {

DeviceTables::Word DeviceTables::Look(const Key& key, SmpData& data) {
    Row* row = Find(key);
    if (row == nullptr && IsSilent(OwnerOf(key).node)) return Word::kSilent;
    if (row == nullptr) row = Claim(key);
    if (row == nullptr) is_short_ = true;
    if (row == nullptr || row->state != State::kAnswered) return Word::kLater;
    row->was_read = true;
    data = row->data;
    return row->has_table ? Word::kTable : Word::kSilent;
}

void DeviceTables::Want(const Key& key) {
    if (Find(key) != nullptr || IsSilent(OwnerOf(key).node)) return;
    const auto room =
        std::count_if(rows_.begin(), rows_.end(), [this](const Row& row) { return MayClaim(row); });
    if (room <= static_cast<std::ptrdiff_t>(kRows / 2)) return;
    static_cast<void>(Claim(key));
}

void DeviceTables::Forget() {
    is_short_ = false;
    for (std::size_t i = 0; i < kRows && wanted_ != 0; ++i) {
        if (rows_[i].state != State::kWanted) continue;
        rows_[i] = Row{};
        --wanted_;
    }
    EMBER_ASSERT(wanted_ == 0);
}

void DeviceTables::Step(std::uint64_t now_us) {
    now_us_ = now_us;
    is_short_ = false;
    if (!KnowsTheWay()) return;
    const std::uint64_t now_ns = now_us * 1000;
    for (std::size_t i = 0; i < kRows && wanted_ != 0 && asked_ < MostAtOnce(); ++i) {
        if (!MayAsk(rows_[i])) continue;
        if (!exchange_.has_room() || paid_until_ns_ > now_ns + kOwedNs) return;
        Ask(i, now_us);
    }
}

/// True when the row waits for nothing but room.
bool DeviceTables::MayAsk(const Row& row) const {
    if (row.state != State::kWanted) return false;
    const auto asked =
        static_cast<std::size_t>(std::count_if(rows_.begin(), rows_.end(), [&](const Row& other) {
            return other.state == State::kAsked && other.owner.node == row.owner.node;
        }));
    if (asked < kAtOnceOfHost) return true;
    const NodeIndex node = view_.fabric.FindNode(row.owner.node);
    const bool is_switch = node != kNoNode && view_.fabric.node(node).type == NodeType::kSwitch;
    return is_switch && asked < kAtOnceOfSwitch;
}

void DeviceTables::Ask(std::size_t at, std::uint64_t now_us) {
    EMBER_ASSERT(at < rows_.size());
    EMBER_ASSERT(rows_[at].state == State::kWanted);
    EMBER_ASSERT(wanted_ > 0);
    Row& row = rows_[at];
    --wanted_;
    ember::Ask ask;
    const bool is_same = OwnerOf(row.key) == row.owner;
    if (!is_same || IsSilent(row.owner.node) ||
        view_.fabric.PathTo(row.key.port, ask.path) != Status::kOk) {
        row.state = State::kAnswered;
        row.since_us = now_us;
        is_short_ = true;  // No answer wakes the transfer that waits for this table.
        return;
    }
    ask.method = Method::kGet;
    ask.attribute = row.key.attribute;
    ask.modifier = row.key.modifier;
    ask.m_key = MKeyOf(view_.fabric, view_.settings, row.key.port);
    ask.cookie = {.client = kAdministrationClient, .subject = static_cast<std::uint32_t>(at)};
    exchange_.Post(ask, now_us);
    row.state = State::kAsked;
    ++asked_;
    EMBER_ASSERT(asked_ + wanted_ <= kRows);
    paid_until_ns_ =
        std::max(paid_until_ns_, now_us * 1000) + (IsAlone() ? kCostNs : kCostBesideOthersNs);
}

void DeviceTables::Hear(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.subject < kRows);
    Row& row = rows_[answer.cookie.subject];
    EMBER_ASSERT(row.state == State::kAsked);
    EMBER_ASSERT(asked_ > 0);
    --asked_;
    now_us_ = std::max(now_us_, now_us);
    NoteSilence(row.owner.node, answer.status == Status::kTimeout);
    row.state = State::kAnswered;
    row.has_table = answer.status == Status::kOk;
    row.data = answer.data;
    row.since_us = now_us;
}

std::uint64_t DeviceTables::NextDeadlineUs() const {
    const bool may_ask =
        KnowsTheWay() && wanted_ != 0 && asked_ < MostAtOnce() && exchange_.has_room() &&
        std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) { return MayAsk(row); });
    // An answer makes room, and is followed by a step. A row that no transfer comes back for is
    // freed by its age only.
    if (!may_ask) return is_short_ ? now_us_ + kRetryUs : kNever;
    return paid_until_ns_ <= kOwedNs ? now_us_
                                     : std::max(now_us_, (paid_until_ns_ - kOwedNs) / 1000 + 1);
}

bool DeviceTables::IsSilent(Guid node) const {
    return std::any_of(silences_.begin(), silences_.end(), [&](const Silence& silence) {
        return silence.node == node && now_us_ < silence.until_us;
    });
}

/// Of many silent devices those are remembered that were so last.
void DeviceTables::NoteSilence(Guid node, bool is_silent) {
    EMBER_ASSERT(node != kNoGuid);
    Silence* const end = silences_.data() + silences_.size();
    Silence* row = std::find_if(silences_.data(), end,
                                [&](const Silence& silence) { return silence.node == node; });
    if (!is_silent) {
        if (row != end) *row = Silence{};
        return;
    }
    if (row == end) {
        row = std::min_element(silences_.data(), end, [](const Silence& one, const Silence& other) {
            return one.until_us < other.until_us;
        });
    }
    *row = {.node = node, .until_us = now_us_ + kSilenceUs};
}

/// When a sweep begins our own port is not known yet, and so no directed route.
bool DeviceTables::KnowsTheWay() const {
    return view_.fabric.own_port() != kNoPortIndex;
}

DeviceTables::Owner DeviceTables::OwnerOf(const Key& key) const {
    const Port& port = view_.fabric.port(key.port);
    if (port.node == kNoNode) return {};
    return {.node = view_.fabric.node(port.node).guid, .number = port.number};
}

bool DeviceTables::IsStale(const Row& row) const {
    return row.state == State::kAnswered && now_us_ - row.since_us > kFreshUs;
}

DeviceTables::Row* DeviceTables::Find(const Key& key) {
    const Owner owner = OwnerOf(key);
    Row* const end = rows_.data() + rows_.size();
    Row* const found = std::find_if(rows_.data(), end, [&](const Row& row) {
        return row.state != State::kFree && row.key == key && row.owner == owner && !IsStale(row);
    });
    return found == end ? nullptr : found;
}

bool DeviceTables::MayClaim(const Row& row) const {
    return row.state == State::kFree || IsStale(row) ||
           (row.state == State::kAnswered && row.was_read);
}

DeviceTables::Row* DeviceTables::Claim(const Key& key) {
    EMBER_ASSERT(OwnerOf(key).node != kNoGuid);  // The port of a live node.
    // Free rows have been so since 0; else the answer that came longest ago.
    Row* best = nullptr;
    for (Row& row : rows_) {
        if (!MayClaim(row)) continue;
        if (best == nullptr || row.since_us < best->since_us) best = &row;
    }
    if (best == nullptr) return nullptr;
    *best = Row{.key = key, .owner = OwnerOf(key), .state = State::kWanted, .since_us = now_us_};
    ++wanted_;
    EMBER_ASSERT(wanted_ <= kRows);
    return best;
}

}  // namespace ember
