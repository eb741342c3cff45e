// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the files are that options name.
#include "config/emberc/option_files/file_places.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace ember::emberc {
namespace {

using std::filesystem::path;

// Folders that OpenSM is built for: by itself, by Red Hat and its kin, from source, within UFM.
constexpr std::array<std::string_view, 4> kFolders = {
    "/etc/opensm", "/etc/rdma", "/usr/local/etc/opensm", "/opt/ufm/files/conf/opensm"};

}  // namespace

bool IsDefaultName(std::string_view name, std::string_view default_name) {
    if (name == default_name) return true;
    const path by_default(default_name);
    if (by_default.parent_path() != kFolders.front()) return false;
    const path here(name);
    return here.filename() == by_default.filename() &&
           std::find(kFolders.begin(), kFolders.end(), here.parent_path().string()) !=
               kFolders.end();
}

path PathOf(std::string_view name, std::string_view default_name, const FilePlaces& places) {
    if (!places.default_folder.empty() && IsDefaultName(name, default_name)) {
        return places.default_folder / path(name).filename();
    }
    // "./" keeps a file called "-" from being standard input.
    return (places.folder.empty() ? "." : places.folder) / path(name);
}

bool IsThere(const path& path) {
    std::error_code unknown;
    return std::filesystem::status(path, unknown).type() != std::filesystem::file_type::not_found;
}

}  // namespace ember::emberc
