// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings of opensm.conf that contradict each other. Where OpenSM would quietly change
// one of them, EmberSM asks; where it would lose nothing, it says so.
#include <fmt/format.h>
#include <utility>

#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/keys.h"
#include "config/keys/subnet_keys.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

constexpr std::uint64_t kOpensmWindow = 4;
constexpr std::uint64_t kTakeoverWithKeyMs = 1200;  // With and without replication_key, where
constexpr std::uint64_t kTakeoverMs = 4000;         // sminfo_polling_timeout is left alone.
constexpr std::uint64_t kWellKnownKey = 1;          // The default of sa_key and sm_key.
constexpr std::uint64_t kLinkLocalPrefix = 0xFE80000000000000;
constexpr std::uint64_t kTopOriginalRate = 18;  // 300 Gb/s, the last of the first extended rates.

class Together {
public:
    Together(Conf& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics) {}

    void CheckProtection();
    void CheckKeys();
    void OfferPeers();
    void CheckTimes();
    void CheckPolls();
    void CheckWindow();
    void CheckPartitions();
    void CheckRates();
    void CheckLids();
    void CheckDumps();
    void CheckRouters();

private:
    [[nodiscard]] Setting& At(std::string_view name) {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return settings_[*key];
    }
    [[nodiscard]] std::uint64_t Number(std::string_view name) { return At(name).value.number; }

    /// Points to `name`, or to `other` if only that one is in the file.
    void Report(Severity severity, std::string_view name, std::string_view other,
                std::string text) {
        Say(severity, name, other, severity == Severity::kError ? Code::kConflict : Code::kNoEffect,
            std::move(text));
    }
    void Say(Severity severity, std::string_view name, std::string_view other, Code code,
             std::string text) {
        const Setting& at = At(name).written ? At(name) : At(other);
        diagnostics_.Add({.severity = severity,
                          .place = at.place,
                          .code = code,
                          .text = std::move(text),
                          .source = at.source});
    }

    Conf& settings_;
    Diagnostics& diagnostics_;
};

void Together::CheckProtection() {
    const std::uint64_t level = Number("m_key_protection_level");
    const std::uint64_t lease = Number("m_key_lease_period");
    const std::uint64_t interval = Number("sweep_interval");
    if (level > 0 && Number("m_key") == 0) {
        Report(Severity::kWarning, "m_key_protection_level", "m_key",
               "m_key is 0, so there is nothing to protect: the level has no effect");
    }
    const bool per_port = Number("m_key_per_port") != 0;
    if (per_port && Number("m_key") == 0) {
        Report(Severity::kWarning, "m_key_per_port", "m_key",
               "m_key is 0, so there is no secret to make keys from: no port has one");
    } else if (per_port && level == 0) {
        Report(Severity::kWarning, "m_key_per_port", "m_key_protection_level",
               "at m_key_protection_level 0 every host can read the M_Key of every port: set it "
               "to 2");
    }
    if (level == 0 || lease == 0) return;
    if (interval == 0) {
        Report(Severity::kError, "m_key_lease_period", "sweep_interval",
               fmt::format("a lease of {} s would run out, because sweep_interval 0 switches off "
                           "the sweeps that renew it",
                           lease));
    } else if (interval >= lease) {
        Report(Severity::kError, "m_key_lease_period", "sweep_interval",
               fmt::format("a lease of {} s would run out between sweeps, which are {} s apart; "
                           "m_key_lease_period must be larger than sweep_interval",
                           lease, interval));
    }
}

/// A requester that sends sa_key to the SA is told M_Keys. The value 1 is no secret. With 0 no
/// requester is trusted.
void Together::CheckKeys() {
    const bool sa_is_known = Number("sa_key") == kWellKnownKey;
    const bool sm_is_known = Number("sm_key") == kWellKnownKey;
    const bool is_protected = Number("m_key") != 0;
    if (is_protected && sa_is_known) {
        Report(Severity::kError, "sa_key", "m_key",
               "sa_key is 1, as everywhere, and whoever asks with it is told m_key: set another "
               "sa_key, or 0 to trust nobody");
    }
    const bool has_peers = At("sm_peers").value.set;
    const bool is_guarded = is_protected || has_peers || sa_is_known != sm_is_known;
    if (!is_guarded || (!sa_is_known && !sm_is_known)) return;
    const std::string_view names = !sm_is_known   ? "sa_key is"
                                   : !sa_is_known ? "sm_key is"
                                                  : "sa_key and sm_key are";
    const std::string_view beside = is_protected  ? "m_key"
                                    : has_peers   ? "sm_peers"
                                    : sa_is_known ? "sm_key"
                                                  : "sa_key";
    Say(Severity::kWarning, beside, beside, Code::kWellKnownKey,
        fmt::format("{} 1, as everywhere: any host can use {}", names,
                    sa_is_known && sm_is_known ? "them" : "it"));
}

/// To whom keys matter the list is offered: IsSM and the SM_Key are all that an election asks for.
void Together::OfferPeers() {
    const bool is_guarded = Number("m_key") != 0 || Number("sm_key") != kWellKnownKey;
    if (!is_guarded || At("sm_peers").value.set || Number("ignore_other_sm") != 0) return;
    Say(Severity::kNote, "sm_key", "m_key", Code::kOpenElection,
        "any port that says it is a subnet manager may take the subnet over; sm_peers lists "
        "those that may");
}

void Together::CheckTimes() {
    const std::uint64_t transaction = Number("transaction_timeout");
    Setting& slow = At("long_transaction_timeout");
    if (slow.value.number < transaction) {
        if (slow.written) {
            Report(Severity::kWarning, "long_transaction_timeout", "transaction_timeout",
                   fmt::format("shorter than transaction_timeout: {} ms counts", transaction));
        }
        slow.value.number = transaction;
    }
}

/// OpenSM's standbys are as good as this key; those of EmberSM are faster where it is left alone.
void Together::CheckPolls() {
    const std::string_view name = "sminfo_polling_timeout";
    const Setting& setting = At(name);
    if (!setting.written || IsDefault(*FindKey(name), setting.value)) return;
    const bool has_peers = At("replication_key").value.set;
    const std::uint64_t polls = Number("polling_retry_number") + 1;
    const std::uint64_t silence_ms = polls * setting.value.number;
    if (silence_ms <= (has_peers ? kTakeoverWithKeyMs : kTakeoverMs)) return;
    diagnostics_.Add({.severity = Severity::kWarning,
                      .place = setting.place,
                      .code = Code::kPinnedDefault,
                      .text = fmt::format(
                          "by this line a standby takes over {}.{} s after the master's last word "
                          "or later; without it, as EmberSM polls by itself, after {}",
                          silence_ms / 1000, silence_ms % 1000 / 100,
                          has_peers ? "1.2 s, as replication_key is set"
                                    : "4 s, and 1.2 s where replication_key is set"),
                      .source = setting.source});
}

void Together::CheckWindow() {
    const std::uint64_t window = Number("max_wire_smps");
    const Setting& setting = At("max_wire_smps");
    if (setting.written && window == kOpensmWindow) {  // As in each file of `opensm -c`.
        diagnostics_.Add({.severity = Severity::kNote,
                          .place = setting.place,
                          .code = Code::kPinnedDefault,
                          .text = "4 is OpenSM's default, EmberSM's is 32: without this line and "
                                  "that of max_wire_smps2 sweeps are faster",
                          .source = setting.source});
    }
    const std::uint64_t ceiling = Number("max_wire_smps2");
    const bool below = ceiling != 0 && (window == 0 || ceiling < window);
    if (At("max_wire_smps2").written && below) {
        Report(Severity::kWarning, "max_wire_smps2", "max_wire_smps",
               "a ceiling below max_wire_smps has no effect: the window never grows");
    }
}

/// Isolation is never widened by a guess: two words that differ are an error.
void Together::CheckPartitions() {
    if (Number("no_partition_enforcement") == 0) return;
    Setting& enforce = At("part_enforce");
    if (enforce.written && enforce.value.number != rows::kEnforceOff) {
        Report(Severity::kError, "no_partition_enforcement", "part_enforce",
               fmt::format("no_partition_enforcement switches off what part_enforce in line {} "
                           "asks for",
                           enforce.place.line));
        return;
    }
    enforce.value.number = rows::kEnforceOff;
}

void Together::CheckRates() {
    if (Number("use_original_extended_sa_rates_only") == 0) return;
    Setting& rate = At("max_rate_enum");
    if (rate.written && rate.value.number > kTopOriginalRate) {
        Report(Severity::kError, "use_original_extended_sa_rates_only", "max_rate_enum",
               fmt::format("it allows rate codes up to {}, max_rate_enum in line {} asks for {}",
                           kTopOriginalRate, rate.place.line, rate.value.number));
        return;
    }
    if (!rate.written) rate.value.number = kTopOriginalRate;
}

void Together::CheckLids() {
    if (Number("reassign_lids") == 0) return;
    if (IsNamed(At("guid2lid_file"))) {
        Report(Severity::kWarning, "guid2lid_file", "reassign_lids",
               "reassign_lids gives all LIDs anew, so those of guid2lid_file do not count");
    }
    if (Number("honor_guid2lid_file") == 0) return;
    Report(Severity::kWarning, "honor_guid2lid_file", "reassign_lids",
           "reassign_lids forgets in the first sweep what honor_guid2lid_file would keep");
}

/// Where a switch may write is no matter of a configuration that comes over the net.
void Together::CheckDumps() {
    constexpr std::uint64_t kRouting = 0x40;
    const std::uint64_t flags = Number("log_flags");
    const std::size_t key = *FindKey("log_flags");
    if (At("log_flags").written && !IsDefault(key, At("log_flags").value)) {
        Report(Severity::kNote, "log_flags", "log_flags",
               (flags & kRouting) != 0
                   ? "bit 40 has embersm write dump files after each routing if it is started with "
                     "--dump-directory; the other bits change nothing: its options --log, "
                     "--log-file and --syslog say what is logged, and where"
                   : "only bit 40, dump files after each routing, is looked at: embersm's options "
                     "--log, --log-file and --syslog say what is logged, and where");
    }
    if (Number("sa_db_dump") == 0) return;
    Report(Severity::kNote, "sa_db_dump", "dump_files_dir",
           "embersm writes opensm-sa.dump if it is started with --dump-directory; dump_files_dir "
           "is not read");
}

/// Routers forward no packet to or from a link-local GID. IBA vol. 1, 4.1.1.
void Together::CheckRouters() {
    const bool is_made = Number("rtr_aguid_enable") == kMakeRouterAliases;
    if (!is_made || Number("subnet_prefix") != kLinkLocalPrefix) return;
    Report(Severity::kWarning, "rtr_aguid_enable", "subnet_prefix",
           "GIDs of the default subnet_prefix are link-local, and no router forwards to them: the "
           "subnet needs a prefix of its own");
}

}  // namespace

void CheckTogether(Conf& settings, Diagnostics& diagnostics) {
    Together together(settings, diagnostics);
    together.CheckProtection();
    together.CheckKeys();
    together.OfferPeers();
    together.CheckTimes();
    together.CheckPolls();
    together.CheckWindow();
    together.CheckPartitions();
    together.CheckRates();
    together.CheckLids();
    together.CheckDumps();
    together.CheckRouters();
}

}  // namespace ember::emberc
