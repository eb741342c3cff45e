// SPDX-License-Identifier: Apache-2.0
// EmberSM: the partitions of a file while it is read.
#include "config/emberc/option_files/partition_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/emberc/numbers.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/settings/settings.h"
#include "core/wire/p_key_table.h"

namespace ember::emberc {
namespace {

constexpr std::uint16_t kDefaultBase = kDefaultPKey & kPKeyBase;

std::size_t IndexOf(PortClass ports) {
    return static_cast<std::size_t>(ports);
}

/// Ports of class `one` are, or may be, ports of class `other` too.
bool MayMeet(PortClass one, PortClass other) {
    if (one == PortClass::kVcas || other == PortClass::kVcas) return one == other;
    return one == other || one == PortClass::kAll || other == PortClass::kAll ||
           one == PortClass::kSelf || other == PortClass::kSelf;
}

/// Members that were said with other words than `said`.
bool Differs(const Said& one, const Said& said) {
    return one.line != 0 && one.membership != said.membership;
}

}  // namespace

PartitionTable::PartitionTable(LineReader& reader, Diagnostics& diagnostics)
    : reader_(reader), diagnostics_(diagnostics) {
    Partition& partition = partitions_[kDefaultBase];
    partition.name = "Default";
    partition.classes[IndexOf(PortClass::kAll)] = {.membership = Membership::kLimited,
                                                   .number = said_++};
    partition.classes[IndexOf(PortClass::kSelf)] = {.membership = Membership::kFull,
                                                    .number = said_++};
}

bool PartitionTable::IsName(const Word& name) {
    if (name.text.size() > kMostNameOctets) {
        reader_.Error(name, Code::kTooLong,
                      fmt::format("a name has {} characters at most", kMostNameOctets));
        return false;
    }
    const bool is_printable = std::all_of(name.text.begin(), name.text.end(), [](char c) {
        return IsNameOctet(static_cast<std::uint8_t>(c));
    });
    if (is_printable) return true;
    reader_.Error(name, Code::kNotAName, "names are printable ASCII without quotation marks");
    return false;
}

/// A partition of `p_key`, which is not there yet.
std::optional<std::uint16_t> PartitionTable::Add(std::uint16_t p_key, const Word& name,
                                                 const Word& at) {
    if (partitions_.size() == kMostPartitions) {
        reader_.Error(at, Code::kTooLarge, fmt::format("there is room for {}", kMostPartitions));
        return std::nullopt;
    }
    Partition& partition = partitions_[p_key];
    partition.name = std::string(name.text);
    partition.spot = SpotOf(reader_, at);
    partition.line = static_cast<std::uint32_t>(reader_.number());
    return p_key;
}

/// OpenSM looks for a partition of this name, and else takes the lowest number that is free.
std::optional<std::uint16_t> PartitionTable::ByName(const Word& name) {
    std::vector<std::uint16_t> found;
    for (const auto& [p_key, partition] : partitions_) {
        if (name.text.empty()) break;  // Partitions without a name are apart.
        if (partition.name == name.text) found.push_back(p_key);
        const auto& others = partition.other_names;
        if (std::find(others.begin(), others.end(), name.text) == others.end()) continue;
        reader_.Error(name, Code::kContradiction,
                      fmt::format("{} is called '{}', which counts; OpenSM would make another "
                                  "partition of this: write its P_Key",
                                  PKeyText(p_key), partition.name));
        return std::nullopt;
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1) {
        reader_.Error(name, Code::kContradiction,
                      fmt::format("{} and {} have this name: write the P_Key",
                                  PKeyText(found.front()), PKeyText(found.back())));
        return std::nullopt;
    }
    std::uint16_t p_key = 1;
    while (partitions_.contains(p_key)) {
        ++p_key;  // There is room for kMostPartitions.
    }
    reader_.Report(
        Severity::kNote, name, Code::kGeneratedKey,
        fmt::format("it gets P_Key {}, and another one when definitions before it change",
                    PKeyText(p_key)));
    const auto added = Add(p_key, name, name);
    if (added) partitions_[p_key].is_generated = true;
    return added;
}

std::optional<std::uint16_t> PartitionTable::ByNumber(const Word& name, const Word& number) {
    const auto value = reader_.ReadNumber(number);
    if (!value) return std::nullopt;
    if (*value > 0xFFFF || (*value & kPKeyBase) == 0) {
        reader_.Error(number, Code::kOutOfRange,
                      fmt::format("P_Key {:#x} is not in 0x1..0x7fff; OpenSM would take its lowest "
                                  "15 bits, or the next free P_Key for 0",
                                  *value));
        return std::nullopt;
    }
    const auto p_key = static_cast<std::uint16_t>(*value & kPKeyBase);
    if (*value > kPKeyBase) {
        reader_.Report(Severity::kWarning, number, Code::kMembershipBit,
                       fmt::format("the top bit says nothing here: this is {}, whose ports are "
                                   "limited members where they are not said to be full",
                                   PKeyText(p_key)));
    }
    const auto found = partitions_.find(p_key);
    if (found == partitions_.end()) return Add(p_key, name, number);
    Partition& partition = found->second;
    if (partition.is_generated && partition.name != name.text) {
        reader_.Error(number, Code::kContradiction,
                      fmt::format("line {} has no P_Key of its own and got this one; OpenSM would "
                                  "make one partition of both",
                                  partition.line));
        return std::nullopt;
    }
    if (name.text.empty() || name.text == partition.name) return p_key;
    reader_.Report(
        Severity::kWarning, name, Code::kNoEffect,
        fmt::format("{} is called '{}', which goes on to count", PKeyText(p_key), partition.name));
    partition.other_names.emplace_back(name.text);
    return p_key;
}

std::optional<std::uint16_t> PartitionTable::Define(const Word& name,
                                                    const std::optional<Word>& p_key) {
    ++defined_;
    if (!IsName(name)) return std::nullopt;
    if (p_key && p_key->text.empty()) {
        reader_.Error(*p_key, Code::kMissingValue,
                      fmt::format("there is no P_Key behind the '='; {}", kOpensmGivesUp));
        return std::nullopt;
    }
    const bool is_number =
        !name.text.empty() && name.text.front() >= '0' && name.text.front() <= '9';
    std::optional<std::uint16_t> found;
    if (p_key) {
        found = ByNumber(name, *p_key);
    } else if (is_number) {  // A name that is a number is the P_Key.
        found = ByNumber({name.text.substr(0, 0), name.begin}, name);
    } else {
        found = ByName(name);
    }
    if (found && partitions_[*found].line == 0) {  // The default one.
        partitions_[*found].line = static_cast<std::uint32_t>(reader_.number());
    }
    return found;
}

void PartitionTable::SetSl(std::uint16_t p_key, std::uint8_t sl, const Word& at) {
    std::optional<std::uint8_t>& here = partitions_[p_key].sl;
    if (here && *here != sl) {
        reader_.Error(at, Code::kContradiction,
                      fmt::format("{} has sl={} already", PKeyText(p_key), unsigned{*here}));
    }
    here = sl;
}

void PartitionTable::SetIp(std::uint16_t p_key) {
    partitions_[p_key].is_ip = true;
}

/// Ports that `ports` takes along although a line before says otherwise of them: OpenSM believes
/// the later line, and says so in a log at most.
void PartitionTable::CheckOverruled(const Partition& partition, PortClass ports, const Said& said,
                                    const Word& at) {
    std::uint32_t line = 0;
    for (std::size_t i = 0; i < kPortClasses; ++i) {
        const auto other = static_cast<PortClass>(i);
        const std::optional<Said>& before = partition.classes[i];
        const bool is_narrower = ports == PortClass::kAll || other == PortClass::kSelf;
        if (other == ports || !is_narrower || !MayMeet(ports, other)) continue;
        if (before && Differs(*before, said)) line = before->line;
    }
    for (const auto& [guid, before] : partition.ports) {
        if (ports != PortClass::kVcas && Differs(before, said)) line = before.line;
    }
    if (line == 0) return;
    reader_.Report(Severity::kWarning, at, Code::kOverruled,
                   fmt::format("line {} says otherwise of ports that may be among these; what "
                               "stands later counts, as with OpenSM: write {} first",
                               line, WordOf(ports)));
}

void PartitionTable::Put(std::uint16_t p_key, const Member& member, Said said, const Word& at) {
    Partition& partition = partitions_[p_key];
    said.number = said_++;
    said.line = static_cast<std::uint32_t>(reader_.number());
    const auto report_again = [&](const Said& before) {
        if (before.line == 0) return;
        if (before.membership != said.membership) {
            reader_.Error(at, Code::kContradiction,
                          fmt::format("line {} makes it a {} member; OpenSM would take what stands "
                                      "later",
                                      before.line, WordOf(before.membership)));
        } else {
            reader_.Report(Severity::kWarning, at, Code::kDuplicateEntry,
                           fmt::format("line {} says the same", before.line));
        }
    };
    if (const Guid* const guid = std::get_if<Guid>(&member)) {
        const auto [before, is_new] = partition.ports.try_emplace(*guid, said);
        if (!is_new) report_again(before->second);
        before->second = said;
        if (is_new && ++port_count_ == kMostPartitionMembers + 1) {
            reader_.Error(at, Code::kTooLarge,
                          fmt::format("there is room for {} ports", kMostPartitionMembers));
        }
        return;
    }
    const PortClass ports = std::get<PortClass>(member);
    std::optional<Said>& here = partition.classes[IndexOf(ports)];
    if (here) report_again(*here);
    CheckOverruled(partition, ports, said, at);
    if (ports == PortClass::kAll) {  // ALL overrules what was said before.
        port_count_ -= partition.ports.size();
        partition.ports.clear();
        partition.classes = {};
    }
    here = said;
    if (p_key == kDefaultBase) default_spots_.at(IndexOf(ports)) = SpotOf(reader_, at);
}

/// Subnet administration is asked in the default partition. Where its port is a limited member,
/// limited members cannot ask.
void PartitionTable::CheckSelf() {
    const Partition& partition = partitions_[kDefaultBase];
    std::size_t at = IndexOf(PortClass::kSelf);  // Of `last`.
    Said last = partition.classes[at].value_or(Said{});
    for (const PortClass ports : {PortClass::kAll, PortClass::kCas, PortClass::kSwitches}) {
        const std::optional<Said>& one = partition.classes[IndexOf(ports)];
        const bool is_narrower = ports != PortClass::kAll;
        if (!one || (is_narrower && one->membership != Membership::kLimited)) continue;
        if (last.membership != Membership::kNone && one->number < last.number) continue;
        last = *one;
        at = IndexOf(ports);
    }
    const bool is_named = std::any_of(
        partition.ports.begin(), partition.ports.end(),
        [](const auto& port) { return port.second.membership != Membership::kLimited; });
    if (last.membership != Membership::kLimited || is_named) return;
    ReportAt(
        diagnostics_, Severity::kError, default_spots_.at(at), Code::kSelfLimited,
        "this makes the subnet manager's port a limited member of the default partition, which "
        "OpenSM would do, and limited members could not ask it: add SELF=full behind");
}

PartitionConf PartitionTable::Rows() {
    CheckSelf();
    PartitionConf conf;
    std::map<std::pair<Guid, std::uint16_t>, PartitionMember> ports;
    for (const auto& [p_key, partition] : partitions_) {
        conf.partitions.push_back({.p_key = p_key,
                                   .name = partition.name,
                                   .line = partition.line,
                                   .sl = partition.sl.value_or(0),
                                   .is_ip = partition.is_ip});
        std::vector<std::uint32_t> numbers;
        for (const std::optional<Said>& said : partition.classes) {
            if (said) numbers.push_back(said->number);
        }
        std::sort(numbers.begin(), numbers.end());
        const auto turn_of = [&numbers](const Said& said) {
            const auto end = std::upper_bound(numbers.begin(), numbers.end(), said.number);
            return static_cast<std::uint8_t>(end - numbers.begin());
        };
        for (std::size_t i = 0; i < kPortClasses; ++i) {
            const std::optional<Said>& said = partition.classes[i];
            if (!said) continue;
            conf.classes.push_back({.line = said->line,
                                    .p_key = p_key,
                                    .ports = static_cast<PortClass>(i),
                                    .membership = said->membership,
                                    .turn = static_cast<std::uint8_t>(turn_of(*said) & 0x7FU),
                                    .is_first = said->is_first});
        }
        for (const auto& [guid, said] : partition.ports) {
            ports[{guid, p_key}] = {.port_guid = guid,
                                    .line = said.line,
                                    .p_key = p_key,
                                    .membership = said.membership,
                                    .turn = static_cast<std::uint8_t>(turn_of(said) & 0x7FU),
                                    .is_first = said.is_first};
        }
        // A member that is wrong has been told.
        const bool is_good = diagnostics_.CountOf(Severity::kError) == 0;
        if (is_good && numbers.empty() && partition.ports.empty()) {
            ReportAt(diagnostics_, Severity::kWarning, partition.spot, Code::kNoEffect,
                     "no port is a member of this partition; OpenSM would drop it and its groups");
        }
    }
    std::sort(conf.classes.begin(), conf.classes.end(), [](const auto& one, const auto& other) {
        return std::pair(one.ports, one.p_key) < std::pair(other.ports, other.p_key);
    });
    for (const auto& [key, row] : ports) {
        conf.ports.push_back(row);
    }
    return conf;
}

}  // namespace ember::emberc
