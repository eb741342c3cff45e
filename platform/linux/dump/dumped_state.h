// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a sweep has changed what a dump tells of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/progress.h"
#include "core/manager/subnet_manager.h"

namespace ember {

/// A digest of all that dump files tell of nodes, ports, links, LIDs, hops and routes, and of the
/// rows in which they stand. Two of them are equal where a sweep in between has changed nothing of
/// it. Trees of multicast groups and registrations are left out: clients change them between
/// sweeps, and no sweep does.
///
/// The digest is no secret and proves nothing against an adversary: one who finds a collision gets
/// a dump of which one half is older than the other.
class DumpedState {
public:
    void Begin();
    /// A slice of some 100 us. The subnet stands still until kDone.
    [[nodiscard]] Progress Advance(const SubnetManager& sm);
    /// Whole when Advance() has said kDone.
    [[nodiscard]] std::uint64_t digest() const { return digest_; }

private:
    enum class Part : std::uint8_t { kVerdict, kNodes, kPorts, kLids, kSwitches, kDone };

    static constexpr std::size_t kRowsPerSlice = 512;  ///< Of nodes, ports and LIDs.
    static constexpr std::size_t kSwitchesPerSlice = 8;

    void Add(std::uint64_t word);
    void Add(std::span<const std::uint8_t> octets);
    void AddVerdict(const SubnetManager& sm);
    void AddNode(const Fabric& fabric, std::size_t row);
    void AddPort(const Fabric& fabric, std::size_t row);
    void AddSwitch(const SubnetManager& sm, std::size_t row);
    /// Some rows of a table with so many; `add` takes the number of each.
    template <typename AddRow>
    void AddRows(std::size_t bound, std::size_t at_once, AddRow add);

    Part part_ = Part::kDone;
    std::size_t row_ = 0;
    std::uint64_t digest_ = 0;
};

}  // namespace ember
