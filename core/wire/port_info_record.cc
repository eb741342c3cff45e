// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of PortInfoRecord leave no gap.
#include "core/wire/port_info_record.h"

namespace ember {

static_assert(RecordTiles(576,
                          {PortInfoRecord::kLid, PortInfoRecord::kPortNum, PortInfoRecord::kOptions,
                           PortInfoRecord::kPortInfo, PortInfoRecord::kPadding544}));

}  // namespace ember
