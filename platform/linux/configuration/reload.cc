// SPDX-License-Identifier: Apache-2.0
// EmberSM: a new configuration while the subnet manager runs.

#include "platform/linux/configuration/reload.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/settings/option_views.h"
#include "platform/linux/system/files.h"

namespace ember {

namespace {

/// A table lies, at least in part, in `room`. An empty one lies nowhere, and a flag is no table.
template <typename Member>
bool LiesIn(const OptionRoom& room, const Member& table) {
    if constexpr (std::is_same_v<Member, bool>) {
        return false;
    } else {
        const std::byte* const first = room.octets.data();
        const std::byte* const at = std::as_bytes(table).data();
        return !table.empty() && !std::less<>()(at, first) &&
               std::less<>()(at, first + room.octets.size());
    }
}

template <typename Tables, typename List>
bool AnyLiesIn(const OptionRoom& room, const Tables& tables, const List& members) {
    return std::apply([&](auto... member) { return (LiesIn(room, tables.*member) || ...); },
                      members);
}

}  // namespace

bool Reloader::OtherTablesAreInForce() const {
    const Settings& settings = parts_.sm.settings();
    return AnyLiesIn(parts_.other_tables, settings.tables, kEngineTables) ||
           AnyLiesIn(parts_.other_tables, settings.manager_tables, kManagerTables);
}

void Reloader::Remember(const ConfigurationFiles& files) {
    has_files_ = !files.blob.empty() && !files.public_key.empty() && files.blob.size() < kPathBytes;
    if (!has_files_) return;
    std::memcpy(path_.data(), files.blob.c_str(), files.blob.size() + 1);
}

bool Reloader::Refuse(const Refusal& refusal, FixedText& why) {
    why.Add(refusal.sentence);
    ConfigurationReport& report = parts_.report;
    ++report.refused_reloads;
    report.complaint_bytes = std::min(why.size(), report.complaint.size());
    std::copy_n(why.text().begin(), report.complaint_bytes, report.complaint.begin());
    parts_.sm.log().Write<Note::kBlobRefused>(parts_.clock.NowUs(),
                                              static_cast<std::uint64_t>(refusal.status),
                                              refusal.counter, refusal.last_counter);
    return false;
}

bool Reloader::ReadFile(std::size_t& octets, FixedText& why) {
    const FileReading reading = ReadInto(path_.data(), parts_.room.supplied);
    octets = reading.octets;
    if (reading.error != 0) {
        why.Add("cannot read ").Add(path_.data()).Add(": ");
        const Status status = reading.error == ENOENT ? Status::kAbsent : Status::kDevice;
        return Refuse({status, WhyUnread(reading.error)}, why);
    }
    if (!reading.too_large) return true;
    why.Add(path_.data()).Add(" is larger than the ").AddNumber(parts_.room.supplied.size());
    return Refuse({Status::kFull, " octets that are set aside for it"}, why);
}

bool Reloader::Reload(FixedText& why) {
    if (!has_files_) {
        return Refuse({Status::kAbsent, "no configuration and public key were given at the start"},
                      why);
    }
    if (verdict_ != Verdict::kNone) {
        return Refuse({Status::kBusy, "what the trial came to is being written; ask again"}, why);
    }
    if (OtherTablesAreInForce()) {
        return Refuse(
            {Status::kBusy, "the one read last is not yet in force; ask again after a sweep"}, why);
    }
    std::size_t octets = 0;
    if (!ReadFile(octets, why)) return false;
    Settings settings;
    const ConfigurationOutcome outcome =
        LoadConfiguration({parts_.room.supplied.first(octets), true}, parts_.report.key,
                          parts_.store, {parts_.room.work, parts_.other_tables}, settings);
    if (outcome.source != ConfigurationSource::kSupplied) {
        why.Add(path_.data()).Add(" is refused: ");
        AddVerdict(why, outcome.supplied, parts_.other_tables.octets.size());
        return Refuse({StatusOf(outcome.supplied.verdict), "", outcome.supplied.counter,
                       outcome.counter_before},
                      why);
    }
    std::swap(parts_.room.tables, parts_.other_tables);
    parts_.sm.Configure(settings);
    ConfigurationReport& report = parts_.report;
    before_ = report.outcome;
    report.given = true;
    report.octets = octets;
    report.outcome = outcome;
    report.complaint_bytes = 0;
    ++report.reloads;
    Log& log = parts_.sm.log();
    log.Write<Note::kBlobAccepted>(parts_.clock.NowUs(), outcome.supplied.counter, octets);
    NoteKept(outcome.kept);
    NoteRestartKeys(settings);
    BeginTrial();
    return true;
}

/// Keys that are in force only after a restart must not be taken for being in force.
void Reloader::NoteRestartKeys(const Settings& settings) {
    auto& keys = parts_.report.restart_keys;
    keys.clear();
    const std::pair<StartKey, bool> kChanged[] = {
        {StartKey::kGuid, settings.guid != at_start_.guid},
        {StartKey::kSmInactive, settings.sm_inactive != at_start_.sm_inactive},
        {StartKey::kReassignLids, settings.reassign_lids != at_start_.reassign_lids}};
    for (const auto& [key, has_changed] : kChanged) {
        if (!has_changed) continue;
        static_cast<void>(keys.TryPush(key));  // There is room for each.
        parts_.sm.log().Write<Note::kRestartNeeded>(parts_.clock.NowUs(), Raw(key));
    }
}

}  // namespace ember
