// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an engine took a fabric for, as text.

#include "core/routing/choice_text.h"

#include "core/log/words.h"

namespace ember {

void AddChoice(FixedText& text, const EngineChoice& choice) {
    if (choice.shape == FabricShape::kUnknown) return;
    text.Add(kFabricShapeWords[Raw(choice.shape)]);
    if (choice.is_damaged) text.Add(", damaged");
    text.Add(": ").Add(kRoutingSchemeWords[Raw(choice.scheme)]);
    if (choice.odd_count != 0) {
        text.Add(", but for ").AddNumber(choice.odd_count);
        text.Add(choice.odd_count == 1 ? " odd cable" : " odd cables");
    }
    if (choice.not_tree != ShapeMismatch::kNone)
        text.Add("; no tree: ").Add(kShapeMismatchWords[Raw(choice.not_tree)]);
    if (choice.not_grid != ShapeMismatch::kNone)
        text.Add("; no grid: ").Add(kShapeMismatchWords[Raw(choice.not_grid)]);
    if (choice.shortage.what != EngineFault::kNone)
        text.Add("; no better scheme: ").Add(kEngineFaultWords[Raw(choice.shortage.what)]);
    if (choice.detours == 0) return;
    text.Add("; ").AddNumber(choice.detours).Add(" pairs of switches take longer paths");
}

void AddLevels(FixedText& text, const RoutingLanes& lanes) {
    const LaneLevels& levels = lanes.levels;
    if (levels.in_force()) {
        text.AddNumber(levels.count).Add(", each with ").AddNumber(lanes.count).Add(" lanes");
        return;
    }
    if (levels.lack == LaneLevels::Lack::kNone) return;
    const bool lacks_vls = levels.lack == LaneLevels::Lack::kVls;
    text.Add("out of force: with the lanes of the routing they need ").AddNumber(levels.needs);
    text.Add(lacks_vls ? " VLs on each link between switches" : " SLs of 16");
    text.Add("; ask for fewer, or set routing_lanes FALSE");
}

}  // namespace ember
