// SPDX-License-Identifier: Apache-2.0
// EmberSM: words that mean a key and are not spelled like it.
#pragma once

#include <string>
#include <string_view>

namespace ember::emberc {

/// The key that people mean by `word`, in any spelling of capitals and hyphens: one of OpenSM's
/// options, or a plain word for what the key is about. Empty: none is known.
[[nodiscard]] std::string_view KeyByMeaning(std::string_view word);

}  // namespace ember::emberc
