// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a matrix is asked for a row by a number.
// Expect: no match for|no viable

#include "core/base/table.h"

namespace ember {

#ifdef EMBER_MISTAKE
int Look(Matrix<SwitchIndex, int> matrix) {
    return matrix[0U][1];
}
#else
int Look(Matrix<SwitchIndex, int> matrix) {
    return matrix[SwitchIndex{0}][1];
}
#endif

}  // namespace ember
