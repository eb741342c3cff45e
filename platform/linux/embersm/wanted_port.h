// SPDX-License-Identifier: Apache-2.0
// EmberSM: the port that somebody names by its GUID.
#pragma once

#include <span>
#include <string>

#include "core/base/ids.h"
#include "core/platform.h"
#include "core/settings/settings.h"
#include "platform/linux/configuration/configure.h"
#include "platform/linux/embersm/options.h"

namespace ember {

/// Which port to bind to, and who says so.
struct PortWish {
    Guid guid = kNoGuid;     ///< kNoGuid: any.
    bool is_of_key = false;  ///< The key `guid` says so, not the command line, which wins.
};

/// Reads what Configure() would put in force, which it leaves to its caller to do: before the port
/// is ours nothing is written, for the store may be in another's use like the port. `settings` is
/// for that alone. Empty: `wish` is filled; else as Configure().
[[nodiscard]] std::string FindPortWish(const Options& options, Store& store,
                                       const ConfigurationRoom& room, Settings& settings,
                                       PortWish& wish);

/// A sentence that says that there is no such port, and which there are, the first eight of them.
[[nodiscard]] std::string ExplainNoPort(Guid wanted, std::span<const Guid> there);

}  // namespace ember
