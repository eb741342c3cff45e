// SPDX-License-Identifier: Apache-2.0
// EmberSM: lid_matrix_dump_file: "Switch: guid 0x<switch>" and then "0x<lid>: <hops by port>".
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/dump_lines.h"

namespace ember::emberc {
namespace {

constexpr std::uint8_t kNoWay = 255;
constexpr std::size_t kMostHops = 255;  // By ports 0..254.

class MatrixReader {
public:
    MatrixReader(std::string_view text, Diagnostics& diagnostics) : reader_(text, diagnostics) {}

    LoadedMatrix Read();

private:
    struct Switch {
        std::size_t line = 0;
        std::size_t width = 0;  ///< Hops in a row; 0 before the first.
        std::vector<std::uint8_t> hops;
        std::vector<bool> has_row;  ///< By LID.
    };
    enum class Part { kNone, kSwitch, kSkipped };

    void ReadLine();
    void BeginSwitch();
    void ReadRow(const Word& first);
    [[nodiscard]] bool ReadHops();
    [[nodiscard]] bool HasWidth(const Word& first);
    void SetRow(std::size_t lid, const Word& first);

    LineReader reader_;
    std::map<Guid, Switch> switches_;
    LidOwners owners_;
    TableSize size_;
    Part part_ = Part::kNone;
    Switch* here_ = nullptr;
    std::vector<std::uint8_t> row_;  ///< Of the line at hand.
};

LoadedMatrix MatrixReader::Read() {
    while (reader_.NextWords()) {
        ReadLine();
    }
    LoadedMatrix matrix;
    for (auto& [guid, one] : switches_) {
        if (one.width == 0) continue;  // A switch without a row says nothing.
        matrix.switches.push_back({.guid = guid,
                                   .port_count = static_cast<std::uint8_t>(one.width - 1),
                                   .hops = std::move(one.hops)});
    }
    matrix.owners = owners_.All();
    return matrix;
}

void MatrixReader::ReadLine() {
    const Word first = reader_.words().front();
    if (first.text.starts_with("Switch")) return BeginSwitch();
    if (part_ == Part::kSkipped) return;
    if (!first.text.starts_with("0x") && !first.text.starts_with("0X")) {
        return reader_.Error(reader_.all(), Code::kUnknownLine,
                             "this is neither 'Switch: guid ...' nor a row '0x<lid>: <hops>'");
    }
    if (part_ == Part::kSwitch) return ReadRow(first);
    reader_.Error(first, Code::kNoSwitch, "a row before the first line 'Switch: guid ...'");
    part_ = Part::kSkipped;  // Once is enough.
}

void MatrixReader::BeginSwitch() {
    part_ = Part::kSkipped;
    const auto guid = ReadSwitchGuid(reader_);
    if (!guid) return;
    const auto [at, fresh] = switches_.try_emplace(*guid);
    if (!fresh) {
        return reader_.Error(
            reader_.all(), Code::kDuplicateSwitch,
            fmt::format("{} has its rows from line {} on already", Hex(*guid), at->second.line));
    }
    part_ = Part::kSwitch;
    here_ = &at->second;
    here_->line = reader_.number();
}

/// The words behind the first as hexadecimal octets.
bool MatrixReader::ReadHops() {
    row_.clear();
    for (const Word& word : reader_.words().subspan(1)) {
        std::uint8_t hops = 0;
        const char* const end = word.text.data() + word.text.size();
        const auto result = std::from_chars(word.text.data(), end, hops, 16);
        if (result.ec != std::errc{} || result.ptr != end) {
            reader_.Error(word, Code::kBadNumber,
                          fmt::format("'{}' is no octet in hexadecimal: 00..ff", word.text));
            return false;
        }
        row_.push_back(hops);
    }
    return true;
}

bool MatrixReader::HasWidth(const Word& first) {
    if (here_->width == 0 && row_.size() >= 2 && row_.size() <= kMostHops) {
        here_->width = row_.size();
        return true;
    }
    if (here_->width == 0) {
        reader_.Error(first, Code::kBadRow,
                      fmt::format("a row has hops for port 0 and for 1 to 254 more, not {} in all",
                                  row_.size()));
        return false;
    }
    if (row_.size() == here_->width) return true;
    reader_.Error(first, Code::kBadRow,
                  fmt::format("the row has {} hops, those before it in this switch {}", row_.size(),
                              here_->width));
    return false;
}

void MatrixReader::ReadRow(const Word& first) {
    const auto lid = ReadEntryLid(reader_, first);
    if (!lid) return;
    if (lid->rest != ":") {
        return reader_.Error(first, Code::kBadRow, "behind the LID stands ':' and a blank");
    }
    if (!ReadHops() || !HasWidth(first)) return;
    owners_.Read(reader_, static_cast<std::uint16_t>(lid->value));
    SetRow(static_cast<std::size_t>(lid->value), first);
}

void MatrixReader::SetRow(std::size_t lid, const Word& first) {
    if (here_->has_row.size() <= lid) {
        const std::size_t rows = lid + 1 - here_->has_row.size();
        if (!size_.Grow(reader_, first, rows * here_->width)) return;
        here_->has_row.resize(lid + 1, false);
        here_->hops.resize((lid + 1) * here_->width, kNoWay);
    }
    const auto place = here_->hops.begin() + static_cast<std::ptrdiff_t>(lid * here_->width);
    if (!here_->has_row[lid]) {
        here_->has_row[lid] = true;
        std::copy(row_.begin(), row_.end(), place);
    } else if (std::equal(row_.begin(), row_.end(), place)) {
        reader_.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                       fmt::format("LID {:#x} has this row already", lid));
    } else {
        reader_.Error(first, Code::kContradiction,
                      fmt::format("LID {:#x} has another row already in this switch", lid));
    }
}

}  // namespace

LoadedMatrix ParseLidMatrixDumpFile(std::string_view text, Diagnostics& diagnostics) {
    return MatrixReader(text, diagnostics).Read();
}

std::string AsLine(const LoadedMatrix::Switch& one) {
    const std::size_t width = one.port_count + std::size_t{1};
    std::string line = fmt::format("{} ({} ports):", Hex(one.guid), one.port_count);
    for (std::size_t lid = 0; lid < one.hops.size() / width; ++lid) {
        const auto row = one.hops.begin() + static_cast<std::ptrdiff_t>(lid * width);
        const std::uint8_t least = *std::min_element(row, row + static_cast<std::ptrdiff_t>(width));
        if (least != kNoWay) line += fmt::format(" {:#x}={}", lid, least);
    }
    return line;
}

}  // namespace ember::emberc
