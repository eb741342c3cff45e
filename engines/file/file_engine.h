// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes that somebody else has computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/file/file_finder.h"
#include "engines/file/file_lids.h"
#include "engines/lft_builder.h"

namespace ember {

/// Forwarding tables from the option lfts_file or, when only lid_matrix_dump_file is given,
/// OpenSM's table builder over that matrix. Switches, and ports by the LIDs they have now, are
/// found by their GUIDs; switches that are not here are skipped. It promises nothing, so the
/// verifier's word is all there is: a file that no longer fits the fabric is refused by it.
class FileEngine final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(FileLids::ScratchBytes(limits),
                        FileFinder::ScratchBytes(limits) + LftBuilder::ScratchBytes(limits));
    }

    [[nodiscard]] EngineKind kind() const override { return EngineKind::kFile; }
    [[nodiscard]] std::string_view name() const override { return "file"; }
    [[nodiscard]] Promise promise(const Settings& /*settings*/) const override {
        return {.all_switches = false};
    }
    // Defined in the class; see SpreadingEngine.
    Status Begin(const RoutingTask& task) override { return Open(task); }
    Result<Progress> Advance() override { return Work(); }
    [[nodiscard]] EngineComplaint complaint() const override { return complaint_; }

private:
    Status Open(const RoutingTask& task);
    Result<Progress> Work();
    [[nodiscard]] Result<Progress> BuildByMatrix();
    [[nodiscard]] Status CopyTable(const FileTable& table);

    RoutingTask task_;
    FileLids lids_;
    FileFinder finder_;
    LftBuilder builder_;
    bool is_prepared_ = false;  ///< The LIDs of the file are known.
    std::size_t next_ = 0;      ///< Table to copy next.
    EngineComplaint complaint_;
};

}  // namespace ember
