// SPDX-License-Identifier: Apache-2.0
// EmberSM: dump files that are written by themselves, as sa_db_dump and log_flags want it.
#pragma once

#include <cstdint>
#include <string>

#include "core/manager/subnet_manager.h"
#include "platform/linux/dump/dump_directory.h"
#include "platform/linux/dump/dump_job.h"

namespace ember {

/// The bit of log_flags by which OpenSM writes dump files after each routing.
inline constexpr std::uint8_t kLogRouting = 0x40;

/// Has the dump job write files after sweeps, as long as we are master:
///
///   sa_db_dump     opensm-sa.dump, after every sweep, light or heavy, during which or before which
///                  registrations changed
///   log_flags 40   all others, after each routing
///
/// It shares the job with clients that ask for a dump, and gives way to them. A dump that came to
/// nothing is due again after the next sweep, and the log says why if it is the directory's
/// fault. A file is complete when it appears, and is not flushed: it is for migration and study;
/// what survives a power loss is the journal of registrations.
class SweepDumps {
public:
    /// Both outlive it.
    SweepDumps(SubnetManager& sm, DumpJob& job) : sm_(sm), job_(job) {}
    SweepDumps(const SweepDumps&) = delete;
    SweepDumps& operator=(const SweepDumps&) = delete;

    /// Where to write; empty: nowhere, and neither key has an effect. Empty answer: it is a
    /// directory, or none was named; else one sentence.
    [[nodiscard]] std::string Open(const std::string& directory);
    /// Begins a dump if one is due and the job is free. Costs nothing otherwise.
    void Consider();
    /// A dump has ended. False: it was not ours.
    [[nodiscard]] bool Took(DumpEnd how);
    /// Files of the first sweep that had the subnet up are wanted, and neither written nor given
    /// up.
    [[nodiscard]] bool owes() const;
    /// Gives up its dump, if one runs; it is due after the next sweep.
    void GiveWay();

private:
    /// The dump that one of the two keys asks for.
    struct Wish {
        DumpExtent extent;
        bool logged_nowhere = false;
        bool has_written = false;   ///< Since we became master, and the key was set.
        std::uint64_t changes = 0;  ///< The state that is written, if any: see StateOf().
    };

    [[nodiscard]] bool IsSet(const Wish& wish) const;
    [[nodiscard]] bool IsWanted(Wish& wish);
    [[nodiscard]] bool IsDue(Wish& wish);
    [[nodiscard]] std::uint64_t StateOf(const Wish& wish) const;
    void Begin(Wish& wish);
    void LogNowhere(const Wish& wish);
    void LogEnd(const Wish& wish, DumpEnd how);

    SubnetManager& sm_;
    DumpJob& job_;
    std::string directory_;
    DumpDirectory sink_;
    Wish routing_{.extent = DumpExtent::kRouting};
    Wish registrations_{.extent = DumpExtent::kRegistrations};
    Wish* ours_ = nullptr;             ///< The wish whose dump runs.
    std::uint64_t begun_with_ = 0;     ///< The state when it was begun.
    std::uint64_t routing_tried_ = 0;  ///< Sweeps at which the dump of a routing was begun last.
    std::uint64_t sweeps_ = 0;         ///< At which it was last seen whether one is due.
};

}  // namespace ember
