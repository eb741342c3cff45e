// SPDX-License-Identifier: Apache-2.0
// EmberSM: when a program that shall end at SUBNET UP stops waiting for it.
#pragma once

#include "core/manager/subnet_manager.h"

namespace ember {

/// Whether `sm`, at rest, will not come to SUBNET UP by itself any more: its routing was refused,
/// several heavy sweeps led nowhere, another subnet manager is master, this one is not active, or
/// its port is gone.
[[nodiscard]] bool IsInVain(const SubnetManager& sm);

}  // namespace ember
