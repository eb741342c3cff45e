// SPDX-License-Identifier: Apache-2.0
// EmberSM: the Fabric of a netlist, by the name that tests call it.
#pragma once

#include "config/netlist/fabric_builder.h"

namespace ember::testing {

using net::ArenaStorage;
using net::BuiltFabric;
using net::LimitsFor;

}  // namespace ember::testing
