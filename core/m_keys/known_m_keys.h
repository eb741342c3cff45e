// SPDX-License-Identifier: Apache-2.0
// EmberSM: the M_Keys that a port may have which does not answer to the one it should have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/fabric/fabric.h"
#include "core/fabric/m_key.h"
#include "core/log/log.h"
#include "core/m_keys/m_key_file.h"
#include "core/platform.h"
#include "core/settings/settings.h"

namespace ember {

/// The rules of M_Keys that were in force, and the file that keeps them over a restart.
///
/// A port that misses a change of m_key (it was off, or the answer to its Set was lost) has the key
/// of an earlier rule. So a question that meets silence is asked again with the other keys that the
/// port may have, one after the other: its turns. Turn 0 is the key that is known or wanted.
///
/// The files guid2mkey and neighbors of OpenSM tell more such keys and GUIDs.
///
/// A key per port is made from the GUID, which a port that guards itself does not tell. The GUID
/// behind an exit is known from the last sweep, or from the file; a node that fell silent behind a
/// link that stays up has the key that it had; a port that was plugged in elsewhere is one of those
/// that have left, or that have no link any more while their host has another. A node behind an
/// exit without any of these is asked without a key.
class KnownMKeys {
public:
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        Log& log;
        Store& store;
        Guid own_port = kNoGuid;  ///< Our own, before it was read.
    };

    KnownMKeys(const Parts& parts, const Settings& settings) : parts_(parts), settings_(settings) {}
    KnownMKeys(const KnownMKeys&) = delete;
    KnownMKeys& operator=(const KnownMKeys&) = delete;

    /// Ports that have left whose keys are tried behind an exit.
    static constexpr std::size_t kMostDeparted = 32;
    /// Ports of hosts that have lost their links, while another port of the host has one, whose
    /// keys are tried too.
    static constexpr std::size_t kMostUnlinked = 16;
    /// The most turns of a question; below 64, as a cookie holds the number of one.
    static constexpr std::size_t kMostTurns =
        2 * (kMostMKeyRules + 2) + 1 + kMostDeparted + kMostUnlinked;

    static_assert(kMostTurns < 64);
    /// Octets that BeginSweep() takes from its arena.
    [[nodiscard]] static constexpr std::size_t SweepBytes(const Limits& limits) {
        return Arena::BytesFor<std::byte>(MKeyFile::Bytes(limits));
    }
    /// Octets that Save() takes from its arena.
    [[nodiscard]] static constexpr std::size_t SaveBytes(const Limits& limits) {
        return Arena::BytesFor<std::byte>(MKeyFile::Bytes(limits)) + MKeyFile::ScratchBytes(limits);
    }

    /// To be called when a sweep begins. Follows the settings, and reads the file where it is
    /// needed, which stands in `scratch` until EndSweep().
    void BeginSweep(Arena& scratch, std::uint64_t now_us);
    void EndSweep() { file_ = {}; }
    /// This port is somewhere, as its subnet manager is heard. While no sweep meets it, its keys
    /// are the first behind exits of which no peer is known, from the next sweep on. kNoGuid: none
    /// is.
    void Seek(Guid port) { wanted_ = port; }

    /// The M_Key of a turn of a question to the node of `to`, or to the node beyond the link of
    /// `exit`. kAbsent: there are not as many turns.
    [[nodiscard]] Result<std::uint64_t> KeyAt(PortIndex to, std::size_t turn) const;
    [[nodiscard]] Result<std::uint64_t> KeyBeyond(PortIndex exit, std::size_t turn) const;
    /// The turns of KeyBeyond(); at least one. The file counts only while a sweep runs.
    [[nodiscard]] std::size_t TurnsBeyond(PortIndex exit) const;
    /// The same for our own node, which a sweep begins with.
    [[nodiscard]] Result<std::uint64_t> OwnKey(std::size_t turn) const;
    /// The same for a port of which no more than its GUID is known; at least one rule is tried.
    [[nodiscard]] std::uint64_t KeyOf(Guid guid, std::size_t turn) const;
    /// True for a key that one of the rules gives that port.
    [[nodiscard]] bool IsOurs(Guid guid, std::uint64_t key) const;

    /// The rules in force and before are safe in the store, or there are none: ports may be given
    /// keys of the rule in force.
    [[nodiscard]] bool is_safe() const { return is_safe_; }
    /// Writes the file if it would differ, and there is something to keep. kBusy: ask again.
    Status Save(Arena& scratch);
    /// The store has failed: go on without.
    void GiveUpSaving() { is_safe_ = true; }

    [[nodiscard]] const MKeyRules& rules() const { return rules_; }
    /// Grows whenever rules() changes.
    [[nodiscard]] std::uint32_t version() const { return version_; }
    /// Puts the rules that a master before us had in force, the latest first, before all known ones
    /// but that of the settings.
    void Learn(const MKeyRules& others);

private:
    using Keys = StaticVector<std::uint64_t, kMostTurns>;

    void Follow();
    void Load(std::span<std::byte> room, std::uint64_t now_us);
    [[nodiscard]] bool NeedsFile() const;
    [[nodiscard]] Guid GuidBeyond(Guid exit, PortNumber number) const;
    void AddRules(Guid guid, Keys& keys) const;
    [[nodiscard]] std::uint64_t KeyOfLost(Guid port, std::uint64_t had) const;
    void FindUnlinked();
    bool AddUnlinked(NodeIndex host);
    [[nodiscard]] bool IsLinked(Guid port) const;
    void AddDeparted(Keys& keys) const;
    void AddSilent(const Port& node, PortNumber number, Keys& keys) const;
    [[nodiscard]] Keys KeysBeyond(PortIndex exit) const;
    [[nodiscard]] static Result<std::uint64_t> Turn(const Keys& keys, std::size_t turn);

    Parts parts_;
    const Settings& settings_;
    MKeyRules rules_;  ///< The rule in force first; rules without a secret are left out.
    MKeyFile file_;    ///< While a sweep runs.
    StaticVector<std::uint64_t, kMostUnlinked> unlinked_;  ///< As the last sweep began.
    Guid wanted_ = kNoGuid;
    Guid sought_ = kNoGuid;          ///< In the last sweep: turns are the same throughout.
    std::size_t unlinked_node_ = 0;  ///< Where the search goes on if there are more.
    bool is_loaded_ = false;
    bool is_safe_ = true;
    std::uint32_t version_ = 0;
};

}  // namespace ember
