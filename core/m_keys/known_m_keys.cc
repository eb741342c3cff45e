// SPDX-License-Identifier: Apache-2.0
// EmberSM: the M_Keys that a port may have which does not answer to the one it should have.

#include "core/m_keys/known_m_keys.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Adds a value once. A full vector stays as it is: the values that matter most come first.
template <typename Values, typename Value>
void AddOnce(Values& values, const Value& value) {
    if (std::find(values.begin(), values.end(), value) != values.end()) return;
    static_cast<void>(values.TryPush(value));
}

}  // namespace

void KnownMKeys::BeginSweep(Arena& scratch, std::uint64_t now_us) {
    file_ = {};
    const std::span<std::byte> room =
        scratch.Take<std::byte>(MKeyFile::Bytes(parts_.fabric.limits()));
    if (!is_loaded_ || NeedsFile()) Load(room, now_us);
    is_loaded_ = true;
    Follow();
    FindUnlinked();
    sought_ = IsLinked(wanted_) ? kNoGuid : wanted_;
}

bool KnownMKeys::IsLinked(Guid port) const {
    const PortIndex at = parts_.fabric.FindPort(port);
    return at != kNoPortIndex && parts_.fabric.port(at).peer != kNoPortIndex;
}

void KnownMKeys::Load(std::span<std::byte> room, std::uint64_t now_us) {
    const Result<std::size_t> loaded = parts_.store.Load(StoreSlot::kMKeys, room);
    EMBER_ASSERT(!loaded.ok() || loaded.value() <= room.size());
    Status status = loaded.status();
    if (loaded.ok()) status = file_.Read(room.first(loaded.value()));
    if (is_loaded_) return;  // Told, and its rules are known.
    if (status != Status::kOk && status != Status::kAbsent) {
        parts_.log.Write<Note::kStoreMalformed>(now_us, Raw(StoreSlot::kMKeys), Raw(status));
    }
    for (const MKeyRule& rule : file_.rules()) {
        if (rule.secret != 0) AddOnce(rules_, rule);
    }
    ++version_;
}

/// Puts the rule of the settings in front, and the oldest one away if there are too many.
void KnownMKeys::Follow() {
    EMBER_ASSERT(is_loaded_);
    const MKeyRule now = RuleOf(settings_);
    const bool is_first = !rules_.empty() && rules_[0] == now;
    if (is_first || now.secret == 0) return;
    MKeyRules rules;
    AddOnce(rules, now);
    for (const MKeyRule& rule : rules_) {
        AddOnce(rules, rule);
    }
    rules_ = rules;
    is_safe_ = false;
    ++version_;
}

void KnownMKeys::Learn(const MKeyRules& others) {
    MKeyRules rules;
    if (RuleOf(settings_).secret != 0) AddOnce(rules, RuleOf(settings_));
    for (const MKeyRule& rule : others) {
        if (rule.secret != 0) AddOnce(rules, rule);
    }
    for (const MKeyRule& rule : rules_) {
        AddOnce(rules, rule);
    }
    if (rules == rules_) return;
    rules_ = rules;
    is_safe_ = false;
    ++version_;
}

/// GUIDs are needed where keys are made from them.
bool KnownMKeys::NeedsFile() const {
    if (!settings_.manager_tables.m_keys.empty()) return true;
    return std::any_of(rules_.begin(), rules_.end(),
                       [](const MKeyRule& rule) { return rule.per_port; });
}

/// Adds the keys of the port `guid`, or if it is kNoGuid those that any port has.
void KnownMKeys::AddRules(Guid guid, Keys& keys) const {
    const MKeyRule now = RuleOf(settings_);
    AddOnce(keys, MKeyFrom(now, guid));
    if (!settings_.m_key_lookup) return;
    for (const MKeyRule& rule : rules_) {
        if (guid != kNoGuid || !rule.per_port) AddOnce(keys, MKeyFrom(rule, guid));
    }
    const std::span<const PortMKey> rows = settings_.manager_tables.m_keys;
    const auto row =
        std::lower_bound(rows.begin(), rows.end(), guid,
                         [](const PortMKey& one, Guid other) { return one.guid < other; });
    if (row != rows.end() && row->guid == guid) AddOnce(keys, row->m_key);
}

/// The key of a port that is not where it was: that it had, else that it shall have.
std::uint64_t KnownMKeys::KeyOfLost(Guid port, std::uint64_t had) const {
    const bool has_rule = NeedsFile() && !rules_.empty();
    return had == 0 && has_rule && port != kNoGuid ? MKeyFrom(rules_[0], port) : had;
}

/// A host with several ports stays when one of them loses its link, and that port may be behind any
/// exit. The entry of the exit in the file may come from a liar. Of more ports than fit each sweep
/// takes others.
void KnownMKeys::FindUnlinked() {
    unlinked_.clear();
    if (!settings_.m_key_lookup) return;
    const Fabric& fabric = parts_.fabric;
    std::size_t row = unlinked_node_;
    unlinked_node_ = 0;
    for (std::size_t i = 0; i < fabric.node_bound(); ++i, ++row) {
        if (row >= fabric.node_bound()) row = 0;
        const auto at = static_cast<NodeIndex>(row);
        // Ports of switches are most of a large fabric's memory, and have no key of their own.
        if (!fabric.IsLive(at) || fabric.node(at).type == NodeType::kSwitch) continue;
        const bool is_alone = unlinked_.empty();
        if (AddUnlinked(at)) continue;
        unlinked_node_ = is_alone ? row + 1 : row;
        return;
    }
}

/// False: there was no room for all ports of the host.
bool KnownMKeys::AddUnlinked(NodeIndex host) {
    const Fabric& fabric = parts_.fabric;
    for (const Port& port : fabric.PortsOf(host)) {
        if (port.guid == kNoGuid || port.peer != kNoPortIndex) continue;
        if (fabric.IndexOf(port) == fabric.own_port()) continue;
        const std::uint64_t m_key = KeyOfLost(port.guid, port.info.Get(PortInfo::kMKey));
        if (m_key == 0) continue;
        if (unlinked_.full()) return false;
        AddOnce(unlinked_, m_key);
    }
    return true;
}

/// Adds keys of ports that have left: one of them may have been plugged in elsewhere.
void KnownMKeys::AddDeparted(Keys& keys) const {
    if (!settings_.m_key_lookup) return;
    std::size_t ports = 0;
    parts_.fabric.departed().ForEachLatest([&](const DepartedNode& node) {
        for (std::size_t i = 1; i < node.guids.size(); ++i) {  // Behind the NodeGUID.
            const std::uint64_t m_key = KeyOfLost(node.guids[i], node.m_keys[i]);
            if (node.guids[i] == kNoGuid || m_key == 0 || ports == kMostDeparted) continue;
            ++ports;
            AddOnce(keys, m_key);
        }
    });
}

/// Adds the keys that a node that fell silent behind an exit may have: the one that it had,
/// whatever the rules have become since, or one that it was being given.
void KnownMKeys::AddSilent(const Port& node, PortNumber number, Keys& keys) const {
    if (!settings_.m_key_lookup) return;
    const Guid owner = parts_.fabric.node(node.node).guid;
    const SilentPeer* const peer = parts_.fabric.silent_peers().Find(owner, number);
    if (peer == nullptr) return;
    if (peer->m_key != 0) AddOnce(keys, peer->m_key);
    AddRules(peer->port, keys);
}

Result<std::uint64_t> KnownMKeys::Turn(const Keys& keys, std::size_t turn) {
    if (turn >= keys.size()) return Status::kAbsent;
    return keys[turn];
}

Result<std::uint64_t> KnownMKeys::KeyAt(PortIndex to, std::size_t turn) const {
    const std::uint64_t known = MKeyOf(parts_.fabric, settings_, to);
    if (turn == 0) return known;
    Keys keys;
    AddOnce(keys, known);
    AddRules(parts_.fabric.port(MKeyPortOf(parts_.fabric, to)).guid, keys);
    return Turn(keys, turn);
}

/// The port behind an exit, as it was last time, or as OpenSM knew it.
Guid KnownMKeys::GuidBeyond(Guid exit, PortNumber number) const {
    const Guid known = file_.Beyond(exit, number);
    if (known != kNoGuid) return known;
    const std::span<const Neighbor> rows = settings_.manager_tables.neighbors;
    const std::pair wanted{exit, number};
    const auto row = std::lower_bound(rows.begin(), rows.end(), wanted,
                                      [](const Neighbor& one, const auto& other) {
                                          return std::pair{one.guid, one.port} < other;
                                      });
    const bool is_there = row != rows.end() && row->guid == exit && row->port == number;
    return is_there ? row->peer : kNoGuid;
}

Result<std::uint64_t> KnownMKeys::KeyBeyond(PortIndex exit, std::size_t turn) const {
    const PortIndex peer = parts_.fabric.port(exit).peer;
    if (peer != kNoPortIndex && turn == 0) return MKeyOf(parts_.fabric, settings_, peer);
    return Turn(KeysBeyond(exit), turn);
}

std::size_t KnownMKeys::TurnsBeyond(PortIndex exit) const {
    return KeysBeyond(exit).size();
}

KnownMKeys::Keys KnownMKeys::KeysBeyond(PortIndex exit) const {
    const Fabric& fabric = parts_.fabric;
    const PortIndex peer = fabric.port(exit).peer;
    const Port& node = fabric.port(MKeyPortOf(fabric, exit));
    Keys keys;
    if (peer != kNoPortIndex) {
        AddOnce(keys, MKeyOf(fabric, settings_, peer));
        AddRules(fabric.port(MKeyPortOf(fabric, peer)).guid, keys);
    } else {
        if (sought_ != kNoGuid) AddRules(sought_, keys);
        AddSilent(node, fabric.port(exit).number, keys);
    }
    Guid guid = GuidBeyond(node.guid, fabric.port(exit).number);
    // A file of another SM has no row for our host, but one for the switch in front of it.
    const bool is_own = exit == fabric.own_port() && guid == kNoGuid;
    if (is_own) guid = file_.Before(node.guid);
    if (peer == kNoPortIndex || guid != kNoGuid) AddRules(guid, keys);
    for (const std::uint64_t m_key : unlinked_) {
        AddOnce(keys, m_key);
    }
    AddDeparted(keys);
    return keys;
}

Result<std::uint64_t> KnownMKeys::OwnKey(std::size_t turn) const {
    const PortIndex own = parts_.fabric.own_port();
    if (own != kNoPortIndex) return KeyAt(own, turn);
    Keys keys;
    AddRules(parts_.own_port != kNoGuid ? parts_.own_port : file_.own(), keys);
    return Turn(keys, turn);
}

std::uint64_t KnownMKeys::KeyOf(Guid guid, std::size_t turn) const {
    Keys keys;
    AddRules(guid, keys);
    EMBER_ASSERT(!keys.empty());
    return keys[turn % keys.size()];
}

bool KnownMKeys::IsOurs(Guid guid, std::uint64_t key) const {
    Keys keys;
    AddRules(guid, keys);
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Status KnownMKeys::Save(Arena& scratch) {
    if (rules_.empty()) return Status::kOk;
    const Arena::Frame frame(scratch);
    const std::span<std::byte> room =
        scratch.Take<std::byte>(MKeyFile::Bytes(parts_.fabric.limits()));
    const Result<std::size_t> loaded = parts_.store.Load(StoreSlot::kMKeys, room);
    EMBER_ASSERT(!loaded.ok() || loaded.value() <= room.size());
    const std::span<const std::byte> had = room.first(loaded.ok() ? loaded.value() : 0);
    MKeyFile old;
    static_cast<void>(old.Read(had));  // Of a damaged file nothing is kept.
    const std::span<const std::byte> fresh = MKeyFile::Write(rules_, parts_.fabric, old, scratch);
    EMBER_ASSERT(fresh.size() <= room.size());
    // Octets read may still be on their way to the disk: until they are safe, only Save() tells.
    if (is_safe_ && std::equal(had.begin(), had.end(), fresh.begin(), fresh.end())) {
        return Status::kOk;
    }
    EMBER_TRY(parts_.store.Save(StoreSlot::kMKeys, fresh));
    is_safe_ = true;
    return Status::kOk;
}

}  // namespace ember
