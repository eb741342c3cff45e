// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of VendorDiag leave no gap.
#include "core/wire/vendor_diag.h"

namespace ember {

static_assert(Tiles(512,
                    {VendorDiag::kNextIndex, VendorDiag::kDiagData0, VendorDiag::kDiagData8,
                     VendorDiag::kDiagData16, VendorDiag::kDiagData24, VendorDiag::kDiagData32,
                     VendorDiag::kDiagData40, VendorDiag::kDiagData48, VendorDiag::kDiagData56}));

}  // namespace ember
