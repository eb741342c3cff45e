// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is known of other subnet managers.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"

namespace ember {

/// Another subnet manager, as met in the present sweep.
struct OtherSm {
    Guid port = kNoGuid;   ///< PortGUID of where it sits, as the sweep met it.
    Guid guid = kNoGuid;   ///< The same; its SMInfo:GUID once it has answered.
    Lid lid = kNoLid;      ///< Of that port, kNoLid when not known.
    bool directed = true;  ///< Reached by `path`, else by `lid`.
    DirectedPath path{};
    std::uint64_t m_key = 0;  ///< Met at its port by the last sweep; 0: not known.
    SmState state = SmState::kNotActive;
    std::uint8_t priority = 0;
    bool asked = false;
    bool counts = false;    ///< The SM answered with our SM_Key and takes part in the election.
    bool declined = false;  ///< The SM did not take the subnet over when we offered it.
};

/// The sender of an SMP, as the last sweep knows its port.
struct SmpSender {
    Guid port = kNoGuid;  ///< PortGUID; kNoGuid: no port that we know.
    bool is_sm = false;   ///< Its CapabilityMask, as last read, says IsSM.
};

/// The way to an SM at a port that we do not know, which has answered with our SM_Key.
struct KnownWay {
    DirectedPath path{};
    std::uint64_t until_us = 0;  ///< Then it is asked again.
};

}  // namespace ember
