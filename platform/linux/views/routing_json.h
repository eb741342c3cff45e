// SPDX-License-Identifier: Apache-2.0
// EmberSM: the part of the status that is about routes.
#pragma once

#include <string_view>

#include "core/graph/dependencies.h"
#include "core/log/json_writer.h"
#include "core/manager/subnet_manager.h"

namespace ember {

/// The object `routing`: the engine, what it took the fabric for, and what the proof found.
void AddRouting(JsonWriter& json, const SubnetManager& sm, const SubnetStatus& status);

/// The member `key`: the switches and ports of a list, in order; and the VLs, where its graph has
/// several.
void AddChannels(JsonWriter& json, std::string_view key, const ChannelList& list);

}  // namespace ember
