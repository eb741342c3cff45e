// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of VLArbitrationTable leave no gap.
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

using T = VlArbitrationTable;

/// Entry after entry: reserved bits, lane, weight.
consteval Extent ThirdOfEntry(std::size_t third) {
    if (third % 3 == 0) return T::ReservedRow(third / 3);
    if (third % 3 == 1) return T::VlRow(third / 3);
    return T::WeightRow(third / 3);
}
static_assert(RowsTile<3 * T::kEntries>(0, 512, ThirdOfEntry));

}  // namespace
}  // namespace ember
