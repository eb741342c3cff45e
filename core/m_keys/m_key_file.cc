// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is kept over a restart to reach ports that answer to their M_Key only.

#include "core/m_keys/m_key_file.h"

#include <algorithm>
#include <cstring>

#include "core/base/assert.h"
#include "core/base/be.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kMagic = 0x454D4B31;  // "EMK1"

struct StoredHead {
    Be<std::uint32_t> magic;
    Be<std::uint32_t> rules;
    Be<std::uint32_t> guids;
    Be<std::uint32_t> rows;
    Be<std::uint32_t> peers;
    Be<Guid> own;
};
static_assert(WireStruct<StoredHead>);

struct StoredRule {
    Be<std::uint64_t> secret;
    Be<std::uint64_t> per_port;
};
static_assert(WireStruct<StoredRule>);

/// The value at place `at` of an array of values that stand most significant octet first.
template <typename Value>
[[nodiscard]] Value ValueAt(std::span<const std::byte> octets, std::size_t at) {
    EMBER_ASSERT((at + 1) * sizeof(Value) <= octets.size());
    Value value{};
    std::memcpy(&value, octets.data() + at * sizeof(Value), sizeof(Value));
    return value;
}

}  // namespace

Status MKeyFile::Read(std::span<const std::byte> octets) {
    *this = {};
    static_assert(sizeof(StoredHead) == kHeadOctets && sizeof(StoredRule) == kRuleOctets);
    if (octets.size() < kHeadOctets) return Status::kMalformed;
    const auto head = ValueAt<StoredHead>(octets, 0);
    const std::uint32_t rules = head.rules;
    if (head.magic != kMagic || rules > kMostMKeyRules) return Status::kMalformed;
    MKeyFile file;
    file.own_ = head.own;
    file.rows_ = head.rows;
    file.guids_ = head.guids;
    file.peers_ = head.peers;
    // In 64 bits: none of the products wraps.
    const std::uint64_t wanted = kHeadOctets + std::uint64_t{kRuleOctets} * rules +
                                 std::uint64_t{kGuidOctets} * file.guids_ +
                                 std::uint64_t{kRowOctets} * file.rows_ +
                                 std::uint64_t{kPeerOctets} * file.peers_;
    if (wanted != octets.size() || file.rows_ > file.guids_) return Status::kMalformed;
    std::size_t at = kHeadOctets;
    const auto take = [&](std::size_t bytes) {
        const auto part = octets.subspan(at, bytes);
        at += bytes;
        return part;
    };
    file.rule_octets_ = take(kRuleOctets * rules);
    file.guid_octets_ = take(std::size_t{kGuidOctets} * file.guids_);
    file.row_octets_ = take(std::size_t{kRowOctets} * file.rows_);
    file.peer_octets_ = take(std::size_t{kPeerOctets} * file.peers_);
    EMBER_ASSERT(at == octets.size());
    if (!file.IsSound()) return Status::kMalformed;
    *this = file;
    return Status::kOk;
}

bool MKeyFile::IsSound() const {
    for (std::uint32_t row = 0; row < rows_; ++row) {
        if (GuidAt(row) == kNoGuid) return false;
        if (row != 0 && GuidAt(row) <= GuidAt(row - 1)) return false;
        if (FirstPeerOf(row) > FirstPeerOf(row + 1)) return false;
    }
    for (std::uint32_t at = 0; at < peers_; ++at) {
        if (PeerAt(at) != kNoPeer && PeerAt(at) >= guids_) return false;
    }
    return true;
}

MKeyRules MKeyFile::rules() const {
    MKeyRules rules;
    for (std::size_t i = 0; i < rule_octets_.size() / kRuleOctets; ++i) {
        const auto stored = ValueAt<StoredRule>(rule_octets_, i);
        const MKeyRule rule{stored.secret, stored.per_port != 0};
        const Status kept = rules.TryPush(rule);
        EMBER_ASSERT(kept == Status::kOk);
    }
    return rules;
}

Guid MKeyFile::GuidAt(std::uint32_t number) const {
    return ValueAt<Be<Guid>>(guid_octets_, number);
}

/// The place of the peer behind port 1 of the row's node. Of the row behind the last one: the end.
std::uint32_t MKeyFile::FirstPeerOf(std::uint32_t row) const {
    if (row >= rows_) return peers_;
    return ValueAt<Be<std::uint32_t>>(row_octets_, row);
}

std::uint16_t MKeyFile::PeerAt(std::uint32_t at) const {
    return ValueAt<Be<std::uint16_t>>(peer_octets_, at);
}

std::uint32_t MKeyFile::RowOf(Guid exit) const {
    std::uint32_t low = 0;
    std::uint32_t high = rows_;
    while (low < high) {  // Ends: the interval shrinks.
        const std::uint32_t middle = low + (high - low) / 2;
        if (GuidAt(middle) < exit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rows_ && GuidAt(low) == exit ? low : kNoRow;
}

Guid MKeyFile::Beyond(Guid exit, PortNumber number) const {
    const std::uint32_t row = RowOf(exit);
    if (row == kNoRow || Raw(number) == 0) return kNoGuid;
    const std::uint32_t at = FirstPeerOf(row) + Raw(number) - 1U;
    if (at >= FirstPeerOf(row + 1) || PeerAt(at) == kNoPeer) return kNoGuid;
    return GuidAt(PeerAt(at));
}

Guid MKeyFile::Before(Guid port) const {
    for (std::uint32_t row = 0; row < rows_; ++row) {
        for (std::uint32_t at = FirstPeerOf(row); at < FirstPeerOf(row + 1); ++at) {
            if (PeerAt(at) != kNoPeer && GuidAt(PeerAt(at)) == port) return GuidAt(row);
        }
    }
    return kNoGuid;
}

/// Makes a file in an arena.
class MKeyDraft {
public:
    MKeyDraft(const Fabric& fabric, const MKeyFile& old, Arena& scratch)
        : fabric_(fabric),
          old_(old),
          octets_(scratch.Take<std::byte>(MKeyFile::Bytes(fabric.limits()))),
          exits_(scratch.Take<MKeyFile::Exit>(MKeyFile::Rows(fabric.limits()))),
          numbers_(scratch.Take<std::uint16_t>(fabric.limits().max_ports)),
          old_numbers_(scratch.Take<std::uint16_t>(MKeyFile::Guids(fabric.limits()))) {
        std::fill(numbers_.begin(), numbers_.end(), MKeyFile::kNoPeer);
        std::fill(old_numbers_.begin(), old_numbers_.end(), MKeyFile::kNoPeer);
    }

    [[nodiscard]] std::span<const std::byte> Make(const MKeyRules& rules);

private:
    void AddExit(PortIndex management);
    void CollectExits();
    [[nodiscard]] std::uint32_t PeersOf(const MKeyFile::Exit& exit) const;
    [[nodiscard]] PortIndex PeerOf(const MKeyFile::Exit& exit, std::uint32_t number) const;
    [[nodiscard]] std::uint16_t NumberOf(PortIndex at);
    [[nodiscard]] std::uint16_t NumberOf(Guid guid, std::uint16_t& number);
    [[nodiscard]] std::uint16_t PeerBehind(const MKeyFile::Exit& exit, std::uint32_t number);
    template <typename Value>
    void Put(std::size_t first, std::size_t at, const Value& value) {
        EMBER_ASSERT(first + (at + 1) * sizeof(Value) <= octets_.size());
        std::memcpy(octets_.data() + first + at * sizeof(Value), &value, sizeof(Value));
    }

    const Fabric& fabric_;
    const MKeyFile& old_;
    std::span<std::byte> octets_;
    std::span<MKeyFile::Exit> exits_;
    std::span<std::uint16_t> numbers_;      ///< By port: its place among the GUIDs.
    std::span<std::uint16_t> old_numbers_;  ///< By place in `old`: that in the new file.
    std::size_t exit_count_ = 0;
    std::size_t peer_count_ = 0;
    std::size_t guid_count_ = 0;
    std::size_t guids_at_ = 0;
};

void MKeyDraft::AddExit(PortIndex management) {
    const Guid guid = fabric_.port(management).guid;
    if (guid == kNoGuid || exit_count_ == exits_.size()) return;
    const MKeyFile::Exit exit{guid, management, old_.RowOf(guid)};
    if (peer_count_ + PeersOf(exit) > MKeyFile::Peers(fabric_.limits())) return;
    peer_count_ += PeersOf(exit);
    exits_[exit_count_++] = exit;
}

/// Nodes of the fabric first, then those that only the old file knows, if there is room.
void MKeyDraft::CollectExits() {
    ForEachSwitch(fabric_,
                  [this](SwitchIndex at, const Switch&) { AddExit(fabric_.ManagementPortOf(at)); });
    const PortIndex own = fabric_.own_port();
    const bool is_host = own != kNoPortIndex && fabric_.port(own).number != kManagementPort;
    if (is_host) AddExit(own);
    for (std::uint32_t row = 0; row < old_.rows_; ++row) {
        const Guid guid = old_.GuidAt(row);
        if (fabric_.FindPort(guid) != kNoPortIndex || exit_count_ == exits_.size()) continue;
        const MKeyFile::Exit exit{guid, kNoPortIndex, row};
        if (peer_count_ + PeersOf(exit) > MKeyFile::Peers(fabric_.limits())) continue;
        peer_count_ += PeersOf(exit);
        exits_[exit_count_++] = exit;
    }
    const auto is_less = [](const MKeyFile::Exit& one, const MKeyFile::Exit& other) {
        return one.guid < other.guid;
    };
    EMBER_ASSERT(peer_count_ <= MKeyFile::Peers(fabric_.limits()));
    // By a heap: the library's sort recurses.
    const auto end = exits_.begin() + static_cast<std::ptrdiff_t>(exit_count_);
    std::make_heap(exits_.begin(), end, is_less);
    std::sort_heap(exits_.begin(), end, is_less);
}

/// Of a host, ports up to our own.
std::uint32_t MKeyDraft::PeersOf(const MKeyFile::Exit& exit) const {
    if (exit.at == kNoPortIndex) {
        EMBER_ASSERT(exit.old_row < old_.rows_);
        return old_.FirstPeerOf(exit.old_row + 1) - old_.FirstPeerOf(exit.old_row);
    }
    const Port& port = fabric_.port(exit.at);
    return port.number == kManagementPort ? fabric_.node(port.node).port_count : Raw(port.number);
}

/// The port behind an exit as the fabric has it.
PortIndex MKeyDraft::PeerOf(const MKeyFile::Exit& exit, std::uint32_t number) const {
    if (exit.at == kNoPortIndex) return kNoPortIndex;
    const NodeIndex node = fabric_.port(exit.at).node;
    const PortIndex at = fabric_.PortOf(node, static_cast<PortNumber>(number));
    const bool is_exit = fabric_.node(node).type == NodeType::kSwitch || at == exit.at;
    return at == kNoPortIndex || !is_exit ? kNoPortIndex : fabric_.port(at).peer;
}

/// The place of a GUID, which is `number` if it has one, and else the next one.
std::uint16_t MKeyDraft::NumberOf(Guid guid, std::uint16_t& number) {
    if (number != MKeyFile::kNoPeer || guid == kNoGuid) return number;
    if (guid_count_ == MKeyFile::Guids(fabric_.limits())) return MKeyFile::kNoPeer;
    Put(guids_at_, guid_count_, Be<Guid>{guid});
    EMBER_ASSERT(guid_count_ < MKeyFile::kNoPeer);
    number = static_cast<std::uint16_t>(guid_count_++);
    return number;
}

std::uint16_t MKeyDraft::NumberOf(PortIndex at) {
    const PortIndex port = MKeyPortOf(fabric_, at);
    EMBER_ASSERT(Raw(port) < numbers_.size());
    return NumberOf(fabric_.port(port).guid, numbers_[Raw(port)]);
}

std::uint16_t MKeyDraft::PeerBehind(const MKeyFile::Exit& exit, std::uint32_t number) {
    EMBER_ASSERT(number != 0);
    const PortIndex peer = PeerOf(exit, number);
    if (peer != kNoPortIndex) return NumberOf(peer);
    if (exit.old_row == MKeyFile::kNoRow) return MKeyFile::kNoPeer;
    const std::uint32_t at = old_.FirstPeerOf(exit.old_row) + number - 1U;
    if (at >= old_.FirstPeerOf(exit.old_row + 1)) return MKeyFile::kNoPeer;
    const std::uint16_t before = old_.PeerAt(at);
    if (before == MKeyFile::kNoPeer) return MKeyFile::kNoPeer;
    const Guid guid = old_.GuidAt(before);
    const PortIndex live = fabric_.FindPort(guid);
    if (live != kNoPortIndex) return NumberOf(live);
    return before < old_numbers_.size() ? NumberOf(guid, old_numbers_[before]) : MKeyFile::kNoPeer;
}

std::span<const std::byte> MKeyDraft::Make(const MKeyRules& rules) {
    EMBER_ASSERT(exit_count_ == 0);  // A draft makes one file.
    CollectExits();
    for (std::size_t i = 0; i < rules.size(); ++i) {
        Put(MKeyFile::kHeadOctets, i,
            StoredRule{rules[i].secret, std::uint64_t{rules[i].per_port ? 1U : 0U}});
    }
    guids_at_ = MKeyFile::kHeadOctets + MKeyFile::kRuleOctets * rules.size();
    for (std::size_t row = 0; row < exit_count_; ++row) {
        const MKeyFile::Exit& exit = exits_[row];
        std::uint16_t none = MKeyFile::kNoPeer;
        std::uint16_t& number = exit.at != kNoPortIndex ? numbers_[Raw(exit.at)] : none;
        static_cast<void>(NumberOf(exit.guid, number));
    }
    EMBER_ASSERT(guid_count_ == exit_count_);
    // The peers are put where they stand when all GUIDs have a place, and moved down afterwards.
    const std::size_t most_guids = MKeyFile::Guids(fabric_.limits());
    const std::size_t rows_at = guids_at_ + MKeyFile::kGuidOctets * most_guids;
    const std::size_t peers_at = rows_at + MKeyFile::kRowOctets * exit_count_;
    std::size_t peers = 0;
    for (std::size_t row = 0; row < exit_count_; ++row) {
        Put(rows_at, row, Be<std::uint32_t>{static_cast<std::uint32_t>(peers)});
        const std::uint32_t count = PeersOf(exits_[row]);
        for (std::uint32_t number = 1; number <= count; ++number) {
            Put(peers_at, peers++, Be<std::uint16_t>{PeerBehind(exits_[row], number)});
        }
    }
    EMBER_ASSERT(peers == peer_count_);
    const std::size_t tail = MKeyFile::kRowOctets * exit_count_ + MKeyFile::kPeerOctets * peers;
    const std::size_t tail_at = guids_at_ + MKeyFile::kGuidOctets * guid_count_;
    EMBER_ASSERT(tail_at <= rows_at);
    EMBER_ASSERT(rows_at + tail <= octets_.size());
    std::memmove(octets_.data() + tail_at, octets_.data() + rows_at, tail);
    const PortIndex own = fabric_.own_port();
    Put(0, 0,
        StoredHead{kMagic, static_cast<std::uint32_t>(rules.size()),
                   static_cast<std::uint32_t>(guid_count_), static_cast<std::uint32_t>(exit_count_),
                   static_cast<std::uint32_t>(peers),
                   own != kNoPortIndex ? fabric_.port(own).guid : old_.own()});
    return octets_.first(tail_at + tail);
}

std::span<const std::byte> MKeyFile::Write(const MKeyRules& rules, const Fabric& fabric,
                                           const MKeyFile& old, Arena& scratch) {
    return MKeyDraft(fabric, old, scratch).Make(rules);
}

}  // namespace ember
