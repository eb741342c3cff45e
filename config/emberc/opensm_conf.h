// SPDX-License-Identifier: Apache-2.0
// EmberSM: reading opensm.conf.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/allowances.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/value.h"

namespace ember::emberc {

/// One key: what it is set to, and where.
struct Setting {
    Value value;
    bool written = false;  ///< In the file; otherwise `value` is the default.
    Place place;           ///< Of the key, if written.
    Place value_place;     ///< Of the value, if written.
    std::string source;    ///< That line.
};

/// All keys, in the order of Keys().
using Conf = std::vector<Setting>;

/// Every key at its default.
[[nodiscard]] const Conf& DefaultConf();

/// Reads opensm.conf, as OpenSM does where it is clear and stricter where it is lax: what OpenSM
/// would drop, cut or guess is an error here. Goes on after an error to find the next. Also looks
/// at keys that contradict each other, and at those without effect (keys_without_effect.h).
///
/// The result is complete; it is of use only when `diagnostics` counts no error.
[[nodiscard]] Conf ParseOpensmConf(std::string_view text,
                                   Diagnostics& diagnostics,
                                   const Allowances& allowances = {});

/// Looks at settings that belong together; may complete one from another as OpenSM would, where the
/// file leaves it open.
void CheckTogether(Conf& settings, Diagnostics& diagnostics);

/// Looks at options of routing that do nothing beside each other, or for the engines listed.
void CheckRouting(const Conf& settings, Diagnostics& diagnostics);

}  // namespace ember::emberc
