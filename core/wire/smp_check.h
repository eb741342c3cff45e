// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a received SMP must look like before anybody reads it.
#pragma once

#include "core/base/status.h"
#include "core/wire/mad.h"

namespace ember {

/// The edge of the wire: everything a subnet manager relies upon in an SMP it received, checked
/// once. kOk or kMalformed.
///
/// What is checked: base version; management class and class version; that the method belongs to
/// subnet management; and, on a directed route, the hop count, the hop pointer, the direction bit
/// and that the whole way was directed. IBA vol. 1, 13.4.2, 14.2.1, 14.2.2, 14.2.4.
///
/// What is not: reserved bits, which receivers must ignore; and whatever depends on the attribute
/// or on a question of ours, which only the one who asked can judge.
Status CheckSmp(const Mad& mad);

}  // namespace ember
