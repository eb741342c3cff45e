// SPDX-License-Identifier: Apache-2.0
// EmberSM: an engine made of a finder of candidates and a builder that chooses among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/balanced_builder.h"
#include "engines/balance/renumbering.h"
#include "engines/mender.h"
#include "engines/spread/lft_builder.h"

namespace ember {

/// An engine that finds candidates by `Finder`, an ExitFinder, and spreads routes over them: by
/// OpenSM's builder (LftBuilder), or under Order::kBalanced by EmberSM's own (BalancedBuilder),
/// whose tables a Mender mends. A derived engine adds its kind, its options and its promise.
template <typename Finder>
class SpreadingEngine : public RoutingEngine {
public:
    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr auto kBalancedOptions = BalancedBuilder::kOptions;

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Finder::ScratchBytes(limits) + OtherBytes(limits);
    }
    /// The least that a run needs; a fabric that needs more is refused (EngineFault::kNoScratch).
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return LeastFinderBytes(limits) + OtherBytes(limits);
    }

    /// The least that mending needs.
    [[nodiscard]] static constexpr std::size_t MendBytes(const Limits& limits) {
        return LeastFinderBytes(limits) + Mender::ScratchBytes(limits);
    }

    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return options.order == Order::kBalanced;
    }
    Status Begin(const RoutingTask& task) override {
        task_ = task;
        task_.kept_back = BuildBytes(task.topology->bounds());
        is_balanced_ = task.is_balanced() && task.mended == nullptr;
        step_ = is_balanced_ ? Step::kRenumber : Step::kPrepare;
        if (!is_balanced_) return finder_.Begin(task_);
        renumbering_.Begin(task_);
        return Status::kOk;
    }
    Result<Progress> Advance() override {
        switch (step_) {
            case Step::kRenumber:
                if (renumbering_.Advance() == Progress::kDone) {
                    step_ = Step::kPrepare;
                    const Status status = finder_.Begin(renumbering_.task());
                    if (status != Status::kOk) return status;
                }
                break;
            case Step::kPrepare: {
                const Result<Progress> prepared = finder_.Prepare();
                if (!prepared.ok() || prepared.value() == Progress::kMore) return prepared;
                StartBuilding();
                break;
            }
            case Step::kBuild:
                return builder_.Advance();
            case Step::kBalance:
                return balanced_builder_.Advance();
            case Step::kMend:
                return mender_.Advance();
        }
        return Progress::kMore;
    }

protected:
    /// With what its finder is made of.
    template <typename... Rules>
    explicit SpreadingEngine(Rules... rules) : finder_(rules...) {}
    ~SpreadingEngine() = default;
    [[nodiscard]] const Finder& finder() const { return finder_; }

private:
    enum class Step : std::uint8_t { kRenumber, kPrepare, kBuild, kBalance, kMend };

    [[nodiscard]] static constexpr std::size_t LeastFinderBytes(const Limits& limits) {
        if constexpr (requires { Finder::LeastScratchBytes(limits); }) {
            return Finder::LeastScratchBytes(limits);
        } else {
            return Finder::ScratchBytes(limits);
        }
    }
    /// The most that choosing among the candidates takes.
    [[nodiscard]] static constexpr std::size_t BuildBytes(const Limits& limits) {
        return std::max({LftBuilder::ScratchBytes(limits), BalancedBuilder::ScratchBytes(limits),
                         Mender::ScratchBytes(limits)});
    }
    /// The most that all parts but the finder take.
    [[nodiscard]] static constexpr std::size_t OtherBytes(const Limits& limits) {
        return std::max(
            {LftBuilder::ScratchBytes(limits), Mender::ScratchBytes(limits),
             Renumbering::ScratchBytes(limits) + BalancedBuilder::ScratchBytes(limits)});
    }

    void StartBuilding() {
        if (is_balanced_) {
            balanced_builder_.Begin(renumbering_.task(), finder_, renumbering_.rows());
            step_ = Step::kBalance;
        } else if (task_.mended != nullptr) {
            mender_.Begin(task_, finder_);
            step_ = Step::kMend;
        } else {
            builder_.Begin(task_, finder_);
            step_ = Step::kBuild;
        }
    }

    Renumbering renumbering_;
    Finder finder_;
    LftBuilder builder_;
    BalancedBuilder balanced_builder_;
    Mender mender_;
    RoutingTask task_;
    Step step_ = Step::kPrepare;
    bool is_balanced_ = false;
};

}  // namespace ember
