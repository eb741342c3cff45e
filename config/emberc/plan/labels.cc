// SPDX-License-Identifier: Apache-2.0
// EmberSM: labels of a picture that do not print over each other.
#include "config/emberc/plan/labels.h"

#include <algorithm>
#include <cmath>

namespace ember::plan {

bool Labels::Take(double x, double y, std::string_view text, Anchor anchor) {
    constexpr double kGap = 2;
    const double width = kDigitWidth * static_cast<double>(text.size());
    double left = x - width / 2;
    if (anchor == Anchor::kStart) left = x;
    if (anchor == Anchor::kEnd) left = x - width;
    const Box box = {left - kGap, left + width + kGap, y};
    const bool is_free = std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) {
        return box.left < other.right && other.left < box.right &&
               std::abs(box.base - other.base) < kLabelSize;
    });
    if (is_free) taken_.push_back(box);
    return is_free;
}

}  // namespace ember::plan
