// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps in words.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/wire/notice.h"

namespace ember {

/// Notes a trap: one that IBA names (vol. 1, 14.2.5.1) in words, any other in numbers. `issuer` is
/// the end port that sent it. A node can send as many traps as it likes, so they are noted
/// sparingly.
void NoteTrap(Log& log, const Fabric& fabric, const Notice& notice, PortIndex issuer,
              std::uint64_t now_us);

}  // namespace ember
