// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that EmberSM does not act on yet.
#pragma once

#include <cstddef>
#include <string>

#include "config/emberc/allowances.h"
#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// Says of each key that is set to other than its default, and has no effect, how grave that is: by
/// its `use`, one step milder where OpenSM would not look at it either because the key beside it is
/// not set. A key that is allowed draws a note.
void CheckKeysWithoutEffect(const Conf& conf, const Allowances& allowances,
                            Diagnostics& diagnostics);

/// The mistake in a key or code behind --allow, a code behind --deny; empty: none.
[[nodiscard]] std::string WhyNotAllowed(const std::string& name);
[[nodiscard]] std::string WhyNotDenied(const std::string& code);

}  // namespace ember::emberc
