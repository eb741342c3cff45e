// SPDX-License-Identifier: Apache-2.0
// EmberSM: the records of opensm-sa.dump, a line each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/record_fields.h"
#include "core/fabric/sa_state.h"

namespace ember::emberc {

/// A service of the file, and when it was told last.
struct DumpedService {
    ServiceEntry entry;
    std::uint64_t modified_s = 0;  ///< Seconds since 1970.
};

// Each takes the line at hand from behind the words that say what it is, and holds the values to
// what the switch takes. Nothing: that was reported.

/// "MC Group 0xc001 : mgid=...". The port it names is the group's creator, and is not kept.
[[nodiscard]] std::optional<GroupEntry> ReadGroup(RecordFields& fields);
/// "mcm_port: ...", of the group of `mgid`. Its owner is the port itself.
[[nodiscard]] std::optional<MemberEntry> ReadMember(RecordFields& fields, const SubnetFacts& subnet,
                                                    const Gid& mgid);
/// "GUIDInfo Record: ...": up to eight alias GUIDs of a port.
[[nodiscard]] std::optional<std::vector<AliasEntry>> ReadAliases(RecordFields& fields);
/// "Service Record: ...". Its owner is the port of its GID; its end counts from 1970.
[[nodiscard]] std::optional<DumpedService> ReadService(RecordFields& fields,
                                                       const SubnetFacts& subnet);
/// "InformInfo Record: ...". Reports go to the queue pair of its address.
[[nodiscard]] std::optional<SubscriptionEntry> ReadSubscription(RecordFields& fields,
                                                                const SubnetFacts& subnet);

}  // namespace ember::emberc
