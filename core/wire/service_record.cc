// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of ServiceRecord leave no gap.
#include "core/wire/service_record.h"

namespace ember {

static_assert(RecordTiles(1408,
                          {ServiceRecord::kServiceId, ServiceRecord::kServiceGidHigh,
                           ServiceRecord::kServiceGidLow, ServiceRecord::kServicePKey,
                           ServiceRecord::kReserved208, ServiceRecord::kServiceLease,
                           ServiceRecord::kServiceKey, ServiceRecord::kServiceName,
                           ServiceRecord::kServiceData8, ServiceRecord::kServiceData16,
                           ServiceRecord::kServiceData32, ServiceRecord::kServiceData64}));

// The last word of data ends with the record, and each kind begins where its part does.
static_assert(ServiceRecord::kComponents.back().bit + ServiceRecord::kComponents.back().width ==
              1408);
static_assert(ServiceRecord::kComponents[ServiceRecord::kHasServiceData16].bit ==
              ServiceRecord::kServiceData16.bit);
static_assert(ServiceRecord::kComponents[ServiceRecord::kHasServiceData32].bit ==
              ServiceRecord::kServiceData32.bit);
static_assert(ServiceRecord::kComponents[ServiceRecord::kHasServiceData64].bit ==
              ServiceRecord::kServiceData64.bit);

}  // namespace ember
