// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/emberc/option_files/contents.h"

namespace ember::emberc {

/// Comment lines: for each file its option, how many entries it has, and the first few; all of them
/// when `all` is set. An entry is written as the file would have it.
[[nodiscard]] std::string ContentsAsText(const OptionContents& contents, bool all);

/// The same as an object: option to {"count", "entries"}.
[[nodiscard]] nlohmann::json ContentsAsJson(const OptionContents& contents, bool all);

}  // namespace ember::emberc
