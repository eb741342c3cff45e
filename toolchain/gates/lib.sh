# SPDX-License-Identifier: Apache-2.0
# EmberSM: what the gates share. A gate is `gates/<name> [ROOT]`: silent and 0, or findings and 1.

here=$(cd "$(dirname "$0")" && pwd)
source_root=$(cd "$here/../.." && pwd)
root=${1:-$source_root}
build=${EMBER_BUILD:-$source_root/build}
jobs=${JOBS:-$(nproc)}
cd "$root" || exit 2

# Sources of the given rooms that end in the given suffixes: sources "core engines" "h cc"
sources() {
    for room in $1; do
        [ -d "$room" ] || continue
        for suffix in $2; do find "$room" -type f -name "*.$suffix"; done
    done | sort
}

rooms="core engines config platform board tests"
firmware_flags="-std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wswitch-enum -Wcast-align -Wvla -Walloca -Wimplicit-fallthrough -Werror"
# Which flags a file is compiled with follows from its room.
flags_of() {
    case $1 in
        core/*|engines/*|config/blob/*|config/keys/*|board/*) echo $firmware_flags ;;
        *) echo -std=c++20 ;;
    esac
}
