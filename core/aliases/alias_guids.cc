// SPDX-License-Identifier: Apache-2.0
// EmberSM: the alias GUIDs of ports.
#include "core/aliases/alias_guids.h"

#include "core/base/assert.h"

namespace ember {

AliasGuids::AliasGuids(const Memory& memory)
    : rows_(memory.rows), by_alias_(memory.alias_slots), by_place_(memory.place_slots) {
    EMBER_ASSERT(memory.alias_slots.size() >= RowIndex<AliasIndex>::SlotsFor(memory.rows.size()));
    EMBER_ASSERT(memory.place_slots.size() >= RowIndex<AliasIndex>::SlotsFor(memory.rows.size()));
    EMBER_ASSERT(rows_.size() < Raw(kNoAlias));
    rows_.fill(Row{});
}

void AliasGuids::Clear() {
    rows_.fill(Row{});
    by_alias_.clear();
    by_place_.clear();
    free_ = kNoAlias;
    bound_ = 0;
    counts_.clear();
}

Guid AliasGuids::PortOf(Guid alias) const {
    const AliasIndex at =
        by_alias_.Find(HashOf(alias), [&](AliasIndex row) { return rows_[row].alias == alias; });
    if (at != kNoAlias) return rows_[at].port;
    const Guid port = routers_ == nullptr ? kNoGuid : routers_->PortOf(alias);
    return port != kNoGuid && FindAt(port, RouterAliases::kPlace) == kNoAlias ? port : kNoGuid;
}

Guid AliasGuids::At(Guid port, std::uint8_t place) const {
    const AliasIndex at = FindAt(port, place);
    if (at != kNoAlias) return rows_[at].alias;
    return place == RouterAliases::kPlace ? RouterAliasOf(port) : kNoGuid;
}

Guid AliasGuids::RouterAliasOf(Guid port) const {
    const Guid alias = routers_ == nullptr ? kNoGuid : routers_->Of(port);
    return alias != kNoGuid && PortOf(alias) == port ? alias : kNoGuid;
}

bool AliasGuids::MayPut(Requester requester) const {
    const std::size_t share = ShareOf(rows_.size());
    if (!IsCrowded(count(), rows_.size()) || counts_.AtMost(requester) < share) return true;
    return HasFewer(share, bound_, [&](std::size_t i) {
        return rows_[static_cast<AliasIndex>(i)].requester == requester;
    });
}

Status AliasGuids::Put(Guid port, std::uint8_t place, Guid alias, Requester requester) {
    EMBER_ASSERT(place != 0);
    EMBER_ASSERT(alias != kNoGuid);
    EMBER_ASSERT(port != kNoGuid);
    EMBER_ASSERT(PortOf(alias) == kNoGuid);
    const bool has_room =
        FindAt(port, place) != kNoAlias || free_ != kNoAlias || bound_ < rows_.size();
    if (!has_room) return Status::kFull;
    Remove(port, place);
    AliasIndex at = free_;
    if (at == kNoAlias) {
        at = static_cast<AliasIndex>(bound_++);
    } else {
        free_ = rows_[at].next;
    }
    EMBER_ASSERT(rows_[at].alias == kNoGuid);
    const Requester charged = requester == kNoRequester ? RequesterOf(port) : requester;
    rows_[at] = {.alias = alias, .port = port, .place = place, .requester = charged};
    counts_.Add(charged);
    by_alias_.Insert(HashOf(alias), at);
    by_place_.Insert(HashOf(port, place), at);
    EMBER_ASSERT(by_alias_.size() == by_place_.size());
    EmitEntry(sink_, SaEntryKind::kAlias, AliasEntry{alias, port, place});
    return Status::kOk;
}

void AliasGuids::Remove(Guid port, std::uint8_t place) {
    const AliasIndex at = FindAt(port, place);
    if (at == kNoAlias) return;
    EmitEntry(sink_, SaEntryKind::kAliasGone, AliasEntry{rows_[at].alias, port, place});
    by_alias_.Remove(HashOf(rows_[at].alias), at,
                     [this](AliasIndex row) { return HashOf(rows_[row].alias); });
    by_place_.Remove(HashOf(port, place), at,
                     [this](AliasIndex row) { return HashOf(rows_[row].port, rows_[row].place); });
    counts_.Remove(rows_[at].requester);
    EMBER_ASSERT(by_alias_.size() == by_place_.size());
    rows_[at] = {.next = free_};
    free_ = at;
}

AliasIndex AliasGuids::FindAt(Guid port, std::uint8_t place) const {
    return by_place_.Find(HashOf(port, place), [&](AliasIndex row) {
        return rows_[row].port == port && rows_[row].place == place;
    });
}

std::uint64_t AliasGuids::HashOf(Guid alias) const {
    return by_alias_.HashOf(alias);
}

std::uint64_t AliasGuids::HashOf(Guid port, std::uint8_t place) const {
    return by_place_.Hash(Raw(port), place);
}

}  // namespace ember
