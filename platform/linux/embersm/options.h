// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the command line of embersm says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/log/catalogue.h"
#include "platform/linux/log/log_line.h"
#include "platform/linux/store/linux_flash.h"

namespace ember {

/// The options of the command line, with their defaults.
struct Options {
    enum class Run : std::uint8_t { kNormal, kHelp, kVersion, kMemory };
    enum class Fabric : std::uint8_t { kSimulated, kUmad, kMailbox };
    enum class Mailbox : std::uint8_t { kUio, kShared };

    Run run = Run::kNormal;
    Fabric fabric = Fabric::kUmad;
    std::string simulated = "ft3:16";  ///< A shape, or the path of a netlist.
    std::uint64_t seed = 1;
    std::string ca;                   ///< Empty: any.
    int port = -1;                    ///< -1: any.
    Guid guid = kNoGuid;              ///< kNoGuid: that of the key `guid`, or any.
    Mailbox mailbox = Mailbox::kUio;  ///< The kind of mailbox,
    std::string mailbox_path;         ///< and its device file or socket.
    std::string blob;
    std::string public_key;
    std::string state_dir;  ///< Empty: nothing survives a restart, but what the flash keeps.
    FlashPart flash;        ///< Without a path: the store is in state_dir.
    bool format_flash = false;
    std::string socket;  ///< Empty: kDefaultSocket with a real port, none when simulated.
    bool no_socket = false;
    LogLevels log;
    LogFormat log_format = LogFormat::kText;
    std::string log_file;
    std::string log_prefix;
    bool syslog = false;
    std::string dump_directory;  ///< Where sa_db_dump writes; empty: nowhere.
    bool once = false;
    bool brief = false;  ///< A summary of ten lines.
    bool trap_heap = false;
    std::uint32_t trial_s = 120;  ///< The time a new configuration has to bring the subnet up.
    bool supervise = false;
    std::uint32_t hang_s = 30;  ///< Without a sign of life for so long it is ended.
    std::string watchdog;       ///< Empty: none.
    std::uint32_t watchdog_s = 60;
};

/// Fills `options` from the arguments behind the program's name. Empty: they make sense; else one
/// sentence that says what does not.
[[nodiscard]] std::string ParseOptions(std::span<const char* const> arguments, Options& options);

/// The text that --help prints.
[[nodiscard]] std::string OptionsHelp();

}  // namespace ember
