// SPDX-License-Identifier: Apache-2.0
// EmberSM: where embersm keeps what shall survive a restart.

#include "platform/linux/embersm/state_stores.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ember {

ExitStatus StateStores::OpenFlash(const Options& options) {
    const FlashContents contents{
        .lid_octets = static_cast<std::uint32_t>(LidMap::StoreBytes(board_.limits.max_lid)),
        .blob_octets = static_cast<std::uint32_t>(board_.blob_bytes),
        .m_key_octets = static_cast<std::uint32_t>(MKeyFile::Bytes(board_.limits))};
    FlashState& flash = flash_.Make();
    std::string said;
    const std::string wrong = flash.Open(options.flash, contents, options.format_flash, said);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    if (!said.empty()) Complain(ExitStatus::kWell, said);
    waited_ = &flash;
    return ExitStatus::kWell;
}

ExitStatus StateStores::Open(const Options& options) {
    if (!options.state_dir.empty()) {
        FileStore& files = files_.Make();
        const std::string wrong = files.Open(options.state_dir);
        if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
        waited_ = &files;
    }
    if (!options.flash.path.empty()) {
        const ExitStatus opened = OpenFlash(options);
        if (opened != ExitStatus::kWell) return opened;
    }
    if (waited_ != nullptr) return ExitStatus::kWell;
    store_ = waited_ = &forgetful_.Make(std::max(board_.saved.size(), board_.blob_bytes));
    return ExitStatus::kWell;
}

ExitStatus StateStores::Start(const Options& options) {
    if (!options.state_dir.empty()) {
        FileStateLog& journal = journal_.Make(board_.registrations);
        const std::string unopened = journal.Open(options.state_dir);
        if (!unopened.empty()) return Complain(ExitStatus::kFile, unopened);
        registrations_ = &journal;
    }
    if (store_ != nullptr) return ExitStatus::kWell;
    StoreWriter& writer = writer_.Make(*waited_, board_.saved);
    const std::string stuck = writer.Start();
    store_ = &writer;
    verdicts_ = &writer.strict();
    return stuck.empty() ? ExitStatus::kWell : Complain(ExitStatus::kFile, stuck);
}

void StateStores::FinishStore() {
    if (verdicts_ != nullptr) writer_.Get().Finish();
}

void StateStores::FinishJournal() {
    if (registrations_ != nullptr) journal_.Get().Finish();
}

}  // namespace ember
