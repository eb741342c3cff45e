// SPDX-License-Identifier: Apache-2.0
// EmberSM: labels of a picture that do not print over each other.
#pragma once

#include <string_view>
#include <vector>

namespace ember::plan {

/// The size of labels in a picture, in its own units; page.cc's style says the same.
inline constexpr double kLabelSize = 12;
/// The width of a digit, at most: fonts differ, and the reader's is not known.
inline constexpr double kDigitWidth = 7.7;

/// The labels that a picture has so far. Labels are digits and short words in one font size, so
/// their extent is known well enough without a browser.
class Labels {
public:
    /// Where x is in the label.
    enum class Anchor { kStart, kMiddle, kEnd };

    /// Takes the place of `text` with its base line at y. False when it would touch a label that is
    /// there; nothing is taken then.
    [[nodiscard]] bool Take(double x, double y, std::string_view text,
                            Anchor anchor = Anchor::kMiddle);

private:
    struct Box {
        double left;
        double right;
        double base;
    };
    std::vector<Box> taken_;
};

}  // namespace ember::plan
