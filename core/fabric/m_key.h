// SPDX-License-Identifier: Apache-2.0
// EmberSM: which M_Key a port shall have, and which one a question to it bears.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/settings/settings.h"

namespace ember {

/// How the M_Keys of a subnet follow from m_key. IBA vol. 1, 14.2.4.
struct MKeyRule {
    std::uint64_t secret = 0;  ///< 0: no port has an M_Key.
    bool per_port = false;     ///< Each port has its own, made from the secret; else all have it.
    [[nodiscard]] bool operator==(const MKeyRule&) const = default;
};

[[nodiscard]] inline MKeyRule RuleOf(const Settings& settings) {
    return {settings.m_key, settings.m_key_per_port};
}

/// The M_Key of the end port `guid` under a rule: SipHash-2-4 of the GUID, whose key is the secret.
/// So a host that reads its own M_Key does not know that of another port. Never 0 unless the secret
/// is. kNoGuid: what a port of unknown GUID may be asked with, 0 under a rule of keys per port.
[[nodiscard]] std::uint64_t MKeyFrom(const MKeyRule& rule, Guid guid);

/// The port whose M_Key guards the node of `at` on the way through `at`: port 0 of a switch, else
/// `at` itself.
[[nodiscard]] PortIndex MKeyPortOf(const Fabric& fabric, PortIndex at);

/// The M_Key that the node of `at` is asked with: the one that it has as far as is known, else the
/// one that it shall have. A port that was not read yet and has no key for all is asked without:
/// it may be a stranger's.
[[nodiscard]] std::uint64_t MKeyOf(const Fabric& fabric, const Settings& settings, PortIndex at);

/// Likewise for the node at the other end of the link of `exit`.
[[nodiscard]] std::uint64_t MKeyBeyond(const Fabric& fabric, const Settings& settings,
                                       PortIndex exit);

/// True for a PortInfo that hides an M_Key from us: it is protected, and 0 is shown. A port without
/// an M_Key may look so too.
[[nodiscard]] inline bool HidesMKey(const PortInfo& info) {
    return info.Get(PortInfo::kMKey) == 0 && info.Get(PortInfo::kMKeyProtectBits) != 0;
}

}  // namespace ember
