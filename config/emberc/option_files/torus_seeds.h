// SPDX-License-Identifier: Apache-2.0
// EmberSM: the seeds of torus_config, as its lines say them and as they are checked together.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/torus_fabric.h"
#include "core/settings/engine_options.h"

namespace ember::emberc {

/// A word of a line that is told of later. The text outlives it.
struct TorusSpot {
    std::size_t line = 0;
    Word word;
    std::string_view source;
};

/// A switch and where it is named.
struct TorusSwitch {
    Guid guid = kNoGuid;
    TorusSpot spot;
};

/// Gathers the seeds, which can be checked when the shape is known: maybe at the end.
class TorusSeeds {
public:
    explicit TorusSeeds(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// next_seed. OpenSM counts it as the first seed where no line of a seed came before.
    void Next(const TorusSpot& spot);
    /// `direction`: 2 d towards 0 in dimension d, 2 d + 1 away from it.
    void AddLink(std::size_t direction, const TorusSwitch& from, const TorusSwitch& to);
    void SetDateline(std::size_t dimension, int places, const TorusSpot& spot);

    /// The seeds for this torus; what is wrong with one is reported.
    [[nodiscard]] std::vector<TorusSeed> Finish(const TorusShape& shape);
    /// After Finish(), if nothing is wrong: says which switches and cables of `seeds`, which it has
    /// returned, the fabric has not, and which switches it has at other places. `shape_spot`: where
    /// the shape is given. With `routes_all` the torus is to be the whole fabric.
    void CompareWith(TorusFabric& fabric, const TorusShape& shape, std::span<const TorusSeed> seeds,
                     const TorusSpot& shape_spot, bool routes_all);
    /// Instead of Finish(): no line gives the shape.
    void ReportNoShape();

private:
    struct Link {
        TorusSwitch from;
        TorusSwitch to;
    };
    struct Dateline {
        int places = 0;
        TorusSpot spot;
    };
    struct Draft {
        TorusSpot begin;
        std::array<std::optional<Link>, 2 * kTorusDimensions> links;
        std::array<std::optional<Dateline>, kTorusDimensions> datelines;
    };

    using TorusPlace = std::array<std::uint8_t, kTorusDimensions>;
    struct Placed {
        Guid guid = kNoGuid;
        TorusPlace place{};
        TorusSpot spot;
    };

    [[nodiscard]] Draft& Last(const TorusSpot& spot);
    [[nodiscard]] TorusSeed Make(const TorusShape& shape, const Draft& draft);
    void CheckDimension(const TorusShape& shape, const Draft& draft, std::size_t dimension);
    void CheckSwitches(const TorusShape& shape, const Draft& draft);
    void CheckLinks(const TorusFabric& fabric, const TorusShape& shape, const Draft& draft);
    void ComparePlaces(const TorusFabric& fabric, const TorusShape& shape,
                       std::span<const TorusSeed> seeds);
    void CompareSeeds(const TorusShape& shape, const std::vector<TorusSeed>& seeds);
    [[nodiscard]] static std::vector<Placed> PlacesOf(const TorusShape& shape, const Draft& draft,
                                                      const TorusSeed& seed);
    void Report(Severity severity, const TorusSpot& at, Code code, std::string text);
    void Error(const TorusSpot& at, Code code, std::string text) {
        Report(Severity::kError, at, code, std::move(text));
    }

    Diagnostics& diagnostics_;
    std::vector<Draft> drafts_;
};

}  // namespace ember::emberc
