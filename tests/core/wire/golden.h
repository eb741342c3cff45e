// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams recorded from other programs, with what those programs said they mean.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/wire/mad.h"
#include "core/wire/smp.h"

namespace ember {

/// A file of tests/golden/wire, as tests/interop/capture/record.py writes it.
struct Golden {
    struct Datagram {
        bool received = false;  ///< By the program that was recorded.
        Mad mad{};
    };
    std::vector<Datagram> datagrams;
    std::vector<std::pair<std::string, std::string>> says;  ///< Label and value, in order.

    /// The last datagram: the one the sayings are about.
    [[nodiscard]] const Mad& answer() const { return datagrams.back().mad; }
    [[nodiscard]] std::optional<std::string> Saying(const std::string& label) const;
};

/// Reads tests/golden/wire/<name>.hex. A file that is missing or damaged has no datagrams.
[[nodiscard]] Golden ReadGolden(const std::string& name);

/// All names there are.
[[nodiscard]] std::vector<std::string> GoldenNames();

}  // namespace ember
