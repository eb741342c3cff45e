// SPDX-License-Identifier: Apache-2.0
// EmberSM: a start before the device that it needs.
#pragma once

#include <string>

#include "core/base/ids.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/embersm/seat.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/process/supervisor.h"
#include "platform/linux/system/signals.h"

namespace ember {

/// Takes the seat, and where its device is not there yet (Seat::may_come()), as while a machine
/// boots or its driver is loaded anew, says so once and tries again every second, without end: a
/// subnet manager that gives up stays away until a person comes. Meanwhile it gives the signs of
/// life of a program that is well. As Seat::Take(), but for `is_ended`: a signal has ended it.
[[nodiscard]] ExitStatus TakeWhenThere(Seat& seat,
                                       const Options& options,
                                       Guid wanted,
                                       const Signals& signals,
                                       const Supervision& supervision,
                                       std::string& absent,
                                       bool& is_ended);

}  // namespace ember
