// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's command line as an opensm.conf.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ember::emberc {

/// A remark on an option: its outcome, or what is wrong with it.
struct OptionRemark {
    bool is_error = false;
    std::string option;  ///< As it was written.
    std::string text;
};

/// An opensm.conf that means what a command line of OpenSM means.
struct ConvertedOptions {
    std::string text;  ///< Empty where a remark is an error.
    std::vector<OptionRemark> remarks;

    [[nodiscard]] bool is_good() const;
};

/// Converts the words behind `opensm`, which may stand in front of them itself. Reads the file of
/// --config, whose lines come first. Options that have no key, or that need none, are remarked on;
/// what OpenSM does not know is an error. Sources: opensm --help of 3.3.23, and what it writes with
/// --create-config.
[[nodiscard]] ConvertedOptions ConvertOptions(std::span<const std::string> words);

}  // namespace ember::emberc
