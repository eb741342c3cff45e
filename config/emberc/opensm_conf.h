// SPDX-License-Identifier: Apache-2.0
// EmberSM: reading opensm.conf.
#pragma once

#include <string_view>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// Reads opensm.conf, as OpenSM does where it is clear and stricter where it is lax: what OpenSM
/// would drop, cut or guess is an error here. Goes on after an error to find the next. Also looks
/// at keys that contradict each other, and at those without effect (checks.h).
///
/// The result is complete; it is of use only when `diagnostics` counts no error.
[[nodiscard]] Conf ParseOpensmConf(std::string_view text, Diagnostics& diagnostics,
                                   const Allowances& allowances = {});

/// Reads a file of the same form and looks at each key for itself, not at what keys do together.
[[nodiscard]] Conf ReadKeys(std::string_view text, Diagnostics& diagnostics,
                            const Allowances& allowances = {});

}  // namespace ember::emberc
