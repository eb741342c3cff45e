// SPDX-License-Identifier: Apache-2.0
// EmberSM: proof, while it runs, that nothing allocates.
#pragma once

namespace ember {

/// From now on a call of malloc() and its kin (operator new included) by this thread ends the
/// process with a panic that names the caller. free() stays allowed, as it takes nothing.
///
/// Calls by a preloaded library (LD_PRELOAD) are let through: a fabric simulator's preload stands
/// for a kernel, and a kernel may allocate. Where a sanitizer owns malloc() this does nothing and
/// says so by returning false.
bool ArmHeapTrap();

/// Allows allocation again, for an orderly end.
void DisarmHeapTrap();

}  // namespace ember
