// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, for people.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/emberc/option_files/contents.h"

namespace ember::emberc {

/// Partitions, the default one among them; 0: every port may talk with every other.
[[nodiscard]] inline std::size_t PartitionCount(const OptionContents& contents) {
    return contents.partitions ? contents.partitions->partitions.size() : 0;
}

/// Comment lines: for each file its option, how many entries it has, and the first few; all of them
/// when `all` is set. An entry is written as the file would have it.
[[nodiscard]] std::string ContentsAsText(const OptionContents& contents, bool all);

/// The same as an object: option to {"count", "entries"}.
[[nodiscard]] nlohmann::json ContentsAsJson(const OptionContents& contents, bool all);

}  // namespace ember::emberc
