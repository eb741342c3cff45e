// SPDX-License-Identifier: Apache-2.0
// EmberSM: "did you mean".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace ember::emberc {

/// Letters to insert, delete, replace or swap with their neighbor to turn one word into the other;
/// capitals count as small letters, and "-" as "_".
[[nodiscard]] std::size_t EditDistance(std::string_view a, std::string_view b);

/// The nearest of `candidates`: a third of the letters may differ. Where none is so near, the
/// shortest that begins with `word`, if that has three letters. Or nothing.
[[nodiscard]] std::string_view Nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// Which word `app`, whose parse() has thrown, was given in the place of a subcommand, and the
/// nearest that there is. Empty where the mistake is another one. For emberc and emberctl.
[[nodiscard]] std::string NoSuchCommand(const CLI::App& app);

}  // namespace ember::emberc
