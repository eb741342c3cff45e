// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the command line of embersm says.

#include "platform/linux/embersm/options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/utf8.h"
#include "core/log/render.h"
#include "platform/linux/process/watchdog.h"

namespace ember {

namespace {

constexpr std::string_view kUsage =
    R"(usage: embersm --umad [--ca NAME] [--port N] [--guid HEX] [OPTION...]
       embersm --mailbox uio:DEVICE|shm:SOCKET [OPTION...]
       embersm --sim[=SHAPE|FILE] [--seed N] [OPTION...]

An InfiniBand subnet manager.

)";

constexpr std::string_view kEnding =
    R"(Signals: HUP and CONT start a heavy sweep, USR1 opens the log file anew, TERM
and INT end the program; the subnet goes on forwarding.

Exit status: 0 all went well, or with --once another subnet manager is master;
1 with --once, the subnet did not come up; 2 the command line makes no sense;
3 no such device, port or simulator; 4 no permission; 5 another subnet manager
holds the port; 6 a file or socket could not be read, written or made; with
--once, the first that holds: 7 the fabric is larger than the board, 9 no engine
could route and the switches keep their tables, 10 no engine could route and the
safe routing took over, 8 the routes may deadlock, 11 switches lack SL to VL or
VL arbitration tables, 12 partitions do not hold at some port; 134 (SIGABRT)
panic.
)";

template <typename Number>
bool Parse(std::string_view text, int base, Number& number) {
    if (base == 16 && text.substr(0, 2) == "0x") text.remove_prefix(2);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base);
    return error == std::errc{} && stop == end && !text.empty();
}

/// Octets: in decimal, or behind 0x in hexadecimal digits; K and M behind them multiply.
bool ParseBytes(std::string_view text, std::uint64_t& bytes) {
    unsigned shift = 0;
    if (!text.empty() && (text.back() == 'K' || text.back() == 'M')) {
        shift = text.back() == 'K' ? 10 : 20;
        text.remove_suffix(1);
    }
    const int base = text.substr(0, 2) == "0x" ? 16 : 10;
    if (!Parse(text, base, bytes) || bytes > ~std::uint64_t{0} >> shift) return false;
    bytes <<= shift;
    return true;
}

/// A kind of mailbox, and where it is. False: it is neither.
bool ParseMailbox(std::string_view value, Options& options) {
    const std::size_t colon = value.find(':');
    if (colon == std::string_view::npos || colon + 1 == value.size()) return false;
    const std::string_view kind = value.substr(0, colon);
    if (kind != "uio" && kind != "shm") return false;
    options.mailbox = kind == "uio" ? Options::Mailbox::kUio : Options::Mailbox::kShared;
    options.mailbox_path = value.substr(colon + 1);
    options.fabric = Options::Fabric::kMailbox;
    return true;
}

/// FILE or FILE:OFFSET:BYTES. Where the words behind the last two colons are no numbers they belong
/// to the name. False: a part that makes no sense.
bool ParseFlash(std::string_view value, FlashPart& flash) {
    flash = {};
    flash.path = value;
    const std::size_t second = value.rfind(':');
    if (second == std::string_view::npos || second == 0) return true;
    const std::size_t first = value.rfind(':', second - 1);
    if (first == std::string_view::npos) return true;
    FlashPart part;
    const bool is_part = ParseBytes(value.substr(first + 1, second - first - 1), part.offset) &&
                         ParseBytes(value.substr(second + 1), part.bytes);
    if (!is_part) return true;
    part.path = value.substr(0, first);
    flash = part;
    return !part.path.empty() && part.bytes != 0;
}

/// Fit to stand in front of a line, which it must not end.
bool IsPrefix(std::string_view text) {
    const void* const data = text.data();
    const std::span octets(static_cast<const std::uint8_t*>(data), text.size());
    return text.size() <= LineHead::kMostPrefixOctets && NameOctets(octets) == octets.size();
}

/// Takes a value, empty for an option that stands alone. Empty: accepted; else what is wanted.
using Taker = std::string_view (*)(std::string_view value, Options& options);

std::string_view TakePort(std::string_view value, Options& options) {
    const bool is_port = Parse(value, 10, options.port) && options.port >= 0;
    return is_port ? "" : "a port number";
}

std::string_view TakeGuid(std::string_view value, Options& options) {
    std::uint64_t guid = 0;
    if (!Parse(value, 16, guid) || guid == 0) return "a GUID in hexadecimal digits";
    options.guid = Guid{guid};
    return {};
}

std::string_view TakeSim(std::string_view value, Options& options) {
    options.fabric = Options::Fabric::kSimulated;
    if (!value.empty()) options.simulated = value;
    return {};
}

std::string_view TakeLog(std::string_view value, Options& options) {
    const Result<LogLevels> levels = LogLevelsOf(value);
    if (!levels.ok()) {
        return "error, warning, info or debug, and others by the front of a code: "
               "info,link=debug (emberctl events lists the codes)";
    }
    options.log = levels.value();
    return {};
}

std::string_view TakeLogPrefix(std::string_view value, Options& options) {
    if (!IsPrefix(value)) return "1 to 64 octets of text that shows, in UTF-8";
    options.log_prefix = value;
    return {};
}

std::string_view TakeLogFormat(std::string_view value, Options& options) {
    if (value != "text" && value != "json") return "text or json";
    options.log_format = value == "json" ? LogFormat::kJson : LogFormat::kText;
    return {};
}

/// Any text that is not empty.
template <std::string Options::*member>
std::string_view TakeText(std::string_view value, Options& options) {
    options.*member = value;
    return {};
}

template <bool Options::*member>
std::string_view TakeFlag(std::string_view, Options& options) {
    options.*member = true;
    return {};
}

template <Options::Run run>
std::string_view TakeRun(std::string_view, Options& options) {
    options.run = run;
    return {};
}

template <std::uint32_t Options::*member>
std::string_view TakeSeconds(std::string_view value, Options& options) {
    constexpr std::uint32_t kDay = 86400;
    std::uint32_t& seconds = options.*member;
    const bool is_time = Parse(value, 10, seconds) && seconds >= 1 && seconds <= kDay;
    return is_time ? "" : "1 to 86400 seconds";
}

std::string_view TakeWatchdogTime(std::string_view value, Options& options) {
    std::uint32_t& seconds = options.watchdog_s;
    const bool is_time = Parse(value, 10, seconds) && seconds >= Watchdog::kLeastSeconds &&
                         seconds <= Watchdog::kMostSeconds;
    return is_time ? "" : "5 to 3600 seconds";
}

std::string_view TakeSeed(std::string_view value, Options& options) {
    return Parse(value, 10, options.seed) ? "" : "a number";
}

std::string_view TakeUmad(std::string_view, Options& options) {
    options.fabric = Options::Fabric::kUmad;
    return {};
}

std::string_view TakeMailbox(std::string_view value, Options& options) {
    return ParseMailbox(value, options) ? "" : "uio:DEVICE or shm:SOCKET";
}

std::string_view TakeFlash(std::string_view value, Options& options) {
    return ParseFlash(value, options.flash) ? "" : "a file, or FILE:OFFSET:BYTES";
}

/// An option: how the help writes it, a value behind a blank; what takes it; and what it does. A
/// row that nothing takes is a heading.
struct Row {
    std::string_view usage;
    Taker take = nullptr;
    std::string_view meaning = {};

    [[nodiscard]] constexpr std::string_view word() const {
        return usage.substr(usage.find_first_not_of(' '));
    }
    [[nodiscard]] constexpr std::string_view name() const {
        return word().substr(0, word().find_first_of(" ["));
    }
    [[nodiscard]] constexpr bool needs_value() const {
        return word().find(' ') != std::string_view::npos;
    }
    /// `--sim` stands alone, or has a value behind `=`.
    [[nodiscard]] constexpr bool may_have_value() const {
        return needs_value() || word().find("[=") != std::string_view::npos;
    }
};

constexpr Row kRows[] = {
    Row{"Where the subnet is:"},
    Row{"--umad", TakeUmad, "behind a port of this machine (the default)"},
    Row{"  --ca NAME", TakeText<&Options::ca>, "the device, as in /sys/class/infiniband"},
    Row{"  --port N", TakePort, "its port"},
    Row{"--mailbox WHAT", TakeMailbox,
        "behind the mailbox of this switch: uio:/dev/uio0 is a device, shm:SOCKET a "
        "program that plays one"},
    Row{"--sim[=WHAT]", TakeSim,
        "in this process, in virtual time: a shape such as ft3:16, ft2:8, torus:4x4x4, "
        "mesh:8x8, hypercube:6, ring:8, or a netlist as ibnetdiscover prints it "
        "(default ft3:16)"},
    Row{"  --seed N", TakeSeed, "the seed of all that is random there (default 1)"},
    Row{"--guid HEX", TakeGuid,
        "at the port with this GUID, or not at all; the configuration may name it by "
        "its key guid, and this option wins"},
    Row{"How it is configured:"},
    Row{"--blob FILE", TakeText<&Options::blob>, "a signed configuration, made by emberc"},
    Row{"--public-key FILE", TakeText<&Options::public_key>, "the key its signature must fit"},
    Row{"--state-dir DIR", TakeText<&Options::state_dir>,
        "what shall survive a restart: LIDs, the last good blob, what clients have "
        "registered"},
    Row{"--flash FILE[:OFFSET:BYTES]", TakeFlash,
        "LIDs and blobs in flash memory instead: /dev/mtdN, a block device, a file, or "
        "a part of it"},
    Row{"--format-flash", TakeFlag<&Options::format_flash>,
        "take that flash though it holds something else, which is lost"},
    Row{"--trial-deadline S", TakeSeconds<&Options::trial_s>,
        "a new configuration is rolled back unless the subnet is up within so many "
        "seconds (default 120)"},
    Row{"How it is kept alive:"},
    Row{"--supervise", TakeFlag<&Options::supervise>,
        "a parent starts it again after a crash, a panic or a hang"},
    Row{"--hang-timeout S", TakeSeconds<&Options::hang_s>,
        "a hang: no sign of life for so many seconds (default 30)"},
    Row{"--watchdog DEVICE", TakeText<&Options::watchdog>,
        "the machine's watchdog, such as /dev/watchdog, resets it when nothing brings "
        "the subnet manager back"},
    Row{"--watchdog-timeout S", TakeWatchdogTime,
        "after so many seconds without a sign of life (default 60)"},
    Row{"How it is watched:"},
    Row{"--socket PATH", TakeText<&Options::socket>,
        "where emberctl finds it (default /run/embersm/embersm.sock)"},
    Row{"--no-socket", TakeFlag<&Options::no_socket>, "nowhere"},
    Row{"--log LEVELS", TakeLog,
        "error, warning, info or debug (default info), and others for lines by the "
        "front of their codes: info,link=debug,sweep=warning"},
    Row{"--log-file FILE", TakeText<&Options::log_file>, "log to a file; SIGUSR1 opens it anew"},
    Row{"--syslog", TakeFlag<&Options::syslog>,
        "log to the system log, beside the file if there is one"},
    Row{"--log-prefix TEXT", TakeLogPrefix,
        "text in front of every line, such as the name of a rail"},
    Row{"--log-format FORM", TakeLogFormat, "text, or json: an object a line (default text)"},
    Row{"--dump-directory DIR", TakeText<&Options::dump_directory>,
        "where opensm-sa.dump is written if sa_db_dump is TRUE, and the others if "
        "log_flags has bit 40; --once waits for them"},
    Row{"--once", TakeFlag<&Options::once>, "end after the first SUBNET UP, with a summary"},
    Row{"--brief", TakeFlag<&Options::brief>, "a summary of ten lines"},
    Row{"--trap-heap", TakeFlag<&Options::trap_heap>,
        "end with a panic if anything allocates after the start"},
    Row{"To know, and end:"},
    Row{"--memory", TakeRun<Options::Run::kMemory>, "what memory is taken"},
    Row{"--version", TakeRun<Options::Run::kVersion>, "the version"},
    Row{"--help", TakeRun<Options::Run::kHelp>, "this text"},
};

const Row* FindRow(std::string_view name) {
    if (name == "-h") name = "--help";
    const Row* const row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) {
        return one.take != nullptr && one.name() == name;
    });
    return row == std::end(kRows) ? nullptr : row;
}

/// In lines of 80 columns: the option at the left, what it does beside it.
void AddToHelp(const Row& row, std::string& help) {
    constexpr std::size_t kColumns = 80;
    constexpr std::size_t kBeside = 21;
    std::string line = "  " + std::string(row.usage);
    std::string_view rest = row.meaning;
    if (line.size() >= kBeside) {
        help += line + "\n";
        line.clear();
    }
    line.resize(std::max(line.size(), kBeside - 1), ' ');
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (line.size() + 1 + word.size() > kColumns) {
            help += line + "\n";
            line.assign(kBeside - 1, ' ');
        }
        line += ' ';
        line += word;
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    help += line + "\n";
}

/// Finds options that make sense alone and not together.
std::string CheckTogether(const Options& options, bool sim, bool umad) {
    const bool mailbox = !options.mailbox_path.empty();
    if (sim && umad) return "--sim and --umad exclude each other";
    if (mailbox && (sim || umad)) return "--mailbox excludes --sim and --umad";
    if ((sim || mailbox) && (!options.ca.empty() || options.port >= 0)) {
        return "--ca and --port go with --umad, not with --sim or --mailbox";
    }
    if (!options.blob.empty() && options.public_key.empty()) {
        return "--blob needs --public-key: an unchecked configuration is not used";
    }
    if (options.format_flash && options.flash.path.empty()) return "--format-flash needs --flash";
    if (!options.watchdog.empty() && options.supervise && options.watchdog_s <= options.hang_s) {
        return "--watchdog-timeout must be longer than --hang-timeout, or the machine is reset "
               "before a hang is noticed";
    }
    return {};
}

}  // namespace

std::string ParseOptions(std::span<const char* const> arguments, Options& options) {
    bool sim = false;
    bool umad = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const std::size_t equals = argument.find('=');
        const std::string_view name = argument.substr(0, equals);
        std::optional<std::string_view> value;
        if (equals != std::string_view::npos) value = argument.substr(equals + 1);
        const Row* const row = FindRow(name);
        if (row != nullptr && value && !row->may_have_value()) {
            return std::string(name) + " takes no value";
        }
        if (row == nullptr) {
            return "there is no option \"" + std::string(argument) + "\"; see --help";
        }
        sim = sim || name == "--sim";
        umad = umad || name == "--umad";
        if (row->needs_value() && !value && i + 1 < arguments.size()) value = arguments[++i];
        const bool lacks = row->needs_value() && value.value_or("").empty();
        const std::string_view wanted = lacks ? "a value" : row->take(value.value_or(""), options);
        if (!wanted.empty()) {
            return std::string(name) + " wants " + std::string(wanted) + ", not \"" +
                   std::string(value.value_or("")) + "\"";
        }
    }
    return CheckTogether(options, sim, umad);
}

std::string OptionsHelp() {
    std::string help(kUsage);
    for (const Row& row : kRows) {
        if (row.take != nullptr) {
            AddToHelp(row, help);
        } else {
            help += &row == kRows ? "" : "\n";
            help += std::string(row.usage) + "\n";
        }
    }
    return help + "\n" + std::string(kEnding);
}

}  // namespace ember
