// SPDX-License-Identifier: Apache-2.0
// EmberSM: the static memory of embersm, as large as its board makes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/limits.h"
#include "core/lids/lid_map.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "platform/common/late.h"
#include "platform/linux/configuration/configure.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/embersm/program.h"
#include "platform/linux/embersm/program_memory.h"

namespace ember {

/// Views of every array of embersm whose size its board decides.
struct BoardRoom {
    const Limits& limits;
    std::span<const MemoryRow>
        memory;              ///< The core's tables, and what the process has beside them.
    std::size_t blob_bytes;  ///< Of the largest configuration blob.
    ConfigurationRoom configuration;
    OptionRoom other_tables;
    DumpJob::Room dumps;
    std::span<std::byte> registrations;  ///< For FileStateLog.
    std::span<std::byte> saved;          ///< For StoreWriter: LIDs, or M_Keys.
    /// Begins the life of the core's tables. To be called once.
    const SubnetManager::Memory& (*make_tables)();
};

/// The arrays themselves, for a board of these limits that takes blobs of up to `kBlobBytes`. All
/// are static, and none is written to before it is used: what a small fabric does not need is never
/// resident.
template <Limits kLimits, std::size_t kBlobBytes>
class BoardMemory {
public:
    [[nodiscard]] static BoardRoom room() {
        static_assert(std::array{Configuration::kBlobBytes, Configuration::kTableBytes,
                                 sizeof(node_order_) + sizeof(switch_order_) +
                                     sizeof(dump_scratch_) + step_lfts_.size() + step_hops_.size(),
                                 sizeof(registrations_), sizeof(saved_), sizeof(Program)} ==
                          std::array{kBeside[0].bytes, kBeside[1].bytes, kBeside[2].bytes,
                                     kBeside[3].bytes, kBeside[4].bytes, kBeside[5].bytes},
                      "LinuxMemoryTable() tells of other memory than there is");
        return {kLimits,
                kRows,
                kBlobBytes,
                configuration_.room(),
                configuration_.other_tables(),
                {node_order_, switch_order_, dump_scratch_, {step_lfts_, step_hops_}},
                registrations_,
                saved_,
                MakeTables};
    }

private:
    using Tables = Storage<kLimits>;
    using Configuration = ConfigurationMemory<kBlobBytes>;
    static const SubnetManager::Memory& MakeTables() { return tables_.Make().memory(); }

    static constexpr auto kBeside = LinuxMemoryTable(kLimits, kBlobBytes);
    static constexpr auto kRows = [] {
        constexpr auto kCore = Tables::table();
        std::array<MemoryRow, kCore.size() + kBeside.size()> rows;
        std::copy(kBeside.begin(), kBeside.end(),
                  std::copy(kCore.begin(), kCore.end(), rows.begin()));
        return rows;
    }();

    static inline Late<Tables> tables_;
    static inline Configuration configuration_;
    static inline std::array<NodeIndex, kLimits.max_nodes> node_order_;
    static inline std::array<SwitchIndex, kLimits.max_switches> switch_order_;
    alignas(Arena::kGrain) static inline std::array<std::byte,
                                                    DumpJob::ScratchBytes(kLimits)> dump_scratch_;
    static inline std::array<std::uint8_t, StepReplay::LftBytes(kLimits)> step_lfts_;
    static inline std::array<std::uint8_t, StepReplay::HopMatrixBytes(kLimits)> step_hops_;
    alignas(64) static inline std::array<std::byte, 2 * kLimits.state_buffer_bytes> registrations_;
    static inline std::array<std::byte, StateBytes(kLimits)> saved_;
};

}  // namespace ember
