// SPDX-License-Identifier: Apache-2.0
// EmberSM: lfts_file: "Unicast lids ... guid 0x<switch>" and then "0x<lid> <port> ..." a line.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/dump_lines.h"

namespace ember::emberc {
namespace {

constexpr std::uint8_t kNothing = 255;

class LftsReader {
public:
    LftsReader(std::string_view text, Diagnostics& diagnostics) : reader_(text, diagnostics) {}

    LoadedLfts Read();

private:
    struct Switch {
        std::size_t line = 0;
        std::vector<std::uint8_t> ports;
        std::vector<bool> is_set;  ///< By LID: 255 is a port that can be told too.
    };
    /// Whose entries the lines are.
    enum class Part { kNone, kSwitch, kSkipped };

    void ReadLine(const Word& line);
    void BeginSwitch();
    void BeginMulticast(const Word& line);
    void ReadEntry(const Word& entry);
    void Set(std::size_t lid, std::uint8_t port, const Word& word);

    LineReader reader_;
    std::map<Guid, Switch> switches_;
    LidOwners owners_;
    TableSize size_;
    Part part_ = Part::kNone;
    Switch* here_ = nullptr;
    bool multicast_reported_ = false;
};

/// Whether ibroute or OpenSM writes such a line around the entries.
bool IsFrame(std::string_view line) {
    return line.empty() || line.front() == '#' || line.ends_with("lids dumped") ||
           (line.starts_with("Lid ") && line.find("Out") != std::string_view::npos) ||
           (line.starts_with("Port") && line.ends_with("Info"));
}

LoadedLfts LftsReader::Read() {
    while (reader_.NextLine()) {
        ReadLine(reader_.all());
    }
    LoadedLfts lfts;
    for (auto& [guid, one] : switches_) {
        lfts.switches.push_back({.guid = guid, .ports = std::move(one.ports)});
    }
    lfts.owners = owners_.All();
    return lfts;
}

void LftsReader::ReadLine(const Word& line) {
    if (line.text.starts_with("Unicast lids")) return BeginSwitch();
    if (line.text.starts_with("Multicast mlids")) return BeginMulticast(line);
    if (part_ == Part::kSkipped || IsFrame(line.text)) return;
    if (!line.text.starts_with("0x") && !line.text.starts_with("0X")) {
        return reader_.Error(line, Code::kUnknownLine,
                             "this is neither 'Unicast lids ...' nor an entry '0x<lid> <port>'");
    }
    if (part_ == Part::kSwitch) return ReadEntry(line);
    reader_.Error(line, Code::kNoSwitch, "an entry before the first line 'Unicast lids ...'");
    part_ = Part::kSkipped;  // Once is enough.
}

void LftsReader::BeginSwitch() {
    part_ = Part::kSkipped;
    const auto guid = ReadSwitchGuid(reader_);
    if (!guid) return;
    const auto [at, fresh] = switches_.try_emplace(*guid, Switch{reader_.number(), {}, {}});
    if (!fresh) {
        reader_.Error(
            reader_.all(), Code::kDuplicateSwitch,
            fmt::format("{} has its entries from line {} on already", Hex(*guid), at->second.line));
        return;
    }
    part_ = Part::kSwitch;
    here_ = &at->second;
}

void LftsReader::BeginMulticast(const Word& line) {
    part_ = Part::kSkipped;
    if (multicast_reported_) return;
    multicast_reported_ = true;
    reader_.Report(Severity::kNote, line, Code::kMulticastSkipped,
                   "engine `file` routes unicast; multicast entries are left out");
}

void LftsReader::ReadEntry(const Word& entry) {
    const auto lid = ReadEntryLid(reader_, entry);
    if (!lid) return;
    const std::size_t blanks = std::min(lid->rest.find_first_not_of(" \t"), lid->rest.size());
    const Word behind{lid->rest.substr(blanks), entry.begin + lid->digits.size() + blanks};
    const Word word{behind.text.substr(0, behind.text.find_first_of(" \t")), behind.begin};
    const auto port = ReadDecimal(word.text);
    if (!port || blanks == 0 || !port->rest.empty()) {
        return reader_.Error(word.text.empty() ? entry : word, Code::kBadNumber,
                             "behind the LID stands a port, in decimal");
    }
    if (port->value > kNothing) {
        return reader_.Error(word, Code::kOutOfRange,
                             fmt::format("port {} is not in 0..254", port->value));
    }
    owners_.Read(reader_, static_cast<std::uint16_t>(lid->value));
    Set(static_cast<std::size_t>(lid->value), static_cast<std::uint8_t>(port->value), word);
}

void LftsReader::Set(std::size_t lid, std::uint8_t port, const Word& word) {
    if (here_->ports.size() <= lid) {
        if (!size_.Grow(reader_, word, lid + 1 - here_->ports.size())) return;
        here_->ports.resize(lid + 1, kNothing);
        here_->is_set.resize(lid + 1, false);
    }
    std::uint8_t& place = here_->ports[lid];
    if (!here_->is_set[lid]) {
        here_->is_set[lid] = true;
        place = port;
    } else if (place == port) {
        reader_.Report(Severity::kWarning, word, Code::kDuplicateEntry,
                       fmt::format("LID {:#x} has port {} already", lid, port));
    } else {
        reader_.Error(word, Code::kContradiction,
                      fmt::format("LID {:#x} has port {} already in this switch", lid, place));
    }
}

}  // namespace

LoadedLfts ParseLftsFile(std::string_view text, Diagnostics& diagnostics) {
    return LftsReader(text, diagnostics).Read();
}

std::string AsLine(const LoadedLfts::Switch& one) {
    std::string line = Hex(one.guid) + ":";
    for (std::size_t lid = 0; lid < one.ports.size(); ++lid) {
        if (one.ports[lid] != kNothing) line += fmt::format(" {:#x}={}", lid, one.ports[lid]);
    }
    return line;
}

}  // namespace ember::emberc
