// SPDX-License-Identifier: Apache-2.0
// EmberSM: an engine made of a finder of candidates and a builder that chooses among them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/balanced_builder.h"
#include "engines/lft_builder.h"
#include "engines/mender.h"

namespace ember {

/// An engine that finds candidates by `Finder`, an ExitFinder, and spreads routes over them: by
/// OpenSM's builder, or under Order::kBalanced by EmberSM's own, which a Mender goes on with. Who
/// derives from it has only to say what it is called and what it promises.
template <typename Finder>
class SpreadingEngine : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Finder::ScratchBytes(limits) +
               std::max({LftBuilder::ScratchBytes(limits), BalancedBuilder::ScratchBytes(limits),
                         Mender::ScratchBytes(limits)});
    }

    // All virtual functions are defined in the class. It then has no home file that would compile
    // its table without type information, which tests under sanitizers ask for.
    [[nodiscard]] bool can_mend(const Settings& settings) const override {
        return settings.order == Order::kBalanced;
    }
    Status Begin(const RoutingTask& task) override {
        task_ = task;
        is_building_ = false;
        is_mending_ = false;
        return finder_.Begin(task);
    }
    Result<Progress> Advance() override {
        if (is_mending_) return mender_.Advance();
        if (is_building_) return is_balanced_ ? balanced_builder_.Advance() : builder_.Advance();
        const Result<Progress> prepared = finder_.Prepare();
        if (!prepared.ok() || prepared.value() == Progress::kMore) return prepared;
        is_balanced_ = task_.settings->order == Order::kBalanced;
        if (task_.mended != nullptr) {
            mender_.Begin(task_, finder_);
            is_mending_ = true;
            return Progress::kMore;
        }
        is_balanced_ ? balanced_builder_.Begin(task_, finder_) : builder_.Begin(task_, finder_);
        is_building_ = true;
        return Progress::kMore;
    }

protected:
    ~SpreadingEngine() = default;
    [[nodiscard]] const Finder& finder() const { return finder_; }

private:
    Finder finder_;
    LftBuilder builder_;
    BalancedBuilder balanced_builder_;
    Mender mender_;
    RoutingTask task_;
    bool is_building_ = false;
    bool is_mending_ = false;
    bool is_balanced_ = false;
};

}  // namespace ember
