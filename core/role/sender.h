// SPDX-License-Identifier: Apache-2.0
// EmberSM: from which port of the fabric an SMP came.
#pragma once

#include "core/fabric/fabric.h"
#include "core/platform.h"
#include "core/role/role.h"

namespace ember {

/// The end port that sent an SMP, by its source LID or by its return path, as far as the fabric is
/// known. A sender may invent the part of that path before its own port: a path that leads through
/// a host names no port.
[[nodiscard]] SmpSender SenderOf(const Fabric& fabric, const Role& role, const Envelope& request);

}  // namespace ember
