// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of ClassPortInfo leave no gap.
#include "core/wire/class_port_info.h"

namespace ember {

static_assert(Tiles(576, {ClassPortInfo::kBaseVersion,     ClassPortInfo::kClassVersion,
                          ClassPortInfo::kCapabilityMask,  ClassPortInfo::kCapabilityMask2,
                          ClassPortInfo::kRespTimeValue,   ClassPortInfo::kRedirectGidPrefix,
                          ClassPortInfo::kRedirectGidGuid, ClassPortInfo::kRedirectTc,
                          ClassPortInfo::kRedirectSl,      ClassPortInfo::kRedirectFl,
                          ClassPortInfo::kRedirectLid,     ClassPortInfo::kRedirectPKey,
                          ClassPortInfo::kReserved256,     ClassPortInfo::kRedirectQp,
                          ClassPortInfo::kRedirectQKey,    ClassPortInfo::kTrapGidPrefix,
                          ClassPortInfo::kTrapGidGuid,     ClassPortInfo::kTrapTc,
                          ClassPortInfo::kTrapSl,          ClassPortInfo::kTrapFl,
                          ClassPortInfo::kTrapLid,         ClassPortInfo::kTrapPKey,
                          ClassPortInfo::kTrapHl,          ClassPortInfo::kTrapQp,
                          ClassPortInfo::kTrapQKey}));

}  // namespace ember
