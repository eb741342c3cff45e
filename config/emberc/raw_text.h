// SPDX-License-Identifier: Apache-2.0
// EmberSM: a file's text before its parser: comments to emberc, and characters of web pages.
#pragma once

#include <string>
#include <string_view>

#include "config/emberc/diagnostics.h"

namespace ember::emberc {

/// Reads the comment lines of a file that begin with "# emberc:". "# emberc: allow CODE, CODE"
/// allows warnings of these codes in the whole file, wherever the line stands: some of them are
/// about the file and no line. A word that is none of this is an error.
void ReadDirectives(std::string_view text, Diagnostics& diagnostics);

/// `text` with blanks for the blanks of typesetting (U+00A0 and its kin) and plain quotes and
/// hyphens for typographic ones, of which nothing that emberc reads knows any other meaning.
/// Comments stay as they are. A warning names the first such character and counts the lines;
/// columns of what follows in such a line are those of the new text.
[[nodiscard]] std::string Straightened(std::string_view text, Diagnostics& diagnostics);

}  // namespace ember::emberc
