// SPDX-License-Identifier: Apache-2.0
// EmberSM: writes OpenSM's dump files while the subnet manager goes on with its work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/settings.h"
#include "core/subnet_manager.h"
#include "engines/report/hop_report.h"
#include "engines/report/node_order.h"
#include "platform/linux/dump/dump_text.h"

namespace ember {

/// How a dump ended.
enum class DumpEnd : std::uint8_t {
    kRunning,
    kWritten,     ///< All files are there.
    kNotUp,       ///< No sweep has brought the subnet up yet.
    kNotResting,  ///< A sweep is under way: ask again.
    kMoved,       ///< The subnet changed meanwhile: the files do not fit each other; or clients
                  ///< register so much that no moment of it could be written.
    kUnwritable,  ///< A file could not be made or written; errno at the time is error().
};

/// Which files a dump has.
enum class DumpExtent : std::uint8_t {
    kAll,            ///< Of kDumpFiles, those that exist under the engine in use.
    kRegistrations,  ///< Those of registrations only.
};

/// Writes the files of kDumpFiles into a directory, a slice at a time.
///
/// The tables stand still between two heavy sweeps; when one begins, the dump is given up, as half
/// of it would tell of another subnet. Files appear under their names when they are complete. Uses
/// no heap; the directory is opened by name once, so it may be relative.
class DumpJob {
public:
    struct Room {
        std::span<NodeIndex> nodes;        ///< As many as the board can hold.
        std::span<SwitchIndex> switches;   ///< Likewise.
        std::span<std::byte> computation;  ///< ScratchBytes() at least; begins at Arena::kGrain.
    };
    /// What computations take: the more there is, the faster is a dump of updn and dnup.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return std::max(HopReport::ScratchBytes(limits), NodeOrder::ScratchBytes(limits));
    }

    explicit DumpJob(const Room& room);
    DumpJob(const DumpJob&) = delete;
    DumpJob& operator=(const DumpJob&) = delete;

    /// kRunning: call Advance() until it says otherwise. Else nothing was begun.
    [[nodiscard]] DumpEnd Begin(const SubnetManager& sm,
                                const char* directory,
                                DumpExtent extent = DumpExtent::kAll);
    /// Ends a dump that runs; the file it was at does not appear.
    void GiveUp();
    /// Works for about `budget_us`.
    [[nodiscard]] DumpEnd Advance(const SubnetManager& sm, std::uint64_t budget_us);
    [[nodiscard]] bool running() const { return directory_ >= 0; }
    [[nodiscard]] int error() const { return error_; }
    /// Of kDumpFiles: this one belongs to the dump.
    [[nodiscard]] bool Has(const DumpFile& file) const {
        if (extent_ == DumpExtent::kRegistrations) return file.of_registrations;
        return !file.only_with_node_order || has_node_order_;
    }
    /// Of SaJournalStatus::changes: what the file of registrations that was written last tells.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

private:
    [[nodiscard]] bool StandsStill(const SubnetManager& sm) const;
    void BeginReports(const SubnetManager& sm);
    [[nodiscard]] bool IsAtEnd();
    [[nodiscard]] bool OpenFile(const SubnetManager& sm);
    [[nodiscard]] bool HasChanged(const SubnetManager& sm) const;
    [[nodiscard]] DumpEnd EndFile(const SubnetManager& sm);
    [[nodiscard]] bool WriteOut();
    [[nodiscard]] bool CloseFile();
    [[nodiscard]] bool AddPieces(const DumpView& view, bool& more);
    [[nodiscard]] DumpEnd Slice(const SubnetManager& sm, std::uint64_t until_us);
    DumpEnd End(DumpEnd how);

    static constexpr std::size_t kBufferBytes = 4 * kMaxDumpPiece;
    static constexpr std::size_t kNameBytes = 64;
    /// So often what clients register is written anew because they registered more.
    static constexpr int kTries = 64;

    Room room_;
    Arena scratch_;
    HopReport hops_;
    NodeOrder node_order_;
    DumpExtent extent_ = DumpExtent::kAll;
    bool has_node_order_ = false;
    Settings settings_;  ///< Those at the beginning: a role that does not sweep may change its own.
    SortedCounts counts_;
    std::uint64_t sweep_ = 0;  ///< Heavy sweeps begun when the dump began.
    std::size_t file_index_ = 0;
    std::uint64_t changes_ = 0;  ///< Of registrations, when the file was begun.
    int tries_ = 0;
    std::uint64_t file_bytes_ = 0;
    DumpCursor cursor_;
    int directory_ = -1;
    int file_ = -1;
    int error_ = 0;
    std::uint64_t written_bytes_ = 0;
    std::array<char, kBufferBytes> buffer_{};
    FixedText text_{buffer_};
};

}  // namespace ember
