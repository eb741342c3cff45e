// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of GuidInfo leave no gap.
#include "core/wire/guid_info.h"

namespace ember {

static_assert(RowsTile<GuidInfo::kEntries>(0, 512, GuidInfo::Row));

}  // namespace ember
