// SPDX-License-Identifier: Apache-2.0
// EmberSM: what `emberc check` offers: keys that make a subnet safer, and are off unless somebody
// knows his fabric.
#pragma once

#include <string>
#include <vector>

#include "config/emberc/configuration.h"

namespace ember::emberc {

/// A sentence for each such key that the configuration does not set.
[[nodiscard]] std::vector<std::string> OffersFor(const Configuration& read);

}  // namespace ember::emberc
