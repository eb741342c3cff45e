// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SwitchInfo leave no gap.
#include "core/wire/switch_info.h"

namespace ember {

static_assert(Tiles(512,
                    {SwitchInfo::kLinearFdbCap,
                     SwitchInfo::kRandomFdbCap,
                     SwitchInfo::kMulticastFdbCap,
                     SwitchInfo::kLinearFdbTop,
                     SwitchInfo::kDefaultPort,
                     SwitchInfo::kDefaultMulticastPrimaryPort,
                     SwitchInfo::kDefaultMulticastNotPrimaryPort,
                     SwitchInfo::kLifeTimeValue,
                     SwitchInfo::kPortStateChange,
                     SwitchInfo::kOptimizedSlToVlMappingProgramming,
                     SwitchInfo::kLidsPerPort,
                     SwitchInfo::kPartitionEnforcementCap,
                     SwitchInfo::kInboundEnforcementCap,
                     SwitchInfo::kOutboundEnforcementCap,
                     SwitchInfo::kFilterRawInboundCap,
                     SwitchInfo::kFilterRawOutboundCap,
                     SwitchInfo::kEnhancedPort0,
                     SwitchInfo::kReserved133,
                     SwitchInfo::kReserved136,
                     SwitchInfo::kMulticastFdbTop,
                     SwitchInfo::kReserved160,
                     SwitchInfo::kReserved192,
                     SwitchInfo::kReserved256,
                     SwitchInfo::kReserved320,
                     SwitchInfo::kReserved384,
                     SwitchInfo::kReserved448}));

}  // namespace ember
