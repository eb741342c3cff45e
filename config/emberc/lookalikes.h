// SPDX-License-Identifier: Apache-2.0
// EmberSM: characters of web pages and word processors that look like blanks and quotes.
#pragma once

#include <string>
#include <string_view>

#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// `text` with blanks for the blanks of typesetting (U+00A0 and its kin) and plain quotes and
/// hyphens for typographic ones, of which nothing that emberc reads knows any other meaning.
/// Comments stay as they are. A warning names the first such character and counts the lines;
/// columns of what follows in such a line are those of the new text.
[[nodiscard]] std::string Straightened(std::string_view text, Diagnostics& diagnostics);

}  // namespace ember::emberc
