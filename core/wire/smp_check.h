// SPDX-License-Identifier: Apache-2.0
// EmberSM: the check of a received SMP.
#pragma once

#include "core/base/status.h"
#include "core/wire/mad.h"

namespace ember {

/// Checks, once and at the edge, everything that the rooms above rely upon in a received SMP. kOk
/// or kMalformed.
///
/// Checked are the base version, the management class and the class version; that the method
/// belongs to subnet management; and, on a directed route, the hop count, the hop pointer, the
/// direction bit and that the whole path is directed. IBA vol. 1, 13.4.2, 14.2.1, 14.2.2, 14.2.4.
///
/// Not checked are reserved bits, which receivers must ignore, and everything that depends on the
/// attribute or on one of our requests: the room that reads the attribute or sent the request
/// checks that.
Status CheckSmp(const Mad& mad);

}  // namespace ember
