// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is kept over a restart to reach ports that answer to their M_Key only.
#pragma once

#include <algorithm>
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

namespace ember {

/// Rules that are remembered: the one in force, and those before it.
inline constexpr std::size_t kMostMKeyRules = 4;
using MKeyRules = StaticVector<MKeyRule, kMostMKeyRules>;

/// The content of StoreSlot::kMKeys: the rules of M_Keys, latest first, and which port is behind
/// each exit, without which the key of a port that does not answer yet cannot be made. A view.
///
/// An exit, a port of a switch or the SM's own port, is named by the GUID of its node's management
/// port and its number; the port behind it by the GUID from which its key is made.
class MKeyFile {
public:
    /// Views these octets. kMalformed: they are no such file, and the view is empty.
    Status Read(std::span<const std::byte> octets);

    [[nodiscard]] MKeyRules rules() const;
    /// The GUID of the SM's own port when it was written.
    [[nodiscard]] Guid own() const { return own_; }
    /// The port behind an exit; kNoGuid: not known.
    [[nodiscard]] Guid Beyond(Guid exit, PortNumber number) const;
    /// The node that has this port behind one of its exits: what a host finds behind its own port.
    /// kNoGuid: not known. Looks at every exit.
    [[nodiscard]] Guid Before(Guid port) const;

    [[nodiscard]] static constexpr std::size_t Bytes(const Limits& limits) {
        return kHeadOctets + kRuleOctets * kMostMKeyRules + kGuidOctets * Guids(limits) +
               kRowOctets * Rows(limits) + kPeerOctets * Peers(limits);
    }
    /// Octets that Write() takes from its arena, the returned ones included.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::byte>(Bytes(limits)) + Arena::BytesFor<Exit>(Rows(limits)) +
               Arena::BytesFor<std::uint16_t>(limits.max_ports) +
               Arena::BytesFor<std::uint16_t>(Guids(limits));
    }
    /// The file of these rules and of the fabric as it is now. Entries of `old` for exits that lead
    /// nowhere now are kept as far as there is room: a node that was unplugged may come back.
    [[nodiscard]] static std::span<const std::byte> Write(const MKeyRules& rules,
                                                          const Fabric& fabric, const MKeyFile& old,
                                                          Arena& scratch);

private:
    friend class MKeyDraft;
    static constexpr std::size_t kHeadOctets = 28;
    static constexpr std::size_t kRuleOctets = 16;
    static constexpr std::size_t kGuidOctets = 8;
    static constexpr std::size_t kRowOctets = 4;
    static constexpr std::size_t kPeerOctets = 2;
    static constexpr std::uint16_t kNoPeer = 0xFFFF;

    /// A node with exits, while a file is made.
    struct Exit {
        Guid guid = kNoGuid;
        PortIndex at = kNoPortIndex;  ///< Its management port; kNoPortIndex: only `old` knows it.
        std::uint32_t old_row = 0;
    };
    static constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

    [[nodiscard]] static constexpr std::size_t Rows(const Limits& limits) {
        return limits.max_switches + std::size_t{1};  // And the SM's own node.
    }
    /// Each row has a GUID, also where a board has more switches than LIDs.
    [[nodiscard]] static constexpr std::size_t Guids(const Limits& limits) {
        return std::max(limits.max_lid + std::size_t{1}, Rows(limits));
    }
    [[nodiscard]] static constexpr std::size_t Peers(const Limits& limits) {
        constexpr std::size_t kOwnPorts = 254;
        const std::size_t exits = limits.max_switches * std::size_t{limits.max_switch_ports};
        return std::min<std::size_t>(limits.max_ports, exits) + kOwnPorts;
    }

    [[nodiscard]] Guid GuidAt(std::uint32_t number) const;
    [[nodiscard]] std::uint32_t FirstPeerOf(std::uint32_t row) const;
    [[nodiscard]] std::uint16_t PeerAt(std::uint32_t at) const;
    [[nodiscard]] std::uint32_t RowOf(Guid exit) const;
    [[nodiscard]] bool IsSound() const;

    Guid own_ = kNoGuid;
    std::uint32_t rows_ = 0;  ///< GUIDs of these come first, ascending.
    std::uint32_t guids_ = 0;
    std::uint32_t peers_ = 0;
    std::span<const std::byte> rule_octets_;
    std::span<const std::byte> guid_octets_;
    std::span<const std::byte> row_octets_;
    std::span<const std::byte> peer_octets_;
};

}  // namespace ember
