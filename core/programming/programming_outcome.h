// SPDX-License-Identifier: Apache-2.0
// EmberSM: what came of a round of Sets.
#pragma once

#include <cstdint>

#include "core/fabric/link_end.h"

namespace ember {

/// Results of the present round of Sets.
struct ProgrammingOutcome {
    std::uint32_t ports_set = 0;
    std::uint32_t ports_right = 0;  ///< Needed no Set.
    std::uint32_t switches_set = 0;
    std::uint32_t changes_cleared = 0;  ///< Of these, with PortStateChange.
    std::uint32_t blocks_read = 0;
    std::uint32_t blocks_set = 0;
    std::uint32_t blocks_right = 0;
    std::uint32_t detours = 0;  ///< Of blocks_set, those that had to drop before they could change.
    /// LIDs whose entries that changed had to drop before any other: TransitionProof.
    std::uint32_t yielded = 0;
    std::uint32_t unordered = 0;    ///< LIDs with changed entries that it could not look at,
    bool lacks_order_room = false;  ///< for want of scratch memory; else as their lanes change.
    std::uint32_t activated = 0;
    std::uint32_t failed = 0;        ///< Sets unanswered or refused; the next sweep is heavy.
    std::uint32_t unanswered = 0;    ///< Of these, those to switches that did not answer.
    std::uint32_t reregistered = 0;  ///< Ports whose clients were asked to register again.
    std::uint32_t bounced = 0;       ///< Links taken down because their MTU or VLs must change.
    // The same of links to hosts and routers. None of them keeps the subnet from being up.
    std::uint32_t end_ports_failed = 0;
    std::uint32_t end_ports_bounced = 0;
    LinkEnd failed_end_port;  ///< The first of those that failed.
};

}  // namespace ember
