// SPDX-License-Identifier: Apache-2.0
// EmberSM: an engine whose work is tampered with when it has ended.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "core/routing/engine.h"

namespace ember::testing {

/// Does what another engine does, and then something else to the tables, or to what it was given.
class TamperingEngine final : public RoutingEngine {
public:
    using Deed = std::function<void(const RoutingTask& task)>;
    explicit TamperingEngine(RoutingEngine& engine, Deed done = {})
        : deed(std::move(done)), engine_(engine) {}

    [[nodiscard]] EngineKind kind() const override { return engine_.kind(); }
    [[nodiscard]] std::string_view name() const override { return engine_.name(); }
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return promised.value_or(engine_.promise(options));
    }
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return mends || engine_.can_mend(options);
    }
    Status Begin(const RoutingTask& task) override {
        task_ = task;
        return engine_.Begin(task);
    }
    Result<Progress> Advance() override {
        const Result<Progress> progress = engine_.Advance();
        if (!progress.ok() || progress.value() == Progress::kMore) return progress;
        if (deed && (task_.mended != nullptr || is_always_tampered_with)) deed(task_);
        if (end != Status::kOk) return end;
        return progress;
    }
    [[nodiscard]] EngineComplaint complaint() const override { return engine_.complaint(); }

    Deed deed;                             ///< When the other engine has mended.
    bool is_always_tampered_with = false;  ///< And when it has made all anew.
    std::optional<Promise> promised;       ///< Else what the other one promises.
    bool mends = false;                    ///< Says that it can, whatever the other one says.
    Status end = Status::kOk;              ///< With which it ends, after the deed.

private:
    RoutingEngine& engine_;
    RoutingTask task_;
};

}  // namespace ember::testing
