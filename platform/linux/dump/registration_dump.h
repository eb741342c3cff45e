// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients register, written out by itself as sa_db_dump wants it.
#pragma once

#include <cstdint>
#include <string>

#include "core/subnet_manager.h"
#include "platform/linux/dump/dump_directory.h"
#include "platform/linux/dump/dump_job.h"

namespace ember {

/// Has the dump job write opensm-sa.dump after every sweep, light or heavy, during which or before
/// which registrations changed, as long as sa_db_dump is set and we are master.
///
/// It shares the job with clients that ask for a dump, and gives way to them. A dump that came to
/// nothing is due again after the next sweep, and the log says why if it is the directory's
/// fault. The file is complete when it appears, and is not flushed: it is for migration; what
/// survives a power loss is the journal of registrations.
class RegistrationDump {
public:
    /// Both outlive it.
    RegistrationDump(SubnetManager& sm, DumpJob& job) : sm_(sm), job_(job) {}
    RegistrationDump(const RegistrationDump&) = delete;
    RegistrationDump& operator=(const RegistrationDump&) = delete;

    /// Where to write; empty: nowhere, and sa_db_dump has no effect. Empty answer: it is a
    /// directory, or none was named; else one sentence.
    [[nodiscard]] std::string Open(const std::string& directory);
    /// Begins a dump if one is due and the job is free. Costs nothing otherwise.
    void Consider();
    /// A dump has ended. False: it was not ours.
    [[nodiscard]] bool Took(DumpEnd how);
    /// Gives up its dump, if one runs; it is due after the next sweep.
    void GiveWay();

private:
    [[nodiscard]] bool IsWanted();
    [[nodiscard]] DumpEnd Begin();

    SubnetManager& sm_;
    DumpJob& job_;
    std::string directory_;
    DumpDirectory sink_;
    bool told_nowhere_ = false;
    bool has_written_ = false;   ///< Since we became master, and sa_db_dump was set.
    bool is_ours_ = false;       ///< The dump that runs.
    std::uint64_t sweeps_ = 0;   ///< At which it was last seen whether one is due.
    std::uint64_t changes_ = 0;  ///< What is written, if something is.
};

}  // namespace ember
