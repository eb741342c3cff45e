// SPDX-License-Identifier: Apache-2.0
// EmberSM: comments by which a file speaks to emberc.
#pragma once

#include <string_view>

#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// Reads the comment lines of a file that begin with "# emberc:". "# emberc: allow CODE, CODE"
/// allows warnings of these codes in the whole file, wherever the line stands: some of them are
/// about the file and no line. A word that is none of this is an error.
void ReadDirectives(std::string_view text, Diagnostics& diagnostics);

}  // namespace ember::emberc
