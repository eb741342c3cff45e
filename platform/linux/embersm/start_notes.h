// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log is told when the process starts.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/log/log.h"
#include "core/manager/storage.h"
#include "platform/common/configuration_report.h"
#include "platform/linux/process/supervisor.h"

namespace ember {

/// Notes that the subnet manager starts, where it sits, and how much memory its board takes.
void NoteSeat(Log& log, Guid own_port, std::span<const MemoryRow> memory, std::uint64_t now_us);

/// Notes what became of the process before this one, if a supervisor has started this one after it.
void NoteRestart(Log& log, const Supervision& supervision, std::uint64_t now_us);

/// Notes with which configuration it starts, what was refused, and what the store could not give or
/// take. Only when a configuration was given, or kept from before.
void NoteConfiguration(Log& log, const ConfigurationReport& configuration, std::uint64_t now_us);

}  // namespace ember
