// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the control socket.
#pragma once

#include <string_view>

#include "core/log/fixed_text.h"
#include "core/log/json_writer.h"
#include "platform/linux/views/status_view.h"

namespace ember {

/// The members of an answer to `status`; the caller opens and closes the object.
void AddStatus(JsonWriter& json, const StatusView& view);

/// The list `restart_needed`: keys that are not in force before embersm starts again.
void AddRestartKeys(JsonWriter& json, const ConfigurationReport& report);

/// The members of an answer to `memory`.
void AddMemory(JsonWriter& json, const StatusView& view);

}  // namespace ember
