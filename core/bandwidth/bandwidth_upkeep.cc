// SPDX-License-Identifier: Apache-2.0
// EmberSM: limits of bandwidth in the devices that take them.

#include "core/bandwidth/bandwidth_upkeep.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// LIDs whose rules are looked up in one Step(): some microseconds each with a thousand groups, and
/// as many with 64 regular expressions.
inline constexpr std::uint32_t kLidsAtOnce = 16;
/// How long others wait at least for a port that does not answer: one try may be lost.
inline constexpr std::uint32_t kPatienceUs = 250'000;
/// Clients may put and remove aliases as fast as they may ask; tables are looked at once a second.
inline constexpr std::uint64_t kAliasRestUs = kSecondUs;

[[nodiscard]] bool IsLimited(const BandwidthRates& rates) {
    return std::any_of(rates.begin(), rates.end(), [](std::uint32_t rate) { return rate != 0; });
}

}  // namespace

BandwidthUpkeep::BandwidthUpkeep(const Memory& memory, const Parts& parts, const Settings& settings)
    : parts_(parts),
      sets_(memory.sets),
      policy_(parts.fabric, parts.partitions, settings),
      writer_(
          memory.known,
          TableProgramming::Parts{parts.fabric, parts.exchange, parts.log, *this, kBandwidthClient},
          settings) {
    EMBER_ASSERT(memory.known.size() >= memory.sets.size() * kTablesOfLid);
    EMBER_ASSERT(sets_.empty() || sets_.size() > parts.fabric.max_lid());
    std::fill(sets_.begin(), sets_.end(), kNoBandwidthSet);
}

/// The end port whose base LID it is, if it was read and can be reached.
PortIndex BandwidthUpkeep::EndPortAt(std::uint32_t lid) const {
    EMBER_ASSERT(lid <= Raw(kPermissiveLid));
    const Fabric& fabric = parts_.fabric;
    const PortIndex at = fabric.PortByLid(static_cast<Lid>(lid));
    if (at == kNoPortIndex) return kNoPortIndex;
    const Port& port = fabric.port(at);
    const bool is_read = port.node != kNoNode && Raw(port.lid) == lid && port.has_info;
    const bool is_reached =
        port.peer != kNoPortIndex || port.number == kManagementPort || at == fabric.own_port();
    return is_read && is_reached ? at : kNoPortIndex;
}

bool BandwidthUpkeep::Takes(PortIndex at) const {
    if (codec_ == nullptr) return false;
    const Node& node = parts_.fabric.node(parts_.fabric.port(at).node);
    return codec_->Takes({.type = node.type,
                          .vendor_id = node.vendor_id,
                          .device_id = node.device_id,
                          .revision = node.revision});
}

void BandwidthUpkeep::Begin(bool forgets_all) {
    Abandon();  // The round before may be under way.
    manages_ = manages_ || policy_.is_in_force();
    if (!manages_) return;
    std::fill(sets_.begin(), sets_.end(), kNoBandwidthSet);  // Settings may have changed.
    writer_.Observe(forgets_all);
    cursor_ = 1;
    searches_ = true;
    is_settled_ = false;
    silent_ = 0;
    not_taken_ = 0;
    first_not_taken_ = kNoPortIndex;
}

void BandwidthUpkeep::Abandon() {
    if (!manages_) return;  // Nothing was asked.
    writer_.Abandon();
    searches_ = false;
    is_open_ = false;
    is_settled_ = true;
    aliases_due_us_ = kNever;
}

bool BandwidthUpkeep::Step(std::uint64_t now_us) {
    // Our own port is known from the first answer of the first sweep on.
    if (!manages_ || parts_.fabric.own_port() == kNoPortIndex) return false;
    if (searches_) {
        const std::uint32_t top = Raw(parts_.fabric.top_lid());
        for (std::uint32_t i = 0; i < kLidsAtOnce && cursor_ <= top; ++i) {
            FindRule(cursor_++);
        }
        if (cursor_ <= top) return true;
        EndSearch(now_us);
    }
    if (!is_open_) return false;
    FollowAliases(now_us);
    if (has_moved_) moved_us_ = now_us;
    has_moved_ = false;
    writer_.Step(now_us);
    if (writer_.done() || now_us >= PatienceEndsUs()) is_settled_ = true;
    return false;
}

void BandwidthUpkeep::FindRule(std::uint32_t lid) {
    EMBER_ASSERT(searches_);
    EMBER_ASSERT(lid != Raw(kNoLid));
    const PortIndex at = EndPortAt(lid);
    if (at == kNoPortIndex) return;
    const BandwidthSetIndex set = policy_.FindSet(at);
    if (lid < sets_.size()) sets_[lid] = set;
    const bool is_limited =
        IsLimited(policy_.RatesOf(at, set)) || IsLimited(policy_.RatesOfVirtualPort0(at));
    if (!is_limited || Takes(at)) return;
    if (not_taken_ == 0) first_not_taken_ = at;
    ++not_taken_;
}

/// All rules are known: tables are compared with them.
void BandwidthUpkeep::EndSearch(std::uint64_t now_us) {
    EMBER_ASSERT(searches_);
    EMBER_ASSERT(not_taken_ == 0 || first_not_taken_ != kNoPortIndex);
    searches_ = false;
    is_open_ = true;
    moved_us_ = now_us;
    writer_.Begin();
    if (not_taken_ != 0 && not_taken_ != logged_not_taken_) {
        const Port& port = parts_.fabric.port(first_not_taken_);
        parts_.log.Write<Note::kBandwidthNotTaken>(
            now_us, not_taken_, Raw(parts_.fabric.node(port.node).guid), Raw(port.number));
    }
    logged_not_taken_ = not_taken_;
}

/// A client has put or removed an alias: its virtual port may have another table.
void BandwidthUpkeep::FollowAliases(std::uint64_t now_us) {
    EMBER_ASSERT(is_open_);
    if (guid_tables_ == nullptr || codec_ == nullptr) return;
    if (guid_tables_->revision() != aliases_seen_ && aliases_due_us_ == kNever) {
        aliases_seen_ = guid_tables_->revision();
        aliases_due_us_ = now_us + kAliasRestUs;
    }
    if (now_us < aliases_due_us_) return;
    aliases_due_us_ = kNever;
    writer_.LookAgain();
}

std::uint64_t BandwidthUpkeep::PatienceEndsUs() const {
    return moved_us_ + std::max(parts_.exchange.linger_us(), kPatienceUs);
}

std::uint64_t BandwidthUpkeep::NextDeadlineUs() const {
    if (!manages_) return kNever;
    if (searches_) return 0;
    return std::min(
        {writer_.NextDeadlineUs(), aliases_due_us_, is_settled_ ? kNever : PatienceEndsUs()});
}

std::uint32_t BandwidthUpkeep::FirstAlias() const {
    return static_cast<std::uint32_t>(sets_.size()) * kTablesOfLid;
}

TableIndex BandwidthUpkeep::Next(std::uint32_t& cursor) const {
    if (codec_ == nullptr) return kNoTable;
    const std::uint32_t lids_end = (Raw(parts_.fabric.top_lid()) + 1U) * kTablesOfLid;
    EMBER_ASSERT(lids_end <= FirstAlias());
    cursor = std::max(cursor, kTablesOfLid);  // There is no LID 0.
    if (cursor < lids_end) return static_cast<TableIndex>(cursor++);
    cursor = std::max(cursor, FirstAlias());
    const std::size_t aliases = aliases_ == nullptr ? 0 : aliases_->bound();
    if (cursor >= FirstAlias() + aliases) return kNoTable;
    return static_cast<TableIndex>(cursor++);
}

bool BandwidthUpkeep::Find(TableIndex at, PortTable& table, SmpData& wanted) const {
    if (Raw(at) >= FirstAlias()) {
        return FindOfAlias(static_cast<AliasIndex>(Raw(at) - FirstAlias()), table, wanted);
    }
    const std::uint32_t lid = Raw(at) / kTablesOfLid;
    EMBER_ASSERT(lid < sets_.size());
    const PortIndex port = EndPortAt(lid);
    if (port == kNoPortIndex) return false;
    const bool is_virtual = Raw(at) % kTablesOfLid != 0;
    const BandwidthRates rates =
        is_virtual ? policy_.RatesOfVirtualPort0(port) : policy_.RatesOf(port, sets_[lid]);
    return Place(port, {.port = parts_.fabric.port(port).number, .is_virtual = is_virtual}, rates,
                 table, wanted);
}

bool BandwidthUpkeep::FindOfAlias(AliasIndex at, PortTable& table, SmpData& wanted) const {
    if (aliases_ == nullptr || Raw(at) >= aliases_->bound()) return false;
    const AliasGuids::Row& row = aliases_->row(at);
    const PortIndex port = row.alias == kNoGuid ? kNoPortIndex : parts_.fabric.FindPort(row.port);
    if (port == kNoPortIndex || EndPortAt(Raw(parts_.fabric.port(port).lid)) != port) return false;
    return Place(
        port,
        {.port = parts_.fabric.port(port).number, .is_virtual = true, .virtual_port = row.place},
        policy_.RatesOfVirtualPort(row.alias), table, wanted);
}

bool BandwidthUpkeep::Place(PortIndex at, const BandwidthTarget& target,
                            const BandwidthRates& rates, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(at != kNoPortIndex);
    if (!Takes(at)) return false;
    table = {.port = at, .attribute = codec_->attribute(), .modifier = codec_->ModifierOf(target)};
    wanted = codec_->Encode(rates);
    return true;
}

void BandwidthUpkeep::Settle(TableIndex /*at*/, Status status) {
    EMBER_ASSERT(manages_);
    if (status == Status::kTimeout) ++silent_;
    if (status == Status::kOk || status == Status::kRefused) has_moved_ = true;
}

}  // namespace ember
