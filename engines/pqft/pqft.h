// SPDX-License-Identifier: Apache-2.0
// EmberSM: fat trees with cables between their roots.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/pqft/tree_parts.h"
#include "engines/up_down/up_dn.h"

namespace ember {

/// Routes a quasi fat tree: fat trees that cables between their roots join. Inside a tree paths go
/// up to a common ancestor and down, as ftree's, and never leave it; from one tree to another they
/// go up to a root, over the cables between roots, and down. Free of credit loops: all of it is
/// up/down routing from the roots of all trees, where of two roots the one with the smaller number
/// is above (see UpDn).
///
/// The roots are found (TreeParts), unless root_guid_file names some. A cable between two trees
/// that joins other switches is complained of.
class Pqft final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return TreeParts::ScratchBytes(limits) + UpDn::ScratchBytes(limits);
    }
    /// The least that a run needs; a fabric that needs more is refused (EngineFault::kNoScratch).
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return TreeParts::ScratchBytes(limits) + UpDn::LeastScratchBytes(limits);
    }
    /// The least that mending needs.
    [[nodiscard]] static constexpr std::size_t MendBytes(const Limits& limits) {
        return TreeParts::ScratchBytes(limits) + UpDn::MendBytes(limits);
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kPqft;
    static constexpr std::array<std::string_view, 2> kOptions = {"root_guid_file", "ids_guid_file"};

    Pqft() = default;
    Pqft(const Pqft&) = delete;
    Pqft& operator=(const Pqft&) = delete;

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true, .all_switches = false};
    }
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return up_down_.can_mend(options);
    }
    Status Begin(const RoutingTask& task) override {
        options_ = *task.options;
        options_.order = Order::kBalanced;  // OpenSM has no such engine.
        options_.connect_roots = false;     // Else loops close over the cables between roots.
        has_parts_ = false;
        if (!options_.tables.has_roots) {
            const Status status = parts_.Find(*task.topology, *task.scratch);
            if (status != Status::kOk) return status;
            options_.tables.roots = parts_.roots();
            options_.tables.has_roots = true;
        }
        has_parts_ = true;
        RoutingTask whole = task;
        whole.options = &options_;
        return up_down_.Begin(whole);
    }
    Result<Progress> Advance() override { return up_down_.Advance(); }
    [[nodiscard]] EngineComplaint complaint() const override {
        return has_parts_ ? up_down_.complaint() : parts_.complaint();
    }

private:
    EngineOptions options_;  ///< The task's, as Begin() changed them.
    TreeParts parts_;
    bool has_parts_ = false;
    UpDn up_down_;
};

}  // namespace ember
