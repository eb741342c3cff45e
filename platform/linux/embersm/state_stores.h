// SPDX-License-Identifier: Apache-2.0
// EmberSM: where embersm keeps what shall survive a restart.
#pragma once

#include "core/platform.h"
#include "platform/common/late.h"
#include "platform/linux/embersm/board_memory.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/store/file_state_log.h"
#include "platform/linux/store/file_store.h"
#include "platform/linux/store/flash_state.h"
#include "platform/linux/store/store_writer.h"
#include "platform/sim/sim_store.h"

namespace ember {

/// The stores that the command line names: LIDs and configurations in flash memory or in files, the
/// journal of registrations in files. State for which no store is named is kept in memory and is
/// gone with the process.
///
/// A store may be in another process's use until the management port is ours. So Open() writes
/// nothing but what --format-flash asks for, and Start() begins with the rest.
class StateStores {
public:
    explicit StateStores(const BoardRoom& board) : board_(board) {}
    StateStores(const StateStores&) = delete;
    StateStores& operator=(const StateStores&) = delete;

    /// kWell: waited() may be read; else the complaint has been made.
    [[nodiscard]] ExitStatus Open(const Options& options);
    /// After Open(). kWell: the threads that write run; else the complaint has been made.
    [[nodiscard]] ExitStatus Start(const Options& options);

    /// Waits until what was saved is safe.
    void FinishStore();
    /// Waits until what was registered is safe.
    void FinishJournal();

    /// For the start: every call waits for the device.
    [[nodiscard]] Store& waited() const { return *waited_; }
    /// For steps of the subnet manager: no call waits. From Start() on.
    [[nodiscard]] Store& store() const { return *store_; }
    /// The same, but Load() tells what is safe; nullptr: store() does.
    [[nodiscard]] Store* verdicts() const { return verdicts_; }
    /// nullptr: registrations do not survive a restart.
    [[nodiscard]] StateLog* registrations() const { return registrations_; }

private:
    [[nodiscard]] ExitStatus OpenFlash(const Options& options);

    const BoardRoom& board_;
    Late<FileStore> files_;
    Late<FlashState> flash_;
    Late<sim::SimStore> forgetful_;
    Late<StoreWriter> writer_;
    Late<FileStateLog> journal_;
    Store* waited_ = nullptr;
    Store* store_ = nullptr;
    Store* verdicts_ = nullptr;
    StateLog* registrations_ = nullptr;
};

}  // namespace ember
