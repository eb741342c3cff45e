// SPDX-License-Identifier: Apache-2.0
// EmberSM: records as a test reads and names them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/ids.h"
#include "tests/core/administration/record_net.h"

namespace ember::testing {

/// The component of the LID.
inline constexpr unsigned kLid = 0;

/// The octets of a record.
template <typename Record>
[[nodiscard]] Record As(const Octets& octets) {
    Record record;
    EXPECT_EQ(octets.size(), sizeof(Record));
    std::copy(octets.begin(), octets.end(), record.octets().begin());
    return record;
}

/// The LIDs that records begin with, in order.
[[nodiscard]] inline std::vector<Lid> LidsOf(const Told& told) {
    std::vector<Lid> lids;
    for (const Octets& octets : told.records) {
        lids.push_back(static_cast<Lid>(octets[0] << 8U | octets[1]));
    }
    return lids;
}

/// A record that names a LID and nothing else.
[[nodiscard]] inline std::array<std::uint8_t, 2> Naming(Lid lid) {
    return {static_cast<std::uint8_t>(Raw(lid) >> 8U), static_cast<std::uint8_t>(Raw(lid))};
}

}  // namespace ember::testing
