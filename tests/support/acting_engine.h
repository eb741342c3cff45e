// SPDX-License-Identifier: Apache-2.0
// EmberSM: an engine that is min-hop underneath and pretends to be another.
#pragma once

#include <string_view>

#include "engines/min_hop.h"

namespace ember::testing {

/// Routes and mends as min-hop does, under another name, with another promise, and fails when told
/// to.
class ActingEngine final : public RoutingEngine {
public:
    ActingEngine(EngineKind kind, std::string_view name, Promise promise)
        : kind_(kind), name_(name), promise_(promise) {}

    [[nodiscard]] EngineKind kind() const override { return kind_; }
    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return promise_;
    }
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return min_hop_.can_mend(options);
    }
    Status Begin(const RoutingTask& task) override {
        ++runs;
        task_ = task;
        return status == Status::kOk ? min_hop_.Begin(task) : status;
    }
    Result<Progress> Advance() override {
        const Result<Progress> progress = min_hop_.Advance();
        if (loses && progress.ok() && progress.value() == Progress::kDone) DropLast();
        return progress;
    }
    [[nodiscard]] EngineComplaint complaint() const override { return grudge; }

    Status status = Status::kOk;  ///< Of Begin().
    EngineComplaint grudge;
    int runs = 0;        ///< How often it was asked.
    bool loses = false;  ///< Its tables drop what goes to the last end port, and it does not say.

private:
    void DropLast() {
        Lid last = kNoLid;
        for (const Destination& row : task_.topology->destinations()) {
            if (!row.is_switch()) last = row.lid;
        }
        for (const SwitchIndex at : task_.topology->switches_by_guid()) {
            if (last != kNoLid) task_.tables.lfts[at][Raw(last)] = 255;
        }
    }

    EngineKind kind_;
    std::string_view name_;
    Promise promise_;
    MinHop min_hop_;
    RoutingTask task_;
};

}  // namespace ember::testing
