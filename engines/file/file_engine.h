// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes that another program has computed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/engine_options.h"
#include "engines/file/file_finder.h"
#include "engines/file/file_lids.h"
#include "engines/spread/lft_builder.h"

namespace ember {

/// Forwarding tables from the option lfts_file or, when only lid_matrix_dump_file is given,
/// OpenSM's table builder over that matrix. Switches and ports are found by their GUIDs, and ports
/// have the LIDs that they have now; switches that are not here are skipped. The engine promises
/// nothing: the verifier refuses a file that no longer fits the fabric.
class FileEngine final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(FileLids::ScratchBytes(limits),
                        FileFinder::ScratchBytes(limits) + LftBuilder::ScratchBytes(limits));
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kFile;
    /// The builder's options too: it makes the routes over lid_matrix_dump_file.
    static constexpr auto kOptions =
        WithOptions(LftBuilder::kOptions, "lid_matrix_dump_file", "lfts_file");

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.all_switches = false};
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    [[nodiscard]] EngineComplaint complaint() const override { return complaint_; }

private:
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
