// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the command line of embersm says.

#include "platform/linux/embersm/options.h"

#include <charconv>
#include <optional>

#include "core/base/utf8.h"
#include "core/log/render.h"
#include "platform/linux/process/watchdog.h"

namespace ember {

namespace {

constexpr std::string_view kHelpText =
    R"(usage: embersm --umad [--ca NAME] [--port N] [--guid HEX] [OPTION...]
       embersm --mailbox uio:DEVICE|shm:SOCKET [OPTION...]
       embersm --sim[=SHAPE|FILE] [--seed N] [OPTION...]

An InfiniBand subnet manager.

Where the subnet is:
  --umad             behind a port of this machine (the default)
    --ca NAME        the device, as in /sys/class/infiniband
    --port N         its port
  --mailbox WHAT     behind the mailbox of this switch: uio:/dev/uio0 is a device,
                     shm:SOCKET a program that plays one
  --sim[=WHAT]       in this process, in virtual time: a shape such as ft3:16,
                     ft2:8, torus:4x4x4, mesh:8x8, hypercube:6, ring:8, or a
                     netlist as ibnetdiscover prints it (default ft3:16)
    --seed N         the seed of all that is random there (default 1)
  --guid HEX         at the port with this GUID, or not at all; the configuration
                     may name it by its key guid, and this option wins

How it is configured:
  --blob FILE        a signed configuration, made by emberc
  --public-key FILE  the key its signature must fit
  --state-dir DIR    what shall survive a restart: LIDs, the last good blob, what
                     clients have registered
  --flash FILE[:OFFSET:BYTES]
                     LIDs and blobs in flash memory instead: /dev/mtdN, a block
                     device, a file, or a part of it
  --format-flash     take that flash though it holds something else, which is lost
  --trial-deadline S a new configuration is rolled back unless the subnet is up
                     within so many seconds (default 120)

How it is kept alive:
  --supervise        a parent starts it again after a crash, a panic or a hang
  --hang-timeout S   a hang: no sign of life for so many seconds (default 30)
  --watchdog DEVICE  the machine's watchdog, such as /dev/watchdog, resets it when
                     nothing brings the subnet manager back
  --watchdog-timeout S
                     after so many seconds without a sign of life (default 60)

How it is watched:
  --socket PATH      where emberctl finds it (default /run/embersm/embersm.sock)
  --no-socket        nowhere
  --log LEVELS       error, warning, info or debug (default info), and others for lines by
                     the front of their codes: info,link=debug,sweep=warning
  --log-file FILE    log to a file; SIGUSR1 opens it anew
  --syslog           log to the system log, beside the file if there is one
  --log-prefix TEXT  text in front of every line, such as the name of a rail
  --log-format FORM  text, or json: an object a line (default text)
  --dump-directory DIR
                     where opensm-sa.dump is written if sa_db_dump is TRUE,
                     and the others if log_flags has bit 40; --once waits for them
  --once             end after the first SUBNET UP, with a summary
  --brief            a summary of ten lines
  --trap-heap        end with a panic if anything allocates after the start

  --memory           print what memory is taken, and end
  --version          print the version, and end
  --help             print this, and end

Signals: HUP and CONT start a heavy sweep, USR1 opens the log file anew, TERM
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

constexpr std::string_view kSeconds = "1 to 86400 seconds";

bool ParseSeconds(std::string_view text, std::uint32_t& seconds) {
    constexpr std::uint32_t kDay = 86400;
    return Parse(text, 10, seconds) && seconds >= 1 && seconds <= kDay;
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

bool ParseWatchdogTime(std::string_view text, std::uint32_t& seconds) {
    return Parse(text, 10, seconds) && seconds >= Watchdog::kLeastSeconds &&
           seconds <= Watchdog::kMostSeconds;
}

/// Takes the options on what survives, and what brings it back. Empty: accepted, or none of them.
std::string_view TakeSurvival(std::string_view name, std::string_view value, Options& options) {
    if (name == "--state-dir") options.state_dir = value;
    if (name == "--watchdog") options.watchdog = value;
    if (name == "--flash" && !ParseFlash(value, options.flash)) {
        return "a file, or FILE:OFFSET:BYTES";
    }
    if (name == "--trial-deadline" && !ParseSeconds(value, options.trial_s)) return kSeconds;
    if (name == "--hang-timeout" && !ParseSeconds(value, options.hang_s)) return kSeconds;
    if (name == "--watchdog-timeout" && !ParseWatchdogTime(value, options.watchdog_s)) {
        return "5 to 3600 seconds";
    }
    return {};
}

/// Fit to stand in front of a line, which it must not end.
bool IsPrefix(std::string_view text) {
    const void* const data = text.data();
    const std::span octets(static_cast<const std::uint8_t*>(data), text.size());
    return text.size() <= LineHead::kMostPrefixOctets && NameOctets(octets) == octets.size();
}

/// The options that take a value: the name, and what it fills. Empty: accepted.
std::string Take(std::string_view name, std::string_view value, Options& options) {
    const auto wrong = [&](std::string_view wanted) {
        return std::string(name) + " wants " + std::string(wanted) + ", not \"" +
               std::string(value) + "\"";
    };
    if (value.empty()) return wrong("a value");
    if (name == "--ca") options.ca = value;
    if (name == "--blob") options.blob = value;
    if (name == "--public-key") options.public_key = value;
    if (name == "--socket") options.socket = value;
    if (name == "--log-file") options.log_file = value;
    if (name == "--dump-directory") options.dump_directory = value;
    if (name == "--port" && (!Parse(value, 10, options.port) || options.port < 0)) {
        return wrong("a port number");
    }
    if (name == "--mailbox" && !ParseMailbox(value, options)) {
        return wrong("uio:DEVICE or shm:SOCKET");
    }
    if (name == "--seed" && !Parse(value, 10, options.seed)) return wrong("a number");
    if (const std::string_view wanted = TakeSurvival(name, value, options); !wanted.empty()) {
        return wrong(wanted);
    }
    if (name == "--guid") {
        std::uint64_t guid = 0;
        if (!Parse(value, 16, guid) || guid == 0) return wrong("a GUID in hexadecimal digits");
        options.guid = Guid{guid};
    }
    if (name == "--log") {
        const Result<LogLevels> levels = LogLevelsOf(value);
        if (!levels.ok())
            return wrong(
                "error, warning, info or debug, and others by the front of a code: "
                "info,link=debug (emberctl events lists the codes)");
        options.log = levels.value();
    }
    if (name == "--log-prefix") {
        if (!IsPrefix(value)) return wrong("1 to 64 octets of text that shows, in UTF-8");
        options.log_prefix = value;
    }
    if (name == "--log-format") {
        if (value != "text" && value != "json") return wrong("text or json");
        options.log_format = value == "json" ? LogFormat::kJson : LogFormat::kText;
    }
    return {};
}

bool TakesValue(std::string_view name) {
    constexpr std::string_view kNames[] = {"--dump-directory", "--ca",
                                           "--port",           "--guid",
                                           "--seed",           "--blob",
                                           "--public-key",     "--state-dir",
                                           "--socket",         "--log",
                                           "--log-file",       "--log-format",
                                           "--mailbox",        "--trial-deadline",
                                           "--hang-timeout",   "--flash",
                                           "--watchdog",       "--watchdog-timeout",
                                           "--log-prefix"};
    for (const std::string_view known : kNames) {
        if (name == known) return true;
    }
    return false;
}

/// The options that stand alone. False: not one of them.
bool TakeFlag(std::string_view name, Options& options) {
    if (name == "--umad")
        options.fabric = Options::Fabric::kUmad;
    else if (name == "--sim")
        options.fabric = Options::Fabric::kSimulated;
    else if (name == "--syslog")
        options.syslog = true;
    else if (name == "--supervise")
        options.supervise = true;
    else if (name == "--format-flash")
        options.format_flash = true;
    else if (name == "--once")
        options.once = true;
    else if (name == "--brief")
        options.brief = true;
    else if (name == "--trap-heap")
        options.trap_heap = true;
    else if (name == "--no-socket")
        options.no_socket = true;
    else if (name == "--memory")
        options.run = Options::Run::kMemory;
    else if (name == "--version")
        options.run = Options::Run::kVersion;
    else if (name == "--help" || name == "-h")
        options.run = Options::Run::kHelp;
    else
        return false;
    return true;
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
        sim = sim || name == "--sim";
        umad = umad || name == "--umad";
        if (name == "--sim" && value && !value->empty()) options.simulated = *value;
        if (TakesValue(name)) {
            if (!value && i + 1 < arguments.size()) value = arguments[++i];
            std::string wrong = Take(name, value.value_or(""), options);
            if (!wrong.empty()) return wrong;
            continue;
        }
        if (value && name != "--sim") return std::string(name) + " takes no value";
        if (!TakeFlag(name, options)) {
            return "there is no option \"" + std::string(argument) + "\"; see --help";
        }
    }
    return CheckTogether(options, sim, umad);
}

std::string_view OptionsHelp() {
    return kHelpText;
}

}  // namespace ember
