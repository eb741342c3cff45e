// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an opensm.conf sets.
#pragma once

#include <string>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/value.h"

namespace ember::emberc {

/// A key: what it is set to, and where.
struct Setting {
    Value value;
    bool written = false;  ///< In the file; otherwise `value` is the default.
    Place place;           ///< Of the key, if written.
    Place value_place;     ///< Of the value, if written.
    std::string source;    ///< The line of `place`.
};

/// A line of the file names what the key is about, whatever its name; "(null)" names nothing.
[[nodiscard]] inline bool IsNamed(const Setting& setting) {
    return setting.written && setting.value.set;
}

/// All keys, in the order of Keys().
using Conf = std::vector<Setting>;

/// Every key at its default.
[[nodiscard]] const Conf& DefaultConf();

}  // namespace ember::emberc
