// SPDX-License-Identifier: Apache-2.0
// EmberSM: a new configuration while the subnet manager runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/platform.h"
#include "core/subnet_manager.h"
#include "platform/linux/files.h"
#include "platform/linux/fixed_text.h"

namespace ember {

/// Reads the configuration's file again when an operator asks for it (SIGHUP, `emberctl reload`),
/// and hands it to the subnet manager when it is signed, sound and not older than the one before.
/// In every other case what is in force stays so, and the journal says why.
///
/// Tables of option files live in one of two rooms. Settings in force are never written to: a new
/// configuration goes into the room that nothing in force looks into. So a second one has to wait
/// until the subnet manager has taken over the first, at its next heavy sweep. Uses no heap. Reads
/// a file and writes two slots of the store, which takes milliseconds that nobody else has.
class Reloader {
public:
    struct Parts {
        SubnetManager& sm;
        const Clock& clock;  ///< That of the subnet manager, for the journal.
        Store& store;
        ConfigurationRoom room;  ///< Its tables: where those in force are.
        OptionRoom other_tables;
        ConfigurationReport& report;  ///< Of Configure(); kept up to date.
    };

    explicit Reloader(const Parts& parts) : parts_(parts) {}
    Reloader(const Reloader&) = delete;
    Reloader& operator=(const Reloader&) = delete;

    /// What Configure() was given, and accepted. Copied, for the heap is out of bounds later.
    void Remember(const ConfigurationFiles& files);

    /// True: the subnet manager has been configured anew and will sweep. False: `why` has a
    /// sentence. `tables_are_read`: somebody else (a dump) still looks into tables.
    [[nodiscard]] bool Reload(bool tables_are_read, FixedText& why);

private:
    struct Refusal {
        Status status = Status::kOk;
        std::string_view sentence;  ///< Its end, if `why` has its beginning.
        std::uint64_t counter = 0;
        std::uint64_t last_counter = 0;
    };
    [[nodiscard]] bool Refuse(const Refusal& refusal, FixedText& why);
    [[nodiscard]] bool ReadFile(std::size_t& octets, FixedText& why);

    static constexpr std::size_t kPathBytes = 4096;

    Parts parts_;
    bool has_files_ = false;
    std::array<char, kPathBytes> path_{};
};

}  // namespace ember
