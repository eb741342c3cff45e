// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on the paths that a hop matrix from a file calls the shortest.

#include "engines/file/file_finder.h"

#include "core/base/assert.h"

namespace ember {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace

Status FileFinder::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    const Topology& topology = *task.topology;
    const EngineTables& tables = task.options->tables;
    Arena& scratch = *task.scratch;

    std::uint32_t lids = 0;
    for (const FileMatrix& matrix : tables.matrix) {
        lids = std::max(lids, matrix.lids);
    }
    lids_.Begin(topology, tables.matrix_owners, lids, scratch);
    matrix_of_ = scratch.Take<std::uint32_t>(topology.switch_bound());
    lid_of_ = scratch.Take<std::uint32_t>(topology.switch_bound());
    std::fill(matrix_of_.begin(), matrix_of_.end(), kNone);
    std::fill(lid_of_.begin(), lid_of_.end(), kNone);
    return FitsSwitches() ? Status::kOk : Status::kMalformed;
}

/// Finds the LIDs that the file has for switches.
Result<Progress> FileFinder::Prepare() {
    if (lids_.Advance() == Progress::kMore) return Progress::kMore;
    const Topology& topology = *task_.topology;
    const Arena::Frame frame(*task_.scratch);
    const auto at_lid = task_.scratch->Take<SwitchIndex>(Raw(topology.top_lid()) + std::size_t{1});
    std::fill(at_lid.begin(), at_lid.end(), kNoSwitch);
    for (const Destination& destination : topology.destinations()) {
        if (destination.is_switch()) at_lid[Raw(destination.lid)] = destination.at;
    }
    for (std::uint32_t lid = 1; lid < lids_.size(); ++lid) {
        const Lid today = lids_.Today(lid);
        if (today == kNoLid || at_lid[Raw(today)] == kNoSwitch) continue;
        lid_of_[Raw(at_lid[Raw(today)])] = lid;
    }
    return Progress::kDone;
}

/// Finds the switches of the file. False when one has hops by a port that it does not have.
bool FileFinder::FitsSwitches() {
    const EngineTables& tables = task_.options->tables;
    for (std::uint32_t i = 0; i < tables.matrix.size(); ++i) {
        const FileMatrix& matrix = tables.matrix[i];
        const SwitchIndex at = task_.topology->FindSwitch(matrix.guid);
        if (at == kNoSwitch) continue;
        if (matrix.port_count > task_.topology->switch_row(at).port_count) {
            complaint_ = {.what = EngineFault::kUnknownPort,
                          .guid = matrix.guid,
                          .port = static_cast<PortNumber>(matrix.port_count)};
            return false;
        }
        matrix_of_[Raw(at)] = i;
    }
    return true;
}

std::span<const std::uint8_t> FileFinder::HopsOf(SwitchIndex here, SwitchIndex to) const {
    const EngineTables& tables = task_.options->tables;
    if (matrix_of_[Raw(here)] == kNone || lid_of_[Raw(to)] == kNone) return {};
    const FileMatrix& matrix = tables.matrix[matrix_of_[Raw(here)]];
    const std::size_t lid = lid_of_[Raw(to)];
    if (lid >= matrix.lids) return {};
    const std::size_t width = matrix.port_count + std::size_t{1};
    return tables.matrix_hops.subspan(matrix.first + lid * width, width);
}

void FileFinder::Find(SwitchIndex here, std::size_t first, std::size_t words,
                      std::span<std::uint64_t> masks) const {
    EMBER_ASSERT(masks.size() == kColumns * words);
    const Topology& topology = *task_.topology;
    std::fill(masks.begin(), masks.end(), 0);
    const std::size_t end = std::min(first + kColumns, topology.switch_bound());
    for (std::size_t column = first; column < end; ++column) {
        const auto to = static_cast<SwitchIndex>(column);
        if (to == here || !topology.Has(to)) continue;
        const auto row = HopsOf(here, to);
        if (row.empty()) continue;
        const std::uint8_t least = *std::min_element(row.begin(), row.end());
        if (least == kNoHops) continue;
        for (const Trunk& trunk : topology.trunks(here)) {
            const std::size_t bit = Raw(trunk.port) - std::size_t{1};
            if (Raw(trunk.port) >= row.size() || row[Raw(trunk.port)] != least) continue;
            masks[(column - first) * words + bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
    }
}

}  // namespace ember
