// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of InformInfo and of what belongs to it leave no gap.
#include "core/wire/inform_info.h"

namespace ember {

static_assert(Tiles(320,
                    {InformInfo::kGidHigh, InformInfo::kGidLow, InformInfo::kLidRangeBegin,
                     InformInfo::kLidRangeEnd, InformInfo::kReserved160, InformInfo::kIsGeneric,
                     InformInfo::kSubscribe, InformInfo::kType, InformInfo::kTrapNumber,
                     InformInfo::kQpn, InformInfo::kReserved248, InformInfo::kRespTimeValue,
                     InformInfo::kReserved256, InformInfo::kProducerType,
                     InformInfo::kReserved288}));

static_assert(RecordTiles(512,
                          {InformInfoRecord::kSubscriberGidHigh,
                           InformInfoRecord::kSubscriberGidLow, InformInfoRecord::kSubscriberEnum,
                           InformInfoRecord::kReserved144, InformInfoRecord::kInformInfo}));

static_assert(RecordTiles(640,
                          {ReportedNotice::kNotice, ReportedNotice::kIssuerGidHigh,
                           ReportedNotice::kIssuerGidLow}));

}  // namespace ember
