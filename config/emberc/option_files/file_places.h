// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the files are that options name.
#pragma once

#include <filesystem>
#include <string_view>

namespace ember::emberc {

/// Where to look for the files that options name.
struct FilePlaces {
    std::filesystem::path folder;  ///< Of the opensm.conf; relative names count from it.
    bool default_files = true;     ///< False: files that only a default names are left alone.
    std::filesystem::path default_folder;  ///< In the place of /etc/opensm; empty: that itself.
    bool without_partitions = false;       ///< The file of the partitions is left alone.
};

/// Whether `name` is the default name `default_name` of an OpenSM, whichever folder it was built
/// for: /etc/opensm here, /etc/rdma in some distributions.
[[nodiscard]] bool IsDefaultName(std::string_view name, std::string_view default_name);

/// Where the file called `name` is. `default_name` is what the key is set to by default.
[[nodiscard]] std::filesystem::path PathOf(std::string_view name, std::string_view default_name,
                                           const FilePlaces& places);

/// False only where there is surely nothing: what cannot be looked at is there.
[[nodiscard]] bool IsThere(const std::filesystem::path& path);

}  // namespace ember::emberc
